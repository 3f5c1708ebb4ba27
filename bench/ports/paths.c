/* SPDX-License-Identifier: MIT
 *
 * The shortest paths between all nodes of a graph, by Floyd and Warshall: a launch for each node. */
#include "port.h"

enum { N = 600 };
static int *edges, *lengths;

static void set_up(void)
{
    edges = new_array(N * N * sizeof *edges);
    lengths = new_array(N * N * sizeof *lengths);
    for (uint32_t i = 0; i < N * N; i++)
        edges[i] = i / N == i % N ? 0 : (int)between(1, 1000, i);
}

static void loops(void)
{
    memcpy(lengths, edges, N * N * sizeof *lengths);
#pragma omp parallel
    for (int k = 0; k < N; k++) {
#pragma omp for
        for (int i = 0; i < N; i++) {
            int *restrict from = lengths + i * N, first = from[k];
            const int *on = lengths + k * N;
            for (int j = 0; j < N; j++)
                from[j] = first + on[j] < from[j] ? first + on[j] : from[j];
        }
    }
}

#ifndef _OPENMP
static void shorten(amp_index2 idx, int n, int k, int d[n][n]) restrict(amp)
{
    int i = idx[0], j = idx[1], length = d[i][k] + d[k][j];
    if (length < d[i][j])
        d[i][j] = length;
}

static void launch(void)
{
    memcpy(lengths, edges, N * N * sizeof *lengths);
    amp_auto_array_view *d = amp_array_view2(N, N, lengths);
    for (int k = 0; k < N; k++)
        amp_parallel_for_each(amp_extent2(N, N), shorten, k, d);
    amp_synchronize(d);
}
#endif

PORT("paths", lengths, N *N, 0)

/* SPDX-License-Identifier: MIT
 *
 * The game of life on a torus of bytes, step by step. */
#include "port.h"

enum { N = 2000, STEPS = 4 };
typedef unsigned char cell;
static cell *cells, *next;

static void set_up(void)
{
    cells = new_array(N * N * sizeof *cells);
    next = new_array(N * N * sizeof *next);
    for (uint32_t i = 0; i < N * N; i++)
        cells[i] = between(0, 1, i) < 0.4f;
}

static void live(const cell *restrict above, const cell *restrict row, const cell *restrict below, cell *restrict to)
{
    cell first = (cell)(above[N - 1] + above[0] + above[1] + row[N - 1] + row[1] + below[N - 1] + below[0] + below[1]);
    to[0] = first == 3 || (first == 2 && row[0]);
    for (int j = 1; j < N - 1; j++) {
        cell sum = (cell)(above[j - 1] + above[j] + above[j + 1] + row[j - 1] + row[j + 1] + below[j - 1] + below[j] +
                          below[j + 1]);
        to[j] = (cell)((sum == 3) | ((sum == 2) & row[j]));
    }
    cell last =
        (cell)(above[N - 2] + above[N - 1] + above[0] + row[N - 2] + row[0] + below[N - 2] + below[N - 1] + below[0]);
    to[N - 1] = last == 3 || (last == 2 && row[N - 1]);
}

static void loops(void)
{
    for (int step = 0; step < STEPS; step++) {
        const cell *from = step % 2 ? next : cells;
        cell *to = step % 2 ? cells : next;
#pragma omp parallel for
        for (int i = 0; i < N; i++)
            live(from + (i == 0 ? N - 1 : i - 1) * N, from + i * N, from + (i == N - 1 ? 0 : i + 1) * N, to + i * N);
    }
}

#ifndef _OPENMP
static void live_cell(amp_index2 idx, int n, const cell from[n][n], cell to[n][n]) restrict(amp)
{
    int i = idx[0], j = idx[1];
    int above = i == 0 ? n - 1 : i - 1, below = i == n - 1 ? 0 : i + 1;
    int left = j == 0 ? n - 1 : j - 1, right = j == n - 1 ? 0 : j + 1;
    int sum = from[above][left] + from[above][j] + from[above][right] + from[i][left] + from[i][right] +
              from[below][left] + from[below][j] + from[below][right];
    to[i][j] = sum == 3 || (sum == 2 && from[i][j]);
}

static void launch(void)
{
    amp_auto_array_view *a = amp_array_view2(N, N, cells), *b = amp_array_view2(N, N, next);
    for (int step = 0; step < STEPS; step++)
        amp_parallel_for_each(amp_extent2(N, N), live_cell, step % 2 ? b : a, step % 2 ? a : b);
    amp_synchronize(a);
}
#endif

PORT("life", cells, N *N, 0)

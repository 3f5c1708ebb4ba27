/* SPDX-License-Identifier: MIT
 *
 * c = alpha * a * aT + beta * c: each thread goes along two rows of a. */
#include "port.h"

enum { N = 1000 };
static float *a, *old, *c;

static void set_up(void)
{
    a = new_array(N * N * sizeof *a);
    old = new_array(N * N * sizeof *old);
    c = new_array(N * N * sizeof *c);
    for (uint32_t i = 0; i < N * N; i++) {
        a[i] = (float)small(i);
        old[i] = (float)small(~i);
    }
}

static void loops(void)
{
#pragma omp parallel for
    for (int row = 0; row < N; row++)
        for (int col = 0; col < N; col++) {
            float sum = 0;
            for (int k = 0; k < N; k++)
                sum += a[row * N + k] * a[col * N + k];
            c[row * N + col] = 2 * sum + 3 * old[row * N + col];
        }
}

#ifndef _OPENMP
static void multiply(amp_index2 idx, int n, int m, const float x[n][m], const float from[n][n], float to[n][n])
    restrict(amp)
{
    float sum = 0;
    for (int k = 0; k < m; k++)
        sum += x[idx[0]][k] * x[idx[1]][k];
    to[idx[0]][idx[1]] = 2 * sum + 3 * from[idx[0]][idx[1]];
}

static void launch(void)
{
    amp_auto_array_view *x = amp_array_view2(N, N, (const float *)a);
    amp_auto_array_view *from = amp_array_view2(N, N, (const float *)old);
    amp_auto_array_view *to = amp_array_view2(N, N, c);
    amp_discard_data(to);
    amp_parallel_for_each(amp_extent2(N, N), multiply, x, from, to);
    amp_synchronize(to);
}
#endif

PORT("syrk", c, N *N, 0)

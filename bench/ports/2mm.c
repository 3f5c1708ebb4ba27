/* SPDX-License-Identifier: MIT
 *
 * d = 2 * a * b * c: two products of matrices, one after the other. */
#include "port.h"

enum { N = 800 };
static float *a, *b, *c, *product, *d;

static void set_up(void)
{
    a = new_array(N * N * sizeof *a);
    b = new_array(N * N * sizeof *b);
    c = new_array(N * N * sizeof *c);
    product = new_array(N * N * sizeof *product);
    d = new_array(N * N * sizeof *d);
    for (uint32_t i = 0; i < N * N; i++) {
        a[i] = between(-1, 1, 3 * i);
        b[i] = between(-1, 1, 3 * i + 1);
        c[i] = between(-1, 1, 3 * i + 2);
    }
}

/* In the order of loops that is fastest without blocks. */
static void multiply(float factor, const float *x, const float *y, float *to)
{
#pragma omp parallel for
    for (int row = 0; row < N; row++) {
        for (int col = 0; col < N; col++)
            to[row * N + col] = 0;
        for (int k = 0; k < N; k++)
            for (int col = 0; col < N; col++)
                to[row * N + col] += factor * x[row * N + k] * y[k * N + col];
    }
}

static void loops(void)
{
    multiply(2, a, b, product);
    multiply(1, product, c, d);
}

#ifndef _OPENMP
static void multiply_all(amp_index2 idx, int n, float factor, const float x[n][n], const float y[n][n], float to[n][n])
    restrict(amp)
{
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += factor * x[idx[0]][k] * y[k][idx[1]];
    to[idx[0]][idx[1]] = sum;
}

static void launch(void)
{
    amp_auto_array_view *x = amp_array_view2(N, N, (const float *)a);
    amp_auto_array_view *y = amp_array_view2(N, N, (const float *)b);
    amp_auto_array_view *z = amp_array_view2(N, N, (const float *)c);
    amp_auto_array_view *between_them = amp_array_view2(N, N, product);
    amp_auto_array_view *to = amp_array_view2(N, N, d);
    amp_discard_data(between_them);
    amp_discard_data(to);
    amp_parallel_for_each(amp_extent2(N, N), multiply_all, 2.0f, x, y, between_them);
    amp_parallel_for_each(amp_extent2(N, N), multiply_all, 1.0f, between_them, z, to);
    amp_synchronize(to);
}
#endif

PORT("2mm", d, N *N, 1e-3)

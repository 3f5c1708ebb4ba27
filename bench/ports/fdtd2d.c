/* SPDX-License-Identifier: MIT
 *
 * An electromagnetic field in two dimensions, step by step. */
#include "port.h"

enum { N = 1000, STEPS = 10 };
static float *electric_x, *electric_y, *magnetic;

static void set_up(void)
{
    electric_x = new_array(N * N * sizeof *electric_x);
    electric_y = new_array(N * N * sizeof *electric_y);
    magnetic = new_array(N * N * sizeof *magnetic);
    for (uint32_t i = 0; i < N * N; i++) {
        electric_x[i] = between(-1, 1, 3 * i);
        electric_y[i] = between(-1, 1, 3 * i + 1);
        magnetic[i] = between(-1, 1, 3 * i + 2);
    }
}

static void loops(void)
{
    for (int step = 0; step < STEPS; step++) {
#pragma omp parallel for
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                if (i == 0)
                    electric_y[j] = (float)step;
                else
                    electric_y[i * N + j] -= 0.5f * (magnetic[i * N + j] - magnetic[(i - 1) * N + j]);
#pragma omp parallel for
        for (int i = 0; i < N; i++)
            for (int j = 1; j < N; j++)
                electric_x[i * N + j] -= 0.5f * (magnetic[i * N + j] - magnetic[i * N + j - 1]);
#pragma omp parallel for
        for (int i = 0; i < N - 1; i++)
            for (int j = 0; j < N - 1; j++)
                magnetic[i * N + j] -= 0.7f * (electric_x[i * N + j + 1] - electric_x[i * N + j] +
                                               electric_y[(i + 1) * N + j] - electric_y[i * N + j]);
    }
}

#ifndef _OPENMP
static void change_y(amp_index2 idx, int n, int step, const float h[n][n], float y[n][n]) restrict(amp)
{
    int i = idx[0], j = idx[1];
    if (i == 0)
        y[i][j] = (float)step;
    else
        y[i][j] -= 0.5f * (h[i][j] - h[i - 1][j]);
}

static void change_x(amp_index2 idx, int n, const float h[n][n], float x[n][n]) restrict(amp)
{
    int i = idx[0], j = idx[1];
    if (j > 0)
        x[i][j] -= 0.5f * (h[i][j] - h[i][j - 1]);
}

static void change_magnetic(amp_index2 idx, int n, const float x[n][n], const float y[n][n], float h[n][n])
    restrict(amp)
{
    int i = idx[0], j = idx[1];
    if (i < n - 1 && j < n - 1)
        h[i][j] -= 0.7f * (x[i][j + 1] - x[i][j] + y[i + 1][j] - y[i][j]);
}

static void launch(void)
{
    amp_auto_array_view *x = amp_array_view2(N, N, electric_x);
    amp_auto_array_view *y = amp_array_view2(N, N, electric_y);
    amp_auto_array_view *h = amp_array_view2(N, N, magnetic);
    amp_extent domain = amp_extent2(N, N);
    for (int step = 0; step < STEPS; step++) {
        amp_parallel_for_each(domain, change_y, step, h, y);
        amp_parallel_for_each(domain, change_x, h, x);
        amp_parallel_for_each(domain, change_magnetic, x, y, h);
    }
    amp_synchronize(h);
}
#endif

PORT("fdtd2d", magnetic, N *N, 1e-3)

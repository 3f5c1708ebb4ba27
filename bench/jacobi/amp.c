/* SPDX-License-Identifier: MIT */
#include "problem.h"
#include <amp.h>

static void sweep(amp_index2 idx, int M, int N, const float from[M][N], float to[M][N]) restrict(amp)
{
    int i = idx[0] + 1, j = idx[1] + 1;
    to[i][j] = 0.25f * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
}

static amp_array_view *start_view, *views[2];

static void prepare(void)
{
    set_up();
    start_view = amp_array_view2(SIZE, SIZE, (const float *)start);
    for (int g = 0; g < 2; g++)
        views[g] = amp_array_view2(SIZE, SIZE, grid[g]);
}

static void run(void)
{
    for (int i = 0; i < SWEEPS; i++)
        amp_parallel_for_each(amp_extent2(SIZE - 2, SIZE - 2), sweep, i ? views[1 - i % 2] : start_view, views[i % 2]);
    amp_synchronize(views[1]);
}

BENCH("jacobi", "plain", prepare, run, verify)

/* SPDX-License-Identifier: MIT */
#include "problem.h"

#include "kernel.h"

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

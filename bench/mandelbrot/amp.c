/* SPDX-License-Identifier: MIT */
#include "problem.h"

#include "kernel.h"

static amp_array_view *view;

static void prepare(void)
{
    set_up();
    view = amp_array_view2(SIZE, SIZE, image);
}

static void run(void)
{
    amp_discard_data(view);
    amp_parallel_for_each(amp_extent2(SIZE, SIZE), mandelbrot, LIMIT, view);
    amp_synchronize(view);
}

BENCH("mandelbrot", "plain", prepare, run, verify)

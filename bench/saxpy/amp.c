/* SPDX-License-Identifier: MIT */
#include "problem.h"

#include "kernel.h"

static amp_array_view *x_view, *y_view;

static void prepare(void)
{
    set_up();
    x_view = amp_array_view1(N, (const float *)x);
    y_view = amp_array_view1(N, y);
}

static void run(void)
{
    amp_parallel_for_each(amp_extent1(N), saxpy, alpha, x_view, y_view);
    amp_synchronize(y_view);
}

BENCH("saxpy", "plain", prepare, run, verify)

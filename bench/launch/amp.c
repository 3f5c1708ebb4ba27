/* SPDX-License-Identifier: MIT */
#include "kernel.h"
#include "problem.h"

static amp_array_view *view;

static void prepare(void)
{
    set_up();
    view = amp_array_view1(1, count);
}

static void run(void)
{
    amp_parallel_for_each(amp_extent1(1), increment, view);
    amp_synchronize(view);
}

BENCH("launch", "plain", prepare, run, verify)

/* SPDX-License-Identifier: MIT */
#include <amp.h>

#include "problem.h"

#include "kernel.h"

static amp_array_view *views[STEPS + 1];

static void prepare(void)
{
    set_up();
    for (int step = 0; step <= STEPS; step++)
        views[step] = amp_array_view1(ALL, lattice[step]);
}

static void run(void)
{
    for (int step = 0; step < STEPS; step++)
        amp_parallel_for_each(amp_extent1(CELLS), stream_and_collide, views[step], views[step + 1]);
    amp_synchronize(views[STEPS]);
}

BENCH("lbm", "plain", prepare, run, verify)

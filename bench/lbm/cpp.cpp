/* SPDX-License-Identifier: MIT */
#include <amp.h>

#include "problem.h"

using namespace concurrency;

static array_view<cell> *views[STEPS + 1];

static void prepare(void)
{
    set_up();
    for (int step = 0; step <= STEPS; step++)
        views[step] = new array_view<cell>(ALL, lattice[step]);
}

static void run(void)
{
    for (int step = 0; step < STEPS; step++) {
        array_view<const cell> from = *views[step];
        array_view<cell> to = *views[step + 1];
        parallel_for_each(extent<1>(CELLS),
                          [=](index<1> idx) restrict(amp) { step_cell(&from[idx + MARGIN], &to[idx + MARGIN]); });
    }
    views[STEPS]->synchronize();
}

BENCH("lbm", "plain", prepare, run, verify)

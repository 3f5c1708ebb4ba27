/* SPDX-License-Identifier: MIT */
#include "problem.h"

#include "kernel.h"

static amp_array_view *view;

static void prepare(void)
{
    set_up();
    view = amp_array_view1(N, values);
}

static void run(void)
{
    begin();
    amp_refresh(view);
    for (int length = 2; length <= N; length *= 2)
        for (int distance = length / 2; distance > 0; distance /= 2)
            amp_parallel_for_each(amp_extent1(N / 2), exchange, distance, length, view);
    amp_synchronize(view);
}

BENCH("bitonic", "plain", prepare, run, verify)

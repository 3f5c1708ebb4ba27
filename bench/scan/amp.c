/* SPDX-License-Identifier: MIT */
#include "problem.h"

#include "kernel.h"

static amp_array_view *in, *out;

static void prepare(void)
{
    set_up();
    in = amp_array_view1(N, (const int *)data);
    out = amp_array_view1(N, sums);
}

static void run(void)
{
    amp_discard_data(out);
    amp_parallel_for_each(amp_extent1(N / 2), scan, in, out);
    amp_synchronize(out);
}

BENCH("scan", "plain", prepare, run, verify)

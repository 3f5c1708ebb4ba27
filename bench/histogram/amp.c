/* SPDX-License-Identifier: MIT
 *
 * A tile counts 256 bytes per thread in bins of its own, then adds them to all. */
#include "problem.h"

#include "kernel.h"

static amp_array_view *in, *out;

static void prepare(void)
{
    set_up();
    in = amp_array_view1(N, (const unsigned char *)data);
    out = amp_array_view1(BINS, bins);
}

static void run(void)
{
    memset(bins, 0, sizeof bins);
    amp_refresh(out);
    amp_parallel_for_each(amp_extent1(N / PER_THREAD), count, in, out);
    amp_synchronize(out);
}

BENCH("histogram", "plain", prepare, run, verify)

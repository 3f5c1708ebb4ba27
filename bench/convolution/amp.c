/* SPDX-License-Identifier: MIT */
#include "problem.h"

#include "kernel.h"

static amp_array_view *f, *a, *b;

static void prepare(void)
{
    set_up();
    f = amp_array_view2(TAPS, TAPS, (const float *)filter);
    a = amp_array_view2(SIZE, SIZE, (const float *)in);
    b = amp_array_view2(SIZE, SIZE, out);
}

static void run(void)
{
    amp_discard_data(b);
    amp_parallel_for_each(amp_extent2(SIZE, SIZE), convolve, f, a, b);
    amp_synchronize(b);
}

BENCH("convolution", "plain", prepare, run, verify)

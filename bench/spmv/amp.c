/* SPDX-License-Identifier: MIT */
#include "problem.h"

#include "kernel.h"

static amp_array_view *at, *col, *v, *in, *out;

static void prepare(void)
{
    set_up();
    at = amp_array_view1(ROWS + 1, (const int *)offset);
    col = amp_array_view1(n_entries, (const int *)column);
    v = amp_array_view1(n_entries, (const float *)value);
    in = amp_array_view1(ROWS, (const float *)x);
    out = amp_array_view1(ROWS, y);
}

static void run(void)
{
    amp_discard_data(out);
    amp_parallel_for_each(amp_extent1(ROWS), multiply, at, col, v, in, out);
    amp_synchronize(out);
}

BENCH("spmv", "plain", prepare, run, verify)

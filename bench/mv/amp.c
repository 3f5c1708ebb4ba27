/* SPDX-License-Identifier: MIT */
#include "problem.h"

#include "kernel.h"

static amp_array_view *matrix, *in, *out;

static void prepare(int n)
{
    set_up(n);
    matrix = amp_array_view2(n, n, (const float *)a);
    in = amp_array_view1(n, (const float *)x);
    out = amp_array_view1(n, y);
}

static void prepare_round(void)
{
    prepare(ROUND);
}

static void prepare_power(void)
{
    prepare(POWER);
}

static void run(void)
{
    amp_discard_data(out);
    amp_parallel_for_each(amp_extent1(size), multiply_rows, matrix, in, out);
    amp_synchronize(out);
}

BENCH("mv", "4000", prepare_round, run, verify)
BENCH("mv", "4096", prepare_power, run, verify)

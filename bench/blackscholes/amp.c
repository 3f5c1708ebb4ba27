/* SPDX-License-Identifier: MIT */
#include "problem.h"

#include "kernel.h"

static amp_array_view *s, *x, *t, *c, *p;

static void prepare(void)
{
    set_up();
    s = amp_array_view1(N, (const float *)price);
    x = amp_array_view1(N, (const float *)strike);
    t = amp_array_view1(N, (const float *)years);
    c = amp_array_view1(N, call);
    p = amp_array_view1(N, put);
}

static void run(void)
{
    amp_discard_data(c);
    amp_discard_data(p);
    amp_parallel_for_each(amp_extent1(N), black_scholes, rate, volatility, s, x, t, c, p);
    amp_synchronize(c);
    amp_synchronize(p);
}

BENCH("blackscholes", "plain", prepare, run, verify)

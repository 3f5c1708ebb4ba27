/* SPDX-License-Identifier: MIT */
#include "problem.h"

#include "kernel.h"

static amp_array_view *p, *a;

static void prepare(void)
{
    set_up();
    p = amp_array_view1(N, (const struct vec4 *)body);
    a = amp_array_view1(N, acceleration);
}

static void run(void)
{
    amp_discard_data(a);
    amp_parallel_for_each(amp_extent1(N), attract, softening, p, a);
    amp_synchronize(a);
}

BENCH("nbody", "plain", prepare, run, verify)

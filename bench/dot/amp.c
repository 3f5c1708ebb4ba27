/* SPDX-License-Identifier: MIT */
#include "problem.h"

#include "kernel.h"

static amp_array_view *left, *right, *parts;
static double part[TILES];

static void prepare(void)
{
    set_up();
    left = amp_array_view1(N, (const double *)a);
    right = amp_array_view1(N, (const double *)b);
    parts = amp_array_view1(TILES, part);
}

static void run(void)
{
    amp_discard_data(parts);
    amp_parallel_for_each(amp_extent1(TILES * TILE), dot, left, right, parts);
    amp_synchronize(parts);
    sum = 0;
    for (int i = 0; i < TILES; i++)
        sum += part[i];
}

BENCH("dot", "plain", prepare, run, verify)

/* SPDX-License-Identifier: MIT
 *
 * A kernel over one element: what a launch costs. */
#include "../bench.h"

static int count[1];

static void set_up(void)
{
}

static void verify(void)
{
    expect(count[0], (double)bench_runs, 0, 0);
}

/* SPDX-License-Identifier: MIT
 *
 * y = alpha * x + y, in place. */
#include "../bench.h"

enum { N = 1 << 26 };
static const float alpha = 0.5f;
static float *x, *y;

static void set_up(void)
{
    x = new_array(N * sizeof *x);
    y = new_array(N * sizeof *y);
    for (uint32_t i = 0; i < N; i++)
        x[i] = (float)small(i);
}

static void verify(void)
{
    for (size_t i = 0; i < N; i += 7)
        expect(y[i], (double)bench_runs * alpha * x[i], 0, i);
}

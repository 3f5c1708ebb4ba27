/* SPDX-License-Identifier: MIT
 *
 * The sum of an array. */
#include "../bench.h"

enum { N = 1 << 25, TILE = 256 };
static float *data, sum;

static void set_up(void)
{
    data = new_array(N * sizeof *data);
    for (uint32_t i = 0; i < N; i++)
        data[i] = (float)small(i);
}

static void verify(void)
{
    double expected = 0;
    for (size_t i = 0; i < N; i++)
        expected += data[i];
    expect(sum, expected, 0, 0);
}

/* SPDX-License-Identifier: MIT
 *
 * The product of two vectors of doubles. */
#include "../bench.h"

enum { N = 1 << 25, TILE = 256, TILES = 1024 };
static double *a, *b, sum;

static void set_up(void)
{
    a = new_array(N * sizeof *a);
    b = new_array(N * sizeof *b);
    for (uint32_t i = 0; i < N; i++) {
        a[i] = small(i);
        b[i] = small(~i);
    }
}

static void verify(void)
{
    double expected = 0;
    for (size_t i = 0; i < N; i++)
        expected += a[i] * b[i];
    expect(sum, expected, 0, 0);
}

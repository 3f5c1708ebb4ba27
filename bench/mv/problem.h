/* SPDX-License-Identifier: MIT
 *
 * y = A * x by rows. Rows of 4096 floats lie a power of two apart, so the same columns of many rows share a set of the
 * cache. */
#include "../bench.h"

enum { ROUND = 4000, POWER = 4096 };
static int size;
static float *a, *x, *y;

static void set_up(int n)
{
    size = n;
    a = new_array((size_t)n * (size_t)n * sizeof *a);
    for (int i = 0; i < n * n; i++)
        a[i] = between(0, 1, (uint32_t)i);
    x = new_array((size_t)n * sizeof *x);
    for (int i = 0; i < n; i++)
        x[i] = between(-1, 1, (uint32_t)i);
    y = new_array((size_t)n * sizeof *y);
}

static void verify(void)
{
    for (int row = 0; row < size; row++) {
        double sum = 0;
        for (int k = 0; k < size; k++)
            sum += (double)a[row * size + k] * x[k];
        expect(y[row], sum, 1e-3, (size_t)row);
    }
}

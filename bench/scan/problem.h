/* SPDX-License-Identifier: MIT
 *
 * The sums of what precedes each element, in blocks of 1024. */
#include "../bench.h"

enum { N = 1 << 24, BLOCK = 1024 };
static int *data, *sums;

static void set_up(void)
{
    data = new_array(N * sizeof *data);
    sums = new_array(N * sizeof *sums);
    for (uint32_t i = 0; i < N; i++)
        data[i] = small(i);
}

static void verify(void)
{
    for (size_t i = 0, sum = 0; i < N; i++) {
        sum = i % BLOCK ? sum : 0;
        expect(sums[i], (int)sum, 0, i);
        sum += (size_t)data[i];
    }
}

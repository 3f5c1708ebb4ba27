/* SPDX-License-Identifier: MIT
 *
 * Bitonic sort: each launch compares and exchanges all pairs of one distance. */
#include "../bench.h"

enum { N = 1 << 20 };
static unsigned *values;
static uint64_t first_sum;

static uint64_t sum_of_hashes(void)
{
    uint64_t sum = 0;
    for (int i = 0; i < N; i++)
        sum += hash(values[i]) * (uint64_t)0x9e3779b97f4a7c15;
    return sum;
}

static void begin(void)
{
    for (uint32_t i = 0; i < N; i++)
        values[i] = hash(i);
}

static void set_up(void)
{
    values = new_array(N * sizeof *values);
    begin();
    first_sum = sum_of_hashes();
}

static void verify(void)
{
    for (size_t i = 1; i < N; i++)
        expect(values[i - 1] <= values[i], true, 0, i);
    expect(sum_of_hashes() == first_sum, true, 0, 0);
}

/* SPDX-License-Identifier: MIT
 *
 * The sum of an array of floats, and the prefix sums of one of ints. */
#include "../bench.h"

enum { N_SUM = 1 << 25, N_SCAN = 1 << 26 };
static float *terms, sum;
static int *from, *to;

static void set_up_sum(void)
{
    terms = new_array(N_SUM * sizeof *terms);
    for (uint32_t i = 0; i < N_SUM; i++)
        terms[i] = (float)small(i);
}

static void verify_sum(void)
{
    double expected = 0;
    for (size_t i = 0; i < N_SUM; i++)
        expected += terms[i];
    expect(sum, expected, 0, 0);
}

static void set_up_scan(void)
{
    from = new_array(N_SCAN * sizeof *from);
    to = new_array(N_SCAN * sizeof *to);
    for (uint32_t i = 0; i < N_SCAN; i++)
        from[i] = small(i);
}

static void verify_scan(void)
{
    int expected = 0;
    for (size_t i = 0; i < N_SCAN; i++)
        expect(to[i], expected += from[i], 0, i);
}

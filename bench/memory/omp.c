/* SPDX-License-Identifier: MIT
 *
 * The memory's bandwidth: 1 GiB read, and 1 GiB read and written in place (512 MiB each way). */
#include "../bench.h"

enum { N = 1 << 26 };
static double *data;
static double sum;

static void set_up(void)
{
    data = new_array((size_t)N * 2 * sizeof *data);
    for (size_t i = 0; i < (size_t)N * 2; i++)
        data[i] = 1;
}

static void read_all(void)
{
    double total = 0;
#pragma omp parallel for simd reduction(+ : total)
    for (size_t i = 0; i < (size_t)N * 2; i++)
        total += data[i];
    sum = total;
}

static void negate(void)
{
#pragma omp parallel for simd
    for (size_t i = 0; i < N; i++)
        data[i] = -data[i];
}

static void verify_sum(void)
{
    expect(sum, 2.0 * N, 0, 0);
}

static void verify_sign(void)
{
    for (size_t i = 0; i < N; i++)
        expect(data[i], bench_runs % 2 ? -1 : 1, 0, i);
}

BENCH("memory", "read", set_up, read_all, verify_sum)
BENCH("memory", "in place", set_up, negate, verify_sign)

/* SPDX-License-Identifier: MIT
 *
 * Sum, sum of squares, extremes and number of large values of an array, as users of OpenMP's reduction write it: each
 * thread adds its element to what all threads share. */
#include "port.h"

enum { N = 1 << 25, SUM = 0, SQUARES, LEAST, MOST, COUNT, RESULTS };
static double *data, *results;

static void set_up(void)
{
    if (!data)
        data = new_array(N * sizeof *data);
    results = new_array(RESULTS * sizeof *results);
    for (uint32_t i = 0; i < N; i++)
        data[i] = (double)between(0, 1, i);
}

static void loops(void)
{
    double sum = 0, squares = 0, least = 2, most = -1;
    long count = 0;
#pragma omp parallel for reduction(+ : sum, squares, count) reduction(min : least) reduction(max : most)
    for (int i = 0; i < N; i++) {
        sum += data[i];
        squares += data[i] * data[i];
        least = data[i] < least ? data[i] : least;
        most = data[i] > most ? data[i] : most;
        count += data[i] > 0.75;
    }
    double all[] = {sum, squares, least, most, (double)count};
    memcpy(results, all, sizeof all);
}

#ifndef _OPENMP
static void add(amp_index1 i, int n, const double x[n], double sums[4], long count[1]) restrict(amp)
{
    double value = x[i[0]];
    amp_atomic_fetch_add(&sums[SUM], value);
    amp_atomic_fetch_add(&sums[SQUARES], value * value);
    amp_atomic_fetch_min(&sums[LEAST], value);
    amp_atomic_fetch_max(&sums[MOST], value);
    if (value > 0.75)
        amp_atomic_fetch_inc(&count[0]);
}

static void launch(void)
{
    double all[] = {[SUM] = 0, [SQUARES] = 0, [LEAST] = 2, [MOST] = -1};
    long large = 0;
    amp_auto_array_view *x = amp_array_view1(N, (const double *)data);
    amp_auto_array_view *sums = amp_array_view1(4, all), *count = amp_array_view1(1, &large);
    amp_parallel_for_each(amp_extent1(N), add, x, sums, count);
    amp_synchronize(sums);
    amp_synchronize(count);
    memcpy(results, all, sizeof all);
    results[COUNT] = (double)large;
}
#endif

PORT("moments", results, RESULTS, 1e-9)

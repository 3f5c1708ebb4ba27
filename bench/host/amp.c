/* SPDX-License-Identifier: MIT
 *
 * The host's own code while a device has a copy of an array: it goes over that array, or over other memory. With
 * --amp-check, and on `checked`, that is what looking for the host's mistakes costs. */
#include "../bench.h"
#include <amp.h>

enum { N = 1 << 20 };
static float *array, *other;
static amp_array_view *view;

static void count_up(amp_index1 idx, int n, float x[n]) restrict(amp)
{
    x[idx[0]] += 1;
}

static void prepare(void)
{
    other = new_array(N * sizeof *other);
    for (int i = 0; i < N; i++)
        other[i] = 1;
    array = new_array(N * sizeof *array);
    view = amp_array_view1(N, array);
    amp_parallel_for_each(amp_extent1(N), count_up, view);
    amp_synchronize(view);
}

/* A recurrence, because few loops of hosts are vector code. */
static void go_over(float *x)
{
    for (int i = 1; i < N; i++)
        x[i] = x[i - 1] * 0.5f + x[i] * 0.5f;
}

static void run_array(void)
{
    go_over(array);
    amp_refresh(view);
}

static void run_other(void)
{
    go_over(other);
}

static void verify(void)
{
    expect(array[N - 1], 1, 0, N - 1);
    expect(other[N - 1], 1, 0, N - 1);
}

BENCH("host", "array", prepare, run_array, verify)
BENCH("host", "other memory", prepare, run_other, verify)

/* SPDX-License-Identifier: MIT */
#include "problem.h"

#include <amp.h>

using namespace concurrency;

static array_view<const float, 2> *start_view;
static array_view<float, 2> *views[2];

static void prepare(void)
{
    set_up();
    start_view = new array_view<const float, 2>(SIZE, SIZE, start);
    for (int g = 0; g < 2; g++)
        views[g] = new array_view<float, 2>(SIZE, SIZE, grid[g]);
}

static void sweep(array_view<const float, 2> from, array_view<float, 2> to)
{
    parallel_for_each(extent<2>(SIZE - 2, SIZE - 2), [=](index<2> idx) restrict(amp) {
        int i = idx[0] + 1, j = idx[1] + 1;
        to(i, j) = 0.25f * (from(i - 1, j) + from(i + 1, j) + from(i, j - 1) + from(i, j + 1));
    });
}

static void run(void)
{
    for (int i = 0; i < SWEEPS; i++)
        if (i == 0)
            sweep(*start_view, *views[0]);
        else
            sweep(*views[1 - i % 2], *views[i % 2]);
    views[1]->synchronize();
}

BENCH("jacobi", "plain", prepare, run, verify)

/* SPDX-License-Identifier: MIT */
#include "problem.h"

#include <amp.h>

using namespace concurrency;

static array_view<const float, 2> *matrix;
static array_view<const float> *in_view;
static array_view<float> *out_view;

static void prepare(int n)
{
    set_up(n);
    matrix = new array_view<const float, 2>(n, n, a);
    in_view = new array_view<const float>(n, x);
    out_view = new array_view<float>(n, y);
}

static void prepare_round(void)
{
    prepare(ROUND);
}

static void prepare_power(void)
{
    prepare(POWER);
}

static void run(void)
{
    array_view<const float, 2> m = *matrix;
    array_view<const float> in = *in_view;
    array_view<float> out = *out_view;
    out.discard_data();
    parallel_for_each(out.extent, [=](index<1> idx) restrict(amp) {
        float sum = 0;
        for (int k = 0; k < in.extent[0]; k++)
            sum += m(idx[0], k) * in[k];
        out[idx] = sum;
    });
    out.synchronize();
}

BENCH("mv", "4000", prepare_round, run, verify)
BENCH("mv", "4096", prepare_power, run, verify)

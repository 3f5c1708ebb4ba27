/* SPDX-License-Identifier: MIT */
#include "problem.h"

#include <amp.h>

using namespace concurrency;

static array_view<const float> *x_view;
static array_view<float> *y_view;

static void prepare(void)
{
    set_up();
    x_view = new array_view<const float>(N, x);
    y_view = new array_view<float>(N, y);
}

static void run(void)
{
    array_view<const float> a = *x_view;
    array_view<float> b = *y_view;
    float factor = alpha;
    parallel_for_each(b.extent, [=](index<1> i) restrict(amp) { b[i] += factor * a[i]; });
    b.synchronize();
}

BENCH("saxpy", "plain", prepare, run, verify)

/* SPDX-License-Identifier: MIT */
#include "problem.h"

#include <amp.h>

using namespace concurrency;

static array_view<const float, 2> *filter_view, *in_view;
static array_view<float, 2> *out_view;

static void prepare(void)
{
    set_up();
    filter_view = new array_view<const float, 2>(TAPS, TAPS, &filter[0][0]);
    in_view = new array_view<const float, 2>(SIZE, SIZE, in);
    out_view = new array_view<float, 2>(SIZE, SIZE, out);
}

static void run(void)
{
    array_view<const float, 2> f = *filter_view, a = *in_view;
    array_view<float, 2> b = *out_view;
    b.discard_data();
    parallel_for_each(b.extent, [=](index<2> idx) restrict(amp) {
        float sum = 0;
        for (int i = 0; i < TAPS; i++)
            for (int j = 0; j < TAPS; j++) {
                int y = idx[0] + i - RADIUS, x = idx[1] + j - RADIUS;
                if (y >= 0 && y < a.extent[0] && x >= 0 && x < a.extent[1])
                    sum += f(i, j) * a(y, x);
            }
        b[idx] = sum;
    });
    b.synchronize();
}

BENCH("convolution", "plain", prepare, run, verify)

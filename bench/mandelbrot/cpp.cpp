/* SPDX-License-Identifier: MIT */
#include "problem.h"

#include <amp.h>

using namespace concurrency;

static array_view<int, 2> *view;

static void prepare(void)
{
    set_up();
    view = new array_view<int, 2>(SIZE, SIZE, image);
}

static void run(void)
{
    array_view<int, 2> out = *view;
    int limit = LIMIT;
    out.discard_data();
    parallel_for_each(out.extent, [=](index<2> idx) restrict(amp) {
        float cx = -2 + idx[1] * (3.0f / out.extent[1]), cy = -1.5f + idx[0] * (3.0f / out.extent[0]), zx = 0, zy = 0;
        int n = 0;
        while (n < limit && zx * zx + zy * zy <= 4) {
            float next = zx * zx - zy * zy + cx;
            zy = 2 * zx * zy + cy;
            zx = next;
            n++;
        }
        out[idx] = n;
    });
    out.synchronize();
}

BENCH("mandelbrot", "plain", prepare, run, verify)

/* SPDX-License-Identifier: MIT */
#include "problem.h"
#include <amp.h>

static void mandelbrot(amp_index2 idx, int H, int W, int limit, int out[H][W]) restrict(amp)
{
    float cx = -2 + idx[1] * (3.0f / W), cy = -1.5f + idx[0] * (3.0f / H), zx = 0, zy = 0;
    int n = 0;
    while (n < limit && zx * zx + zy * zy <= 4) {
        float next = zx * zx - zy * zy + cx;
        zy = 2 * zx * zy + cy;
        zx = next;
        n++;
    }
    out[idx[0]][idx[1]] = n;
}

static amp_array_view *view;

static void prepare(void)
{
    set_up();
    view = amp_array_view2(SIZE, SIZE, image);
}

static void run(void)
{
    amp_discard_data(view);
    amp_parallel_for_each(amp_extent2(SIZE, SIZE), mandelbrot, LIMIT, view);
    amp_synchronize(view);
}

BENCH("mandelbrot", "plain", prepare, run, verify)

/* SPDX-License-Identifier: MIT */
#include "problem.h"
#include <amp.h>

static void convolve(amp_index2 idx, int H, int W, const float f[TAPS][TAPS], const float a[H][W],
                     float b[H][W]) restrict(amp)
{
    float sum = 0;
    for (int i = 0; i < TAPS; i++)
        for (int j = 0; j < TAPS; j++) {
            int y = idx[0] + i - RADIUS, x = idx[1] + j - RADIUS;
            if (y >= 0 && y < H && x >= 0 && x < W)
                sum += f[i][j] * a[y][x];
        }
    b[idx[0]][idx[1]] = sum;
}

static amp_array_view *f, *a, *b;

static void prepare(void)
{
    set_up();
    f = amp_array_view2(TAPS, TAPS, (const float *)filter);
    a = amp_array_view2(SIZE, SIZE, (const float *)in);
    b = amp_array_view2(SIZE, SIZE, out);
}

static void run(void)
{
    amp_discard_data(b);
    amp_parallel_for_each(amp_extent2(SIZE, SIZE), convolve, f, a, b);
    amp_synchronize(b);
}

BENCH("convolution", "plain", prepare, run, verify)

/* SPDX-License-Identifier: MIT */
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

/* SPDX-License-Identifier: MIT */
#include <amp.h>

static void convolve(amp_index2 idx, int H, int W, const float f[TAPS][TAPS], const float a[H][W], float b[H][W])
    restrict(amp)
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

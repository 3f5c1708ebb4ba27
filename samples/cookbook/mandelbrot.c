/* SPDX-License-Identifier: MIT
 *
 * The Mandelbrot set: each thread iterates for one pixel, as long as its point needs. */
#include "cookbook.h"

enum { H = 240, W = 320, STEPS = 200 };

static void mandelbrot(amp_index2 idx, unsigned char rgb[H][W][3], int steps[H][W]) restrict(amp)
{
    float cy = 2.4f * idx[0] / H - 1.2f, cx = 3.2f * idx[1] / W - 2.2f;
    float x = 0, y = 0;
    int n = 0;
    while (n < STEPS && x * x + y * y < 4) {
        float next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
        n++;
    }
    steps[idx[0]][idx[1]] = n;
    rgb[idx[0]][idx[1]][0] = (unsigned char)(n == STEPS ? 0 : 9 * n & 255);
    rgb[idx[0]][idx[1]][1] = (unsigned char)(n == STEPS ? 0 : 5 * n & 255);
    rgb[idx[0]][idx[1]][2] = (unsigned char)(n == STEPS ? 0 : 80 + 3 * n & 255);
}

int main(int argc, char **argv)
{
    static unsigned char rgb[H][W][3];
    static int steps[H][W];
    amp_auto_array_view *picture = amp_array_view3(H, W, 3, rgb[0][0]), *counts = amp_array_view2(H, W, steps[0]);
    amp_parallel_for_each(amp_extent2(H, W), mandelbrot, picture, counts);
    amp_synchronize(counts);
    amp_synchronize(picture);
    int inside = 0;
    for (int i = 0; i < H * W; i++)
        inside += steps[0][i] == STEPS;
    printf("%.0f %% of the pixels are inside\n", 100.0 * inside / (H * W));
    picture_write(argc, argv, H, W, rgb[0][0]);
    return finish();
}

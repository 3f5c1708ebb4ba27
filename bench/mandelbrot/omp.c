/* SPDX-License-Identifier: MIT */
#include "problem.h"

static void natural(void)
{
#pragma omp parallel for schedule(dynamic)
    for (int row = 0; row < SIZE; row++) {
        for (int col = 0; col < SIZE; col++) {
            float cx = -2 + col * (3.0f / SIZE), cy = -1.5f + row * (3.0f / SIZE), zx = 0, zy = 0;
            int n = 0;
            while (n < LIMIT && zx * zx + zy * zy <= 4) {
                float next = zx * zx - zy * zy + cx;
                zy = 2 * zx * zy + cy;
                zx = next;
                n++;
            }
            image[row * SIZE + col] = n;
        }
    }
}

/* A strip of points steps together; points that are done stay unchanged. */
static void by_hand(void)
{
    enum { STRIP = 32 };
#pragma omp parallel for schedule(dynamic)
    for (int row = 0; row < SIZE; row++) {
        float cy = -1.5f + row * (3.0f / SIZE);
        for (int col = 0; col < SIZE; col += STRIP) {
            float cx[STRIP], zx[STRIP] = {0}, zy[STRIP] = {0};
            int n[STRIP] = {0};
            for (int i = 0; i < STRIP; i++)
                cx[i] = -2 + (col + i) * (3.0f / SIZE);
            int active = 1;
            for (int step = 0; step < LIMIT && active; step++) {
                active = 0;
#pragma omp simd reduction(| : active)
                for (int i = 0; i < STRIP; i++) {
                    float x = zx[i], y = zy[i];
                    int inside = x * x + y * y <= 4;
                    active |= inside;
                    n[i] += inside;
                    zy[i] = inside ? 2 * x * y + cy : y;
                    zx[i] = inside ? x * x - y * y + cx[i] : x;
                }
            }
            memcpy(&image[row * SIZE + col], n, sizeof n);
        }
    }
}

BENCH("mandelbrot", "natural", set_up, natural, verify)
BENCH("mandelbrot", "by hand", set_up, by_hand, verify)

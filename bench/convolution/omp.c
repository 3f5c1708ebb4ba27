/* SPDX-License-Identifier: MIT */
#include "problem.h"

static float at_border(int row, int col)
{
    float sum = 0;
    for (int i = 0; i < TAPS; i++)
        for (int j = 0; j < TAPS; j++) {
            int y = row + i - RADIUS, x = col + j - RADIUS;
            if (y >= 0 && y < SIZE && x >= 0 && x < SIZE)
                sum += filter[i][j] * in[y * SIZE + x];
        }
    return sum;
}

static void natural(void)
{
#pragma omp parallel for
    for (int row = 0; row < SIZE; row++) {
#pragma omp simd
        for (int col = 0; col < SIZE; col++)
            out[row * SIZE + col] = at_border(row, col);
    }
}

/* The border is separate; inside there is no test, and both inner loops are unrolled. */
static void by_hand(void)
{
#pragma omp parallel for
    for (int row = 0; row < SIZE; row++) {
        int is_inside = row >= RADIUS && row < SIZE - RADIUS, first = is_inside ? RADIUS : SIZE;
        for (int col = 0; col < first; col++)
            out[row * SIZE + col] = at_border(row, col);
        for (int col = is_inside ? SIZE - RADIUS : SIZE; col < SIZE; col++)
            out[row * SIZE + col] = at_border(row, col);
#pragma omp simd
        for (int col = first; col < SIZE - RADIUS; col++) {
            float sum = 0;
#pragma GCC unroll 7
            for (int i = 0; i < TAPS; i++)
#pragma GCC unroll 7
                for (int j = 0; j < TAPS; j++)
                    sum += filter[i][j] * in[(row + i - RADIUS) * SIZE + col + j - RADIUS];
            out[row * SIZE + col] = sum;
        }
    }
}

BENCH("convolution", "natural", set_up, natural, verify)
BENCH("convolution", "by hand", set_up, by_hand, verify)

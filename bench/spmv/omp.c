/* SPDX-License-Identifier: MIT */
#include "problem.h"

static void natural(void)
{
#pragma omp parallel for
    for (int row = 0; row < ROWS; row++) {
        float sum = 0;
        for (int k = offset[row]; k < offset[row + 1]; k++)
            sum += value[k] * x[column[k]];
        y[row] = sum;
    }
}

/* Vectorised along a row. */
static void by_hand(void)
{
#pragma omp parallel for
    for (int row = 0; row < ROWS; row++) {
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int k = offset[row]; k < offset[row + 1]; k++)
            sum += value[k] * x[column[k]];
        y[row] = sum;
    }
}

BENCH("spmv", "natural", set_up, natural, verify)
BENCH("spmv", "by hand", set_up, by_hand, verify)

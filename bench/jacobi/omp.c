/* SPDX-License-Identifier: MIT */
#include "problem.h"

static void sweep(const float (*restrict from)[SIZE], float (*restrict to)[SIZE])
{
#pragma omp parallel for
    for (int i = 1; i < SIZE - 1; i++) {
#pragma omp simd
        for (int j = 1; j < SIZE - 1; j++)
            to[i][j] = 0.25f * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
    }
}

static void natural(void)
{
    for (int i = 0; i < SWEEPS; i++)
        sweep((void *)(i ? grid[1 - i % 2] : start), (void *)grid[i % 2]);
}

BENCH("jacobi", "natural", set_up, natural, verify)

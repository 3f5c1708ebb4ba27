/* SPDX-License-Identifier: MIT */
#include "problem.h"

static void natural(void)
{
#pragma omp parallel for simd
    for (int i = 0; i < N; i++)
        y[i] += alpha * x[i];
}

BENCH("saxpy", "natural", set_up, natural, verify)

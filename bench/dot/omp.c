/* SPDX-License-Identifier: MIT */
#include "problem.h"

static void natural(void)
{
    double total = 0;
#pragma omp parallel for simd reduction(+ : total)
    for (int i = 0; i < N; i++)
        total += a[i] * b[i];
    sum = total;
}

BENCH("dot", "natural", set_up, natural, verify)

/* SPDX-License-Identifier: MIT */
#include "problem.h"

static void natural(void)
{
    float total = 0;
#pragma omp parallel for simd reduction(+ : total)
    for (int i = 0; i < N; i++)
        total += data[i];
    sum = total;
}

BENCH("reduction", "natural", set_up, natural, verify)

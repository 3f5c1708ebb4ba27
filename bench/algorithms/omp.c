/* SPDX-License-Identifier: MIT */
#include "problem.h"

static void natural_sum(void)
{
    float total = 0;
#pragma omp parallel for simd reduction(+ : total)
    for (int i = 0; i < N_SUM; i++)
        total += terms[i];
    sum = total;
}

/* A loop on one core. */
static void natural_scan(void)
{
    int total = 0;
    for (int i = 0; i < N_SCAN; i++)
        to[i] = total += from[i];
}

BENCH("algorithms", "natural sum", set_up_sum, natural_sum, verify_sum)
BENCH("algorithms", "natural scan", set_up_scan, natural_scan, verify_scan)

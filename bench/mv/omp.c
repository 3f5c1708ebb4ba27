/* SPDX-License-Identifier: MIT */
#include "problem.h"

static void set_up_round(void)
{
    set_up(ROUND);
}

static void set_up_power(void)
{
    set_up(POWER);
}

static void natural(void)
{
#pragma omp parallel for
    for (int row = 0; row < size; row++) {
        float sum = 0;
        for (int k = 0; k < size; k++)
            sum += a[row * size + k] * x[k];
        y[row] = sum;
    }
}

BENCH("mv", "natural 4000", set_up_round, natural, verify)
BENCH("mv", "natural 4096", set_up_power, natural, verify)

/* SPDX-License-Identifier: MIT */
#include "problem.h"

static void natural(void)
{
#pragma omp parallel for
    for (int from = 0; from < N; from += BLOCK) {
        int sum = 0;
        for (int i = from; i < from + BLOCK; i++) {
            sums[i] = sum;
            sum += data[i];
        }
    }
}

BENCH("scan", "natural", set_up, natural, verify)

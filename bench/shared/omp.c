/* SPDX-License-Identifier: MIT */
#include "problem.h"

static void run(void)
{
#pragma omp parallel for simd
    for (int i = 0; i < N; i++) {
        unsigned v = data[0][i];
        for (int k = 0; k < STEPS; k++)
            v = (v ^ v >> 3) * 5 + 1;
        data[0][i] = v;
    }
}

static void verify(void)
{
    verify_rows(1, 1);
}

BENCH("shared", "natural", set_up, run, verify)

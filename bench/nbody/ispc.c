/* SPDX-License-Identifier: MIT */
#include "problem.h"

void attract(int first, int end, int n, float soft, const struct vec4 p[], struct vec4 a[]);

static void natural(void)
{
    enum { STRIP = 256 };
#pragma omp parallel for
    for (int first = 0; first < N; first += STRIP)
        attract(first, first + STRIP, N, softening, body, acceleration);
}

BENCH("nbody", "natural", set_up, natural, verify)

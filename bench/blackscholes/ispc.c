/* SPDX-License-Identifier: MIT */
#include "problem.h"

void black_scholes(int first, int end, float r, float v, const float s[], const float x[], const float t[], float c[],
                   float p[]);

static void natural(void)
{
    enum { STRIP = 1 << 14 };
#pragma omp parallel for
    for (int first = 0; first < N; first += STRIP)
        black_scholes(first, first + STRIP, rate, volatility, price, strike, years, call, put);
}

BENCH("blackscholes", "natural", set_up, natural, verify)

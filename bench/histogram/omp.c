/* SPDX-License-Identifier: MIT */
#include "problem.h"

static void natural(void)
{
    memset(bins, 0, sizeof bins);
#pragma omp parallel for reduction(+ : bins[ : BINS])
    for (int i = 0; i < N; i++)
        bins[data[i]]++;
}

/* Each thread has four sets of bins, so that equal neighbours do not wait for each other. */
static void by_hand(void)
{
    memset(bins, 0, sizeof bins);
#pragma omp parallel
    {
        int own[4][BINS] = {0};
#pragma omp for nowait
        for (int i = 0; i < N; i += 4)
            for (int k = 0; k < 4; k++)
                own[k][data[i + k]]++;
#pragma omp critical
        for (int i = 0; i < BINS; i++)
            bins[i] += own[0][i] + own[1][i] + own[2][i] + own[3][i];
    }
}

BENCH("histogram", "natural", set_up, natural, verify)
BENCH("histogram", "by hand", set_up, by_hand, verify)

/* SPDX-License-Identifier: MIT */
#include "problem.h"

static void exchange(int distance, int length)
{
#pragma omp parallel for
    for (int pair = 0; pair < N / 2; pair++) {
        int low = pair / distance * 2 * distance + pair % distance, high = low + distance;
        unsigned a = values[low], b = values[high];
        bool goes_up = low / length % 2 == 0;
        if ((a > b) == goes_up) {
            values[low] = b;
            values[high] = a;
        }
    }
}

static void natural(void)
{
    begin();
    for (int length = 2; length <= N; length *= 2)
        for (int distance = length / 2; distance > 0; distance /= 2)
            exchange(distance, length);
}

BENCH("bitonic", "natural", set_up, natural, verify)

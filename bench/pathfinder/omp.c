/* SPDX-License-Identifier: MIT */
#include "problem.h"

static void natural(void)
{
    memcpy(best[0], wall, COLUMNS * sizeof(int));
    for (int row = 1; row < ROWS; row++) {
        const int *from = best[(row - 1) % 2];
        int *to = best[row % 2];
#pragma omp parallel for
        for (int j = 0; j < COLUMNS; j++) {
            int least = from[j];
            if (j > 0 && from[j - 1] < least)
                least = from[j - 1];
            if (j < COLUMNS - 1 && from[j + 1] < least)
                least = from[j + 1];
            to[j] = least + wall[row * COLUMNS + j];
        }
    }
    result = best[(ROWS - 1) % 2];
}

BENCH("pathfinder", "natural", set_up, natural, verify)

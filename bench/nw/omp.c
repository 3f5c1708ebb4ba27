/* SPDX-License-Identifier: MIT */
#include "problem.h"

static void align(int top, int left)
{
    for (int i = top + 1; i <= top + TILE; i++)
        for (int j = left + 1; j <= left + TILE; j++) {
            int best = score[(i - 1) * (SIZE + 1) + j - 1] + similarity[(i - 1) * SIZE + j - 1];
            int up = score[(i - 1) * (SIZE + 1) + j] - PENALTY, side = score[i * (SIZE + 1) + j - 1] - PENALTY;
            best = up > best ? up : best;
            score[i * (SIZE + 1) + j] = side > best ? side : best;
        }
}

static void natural(void)
{
    for (int diagonal = 0; diagonal < 2 * BLOCKS - 1; diagonal++) {
        int first = diagonal < BLOCKS ? 0 : diagonal - BLOCKS + 1, last = diagonal - first;
#pragma omp parallel for
        for (int tile = 0; tile <= last - first; tile++)
            align((first + tile) * TILE, (last - tile) * TILE);
    }
}

BENCH("nw", "natural", set_up, natural, verify)

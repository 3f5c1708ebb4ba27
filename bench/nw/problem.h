/* SPDX-License-Identifier: MIT
 *
 * Needleman and Wunsch: the scores of all alignments of two sequences, in square blocks along the diagonals. */
#include "../bench.h"

enum { SIZE = 4096, TILE = 16, BLOCKS = SIZE / TILE, PENALTY = 10 };
static int *score, *similarity; /* SIZE + 1 squared; SIZE squared */

static void set_up(void)
{
    score = new_array((size_t)(SIZE + 1) * (SIZE + 1) * sizeof *score);
    similarity = new_array((size_t)SIZE * SIZE * sizeof *similarity);
    for (uint32_t i = 0; i < SIZE * SIZE; i++)
        similarity[i] = small(i);
    for (int i = 0; i <= SIZE; i++)
        score[i] = score[i * (SIZE + 1)] = -PENALTY * i;
}

static void verify(void)
{
    int *above = new_array((SIZE + 1) * sizeof *above), *row = new_array((SIZE + 1) * sizeof *row);
    for (int j = 0; j <= SIZE; j++)
        above[j] = -PENALTY * j;
    for (int i = 1; i <= SIZE; i++) {
        row[0] = -PENALTY * i;
        for (int j = 1; j <= SIZE; j++) {
            int best = above[j - 1] + similarity[(i - 1) * SIZE + j - 1],
                gap = above[j] > row[j - 1] ? above[j] : row[j - 1];
            row[j] = best > gap - PENALTY ? best : gap - PENALTY;
            size_t at = (size_t)i * (SIZE + 1) + (size_t)j;
            expect(score[at], row[j], 0, at);
        }
        int *swap = above;
        above = row;
        row = swap;
    }
    free(above);
    free(row);
}

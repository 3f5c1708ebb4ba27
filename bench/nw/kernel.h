/* SPDX-License-Identifier: MIT */
#include <amp.h>

/* A tile has a thread for each column of a block, and goes over its diagonals. The tiles of a launch take the blocks of
 * one diagonal of the matrix: block (first + tile, last - tile). */
static void align(amp_tiled_index1(TILE) t, int first, int last, int n, int m, int score[n][n],
                  const int similarity[m][m]) restrict(amp)
{
    tile_static int part[TILE + 1][TILE + 1], match[TILE][TILE];
    int column = t.local[0], top = (first + t.tile[0]) * TILE, left = (last - t.tile[0]) * TILE;
    for (int row = 0; row < TILE; row++)
        match[row][column] = similarity[top + row][left + column];
    if (column == 0)
        part[0][0] = score[top][left];
    part[column + 1][0] = score[top + column + 1][left];
    part[0][column + 1] = score[top][left + column + 1];
    amp_tile_barrier_wait(t.barrier);
    for (int diagonal = 0; diagonal < 2 * TILE - 1; diagonal++) {
        int row = diagonal - column;
        if (row >= 0 && row < TILE) {
            int best = part[row][column] + match[row][column];
            int up = part[row][column + 1] - PENALTY, side = part[row + 1][column] - PENALTY;
            best = up > best ? up : best;
            part[row + 1][column + 1] = side > best ? side : best;
        }
        amp_tile_barrier_wait(t.barrier);
    }
    for (int row = 0; row < TILE; row++)
        score[top + row + 1][left + column + 1] = part[row + 1][column + 1];
}

/* SPDX-License-Identifier: MIT */
#include "problem.h"

#include <amp.h>

using namespace concurrency;

static array_view<int, 2> *scores;
static array_view<const int, 2> *similarities;

static void prepare(void)
{
    set_up();
    scores = new array_view<int, 2>(SIZE + 1, SIZE + 1, score);
    similarities = new array_view<const int, 2>(SIZE, SIZE, similarity);
}

/* A tile has a thread for each column of a block, and goes over its diagonals. */
static void align(int first, int last, array_view<int, 2> all, array_view<const int, 2> similar)
{
    parallel_for_each(extent<1>((last - first + 1) * TILE).tile<TILE>(), [=](tiled_index<TILE> t) restrict(amp) {
        tile_static int part[TILE + 1][TILE + 1], match[TILE][TILE];
        int column = t.local[0], top = (first + t.tile[0]) * TILE, left = (last - t.tile[0]) * TILE;
        for (int row = 0; row < TILE; row++)
            match[row][column] = similar(top + row, left + column);
        if (column == 0)
            part[0][0] = all(top, left);
        part[column + 1][0] = all(top + column + 1, left);
        part[0][column + 1] = all(top, left + column + 1);
        t.barrier.wait();
        for (int diagonal = 0; diagonal < 2 * TILE - 1; diagonal++) {
            int row = diagonal - column;
            if (row >= 0 && row < TILE) {
                int best = part[row][column] + match[row][column];
                int up = part[row][column + 1] - PENALTY, side = part[row + 1][column] - PENALTY;
                best = up > best ? up : best;
                part[row + 1][column + 1] = side > best ? side : best;
            }
            t.barrier.wait();
        }
        for (int row = 0; row < TILE; row++)
            all(top + row + 1, left + column + 1) = part[row + 1][column + 1];
    });
}

static void run(void)
{
    for (int diagonal = 0; diagonal < 2 * BLOCKS - 1; diagonal++) {
        int first = diagonal < BLOCKS ? 0 : diagonal - BLOCKS + 1;
        align(first, diagonal - first, *scores, *similarities);
    }
    scores->synchronize();
}

BENCH("nw", "plain", prepare, run, verify)

/* SPDX-License-Identifier: MIT */
#include "problem.h"

#include <amp.h>

using namespace concurrency;

static array_view<const int, 2> *walls;
static array_view<int> *views[2];

static void prepare(void)
{
    set_up();
    walls = new array_view<const int, 2>(ROWS, COLUMNS, wall);
    for (int b = 0; b < 2; b++)
        views[b] = new array_view<int>(COLUMNS, best[b]);
}

/* A tile takes `steps` rows at once; its valid part shrinks by a column at either end with each. */
static void advance(int row, int steps, array_view<const int, 2> all, array_view<const int> from, array_view<int> to)
{
    int tiles = (COLUMNS + INNER - 1) / INNER;
    parallel_for_each(extent<1>(tiles * TILE).tile<TILE>(), [=](tiled_index<TILE> t) restrict(amp) {
        tile_static int cheapest[TILE], next[TILE];
        int n = from.extent[0], thread = t.local[0], column = t.tile[0] * INNER + thread - STEPS;
        bool is_inside = column >= 0 && column < n;
        int left = column > 0 && thread > 0 ? thread - 1 : thread;
        int right = column < n - 1 && thread < TILE - 1 ? thread + 1 : thread;
        if (is_inside)
            cheapest[thread] = from[column];
        t.barrier.wait();
        bool is_valid = false;
        for (int step = 0; step < steps; step++) {
            is_valid = is_inside && thread > step && thread < TILE - 1 - step;
            if (is_valid) {
                int least = cheapest[left] < cheapest[thread] ? cheapest[left] : cheapest[thread];
                least = cheapest[right] < least ? cheapest[right] : least;
                next[thread] = least + all(row + step, column);
            }
            t.barrier.wait();
            if (is_valid)
                cheapest[thread] = next[thread];
            t.barrier.wait();
        }
        if (is_inside && thread >= STEPS && thread < TILE - STEPS)
            to[column] = cheapest[thread];
    });
}

static void run(void)
{
    memcpy(best[0], wall, COLUMNS * sizeof(int));
    views[0]->refresh();
    int from = 0;
    for (int row = 1; row < ROWS; row += STEPS, from = 1 - from)
        advance(row, row + STEPS < ROWS ? STEPS : ROWS - row, *walls, *views[from], *views[1 - from]);
    views[from]->synchronize();
    result = best[from];
}

BENCH("pathfinder", "plain", prepare, run, verify)

/* SPDX-License-Identifier: MIT */
#include <amp.h>

/* A tile takes `steps` rows at once; its valid part shrinks by a column at either end with each. */
static void advance(amp_tiled_index1(TILE) t, int row, int steps, int rows, int n, const int wall[rows][n],
                    const int from[n], int to[n]) restrict(amp)
{
    tile_static int best[TILE], next[TILE];
    int thread = t.local[0], column = t.tile[0] * INNER + thread - STEPS;
    bool is_inside = column >= 0 && column < n;
    int left = column > 0 && thread > 0 ? thread - 1 : thread;
    int right = column < n - 1 && thread < TILE - 1 ? thread + 1 : thread;
    if (is_inside)
        best[thread] = from[column];
    amp_tile_barrier_wait(t.barrier);
    bool is_valid = false;
    for (int step = 0; step < steps; step++) {
        is_valid = is_inside && thread > step && thread < TILE - 1 - step;
        if (is_valid) {
            int least = best[left] < best[thread] ? best[left] : best[thread];
            least = best[right] < least ? best[right] : least;
            next[thread] = least + wall[row + step][column];
        }
        amp_tile_barrier_wait(t.barrier);
        if (is_valid)
            best[thread] = next[thread];
        amp_tile_barrier_wait(t.barrier);
    }
    if (is_inside && thread >= STEPS && thread < TILE - STEPS)
        to[column] = best[thread];
}

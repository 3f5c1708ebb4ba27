/* SPDX-License-Identifier: MIT
 *
 * The temperatures of a chip: tiles of 16 x 16 load what lies around their 12 x 12 points, too, and go two steps. */
#include "port.h"

enum { TILE = 16, RIM = 2, INNER = TILE - 2 * RIM, TILES = 86, SIZE = TILES * INNER };
static float *power, *start, *middle, *end;

static void set_up(void)
{
    power = new_array(SIZE * SIZE * sizeof *power);
    start = new_array(SIZE * SIZE * sizeof *start);
    middle = new_array(SIZE * SIZE * sizeof *middle);
    end = new_array(SIZE * SIZE * sizeof *end);
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        power[i] = between(0, 1, i);
        start[i] = between(320, 340, ~i);
    }
}

static inline int clamped(int at) FOR_BOTH
{
    return at < 0 ? 0 : at > SIZE - 1 ? SIZE - 1 : at;
}

static inline float next(float here, float heat, float north, float south, float west, float east) FOR_BOTH
{
    return here + 0.1f * (heat + (north + south - 2 * here) + 0.5f * (east + west - 2 * here) + 0.01f * (80 - here));
}

static void step(const float *from, float *to)
{
#pragma omp parallel for
    for (int row = 0; row < SIZE; row++)
        for (int col = 0; col < SIZE; col++) {
            int at = row * SIZE + col;
            to[at] = next(from[at], power[at], from[clamped(row - 1) * SIZE + col], from[clamped(row + 1) * SIZE + col],
                          from[row * SIZE + clamped(col - 1)], from[row * SIZE + clamped(col + 1)]);
        }
}

static void loops(void)
{
    step(start, middle);
    step(middle, end);
}

#ifndef _OPENMP
static void two_steps(amp_tiled_index2(TILE, TILE) t, int n, const float heat[n][n], const float from[n][n],
                      float to[n][n]) restrict(amp)
{
    tile_static float old[TILE][TILE], new[TILE][TILE];
    int row = t.local[0], col = t.local[1];
    int y = t.tile[0] * INNER + row - RIM, x = t.tile[1] * INNER + col - RIM;
    bool is_inside = y >= 0 && y < n && x >= 0 && x < n;
    float added = is_inside ? heat[y][x] : 0;
    if (is_inside)
        old[row][col] = from[y][x];
    amp_tile_barrier_wait(t.barrier);
    int north = y > 0 ? row - 1 : row, south = y < n - 1 ? row + 1 : row;
    int west = x > 0 ? col - 1 : col, east = x < n - 1 ? col + 1 : col;
    for (int step = 0; step < RIM; step++) {
        bool is_known = is_inside && row > step && row < TILE - 1 - step && col > step && col < TILE - 1 - step;
        if (is_known)
            new[row][col] =
                next(old[row][col], added, old[north][col], old[south][col], old[row][west], old[row][east]);
        amp_tile_barrier_wait(t.barrier);
        if (step == RIM - 1) {
            if (is_known)
                to[y][x] = new[row][col];
        } else if (is_known) {
            old[row][col] = new[row][col];
        }
        amp_tile_barrier_wait(t.barrier);
    }
}

static void launch(void)
{
    amp_auto_array_view *heat = amp_array_view2(SIZE, SIZE, (const float *)power);
    amp_auto_array_view *from = amp_array_view2(SIZE, SIZE, (const float *)start);
    amp_auto_array_view *to = amp_array_view2(SIZE, SIZE, end);
    amp_discard_data(to);
    amp_parallel_for_each(amp_extent2(TILES * TILE, TILES * TILE), two_steps, heat, from, to);
    amp_synchronize(to);
}
#endif

PORT("hotspot", end, SIZE *SIZE, 1e-5)

/* SPDX-License-Identifier: MIT
 *
 * Rows of numbers made ones of mean 0 and variance 1, then scaled and moved: a tile for each row. */
#include "port.h"

enum { ROWS = 1 << 14, COLUMNS = 768, TILE = 256 };
static float *numbers, *scales, *moves, *results;

static void set_up(void)
{
    numbers = new_array(ROWS * COLUMNS * sizeof *numbers);
    results = new_array(ROWS * COLUMNS * sizeof *results);
    scales = new_array(COLUMNS * sizeof *scales);
    moves = new_array(COLUMNS * sizeof *moves);
    for (uint32_t i = 0; i < ROWS * COLUMNS; i++)
        numbers[i] = between(-3, 5, i);
    for (uint32_t j = 0; j < COLUMNS; j++) {
        scales[j] = between(0.5, 2, 2 * j);
        moves[j] = between(-1, 1, 2 * j + 1);
    }
}

static void loops(void)
{
#pragma omp parallel for
    for (int i = 0; i < ROWS; i++) {
        const float *from = numbers + (size_t)i * COLUMNS;
        float *restrict to = results + (size_t)i * COLUMNS, mean = 0, variance = 0;
#pragma omp simd reduction(+ : mean)
        for (int j = 0; j < COLUMNS; j++)
            mean += from[j];
        mean /= COLUMNS;
#pragma omp simd reduction(+ : variance)
        for (int j = 0; j < COLUMNS; j++)
            variance += (from[j] - mean) * (from[j] - mean);
        float scale = 1 / sqrtf(variance / COLUMNS + 1e-5f);
        for (int j = 0; j < COLUMNS; j++)
            to[j] = (from[j] - mean) * scale * scales[j] + moves[j];
    }
}

#ifndef _OPENMP
static float total(amp_tile_barrier barrier, int at, float part[TILE], float value) restrict(amp)
{
    part[at] = value;
    amp_tile_barrier_wait(barrier);
    for (int d = TILE / 2; d > 0; d /= 2) {
        if (at < d)
            part[at] += part[at + d];
        amp_tile_barrier_wait(barrier);
    }
    float all = part[0];
    amp_tile_barrier_wait(barrier);
    return all;
}

static void normalise(amp_tiled_index2(1, TILE) t, int m, const float from[m][COLUMNS], const float scales[COLUMNS],
                      const float moves[COLUMNS], float to[m][COLUMNS]) restrict(amp)
{
    tile_static float part[TILE];
    int i = t.tile[0], at = t.local[1];
    float sum = 0;
    for (int j = at; j < COLUMNS; j += TILE)
        sum += from[i][j];
    float mean = total(t.barrier, at, part, sum) / COLUMNS;
    sum = 0;
    for (int j = at; j < COLUMNS; j += TILE)
        sum += (from[i][j] - mean) * (from[i][j] - mean);
    float scale = 1 / sqrtf(total(t.barrier, at, part, sum) / COLUMNS + 1e-5f);
    for (int j = at; j < COLUMNS; j += TILE)
        to[i][j] = (from[i][j] - mean) * scale * scales[j] + moves[j];
}

static void launch(void)
{
    amp_auto_array_view *a = amp_array_view2(ROWS, COLUMNS, (const float *)numbers),
                        *b = amp_array_view2(ROWS, COLUMNS, results),
                        *s = amp_array_view1(COLUMNS, (const float *)scales),
                        *v = amp_array_view1(COLUMNS, (const float *)moves);
    amp_parallel_for_each(amp_extent2(ROWS, TILE), normalise, a, s, v, b);
    amp_synchronize(b);
}
#endif

PORT("layernorm", results, (size_t)ROWS *COLUMNS, 1e-4)

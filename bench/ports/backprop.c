/* SPDX-License-Identifier: MIT
 *
 * A layer of a neural network: its sums in tiles of 16 x 16, and what they change about the weights. */
#include "port.h"

enum { INPUTS = 1 << 18, HIDDEN = 16, TILE = 16 };
static float *input, *weight, *changed;

static void set_up(void)
{
    input = new_array(INPUTS * sizeof *input);
    weight = new_array(INPUTS * HIDDEN * sizeof *weight);
    changed = new_array(INPUTS * HIDDEN * sizeof *changed);
    for (uint32_t i = 0; i < INPUTS; i++)
        input[i] = between(0, 1, i);
    for (uint32_t i = 0; i < INPUTS * HIDDEN; i++)
        weight[i] = between(-1e-3f, 1e-3f, ~i);
}

static void find_errors(float *sums)
{
    for (int unit = 0; unit < HIDDEN; unit++) {
        float output = 1 / (1 + expf(-sums[unit]));
        sums[unit] = output * (1 - output) * (0.5f - output);
    }
}

static void loops(void)
{
    float sums[HIDDEN] = {0};
#pragma omp parallel for reduction(+ : sums[ : HIDDEN])
    for (int i = 0; i < INPUTS; i++)
        for (int unit = 0; unit < HIDDEN; unit++)
            sums[unit] += weight[i * HIDDEN + unit] * input[i];
    find_errors(sums);
#pragma omp parallel for
    for (int i = 0; i < INPUTS; i++)
        for (int unit = 0; unit < HIDDEN; unit++)
            changed[i * HIDDEN + unit] = weight[i * HIDDEN + unit] + 0.3f * sums[unit] * input[i];
}

#ifndef _OPENMP
static void add_up(amp_tiled_index2(TILE, HIDDEN) t, int n, int tiles, const float in[n], const float w[n][HIDDEN],
                   float sums[tiles][HIDDEN]) restrict(amp)
{
    tile_static float values[TILE], products[TILE][HIDDEN];
    int row = t.local[0], unit = t.local[1];
    if (unit == 0)
        values[row] = in[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    products[row][unit] = w[t.global[0]][unit] * values[row];
    amp_tile_barrier_wait(t.barrier);
    for (int half = 1; half < TILE; half *= 2) {
        if (row % (2 * half) == 0)
            products[row][unit] += products[row + half][unit];
        amp_tile_barrier_wait(t.barrier);
    }
    if (row == 0)
        sums[t.tile[0]][unit] = products[0][unit];
}

static void change(amp_index2 idx, int n, const float in[n], const float w[n][HIDDEN], const float errors[HIDDEN],
                   float to[n][HIDDEN]) restrict(amp)
{
    to[idx[0]][idx[1]] = w[idx[0]][idx[1]] + 0.3f * errors[idx[1]] * in[idx[0]];
}

static void launch(void)
{
    static float parts[INPUTS / TILE][HIDDEN];
    float sums[HIDDEN] = {0};
    amp_auto_array_view *in = amp_array_view1(INPUTS, (const float *)input);
    amp_auto_array_view *w = amp_array_view2(INPUTS, HIDDEN, (const float *)weight);
    amp_auto_array_view *to = amp_array_view2(INPUTS, HIDDEN, changed);
    amp_auto_array_view *part_sums = amp_array_view_whole2(parts);
    amp_discard_data(part_sums);
    amp_parallel_for_each(amp_extent2(INPUTS, HIDDEN), add_up, in, w, part_sums);
    amp_synchronize(part_sums);
    for (int tile = 0; tile < INPUTS / TILE; tile++)
        for (int unit = 0; unit < HIDDEN; unit++)
            sums[unit] += parts[tile][unit];
    find_errors(sums);
    amp_auto_array_view *errors = amp_array_view1(HIDDEN, (const float *)sums);
    amp_discard_data(to);
    amp_parallel_for_each(amp_extent2(INPUTS, HIDDEN), change, in, w, errors, to);
    amp_synchronize(to);
}
#endif

PORT("backprop", changed, INPUTS *HIDDEN, 1e-5)

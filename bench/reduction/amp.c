/* SPDX-License-Identifier: MIT
 *
 * Tiles make partial sums; tiles of those again; the last 512 are added up here. */
#include "problem.h"
#include <amp.h>

static void reduce(amp_tiled_index1(TILE) t, int n, int m, const float in[n], float out[m]) restrict(amp)
{
    tile_static float part[TILE];
    int i = t.local[0];
    part[i] = in[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    for (int half = TILE / 2; half > 0; half /= 2) {
        if (i < half)
            part[i] += part[i + half];
        amp_tile_barrier_wait(t.barrier);
    }
    if (i == 0)
        out[t.tile[0]] = part[0];
}

static amp_array_view *views[3];
static float *last;

static void prepare(void)
{
    set_up();
    views[0] = amp_array_view1(N, (const float *)data);
    views[1] = amp_array_view1(N / TILE, (float *)new_array(N / TILE * sizeof(float)));
    last = new_array(N / TILE / TILE * sizeof(float));
    views[2] = amp_array_view1(N / TILE / TILE, last);
}

static void run(void)
{
    amp_parallel_for_each(amp_extent1(N), reduce, views[0], views[1]);
    amp_parallel_for_each(amp_extent1(N / TILE), reduce, views[1], views[2]);
    amp_synchronize(views[2]);
    sum = 0;
    for (int i = 0; i < N / TILE / TILE; i++)
        sum += last[i];
}

BENCH("reduction", "plain", prepare, run, verify)

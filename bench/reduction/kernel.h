/* SPDX-License-Identifier: MIT */
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

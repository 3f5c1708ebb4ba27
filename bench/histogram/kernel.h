/* SPDX-License-Identifier: MIT */
#include <amp.h>

static void count(amp_tiled_index1(TILE) t, int n, const unsigned char in[n], int out[BINS]) restrict(amp)
{
    tile_static int own[BINS];
    int i = t.local[0], first = t.tile[0] * (TILE * PER_THREAD);
    own[i] = 0;
    amp_tile_barrier_wait(t.barrier);
    for (int k = 0; k < PER_THREAD; k++)
        amp_atomic_fetch_add(&own[in[first + k * TILE + i]], 1);
    amp_tile_barrier_wait(t.barrier);
    amp_atomic_fetch_add(&out[i], own[i]);
}

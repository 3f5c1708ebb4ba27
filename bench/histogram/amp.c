/* SPDX-License-Identifier: MIT
 *
 * A tile counts 256 bytes per thread in bins of its own, then adds them to all. */
#include "problem.h"
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

static amp_array_view *in, *out;

static void prepare(void)
{
    set_up();
    in = amp_array_view1(N, (const unsigned char *)data);
    out = amp_array_view1(BINS, bins);
}

static void run(void)
{
    memset(bins, 0, sizeof bins);
    amp_refresh(out);
    amp_parallel_for_each(amp_extent1(N / PER_THREAD), count, in, out);
    amp_synchronize(out);
}

BENCH("histogram", "plain", prepare, run, verify)

/* SPDX-License-Identifier: MIT
 *
 * Pi by throwing darts: each thread throws 256, with random numbers made from its index; each tile adds up its hits. */
#include "cookbook.h"

enum { T = 64, THROWERS = 64 * 256, DARTS = 256 };

static void throw_darts(amp_tiled_index1(T) t, int hits[1]) restrict(amp)
{
    tile_static int of_tile;
    if (t.local[0] == 0)
        of_tile = 0;
    amp_tile_barrier_wait(t.barrier);
    int own = 0;
    for (int i = 0; i < DARTS; i++) {
        unsigned n = (unsigned)(t.global[0] * DARTS + i);
        float x = random_of(2 * n), y = random_of(2 * n + 1);
        own += x * x + y * y < 1;
    }
    amp_atomic_fetch_add(&of_tile, own);
    amp_tile_barrier_wait(t.barrier);
    if (t.local[0] == 0)
        amp_atomic_fetch_add(&hits[0], of_tile);
}

int main(void)
{
    int hits_data[1] = {0};
    amp_auto_array_view *hits = amp_array_view1(1, hits_data);
    amp_parallel_for_each(amp_extent1(THROWERS), throw_darts, hits);
    amp_synchronize(hits);
    printf("pi is about %.3f\n", 4.0 * hits_data[0] / ((double)THROWERS * DARTS));
    return finish();
}

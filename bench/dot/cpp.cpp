/* SPDX-License-Identifier: MIT */
#include "problem.h"

#include <amp.h>

using namespace concurrency;

static array_view<const double> *left, *right;
static array_view<double> *parts;
static double part[TILES];

static void prepare(void)
{
    set_up();
    left = new array_view<const double>(N, a);
    right = new array_view<const double>(N, b);
    parts = new array_view<double>(TILES, part);
}

/* All threads together stride over the vectors as over a grid; then the tile adds up. */
static void run(void)
{
    array_view<const double> x = *left, y = *right;
    array_view<double> out = *parts;
    out.discard_data();
    parallel_for_each(extent<1>(TILES * TILE).tile<TILE>(), [=](tiled_index<TILE> t) restrict(amp) {
        tile_static double partial[TILE];
        int thread = t.local[0];
        partial[thread] = 0;
        for (int i = t.global[0]; i < x.extent[0]; i += out.extent[0] * TILE)
            partial[thread] += x[i] * y[i];
        for (int half = TILE / 2; half > 0; half /= 2) {
            t.barrier.wait();
            if (thread < half)
                partial[thread] += partial[thread + half];
        }
        if (thread == 0)
            out[t.tile] = partial[0];
    });
    out.synchronize();
    sum = 0;
    for (int i = 0; i < TILES; i++)
        sum += part[i];
}

BENCH("dot", "plain", prepare, run, verify)

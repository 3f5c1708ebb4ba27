/* SPDX-License-Identifier: MIT */
#include "problem.h"

#include <amp.h>

using namespace concurrency;

static array_view<const unsigned char> *in_view;
static array_view<int> *out_view;

static void prepare(void)
{
    set_up();
    in_view = new array_view<const unsigned char>(N, data);
    out_view = new array_view<int>(BINS, bins);
}

static void run(void)
{
    array_view<const unsigned char> in = *in_view;
    array_view<int> out = *out_view;
    memset(bins, 0, sizeof bins);
    out.refresh();
    parallel_for_each(extent<1>(N / PER_THREAD).tile<TILE>(), [=](tiled_index<TILE> t) restrict(amp) {
        tile_static int own[BINS];
        int i = t.local[0], first = t.tile[0] * (TILE * PER_THREAD);
        own[i] = 0;
        t.barrier.wait();
        for (int k = 0; k < PER_THREAD; k++)
            atomic_fetch_add(&own[in[first + k * TILE + i]], 1);
        t.barrier.wait();
        atomic_fetch_add(&out[i], own[i]);
    });
    out.synchronize();
}

BENCH("histogram", "plain", prepare, run, verify)

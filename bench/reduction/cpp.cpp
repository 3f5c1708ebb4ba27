/* SPDX-License-Identifier: MIT */
#include "problem.h"

#include <amp.h>

using namespace concurrency;

static array_view<const float> *in_view;
static array_view<float> *views[2];
static float *last;

static void prepare(void)
{
    set_up();
    in_view = new array_view<const float>(N, data);
    views[0] = new array_view<float>(N / TILE, static_cast<float *>(new_array(N / TILE * sizeof(float))));
    last = new_array(N / TILE / TILE * sizeof(float));
    views[1] = new array_view<float>(N / TILE / TILE, last);
}

static void reduce(array_view<const float> in, array_view<float> out)
{
    parallel_for_each(in.extent.tile<TILE>(), [=](tiled_index<TILE> t) restrict(amp) {
        tile_static float part[TILE];
        int i = t.local[0];
        part[i] = in[t];
        t.barrier.wait();
        for (int half = TILE / 2; half > 0; half /= 2) {
            if (i < half)
                part[i] += part[i + half];
            t.barrier.wait();
        }
        if (i == 0)
            out[t.tile] = part[0];
    });
}

static void run(void)
{
    reduce(*in_view, *views[0]);
    reduce(*views[0], *views[1]);
    views[1]->synchronize();
    sum = 0;
    for (int i = 0; i < N / TILE / TILE; i++)
        sum += last[i];
}

BENCH("reduction", "plain", prepare, run, verify)

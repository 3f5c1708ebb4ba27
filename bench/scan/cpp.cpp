/* SPDX-License-Identifier: MIT */
#include "problem.h"

#include <amp.h>

using namespace concurrency;

static array_view<const int> *in_view;
static array_view<int> *out_view;

static void prepare(void)
{
    set_up();
    in_view = new array_view<const int>(N, data);
    out_view = new array_view<int>(N, sums);
}

/* Up and down a tree of partial sums, two elements for each thread. */
static void run(void)
{
    array_view<const int> in = *in_view;
    array_view<int> out = *out_view;
    out.discard_data();
    parallel_for_each(extent<1>(N / 2).tile<BLOCK / 2>(), [=](tiled_index<BLOCK / 2> t) restrict(amp) {
        tile_static int part[BLOCK];
        int thread = t.local[0], from = t.tile[0] * BLOCK, distance = 1;
        part[2 * thread] = in[from + 2 * thread];
        part[2 * thread + 1] = in[from + 2 * thread + 1];
        for (int active = BLOCK / 2; active > 0; active /= 2) {
            t.barrier.wait();
            if (thread < active)
                part[distance * (2 * thread + 2) - 1] += part[distance * (2 * thread + 1) - 1];
            distance *= 2;
        }
        if (thread == 0)
            part[BLOCK - 1] = 0;
        for (int active = 1; active < BLOCK; active *= 2) {
            distance /= 2;
            t.barrier.wait();
            if (thread < active) {
                int left = distance * (2 * thread + 1) - 1, right = distance * (2 * thread + 2) - 1;
                int kept = part[left];
                part[left] = part[right];
                part[right] += kept;
            }
        }
        t.barrier.wait();
        out[from + 2 * thread] = part[2 * thread];
        out[from + 2 * thread + 1] = part[2 * thread + 1];
    });
    out.synchronize();
}

BENCH("scan", "plain", prepare, run, verify)

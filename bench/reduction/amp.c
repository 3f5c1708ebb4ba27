/* SPDX-License-Identifier: MIT
 *
 * Tiles compute partial sums, tiles of those are summed again, and the last 512 are added up here. */
#include "problem.h"

#include "kernel.h"

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

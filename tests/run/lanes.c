/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc -O2 --amp-lanes=each:2 --amp-lanes=tile:32 --amp-gpu=none %s -o %t && %run-cpu %t
 * RUN: %ampcc -O0 --amp-gpu=none %s -o %t && %run-cpu %t
 *
 * Kernels with lanes of their own in one file. */
#include "check.h"

enum { N = 1000, TILE = 48 };

amp_lanes(1) static void one(amp_index1 idx, int n, int x[n]) restrict(amp)
{
    x[idx[0]] += idx[0];
}

amp_lanes(4) static void each(amp_index1 idx, int n, int x[n]) restrict(amp)
{
    for (int i = 0; i < idx[0] % 5; i++)
        x[idx[0]] += i;
}

amp_lanes(64) static void tile(amp_tiled_index1(TILE) t, int n, int x[n]) restrict(amp)
{
    tile_static int part[TILE];
    part[t.local[0]] = t.global[0] < n ? x[t.global[0]] : 0;
    amp_tile_barrier_wait(t.barrier);
    if (t.global[0] < n)
        x[t.global[0]] += part[TILE - 1 - t.local[0]];
}

int main(void)
{
    int *x = check_alloc(N * sizeof *x), *before = check_alloc(N * sizeof *x), *want = check_alloc(N * sizeof *x);
    amp_array_view *view = amp_array_view1(N, x);
    for (int i = 0; i < N; i++)
        x[i] = 3 * i;
    CHECK_OK(amp_parallel_for_each(amp_extent1(N), one, view));
    CHECK_OK(amp_parallel_for_each(amp_extent1(N), each, view));
    CHECK_OK(amp_parallel_for_each(amp_extent_pad(amp_extent1(N), amp_extent1(TILE)), tile, view));
    CHECK_OK(amp_synchronize(view));
    for (int i = 0; i < N; i++)
        before[i] = 4 * i + i % 5 * (i % 5 - 1) / 2;
    for (int i = 0; i < N; i++) {
        int other = i / TILE * TILE + TILE - 1 - i % TILE;
        want[i] = before[i] + (other < N ? before[other] : 0);
    }
    CHECK_INTS(x, want, N, "lanes");
    amp_array_view_release(view);
    check_free_all();
    return 0;
}

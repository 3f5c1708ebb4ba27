/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=1 %s -o %t && %run-cpu %t
 * RUN: %ampcc -O0 %s -o %t && %run-alone %t
 *
 * A uniform value that is computed on one side of a divergent branch and again after it. An optimiser that computes it
 * on both sides instead (partial redundancy elimination) makes it a phi. It then seems to differ between threads, and a
 * barrier that depends on it seems wrong. */
#include "check.h"

static const int table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};

static void waits(amp_tiled_index1(64) t, int N, int scale, int out[N]) restrict(amp)
{
    tile_static int first, all[64];
    int at = scale * (t.tile[0] + 1);
    all[t.local[0]] = t.global[0];
    if (t.local[0] == 0)
        first = table[(at + scale) / 4 & 15];
    if ((at + scale) & 1) {
        amp_tile_barrier_wait(t.barrier);
        out[t.global[0]] = all[63 - t.local[0]];
    } else
        out[t.global[0]] = 0;
    amp_tile_barrier_wait(t.barrier);
    out[t.global[0]] += first;
}

int main(void)
{
    enum { TILE = 64, N = 5 * TILE };
    int *out = check_alloc(N * sizeof *out), *want = check_alloc(N * sizeof *out);
    amp_array_view *view = amp_array_view1(N, out);
    for (int scale = 0; scale < 4; scale++) {
        CHECK_OK(amp_parallel_for_each(amp_extent1(N), waits, scale, view));
        for (int i = 0; i < N; i++) {
            int at = scale * (i / TILE + 1) + scale;
            want[i] = table[at / 4 & 15] + (at & 1 ? i / TILE * TILE + TILE - 1 - i % TILE : 0);
        }
        CHECK_INTS(out, want, N, "scale %d", scale);
    }
    amp_array_view_release(view);
    check_free_all();
    return 0;
}

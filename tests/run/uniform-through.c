/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=1 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=4 %s -o %t && %run-cpu %t
 * RUN: %ampcc -O0 --amp-lanes=8 %s -o %t && %run-alone %t
 *
 * A uniform variable that changes on one side of a uniform branch and passes a divergent `if` on the other: it stays
 * uniform, though its paths meet where those of the `if` do, and a barrier may depend on it. */
#include "check.h"

static void through(amp_tiled_index1(32) t, int N, int n, int out[N]) restrict(amp)
{
    tile_static int first, all[32];
    int level = t.tile[0] & 3;
    all[t.local[0]] = t.global[0];
    if (t.local[0] == 0)
        first = 0;
    amp_tile_barrier_wait(t.barrier);
    for (int k = 0; k < n; k++) {
        switch ((t.tile[0] + k) % 3) {
        case 0:
            if (t.local[0] == 5)
                first = level;
            break;
        case 1:
            level += 2;
            break;
        default:
            if (level > 2) {
                amp_tile_barrier_wait(t.barrier);
                all[t.local[0]] += first;
                amp_tile_barrier_wait(t.barrier);
            } else if (t.local[0] == 7)
                all[t.local[0]] -= 1;
        }
        amp_tile_barrier_wait(t.barrier);
    }
    out[t.global[0]] = all[31 - t.local[0]] + level;
}

int main(void)
{
    enum { TILE = 32, N = 7 * TILE };
    int *out = check_alloc(N * sizeof *out), *want = check_alloc(N * sizeof *out);
    amp_array_view *view = amp_array_view1(N, out);
    for (int n = 3; n < 9; n++) {
        CHECK_OK(amp_parallel_for_each(amp_extent1(N), through, n, view));
        for (int tile = 0; tile < N / TILE; tile++) {
            int all[TILE], first = 0, level = tile & 3;
            for (int l = 0; l < TILE; l++)
                all[l] = tile * TILE + l;
            for (int k = 0; k < n; k++) {
                int which = (tile + k) % 3;
                if (which == 0)
                    first = level;
                else if (which == 1)
                    level += 2;
                else if (level > 2)
                    for (int l = 0; l < TILE; l++)
                        all[l] += first;
                else
                    all[7] -= 1;
            }
            for (int l = 0; l < TILE; l++)
                want[tile * TILE + l] = all[TILE - 1 - l] + level;
        }
        CHECK_INTS(out, want, N, "n %d", n);
    }
    amp_array_view_release(view);
    check_free_all();
    return 0;
}

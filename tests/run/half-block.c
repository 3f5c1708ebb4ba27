/* SPDX-License-Identifier: MIT
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 --amp-lanes=32 %s -o %t && %run-native %t
 * RUN: %ampcc -O2 %s -o %t && %run %t
 *
 * A tile of one and a half blocks: only the first lanes of the second block store, and the stored values come from
 * either side of a branch. */
#include "check.h"

enum { TILE = 48, ROWS = 9, COLUMNS = 2 * TILE, N = ROWS * COLUMNS };

static void keep(amp_tiled_index3(1, 1, TILE) t, int a, int b, int c, int step, uint32_t x[a][b][c]) restrict(amp)
{
    uint32_t value = 1u ^ x[t.global[0]][t.global[1]][t.global[2]];
    if ((t.tile_origin[1] & 7) == 0)
        amp_tile_barrier_wait_with_all_memory_fence(t.barrier);
    uint32_t digest = 31 + (uint32_t)step;
    digest = digest * 31 + value;
    digest = digest * 31 + 1;
    x[t.global[0]][t.global[1]][t.global[2]] = digest;
}

int main(void)
{
    uint32_t x[N], want[N];
    for (int i = 0; i < N; i++) {
        x[i] = (uint32_t)i * 2654435761u;
        want[i] = ((31 + 5) * 31 + (x[i] ^ 1)) * 31 + 1;
    }
    amp_array_view *view = amp_array_view3(1, ROWS, COLUMNS, x);
    CHECK_OK(amp_parallel_for_each(amp_extent3(1, ROWS, COLUMNS), keep, 5, view));
    CHECK_OK(amp_synchronize(view));
    CHECK_INTS(x, want, N, "keep");
    amp_array_view_release(view);
    return 0;
}

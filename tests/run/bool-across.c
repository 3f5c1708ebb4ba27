/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 *
 * Truth values that live across barriers and that few threads use: alone, beside a barrier in either branch, and with
 * the result of an addition that may overflow. */
#include "check.h"

enum { TILE = 100, N = 3 * TILE };

static void flag(amp_tiled_index1(TILE) t, int n, const int x[n], int o[n]) restrict(amp)
{
    bool big = x[t.global[0]] > 3;
    amp_tile_barrier_wait(t.barrier);
    for (int i = 0; i < 5; i++)
        amp_tile_barrier_wait(t.barrier);
    if (t.local[0] == 0)
        o[t.global[0]] = big;
}

static void branches(amp_tiled_index1(TILE) t, int n, const int x[n], int o[n]) restrict(amp)
{
    bool big = x[t.global[0]] > 3;
    if (t.tile[0] & 1) {
        tile_static unsigned m[TILE];
        m[t.local[0]] = 1;
        amp_tile_barrier_wait(t.barrier);
        o[t.global[0]] = (int)m[TILE - 1 - t.local[0]];
    } else {
        amp_tile_barrier_wait(t.barrier);
    }
    if (t.local[0] != 0)
        return;
    o[t.global[0]] = big;
}

static void overflow(amp_tiled_index1(TILE) t, int n, const int x[n], int o[n]) restrict(amp)
{
    int sum;
    bool is_over = __builtin_add_overflow(x[t.global[0]], 0x7ffffff0, &sum);
    amp_tile_barrier_wait(t.barrier);
    if (t.local[0] % 50 == 7)
        o[t.global[0]] = is_over ? -1 : sum;
}

int main(void)
{
    static int x[N], o[3][N], want[3][N];
    for (int i = 0; i < N; i++) {
        int local = i % TILE, is_odd = i / TILE & 1;
        x[i] = (i * 7) % 23;
        want[0][i] = local == 0 ? x[i] > 3 : 0;
        want[1][i] = local == 0 ? x[i] > 3 : is_odd;
        want[2][i] = local % 50 != 7 ? 0 : x[i] > 15 ? -1 : x[i] + 0x7ffffff0;
    }
    amp_array_view *in = amp_array_view1(N, (const int *)x), *out = amp_array_view2(3, N, o[0]);
    for (int k = 0; k < 3; k++) {
        amp_array_view *row = amp_array_view_project(out, k);
        if (k == 0)
            CHECK_OK(amp_parallel_for_each(amp_extent1(N), flag, in, row));
        else if (k == 1)
            CHECK_OK(amp_parallel_for_each(amp_extent1(N), branches, in, row));
        else
            CHECK_OK(amp_parallel_for_each(amp_extent1(N), overflow, in, row));
        CHECK_OK(amp_synchronize(row));
        amp_array_view_release(row);
    }
    CHECK_INTS(&o[0][0], &want[0][0], 3 * N, "truth values across barriers");
    amp_array_view_release(out);
    amp_array_view_release(in);
    return 0;
}

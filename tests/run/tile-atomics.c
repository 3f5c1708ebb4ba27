/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=1 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=4 %s -o %t && %run-cpu %t
 * RUN: %ampcc -O0 --amp-lanes=8 %s -o %t && %run-alone %t
 * row: atomic.fetch
 *
 * Atomics on tile memory after a barrier, at places read directly from an array.
 */
#include "check.h"
static void k(amp_tiled_index1(16) t, int N, const int in[N], int out[N]) restrict(amp)
{
    tile_static int h[16];
    h[t.local[0]] = 0;
    amp_tile_barrier_wait(t.barrier);
    amp_atomic_fetch_add(&h[in[t.global[0]] & 15], 1);
    amp_tile_barrier_wait(t.barrier);
    out[t.global[0]] = h[t.local[0]];
}
static void k2(amp_tiled_index1(16) t, int N, const int in[N], int out[N]) restrict(amp)
{
    tile_static int h[16];
    h[t.local[0]] = 0;
    amp_tile_barrier_wait(t.barrier);
    amp_atomic_fetch_add(&h[in[t.global[0]]], in[t.global[0]]);
    amp_tile_barrier_wait(t.barrier);
    out[t.global[0]] = h[t.local[0]];
}
static void k3(amp_tiled_index1(64) t, int N, const unsigned char in[N], int out[N]) restrict(amp)
{
    tile_static int h[64];
    h[t.local[0]] = 0;
    amp_tile_barrier_wait(t.barrier);
    amp_atomic_fetch_add(&h[in[t.global[0]]], 1);
    amp_tile_barrier_wait(t.barrier);
    out[t.global[0]] = h[t.local[0]];
}
/* The place after the barrier is computed from the one before it. */
static void k4(amp_tiled_index2(16, 16) t, int M, int N, int out[M][N]) restrict(amp)
{
    tile_static int h[256];
    int column = t.local[1] * 16;
    h[column + t.local[0]] = 0;
    amp_tile_barrier_wait(t.barrier);
    amp_atomic_fetch_add(&h[column], t.local[0] + 1);
    amp_tile_barrier_wait(t.barrier);
    out[t.global[0]][t.global[1]] = h[t.local[0] * 16 + t.local[1]];
}
int main(void)
{
    int N = 256, in[256], out[256], want[256];
    unsigned char b[256];
    for (int i = 0; i < N; i++)
        in[i] = (i * 7 + i / 16 * i) & 15, b[i] = (i * i) & 63;
    amp_array_view *vi = amp_array_view1(N, (const int *)in), *vo = amp_array_view1(N, out),
                   *vb = amp_array_view1(N, (const unsigned char *)b);
    CHECK_OK(amp_parallel_for_each(amp_extent1(N), k, vi, vo));
    CHECK_OK(amp_synchronize(vo));
    memset(want, 0, sizeof want);
    for (int i = 0; i < N; i++)
        want[i / 16 * 16 + in[i]]++;
    CHECK_INTS(out, want, N, "%s", "hist");
    CHECK_OK(amp_parallel_for_each(amp_extent1(N), k2, vi, vo));
    CHECK_OK(amp_synchronize(vo));
    memset(want, 0, sizeof want);
    for (int i = 0; i < N; i++)
        want[i / 16 * 16 + in[i]] += in[i];
    CHECK_INTS(out, want, N, "%s", "hist");
    CHECK_OK(amp_parallel_for_each(amp_extent1(N), k3, vb, vo));
    CHECK_OK(amp_synchronize(vo));
    memset(want, 0, sizeof want);
    for (int i = 0; i < N; i++)
        want[i / 64 * 64 + b[i]]++;
    CHECK_INTS(out, want, N, "%s", "hist");
    amp_array_view *square = amp_array_view2(16, 16, out);
    CHECK_OK(amp_parallel_for_each(amp_extent2(16, 16), k4, square));
    CHECK_OK(amp_synchronize(square));
    for (int i = 0; i < N; i++)
        want[i] = i % 16 ? 0 : 136;
    CHECK_INTS(out, want, N, "%s", "columns");
    return 0;
}

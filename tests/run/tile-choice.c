/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=1 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=4 %s -o %t && %run-cpu %t
 * RUN: %ampcc -O0 --amp-lanes=8 %s -o %t && %run-alone %t
 *
 * A load from one of two tile arrays stays before the thread's own store.
 */
#include "check.h"
/* the load is not provably from tile memory (phi of two tile arrays), the store to it follows, then an atomic */
static void k(amp_tiled_index1(16) t, int N, int K, const int in[N], int out[N]) restrict(amp)
{
    tile_static int a[16], b[16], h[64];
    int l = t.local[0];
    a[l] = in[t.global[0]] & 15;
    b[l] = 7;
    for (int j = l; j < 64; j += 16)
        h[j] = 0;
    amp_tile_barrier_wait(t.barrier);
    if (K >= 0) {
        int *p = K > 2 ? a : b;
        int x = p[l];
        a[l] = 40;
        amp_atomic_fetch_add(&h[x], 1);
    }
    amp_tile_barrier_wait(t.barrier);
    int s = 0;
    for (int j = 0; j < 64; j++)
        s += h[j] * j;
    out[t.global[0]] = s;
}
int main(void)
{
    enum { N = 64 };
    int in[N], out[N], want[N];
    for (int i = 0; i < N; i++)
        in[i] = i * 37;
    for (int t = 0; t < N / 16; t++) {
        int s = 0;
        for (int l = 0; l < 16; l++)
            s += in[t * 16 + l] & 15;
        for (int l = 0; l < 16; l++)
            want[t * 16 + l] = s;
    }
    amp_array_view *vi = amp_array_view1(N, (const int *)in), *vo = amp_array_view1(N, out);
    CHECK_OK(amp_parallel_for_each(amp_extent1(N), k, 3, vi, vo));
    CHECK_OK(amp_synchronize(vo));
    CHECK_INTS(out, want, N, "%s", "tilesel");
    return 0;
}

/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=1 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=4 %s -o %t && %run-cpu %t
 * RUN: %ampcc -O0 --amp-lanes=8 %s -o %t && %run-alone %t
 *
 * Local arrays that clang aligns more than their size: every thread's copy is aligned.
 */
#include "check.h"
static void k2(amp_tiled_index1(32) t, int N, const int a[N], int out[N][4]) restrict(amp)
{
    int i = t.global[0];
    _Alignas(64) int x[2];
    x[0] = 1, x[1] = 2;
    x[a[i] & 1] = a[i];
    amp_tile_barrier_wait(t.barrier);
    x[0] += 1;
    out[i][0] = x[0], out[i][1] = x[1], out[i][2] = 0, out[i][3] = 0;
}
static void k3(amp_tiled_index2(8, 1) t, int M, int N, const int a[M], int out[M][4]) restrict(amp)
{
    int x[5], i = t.global[0];
    x[0] = 7, x[1] = 7, x[2] = 7, x[3] = 7, x[4] = 7;
    x[a[i] & 3] = a[i];
    amp_tile_barrier_wait(t.barrier);
    x[(a[i] + 1) & 3] += 5;
    amp_tile_barrier_wait(t.barrier);
    out[i][0] = x[0], out[i][1] = x[1], out[i][2] = x[2], out[i][3] = x[3];
}
int main(void)
{
    enum { N = 128 };
    static int a[N], out[N][4], w1[N][4], w2[N][4];
    for (int i = 0; i < N; i++) {
        a[i] = i * 7 % 31;
        int x[5] = {7, 7, 7, 7, 7};
        x[a[i] & 3] = a[i];
        x[(a[i] + 1) & 3] += 5;
        for (int k = 0; k < 4; k++)
            w1[i][k] = x[k];
        w2[i][0] = 1, w2[i][1] = 2;
        w2[i][a[i] & 1] = a[i];
        w2[i][0]++;
    }
    amp_array_view *vi = amp_array_view1(N, (const int *)a), *vo = amp_array_view2(N, 4, (int *)out);
    CHECK_OK(amp_parallel_for_each(amp_extent1(N), k2, vi, vo));
    CHECK_OK(amp_synchronize(vo));
    int *got = (int *)out, *w = (int *)w2;
    CHECK_INTS(got, w, N * 4, "%s", "align4");
    CHECK_OK(amp_parallel_for_each(amp_extent2(N, 1), k3, 1, vi, vo));
    CHECK_OK(amp_synchronize(vo));
    w = (int *)w1;
    CHECK_INTS(got, w, N * 4, "%s", "align4");
    return 0;
}

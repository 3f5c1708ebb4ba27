/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 --amp-cpu=baseline --amp-stop-after=assemble --amp-dump-after=assemble %s \
 * RUN:     | sed -n '/^; ---- sm_75/,$p' | FileCheck %s
 *
 * Nothing is said of loops that cannot be unrolled.
 * RUN: %ampcc -O2 --amp-cpu=baseline -c %s -o %t.o 2>&1 | count 0
 */
#include <amp.h>

/* Short loops are unrolled four times, unless the source says otherwise.
 * CHECK: .entry amp__kernel_0(
 * CHECK-COUNT-4: add.rn.f64
 * CHECK: setp
 * CHECK: ret;
 * CHECK: .entry amp__kernel_1(
 * CHECK-COUNT-2: add.rn.f64
 * CHECK-NEXT: add.s
 * CHECK: ret;
 * CHECK: .entry amp__kernel_2(
 * CHECK-COUNT-1: add.rn.f64
 * CHECK-NOT: add.rn.f64
 * CHECK: ret;
 */
void sums(amp_index1 idx, int N, int W, const double a[W], double b[N]) restrict(amp)
{
    double sum = 0;
    for (int k = 0; k < W; k++)
        sum += a[k];
    b[idx[0]] = sum;
}

void sums_by_two(amp_index1 idx, int N, int W, const double a[W], double b[N]) restrict(amp)
{
    double sum = 0;
#pragma unroll 2
    for (int k = 0; k < W; k++)
        sum += a[k];
    b[idx[0]] = sum;
}

void sums_by_one(amp_index1 idx, int N, int W, const double a[W], double b[N]) restrict(amp)
{
    double sum = 0;
#pragma nounroll
    for (int k = 0; k < W; k++)
        sum += a[k];
    b[idx[0]] = sum;
}

/* Copies of a barrier could part threads. */
void rounds(amp_tiled_index1(64) t, int N, int W, int x[N], const int y[W]) restrict(amp)
{
    tile_static int sums[64];
    int i = t.local[0];
    sums[i] = 0;
    for (int k = 0; k < W; k++) {
        sums[i ^ k & 63] += y[k];
        amp_tile_barrier_wait(t.barrier);
    }
    x[t.global[0]] = sums[i];
}

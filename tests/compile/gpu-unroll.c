/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 --amp-cpu=baseline --amp-stop-after=assemble --amp-dump-after=assemble %s \
 * RUN:     | sed -n '/^; ---- sm_75/,$p' | FileCheck %s
 *
 * Nothing is said of loops that cannot be unrolled.
 * RUN: %ampcc -O2 --amp-cpu=baseline -c %s -o %t.o 2>&1 | count 0
 */
#include <amp.h>

/* Short loops are unrolled twice, and by the driver's compiler again, unless the source says otherwise.
 * CHECK: .entry sums_kernel(
 * CHECK-NOT: nounroll
 * CHECK-COUNT-2: add.rn.f64
 * CHECK-NOT: add.rn.f64
 * CHECK: setp
 * CHECK: add.rn.f64
 * CHECK-NOT: add.rn.f64
 * CHECK: ret;
 * CHECK: .entry sums_by_three_kernel(
 * CHECK: nounroll
 * CHECK-COUNT-3: add.rn.f64
 * CHECK-NEXT: add.s
 * CHECK: ret;
 * CHECK: .entry sums_by_one_kernel(
 * CHECK: nounroll
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

void sums_by_three(amp_index1 idx, int N, int W, const double a[W], double b[N]) restrict(amp)
{
    double sum = 0;
#pragma unroll 3
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

/* A loop of a few passes, always the same number, is none. One of many passes has four in one.
 * CHECK: .entry few_kernel(
 * CHECK-COUNT-24: fma.rn.f64
 * CHECK: ret;
 * CHECK: .entry many_kernel(
 * CHECK-NOT: nounroll
 * CHECK-COUNT-4: fma.rn.f64
 * CHECK-NOT: fma.rn.f64
 * CHECK: ret;
 */
void few(amp_index1 idx, int N, const double a[24], double b[N]) restrict(amp)
{
    double product = idx[0];
    for (int k = 0; k < 24; k++)
        product = product * b[idx[0]] + a[k];
    b[idx[0]] = product;
}

void many(amp_index1 idx, int N, const double a[1000], double b[N]) restrict(amp)
{
    double product = idx[0];
    for (int k = 0; k < 1000; k++)
        product = product * b[idx[0]] + a[k];
    b[idx[0]] = product;
}

/* Threads leave this loop one by one; a copy of the body would need its own way out.
 * CHECK: .entry steps_kernel(
 * CHECK-COUNT-1: sqrt
 * CHECK-NOT: sqrt
 * CHECK: ret;
 */
void steps(amp_index1 idx, int N, int limit, double x[N]) restrict(amp)
{
    double root = x[idx[0]];
    int n = 0;
    while (n < limit && root > 1.5) {
        root = __builtin_sqrt(root);
        n++;
    }
    x[idx[0]] = n;
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

/* The number of passes is compared in 32 bits, though rows are that far apart in 64: else the driver's compiler does
 * not unroll such a loop.
 * CHECK: .entry blocks_kernel(
 * CHECK-NOT: ld.param.s32
 * CHECK-NOT: setp{{.*}}64
 * CHECK: ret;
 */
void blocks(amp_tiled_index1(16) t, int N, int W, const float a[N][W], float b[N]) restrict(amp)
{
    tile_static float part[16];
    float sum = 0;
    for (int i = 0; i < W; i += 16) {
        part[t.local[0]] = a[t.tile[0]][i + t.local[0]];
        amp_tile_barrier_wait(t.barrier);
        for (int k = 0; k < 16; k++)
            sum += part[k] * a[t.global[0]][k];
        amp_tile_barrier_wait(t.barrier);
    }
    b[t.global[0]] = sum;
}

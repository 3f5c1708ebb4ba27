/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 --amp-cpu=baseline --amp-stop-after=assemble --amp-dump-after=assemble %s \
 * RUN:     | sed -n '/^; ---- sm_75/,$p' | FileCheck %s
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

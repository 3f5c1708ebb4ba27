/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 --amp-cpu=baseline --amp-stop-after=assemble --amp-dump-after=assemble %s \
 * RUN:     | sed -n '/^; ---- sm_75/,$p' | FileCheck %s
 * RUN: %ampcc -O2 --amp-cpu=baseline --amp-gpu=sm_80 --amp-stop-after=assemble --amp-dump-after=assemble %s \
 * RUN:     | sed -n '/^; ---- sm_80/,$p' | FileCheck --check-prefix=ASYNC %s
 * RUN: %ampcc -O2 --amp-cpu=baseline --amp-gpu=sm_75 --amp-report %s -c -o %t.o 2>&1 | FileCheck --check-prefix=REPORT %s
 *
 * Threads of a block copy what they read in common, for 8 iterations at a time, while they compute with the copies for
 * the 8 before. */
#include <amp.h>

/* In a round, a thread copies 4 elements of each matrix, and reads 16 copies for 64 multiply-adds.
 * CHECK: .entry product_kernel_many(
 * CHECK: .reqntid 16, 16, 1
 * CHECK: .minnctapersm 2
 * CHECK-COUNT-8: ld.global
 * CHECK-COUNT-8: st.shared
 * CHECK: bar.sync
 * CHECK-COUNT-8: ld.global
 * CHECK-NOT: ld.global
 * CHECK-COUNT-4: ld.shared.v4
 * CHECK-COUNT-64: fma.rn.f32
 * CHECK-NOT: bra
 * CHECK: ld.shared.v4
 * CHECK-COUNT-448: fma.rn.f32
 * CHECK-NOT: bra
 * CHECK-COUNT-8: st.shared
 * CHECK: bar.sync
 *
 * REPORT: kernel product {{.*}}blocks of 16 x 16 threads; {{.*}}, staging 8 iterations of a loop
 *
 * ASYNC: .entry product_kernel_many(
 * ASYNC-COUNT-8: cp.async.ca.shared.global
 * ASYNC: cp.async.wait_all
 * ASYNC: bar.sync
 * ASYNC-COUNT-8: cp.async.ca.shared.global
 * ASYNC-COUNT-512: fma.rn.f32
 * ASYNC: cp.async.wait_all
 * ASYNC: bar.sync
 */
#define KERNEL(name, T)                                                                                                \
    void name(amp_index2 idx, int M, int N, int W, const T a[M][W], const T b[W][N], T c[M][N]) restrict(amp)

KERNEL(product, float)
{
    float sum = 0;
    for (int k = 0; k < W; k++)
        sum += a[idx[0]][k] * b[k][idx[1]];
    c[idx[0]][idx[1]] = sum;
}

/* The GPU copies no elements of two bytes by itself.
 * ASYNC: .entry narrow_kernel_many(
 * ASYNC-NOT: cp.async
 * ASYNC: st.shared
 * REPORT: kernel narrow {{.*}}, staging 8 iterations of a loop
 */
KERNEL(narrow, short)
{
    int sum = 0;
    for (int k = 0; k < W; k++)
        sum += a[idx[0]][k] * b[k][idx[1]];
    c[idx[0]][idx[1]] = (short)sum;
}

/* Nobody knows on entry how many iterations there will be.
 * REPORT: kernel until {{.*}}columns of points per thread{{$}}
 */
KERNEL(until, float)
{
    float sum = 0;
    for (int k = 0; k < W; k++) {
        if (b[k][0] < 0)
            break;
        sum += a[idx[0]][k] * b[k][idx[1]];
    }
    c[idx[0]][idx[1]] = sum;
}

/* What is read may have been written by the thread itself.
 * REPORT: kernel writes {{.*}}columns of points per thread{{$}}
 */
KERNEL(writes, float)
{
    float sum = 0;
    for (int k = 0; k < W; k++) {
        sum += a[idx[0]][k] * b[k][idx[1]];
        c[idx[0]][idx[1]] = sum;
    }
}

/* Another array says what is read.
 * REPORT: kernel indirect {{.*}}columns of points per thread{{$}}
 */
KERNEL(indirect, float)
{
    float sum = 0;
    for (int k = 0; k < W; k++)
        sum += a[idx[0]][k] * b[(int)a[0][k]][idx[1]];
    c[idx[0]][idx[1]] = sum;
}

/* A thread whose own points lie beyond the domain computes the last ones again, and may find what was written there.
 * REPORT: kernel finds {{.*}}columns of points per thread{{$}}
 */
KERNEL(finds, float)
{
    float sum = 0;
    for (int k = 0; k < W; k++)
        sum += a[idx[0]][k] * b[k][idx[1]];
    c[idx[0]][idx[1]] = sum * b[0][(int)c[idx[0]][idx[1]]];
}

/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v4 -c %s --amp-dump-after=optimise --amp-stop-after=optimise | FileCheck %s
 *
 * Blocks of several rows and vectors: one load serves all the threads that read the same; and where none do, or threads
 * may differ, there is one row of one vector. */
#include <amp.h>

/* In the innermost loop, two vectors of b and a scalar of a per row make two multiply-adds per row.
 * CHECK-LABEL: define {{.*}}@amp__run_0_0(
 * CHECK: phi <16 x float>
 * CHECK: load float
 * CHECK: load <16 x float>
 * CHECK: load <16 x float>
 * CHECK-NOT: load <16 x float>
 * CHECK-COUNT-16: @llvm.fmuladd.v16f32
 * CHECK: br i1
 */
void multiply(amp_index2 idx, int M, int N, int W, const float a[M][W], const float b[W][N], float c[M][N])
    restrict(amp)
{
    float sum = 0;
    for (int k = 0; k < W; k++)
        sum += a[idx[0]][k] * b[k][idx[1]];
    c[idx[0]][idx[1]] = sum;
}

/* Nothing is shared between threads: one load in the code for large boxes, and one in that for others.
 * CHECK-LABEL: define {{.*}}@amp__run_1_0(
 * CHECK-COUNT-2: = load <16 x float>
 * CHECK-NOT: = load <16 x float>
 */
void negate(amp_index2 idx, int M, int N, float x[M][N]) restrict(amp)
{
    x[idx[0]][idx[1]] = -x[idx[0]][idx[1]];
}

/* Threads may differ: one multiply-add in the loop over full blocks, one in that of the rest.
 * CHECK-LABEL: define {{.*}}@amp__run_2_0(
 * CHECK-COUNT-2: call <{{[0-9]+}} x float> @llvm.fmuladd
 * CHECK-NOT: call {{.*}}@llvm.fmuladd
 */
void until(amp_index2 idx, int M, int N, int W, const float a[M][W], const float b[W][N], float c[M][N]) restrict(amp)
{
    float sum = 0;
    for (int k = 0; k < W && sum < 100; k++)
        sum += a[idx[0]][k] * b[k][idx[1]];
    c[idx[0]][idx[1]] = sum;
}

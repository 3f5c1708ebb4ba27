/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v4 -c %s -o /dev/null --amp-dump-after=optimise --amp-stop-after=optimise | FileCheck %s
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v4 --amp-panels=0 -c %s -o /dev/null --amp-dump-after=optimise --amp-stop-after=optimise | FileCheck --check-prefix=NEVER %s
 *
 * Which loops read a copy of what all rows share.
 * NEVER-NOT: aligned_alloc
 */
#include <amp.h>

/* One loop only copies, the next one only multiplies what was copied, and reads nothing of b.
 * CHECK-LABEL: define {{.*}}@amp__run_0_0(
 * CHECK: call {{.*}}@aligned_alloc(
 * CHECK: call {{.*}}@free(
 * CHECK: [[B:%[0-9]+]] = load <16 x float>, ptr {{%[0-9]+}}, align 4
 * CHECK: store <16 x float> [[B]], ptr {{%[0-9]+}}, align 64
 * CHECK: load <16 x float>, ptr {{%[0-9]+}}, align 64
 * CHECK: load <16 x float>, ptr {{%[0-9]+}}, align 64
 * CHECK-NOT: load <16 x float>
 * CHECK-COUNT-16: @llvm.fmuladd.v16f32
 */
void multiply(amp_index2 idx, int M, int N, int W, const float a[M][W], const float b[W][N], float c[M][N])
    restrict(amp)
{
    float sum = 0;
    for (int k = 0; k < W; k++)
        sum += a[idx[0]][k] * b[k][idx[1]];
    c[idx[0]][idx[1]] = sum;
}

/* What is computed for a row is computed in a loop of its own.
 * CHECK-LABEL: define {{.*}}@amp__run_1_0(
 * CHECK: store <16 x float> {{.*}}, align 64
 * CHECK: [[A:%[0-9]+]] = fmul float
 * CHECK: store float [[A]]
 * CHECK: load <16 x float>, ptr {{%[0-9]+}}, align 64
 * CHECK-NOT: fmul
 * CHECK-COUNT-16: @llvm.fmuladd.v16f32
 */
void scaled(amp_index2 idx, int M, int N, int W, float by, const float a[M][W], const float b[W][N], float c[M][N])
    restrict(amp)
{
    float sum = 0;
    for (int k = 0; k < W; k++)
        sum += by * a[idx[0]][k] * b[k][idx[1]];
    c[idx[0]][idx[1]] = sum;
}

/* Also where lanes lie apart: gathers fill the panel, and the multiplications read vectors.
 * CHECK-LABEL: define {{.*}}@amp__run_2_0(
 * CHECK: call {{.*}}@aligned_alloc(
 * CHECK: [[B:%[0-9]+]] = {{.*}}call <16 x float> @llvm.masked.gather
 * CHECK: store <16 x float> [[B]], ptr {{%[0-9]+}}, align 64
 * CHECK: load <16 x float>, ptr {{%[0-9]+}}, align 64
 * CHECK: @llvm.fmuladd.v16f32
 */
void transposed(amp_index2 idx, int M, int N, int W, const float a[M][W], const float b[N][W], float c[M][N])
    restrict(amp)
{
    float sum = 0;
    for (int k = 0; k < W; k++)
        sum += a[idx[0]][k] * b[idx[1]][k];
    c[idx[0]][idx[1]] = sum;
}

/* The loop writes, and its thread may read that again.
 * CHECK-LABEL: define {{.*}}@amp__run_3_0(
 * CHECK-NOT: aligned_alloc
 */
void writes(amp_index2 idx, int M, int N, int W, const float a[M][W], const float b[W][N], float c[M][N]) restrict(amp)
{
    for (int k = 0; k < W; k++)
        c[idx[0]][idx[1]] += a[idx[0]][k] * b[k][idx[1]];
}

/* Code before the loop writes, and would run several times.
 * CHECK-LABEL: define {{.*}}@amp__run_4_0(
 * CHECK-NOT: aligned_alloc
 */
void counts(amp_index2 idx, int M, int N, int W, const float a[M][W], const float b[W][N], float c[M][N]) restrict(amp)
{
    float sum = c[idx[0]][idx[1]] += 1;
    for (int k = 0; k < W; k++)
        sum += a[idx[0]][k] * b[k][idx[1]];
    c[idx[0]][idx[1]] = sum;
}

/* Each read of a volatile array stands for itself.
 * CHECK-LABEL: define {{.*}}@amp__run_5_0(
 * CHECK-NOT: aligned_alloc
 */
void looks(amp_index2 idx, int M, int N, int W, const float a[M][W], const volatile float b[W][N], float c[M][N])
    restrict(amp)
{
    float sum = 0;
    for (int k = 0; k < W; k++)
        sum += a[idx[0]][k] * b[k][idx[1]];
    c[idx[0]][idx[1]] = sum;
}

/* How far the loop goes depends on the row.
 * CHECK-LABEL: define {{.*}}@amp__run_6_0(
 * CHECK-NOT: aligned_alloc
 */
void triangle(amp_index2 idx, int M, int N, int W, const float a[M][W], const float b[W][N], float c[M][N])
    restrict(amp)
{
    float sum = 0;
    for (int k = 0; k < W && k <= idx[0]; k++)
        sum += a[idx[0]][k] * b[k][idx[1]];
    c[idx[0]][idx[1]] = sum;
}

/* A thread that ends the launch would not free the memory.
 * CHECK-LABEL: define {{.*}}@amp__run_7_0(
 * CHECK-NOT: call {{.*}}aligned_alloc
 */
void ends(amp_index2 idx, int M, int N, int W, const float a[M][W], const float b[W][N], float c[M][N]) restrict(amp)
{
    float sum = 0;
    for (int k = 0; k < W; k++)
        sum += a[idx[0]][k] * b[k][idx[1]];
    if (W == 12345)
        amp_abort("too long");
    c[idx[0]][idx[1]] = sum;
}

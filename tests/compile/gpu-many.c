/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 --amp-panels=0 --amp-cpu=baseline --amp-stop-after=assemble --amp-dump-after=assemble %s \
 * RUN:     | sed -n '/^; ---- sm_75/,$p' | FileCheck %s --implicit-check-not=.local --implicit-check-not=_2_many --implicit-check-not=_3_many
 * RUN: %ampcc -O0 --amp-cpu=baseline --amp-stop-after=assemble --amp-dump-after=assemble %s \
 * RUN:     | FileCheck --check-prefix=PLAIN %s
 * PLAIN-NOT: _many
 *
 * Kernels whose threads take several points each, without copies of what these share: 8 rows and 8 columns, fewer where
 * the loops carry more, four columns without loops, none where nothing is shared, or where threads part.
 */
#include <amp.h>

/* A pass of the loop has 16 loads for 64 multiply-adds, twice over, and the driver's compiler may make more of it.
 * CHECK: .entry product_kernel(
 * CHECK: .reqntid 32, 4, 1
 * CHECK: .entry product_kernel_many(
 * CHECK: .reqntid 32, 4, 1
 * CHECK-NOT: nounroll
 * CHECK-COUNT-16: ld.global
 * CHECK-COUNT-64: fma.rn.f32
 * CHECK-COUNT-16: ld.global
 * CHECK-COUNT-64: fma.rn.f32
 * CHECK-NOT: ld.global
 * CHECK: bra
 */
void product(amp_index2 idx, int M, int N, int W, const float a[M][W], const float b[W][N], float c[M][N]) restrict(amp)
{
    float sum = 0;
    for (int k = 0; k < W; k++)
        sum += a[idx[0]][k] * b[k][idx[1]];
    c[idx[0]][idx[1]] = sum;
}

/* Two sums: 8 rows and 4 columns, with 12 loads for them.
 * CHECK: .entry two_products_kernel(
 * CHECK: .entry two_products_kernel_many(
 * CHECK: $L__BB
 * CHECK-COUNT-12: ld.global
 * CHECK-COUNT-32: fma.rn.f32
 */
void two_products(amp_index2 idx, int M, int N, int W, const float a[M][W], const float b[W][N], float c[M][N],
                  float d[M][N]) restrict(amp)
{
    float sum = 0, other = 1;
    for (int k = 0; k < W; k++) {
        sum += a[idx[0]][k] * b[k][idx[1]];
        other *= a[idx[0]][k] - b[k][idx[1]];
    }
    c[idx[0]][idx[1]] = sum;
    d[idx[0]][idx[1]] = other;
}

/* Neighbours are shared by the cache, not by threads.
 * CHECK: .entry stencil_kernel(
 */
void stencil(amp_index2 idx, int M, int N, const float a[M][N], float b[M][N]) restrict(amp)
{
    int i = idx[0], j = idx[1];
    if (i > 0 && i < M - 1)
        b[i][j] = a[i - 1][j] + a[i + 1][j];
}

/* Threads leave the loop at different times.
 * CHECK: .entry until_kernel(
 */
void until(amp_index2 idx, int M, int N, int W, const float a[M][W], const float b[W][N], float c[M][N]) restrict(amp)
{
    float sum = 0;
    for (int k = 0; k < W && sum < 100; k++)
        sum += a[idx[0]][k] * b[k][idx[1]];
    c[idx[0]][idx[1]] = sum;
}

/* A double takes as much as two floats.
 * CHECK: .entry double_product_kernel_many(
 * CHECK: $L__BB
 * CHECK-COUNT-12: ld.global
 * CHECK-COUNT-32: fma.rn.f64
 */
void double_product(amp_index2 idx, int M, int N, int W, const double a[M][W], const double b[W][N], double c[M][N])
    restrict(amp)
{
    double sum = 0;
    for (int k = 0; k < W; k++)
        sum += a[idx[0]][k] * b[k][idx[1]];
    c[idx[0]][idx[1]] = sum;
}

/* All loads come before the first store.
 * CHECK: .entry stream_kernel_many(
 * CHECK: .reqntid 256, 1, 1
 * CHECK-COUNT-8: ld.global
 * CHECK-NOT: ld.global
 * CHECK-COUNT-4: st.global
 */
void stream(amp_index1 idx, int N, float a, const float x[N], const float y[N], float z[N]) restrict(amp)
{
    z[idx[0]] = a * x[idx[0]] + y[idx[0]];
}

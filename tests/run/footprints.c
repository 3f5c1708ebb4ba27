// SPDX-License-Identifier: MIT
//
// What parts of launches may touch, as the compiler finds it.
//
// RUN: %ampcc -O2 --amp-gpu=none %s -o %t && env AMP_TEST_FOOTPRINTS=2 AMP_DEFAULT_ACCELERATOR=cpu %t 2>&1 | FileCheck %s
// RUN: %ampcc -O0 --amp-gpu=none %s -o %t && env AMP_TEST_FOOTPRINTS=2 AMP_DEFAULT_ACCELERATOR=cpu %t 2>&1 | FileCheck %s
#include <amp.h>
#include <stdio.h>

static void shift(amp_index1 idx, int N, const float x[N], float y[N]) restrict(amp)
{
    if (idx[0] > 0)
        y[idx[0]] = x[idx[0] - 1];
}

static void product(amp_index2 idx, int M, int N, int W, const float a[M][W], const float b[W][N], float c[M][N])
    restrict(amp)
{
    float sum = 0;
    for (int k = 0; k < W; k++)
        sum += a[idx[0]][k] * b[k][idx[1]];
    c[idx[0]][idx[1]] = sum;
}

static void stencil(amp_index2 idx, int M, int N, const float a[M][N], float c[M][N]) restrict(amp)
{
    int i = idx[0], j = idx[1];
    if (i > 0 && i < M - 1 && j > 0 && j < N - 1)
        c[i][j] = a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1];
}

static void clamped(amp_index1 idx, int N, const float x[N], float y[N]) restrict(amp)
{
    int i = idx[0], left = i > 1 ? i - 2 : 0, right = i + 1 < N ? i + 1 : N - 1;
    y[i] = x[left] + x[right];
}

static void rows(amp_index1 idx, int W, int M, int N, const float x[N], float y[M]) restrict(amp)
{
    for (int k = 0; k < W; k++)
        y[idx[0]] += x[idx[0] * W + k];
}

static void tiled(amp_tiled_index1(4) t, int N, const float x[N], float y[N]) restrict(amp)
{
    y[t.global[0]] = x[t.tile_origin[0]] + x[t.tile_origin[0] + 3 - t.local[0]];
}

static void histogram(amp_index1 idx, int N, const unsigned char x[N], int counts[256]) restrict(amp)
{
    amp_atomic_fetch_add(&counts[x[idx[0]] & 127], 1);
}

static void gather(amp_index1 idx, int M, int N, const int at[N], const float x[M], float y[N]) restrict(amp)
{
    y[idx[0]] = x[at[idx[0]]];
}

static void strided(amp_index1 idx, int N, float x[N]) restrict(amp)
{
    for (unsigned i = (unsigned)idx[0]; i < (unsigned)N; i += 4)
        x[i] = 1;
}

static void triangle(amp_index1 idx, int N, float x[N][N]) restrict(amp)
{
    for (int k = 0; k <= idx[0]; k++)
        x[idx[0]][k] = 1;
}

int main(void)
{
    static float a[64], b[64], c[64];
    static unsigned char bytes[8];
    static int counts[256], at[8];
    amp_array_view *va = amp_array_view2(8, 8, a), *vb = amp_array_view2(8, 8, b), *vc = amp_array_view2(8, 8, c);
    amp_array_view *x = amp_array_view1(64, a), *y = amp_array_view1(8, b), *x8 = amp_array_view1(8, a);
    amp_array_view *vbytes = amp_array_view1(8, bytes), *vcounts = amp_array_view1(256, counts);
    amp_array_view *vat = amp_array_view1(8, at);
    // CHECK: shift over[0..3]; x read [0..2]; y written [1..3]
    // CHECK-NEXT: shift over[4..7]; x read [3..6]; y written [4..7]
    amp_parallel_for_each(amp_extent1(8), shift, x8, y);
    // CHECK-NEXT: product over[0..3][0..3]; a read [0..3][0..7]; b read [0..7][0..3]; c written [0..3][0..3]
    // CHECK-NEXT: product over[4..7][0..3]; a read [4..7][0..7]; b read [0..7][0..3]; c written [4..7][0..3]
    // CHECK-COUNT-2: product
    amp_parallel_for_each(amp_extent2(8, 8), product, va, vb, vc);
    // CHECK-NEXT: stencil over[0..3][0..3]; a read [0..4][0..4]; c written [1..3][1..3]
    // CHECK-NEXT: stencil over[4..7][0..3]; a read [3..7][0..4]; c written [4..6][1..3]
    // CHECK-COUNT-2: stencil
    amp_parallel_for_each(amp_extent2(8, 8), stencil, va, vc);
    // CHECK-NEXT: clamped over[0..3]; x read [0..4]; y written [0..3]
    // CHECK-NEXT: clamped over[4..7]; x read [2..7]; y written [4..7]
    amp_parallel_for_each(amp_extent1(8), clamped, x8, y);
    // CHECK-NEXT: rows over[0..3]; x read [0..31]; y read [0..3]; y written [0..3]
    // CHECK-NEXT: rows over[4..7]; x read [32..63]; y read [4..7]; y written [4..7]
    amp_parallel_for_each(amp_extent1(8), rows, 8, x, y);
    // CHECK-NEXT: tiled over[0..0]; x read [0..3]; y written [0..3]
    // CHECK-NEXT: tiled over[1..1]; x read [4..7]; y written [4..7]
    amp_parallel_for_each(amp_extent1(8), tiled, x8, y);
    // CHECK-NEXT: histogram over[0..3]; x read [0..3]; counts read [0..127]; counts reduced [0..127]
    // CHECK-NEXT: histogram over[4..7]
    amp_parallel_for_each(amp_extent1(8), histogram, vbytes, vcounts);
    // CHECK-NEXT: gather over[0..3]; at read [0..3]; x read [0..63]; y written [0..3]
    // CHECK-NEXT: gather over[4..7]
    amp_parallel_for_each(amp_extent1(8), gather, vat, x, y);
    // CHECK-NEXT: strided over[0..1]; x written [0..63]
    // CHECK-NEXT: strided over[2..3]; x written [2..63]
    amp_parallel_for_each(amp_extent1(4), strided, x);
    // CHECK-NEXT: triangle over[0..3]; x written [0..3][0..3]
    // CHECK-NEXT: triangle over[4..7]; x written [4..7][0..7]
    amp_parallel_for_each(amp_extent1(8), triangle, va);
    // CHECK-NOT: {{.}}
    amp_synchronize(va);
    return 0;
}

/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v4 --amp-dump-after=lanes -c %s -o %t.o | FileCheck %s
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v3 --amp-dump-after=lanes -c %s -o %t.o | FileCheck --check-prefix=NONE %s
 *
 * With AVX-512, large boxes have code of their own that asks the second cache for what is 2 KiB ahead. With AVX2, only
 * if there are many streams, or threads only read.
 *
 * NONE-NOT: call void @llvm.prefetch
 */
#include <amp.h>

/* A mebibyte of three arrays of float is 87381 threads. A box at the origin may be the whole domain.
 * CHECK-LABEL: define {{.*}}@amp__run_0_0(
 * CHECK: %[[LEAST:.*]] = select i1 %{{.*}}, i64 1398096, i64 87381
 * CHECK: icmp sge i64 {{.*}}, %[[LEAST]]
 * CHECK: br i1 {{.*}}label %far
 * CHECK-LABEL: {{^}}far:
 * CHECK: call void @llvm.prefetch.p0({{.*}}, i32 0, i32 2, i32 1)
 * CHECK: call void @llvm.prefetch.p0({{.*}}, i32 0, i32 2, i32 1)
 */
void triad(amp_index1 idx, int n, float s, const float x[n], const float y[n], float z[n]) restrict(amp)
{
    z[idx[0]] = x[idx[0]] + s * y[idx[0]];
}

/* In two dimensions, too, and each array counts once. Of the rows that a thread reads, the lowest one asks for all.
 * CHECK-LABEL: define {{.*}}@amp__run_1_0(
 * CHECK: select i1 {{.*}}, i64 131072
 * CHECK-NOT: llvm.prefetch
 * CHECK: fadd <16 x float>
 * CHECK-NOT: llvm.prefetch
 * CHECK: fadd <16 x float>
 * CHECK: call void @llvm.prefetch.p0({{.*}}, i32 0, i32 2, i32 1)
 * CHECK: fadd <16 x float>
 */
void stencil(amp_index2 idx, int m, int n, const float x[m][n], float z[m][n]) restrict(amp)
{
    int row = idx[0], col = idx[1];
    if (row > 0 && row < m - 1 && col > 0 && col < n - 1)
        z[row][col] = x[row - 1][col] + x[row][col - 1] + x[row][col + 1] + x[row + 1][col];
}

/* Planes are too large for the second cache, so a row of each asks.
 * CHECK-LABEL: define {{.*}}@amp__run_2_0(
 * CHECK: select i1 {{.*}}, i64 131072
 * CHECK-NOT: llvm.prefetch
 * CHECK: load <16 x float>
 * CHECK: call void @llvm.prefetch.p0({{.*}}, i32 0, i32 2, i32 1)
 * CHECK: fadd <16 x float>
 * CHECK-NOT: fadd
 * CHECK: call void @llvm.prefetch.p0({{.*}}, i32 0, i32 2, i32 1)
 * CHECK: fadd <16 x float>
 */
void planes(amp_index3 idx, int l, int m, int n, const float x[l][m][n], float z[l][m][n]) restrict(amp)
{
    int plane = idx[0], row = idx[1], col = idx[2];
    z[plane][row][col] = x[plane][row][col] + x[plane][row + 1][col] + x[plane + 1][row][col];
}

/* Backwards, what follows lies before.
 * CHECK-LABEL: define {{.*}}@amp__run_3_0(
 * CHECK: getelementptr {{.*}}i64 -2048
 * CHECK: call void @llvm.prefetch.p0({{.*}}, i32 0, i32 2, i32 1)
 */
void turn(amp_index1 idx, int n, const float x[n], float z[n]) restrict(amp)
{
    z[idx[0]] = x[99999 - idx[0]];
}

/* What only writes, gathers, has loops, tiles or large arrays of a thread, of which there is
 * room for one, or runs one thread after another has no such code.
 * CHECK-LABEL: define {{.*}}@amp__run_4_0(
 * CHECK-NOT: llvm.prefetch
 */
void fill(amp_index1 idx, int n, float z[n]) restrict(amp)
{
    z[idx[0]] = (float)idx[0];
}

void gather(amp_index1 idx, int n, const float x[n], float z[n]) restrict(amp)
{
    z[3 * (idx[0] % 100)] = x[7 * idx[0] % n];
}

void loop(amp_index1 idx, int n, const float x[n], float z[n]) restrict(amp)
{
    for (int k = 0; k < n; k++)
        z[idx[0]] += x[idx[0]] * (float)k;
}

void tile(amp_tiled_index1(64) t, int n, const float x[n], float z[n]) restrict(amp)
{
    z[t.global[0]] = x[t.global[0]];
}

void array(amp_index1 idx, int n, const float x[n], float z[n]) restrict(amp)
{
    float own[8192];
    own[(int)x[idx[0]] & 8191] = 2;
    z[idx[0]] = own[idx[0] & 8191];
}

amp_lanes(1) void one(amp_index1 idx, int n, const float x[n], float z[n]) restrict(amp)
{
    z[idx[0]] = x[idx[0]];
}

/* Of four streams, the one that is stored to asks, too, unless the element has been read.
 * CHECK-LABEL: define {{.*}}@amp__run_10_0(
 * CHECK-LABEL: {{^}}far:
 * CHECK: call void @llvm.prefetch.p0({{.*}}, i32 0, i32 2, i32 1)
 * CHECK: call void @llvm.prefetch.p0({{.*}}, i32 0, i32 2, i32 1)
 * CHECK: call void @llvm.prefetch.p0({{.*}}, i32 0, i32 2, i32 1)
 * CHECK: fmul <16 x float>
 * CHECK: call void @llvm.prefetch.p0({{.*}}, i32 0, i32 2, i32 1)
 * CHECK: store <16 x float>
 * NONE-LABEL: define {{.*}}@amp__run_10_0(
 * NONE-LABEL: {{^}}far:
 * NONE: call void @llvm.prefetch.p0({{.*}}, i32 0, i32 2, i32 1)
 * NONE: call void @llvm.prefetch.p0({{.*}}, i32 0, i32 2, i32 1)
 * NONE: call void @llvm.prefetch.p0({{.*}}, i32 0, i32 2, i32 1)
 * NONE: fmul <8 x float>
 * NONE: call void @llvm.prefetch.p0({{.*}}, i32 0, i32 2, i32 1)
 * NONE: store <8 x float>
 */
void many(amp_index1 idx, int n, const float x[n], const float y[n], const float z[n], float w[n]) restrict(amp)
{
    w[idx[0]] = (x[idx[0]] + y[idx[0]]) * z[idx[0]];
}

/* CHECK-LABEL: define {{.*}}@amp__run_11_0(
 * CHECK-LABEL: {{^}}far:
 * CHECK-COUNT-4: call void @llvm.prefetch.p0({{.*}}, i32 0, i32 2, i32 1)
 * CHECK-NOT: call void @llvm.prefetch
 * CHECK: store <16 x float>
 */
void in_place(amp_index1 idx, int n, const float x[n], const float y[n], const float z[n], float w[n]) restrict(amp)
{
    w[idx[0]] += x[idx[0]] + y[idx[0]] + z[idx[0]];
}

/* From memory, a stencil of nine doubles loads half a line at a time, and one of four a whole one.
 * CHECK-LABEL: define {{.*}}@amp__run_12_0(
 * CHECK-LABEL: {{^}}far:
 * CHECK: load <4 x double>
 * CHECK: load <8 x double>
 * CHECK-LABEL: define {{.*}}@amp__run_13_0(
 * CHECK-NOT: load <4 x double>
 * CHECK: load <8 x double>
 */
void nine(amp_index2 idx, int m, int n, const double x[m][n], double z[m][n]) restrict(amp)
{
    double sum = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            sum += x[idx[0] + i][idx[1] + j];
    z[idx[0] + 1][idx[1] + 1] = sum;
}

void four(amp_index2 idx, int m, int n, const double x[m][n], double z[m][n]) restrict(amp)
{
    int i = idx[0] + 1, j = idx[1] + 1;
    z[i][j] = x[i - 1][j] + x[i][j - 1] + x[i][j + 1] + x[i + 1][j];
}

/* Where threads only read, large boxes ask on all processors, and with AVX2, too, even in one stream.
 * CHECK-LABEL: define {{.*}}@amp__run_14_0(
 * CHECK-NOT: @amp__scatters_fast
 * CHECK: br i1 {{.*}}label %far
 * CHECK-LABEL: {{^}}far:
 * CHECK: call void @llvm.prefetch.p0({{.*}}, i32 0, i32 2, i32 1)
 * NONE-LABEL: define {{.*}}@amp__run_14_0(
 * NONE-NOT: @amp__scatters_fast
 * NONE-LABEL: {{^}}far:
 * NONE: call void @llvm.prefetch.p0({{.*}}, i32 0, i32 2, i32 1)
 */
void least(amp_index1 idx, int n, const float x[n], float z[1]) restrict(amp)
{
    amp_atomic_fetch_min(&z[0], x[idx[0]]);
}

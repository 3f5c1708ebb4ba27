/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-cpu=x86-64-v4 -c %s --amp-dump-after=optimise --amp-stop-after=optimise | FileCheck %s
 *
 * How lanes reach memory: together where they lie side by side, once where they are at one place, one by one otherwise.
 */
#include <amp.h>

/* CHECK-LABEL: define {{.*}}@amp__run_0_0(
 * CHECK-NOT: @llvm.masked.gather
 * CHECK-NOT: @llvm.masked.scatter
 * CHECK-COUNT-2: load <16 x float>
 * CHECK: store <16 x float>
 * CHECK: @llvm.masked.load.v16f32
 * CHECK: @llvm.masked.load.v16f32
 * CHECK: @llvm.masked.store.v16f32
 */
void contiguous(amp_index1 idx, int N, const float a[N], const float b[N + 1], float out[N]) restrict(amp)
{
    out[idx[0]] = a[idx[0]] + b[idx[0] + 1];
}

/* A row of a matrix is at one place for all lanes, its columns are side by side.
 * CHECK-LABEL: define {{.*}}@amp__run_1_0(
 * CHECK-NOT: @llvm.masked.gather
 * CHECK-NOT: load <16 x float>
 * CHECK: load float
 * CHECK: shufflevector <16 x float> {{.*}} zeroinitializer
 * CHECK: store <16 x float>
 * CHECK-NOT: @llvm.masked.gather
 */
void uniform(amp_index2 idx, int M, int N, const float a[M], float out[M][N]) restrict(amp)
{
    out[idx[0]][idx[1]] = a[idx[0]];
}

/* CHECK-LABEL: define {{.*}}@amp__run_2_0(
 * CHECK: load <16 x i32>
 * CHECK: call <16 x float> @llvm.masked.gather.v16f32
 * CHECK: store <16 x float>
 */
void gathered(amp_index1 idx, int N, const int at[N], const float a[N], float out[N]) restrict(amp)
{
    out[idx[0]] = a[at[idx[0]]];
}

/* CHECK-LABEL: define {{.*}}@amp__run_3_0(
 * CHECK-NOT: @llvm.masked.gather
 * CHECK: load <16 x i32>
 * CHECK: call void @llvm.masked.scatter.v16i32
 * CHECK-NOT: @llvm.masked.gather
 */
void scattered(amp_index1 idx, int N, const int at[N], int out[N]) restrict(amp)
{
    out[at[idx[0]]] = idx[0];
}

/* An index that may wrap around in its type is only contiguous where it does not.
 * CHECK-LABEL: define {{.*}}@amp__run_4_0(
 * CHECK: icmp ne <16 x i32>
 * CHECK: {{^}}guess.together
 * CHECK: load <16 x float>
 * CHECK: {{^}}guess.apart
 * CHECK: @llvm.masked.gather.v16f32
 * CHECK: store <16 x float>
 */
void wrapping(amp_index1 idx, int N, const float a[256], float out[N]) restrict(amp)
{
    out[idx[0]] = a[(unsigned char)(idx[0] + 1)];
}

/* Along the rows, with the columns as lanes: a column of a transposed matrix lies far apart.
 * CHECK-LABEL: define {{.*}}@amp__run_5_0(
 * CHECK-NOT: load <16 x float>
 * CHECK: @llvm.masked.gather.v16f32
 * CHECK: store <16 x float>
 */
void transposed(amp_index2 idx, int M, int N, const float a[N][M], float out[M][N]) restrict(amp)
{
    out[idx[0]][idx[1]] = a[idx[1]][idx[0]];
}

/* Where only a choice by the index decides, or the index would have to wrap around far away, that is tested; not so for
 * a choice by data.
 * CHECK-LABEL: define {{.*}}@amp__run_6_0(
 * CHECK: icmp ne <16 x i32>
 * CHECK-DAG: load <16 x float>
 * CHECK-DAG: @llvm.masked.gather.v16f32
 * CHECK-DAG: store <16 x float>
 */
void clamped(amp_index1 idx, int N, const float a[N], float out[N]) restrict(amp)
{
    out[idx[0]] = a[idx[0] > 3 ? idx[0] - 3 : 0];
}

/* CHECK-LABEL: define {{.*}}@amp__run_7_0(
 * CHECK-NOT: icmp ne <16 x {{ptr|i32}}>
 * CHECK: @llvm.masked.gather.v16f32
 * CHECK-NOT: icmp ne <16 x {{ptr|i32}}>
 */
void by_data(amp_index1 idx, int N, const int at[N], const float a[N + 1], float out[N]) restrict(amp)
{
    out[idx[0]] = a[at[idx[0]] > 0 ? idx[0] + 1 : idx[0]];
}

/* The first lane's subscript tells whether another one wraps around.
 * CHECK-LABEL: define {{.*}}@amp__run_8_0(
 * CHECK-NOT: icmp ne <16 x i32>
 * CHECK: icmp ult i32 {{.*}}, -15
 * CHECK-DAG: load <16 x float>
 * CHECK-DAG: @llvm.masked.gather.v16f32
 */
void is_unsigned(amp_index1 idx, int N, unsigned first, const float a[N], float out[N]) restrict(amp)
{
    out[idx[0]] = a[(unsigned)idx[0] + first];
}

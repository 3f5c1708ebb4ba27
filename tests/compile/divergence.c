/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-cpu=x86-64-v4 -c %s --amp-dump-after=lanes --amp-stop-after=lanes | FileCheck %s
 *
 * What becomes of branches: masks and skips where lanes may differ, and only there. */
#include <amp.h>

/* The store of some lanes; a jump over it if there are none.
 * CHECK-LABEL: define {{.*}}@amp__run_0_0(
 * CHECK: fcmp ogt <32 x float>
 * CHECK: [[ANY:%.*]] = call i1 @llvm.vector.reduce.or.v32i1(
 * CHECK-NEXT: br i1 [[ANY]], label %masked, label %skip
 * CHECK: {{^}}masked
 * CHECK: call void @llvm.masked.store.v32f32
 */
void varying(amp_index1 idx, int N, const float a[N], float out[N]) restrict(amp)
{
    if (a[idx[0]] > 0)
        out[idx[0]] = a[idx[0]];
}

/* A condition that is the same for all lanes stays a branch, and the store is whole in full blocks.
 * CHECK-LABEL: define {{.*}}@amp__run_1_0(
 * CHECK-NOT: @llvm.vector.reduce.or
 * CHECK: icmp sgt i32
 * CHECK: store <16 x float>
 * CHECK-NOT: @llvm.vector.reduce.or
 */
void uniform(amp_index1 idx, int N, int limit, const float a[N], float out[N]) restrict(amp)
{
    if (limit > 3)
        out[idx[0]] = a[idx[0]];
}

/* The loop's counter stays a scalar though lanes leave at different times: the load of b is one for all of them.
 * CHECK-LABEL: define {{.*}}@amp__run_2_0(
 * CHECK-NOT: call {{.*}}gather
 * CHECK: load float
 * CHECK: fcmp {{.*}} <{{[0-9]+}} x float>
 * CHECK-NOT: call {{.*}}gather
 */
void leaving(amp_index1 idx, int N, const float a[N], const float b[N], int out[N]) restrict(amp)
{
    int k;
    for (k = 0; k < N; k++)
        if (b[k] > a[idx[0]])
            break;
    out[idx[0]] = k;
}

/* A division of lanes that are on: the others get a divisor that does not trap.
 * CHECK-LABEL: define {{.*}}@amp__run_3_0(
 * CHECK: [[DIVISOR:%.*]] = select <8 x i1> {{.*}}, <8 x i64> {{.*}}, <8 x i64> {{splat \(i64 [1-9]\)|<i64 [1-9], .*>}}
 * CHECK: sdiv <8 x i64> {{.*}}, [[DIVISOR]]
 */
void division(amp_index1 idx, int N, const long a[N], const long b[N], long out[N]) restrict(amp)
{
    if (b[idx[0]] != 0)
        out[idx[0]] = a[idx[0]] / b[idx[0]];
}

/* Without a branch there is no mask but that of the last, incomplete block, of a large box and of others.
 * CHECK-LABEL: define {{.*}}@amp__run_4_0(
 * CHECK: %mask = icmp
 * CHECK: call void @llvm.masked.store.v16f32{{.*}}, <16 x i1> %mask)
 * CHECK-NOT: %mask{{[0-9]*}} =
 * CHECK: [[REST:%mask[0-9]+]] = icmp
 * CHECK: call void @llvm.masked.store.v16f32{{.*}}, <16 x i1> [[REST]])
 * CHECK-NOT: %mask{{[0-9]*}} =
 * CHECK-NOT: @llvm.vector.reduce.or
 */
void straight(amp_index1 idx, int N, const float a[N], float out[N]) restrict(amp)
{
    out[idx[0]] = a[idx[0]] > 0 ? 1 : 2;
}

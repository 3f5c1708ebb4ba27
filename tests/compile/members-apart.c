/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v3 -c %s -o %t.o --amp-dump-after=lanes --amp-stop-after=lanes \
 * RUN:     --amp-lanes=8 | FileCheck %s
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v4 -c %s -o %t.o --amp-dump-after=lanes --amp-stop-after=lanes \
 * RUN:     --amp-lanes=16 | FileCheck %s --check-prefix=AVX512
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v3 -c %s -o %t.o --amp-report 2>&1 | FileCheck %s --check-prefix=REPORT
 *
 * Neighbouring members of structs at unrelated places, or of large structs: each lane's are loaded and stored at once,
 * and transposed. Words are gathered where there are gathers. Without them, lanes that are off load from elsewhere,
 * without branches. */
#include <amp.h>

struct body {
    float x, y, z, charge;
    double mass;
};

/* CHECK: @amp.nowhere = private constant [16 x i8] zeroinitializer, align 16
 *
 * CHECK-LABEL: define {{.*}}@amp__run_0_0(
 * CHECK-COUNT-8: load <4 x i32>
 * CHECK-NOT: load
 * CHECK: shufflevector <8 x i32> {{.*}} <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
 * CHECK-NOT: gather
 * AVX512-LABEL: define {{.*}}@amp__run_0_0(
 * AVX512-COUNT-16: load <4 x i32>
 * AVX512-NOT: llvm.masked.gather
 * AVX512: shufflevector <16 x i32>
 * REPORT: kernel four
 * REPORT: read b {{ *}}gather of 4 members at once
 */
void four(amp_index1 idx, int n, const int at[n], const struct body b[n], float out[n]) restrict(amp)
{
    struct body p = b[at[idx[0]]];
    out[idx[0]] = p.charge / (p.x * p.x + p.y * p.y + p.z * p.z);
}

/* CHECK-LABEL: define {{.*}}@amp__run_1_0(
 * CHECK-COUNT-8: load i64
 * CHECK: bitcast <8 x i64> {{.*}} to <16 x i32>
 * AVX512-LABEL: define {{.*}}@amp__run_1_0(
 * AVX512: call <16 x i64> @llvm.masked.gather.v16i64
 * AVX512: bitcast <16 x i64> {{.*}} to <32 x i32>
 * REPORT: kernel two
 * REPORT: read b {{ *}}gather of 2 members at once
 */
void two(amp_index1 idx, int n, const int at[n], const struct body b[n], float out[n]) restrict(amp)
{
    out[idx[0]] = b[at[idx[0]]].y * b[at[idx[0]]].z;
}

/* Between the members of two lanes there is more of the array, but not after the last lane's.
 *
 * CHECK-LABEL: define {{.*}}@amp__run_2_0(
 * CHECK-COUNT-7: load <4 x i32>
 * CHECK: load <2 x i32>
 * CHECK: load i32
 * CHECK-COUNT-8: store <2 x i32>
 * REPORT: kernel three
 * REPORT: read b {{ *}}strided by 6: gather of 3 members at once
 * REPORT: write out {{ *}}strided by 6: scatter of 3 members at once
 */
void three(amp_index1 idx, int n, const struct body b[n], struct body out[n]) restrict(amp)
{
    float x = b[idx[0]].x, y = b[idx[0]].y, z = b[idx[0]].z;
    out[idx[0]].x = y;
    out[idx[0]].y = z;
    out[idx[0]].z = x;
}

/* CHECK-LABEL: define {{.*}}@amp__run_3_0(
 * CHECK: some{{.*}}:
 * CHECK: select <8 x i1> {{.*}}, <8 x ptr> {{.*}}, <8 x ptr> {{.*}}@amp.nowhere
 * CHECK-NOT: gather
 * AVX512-LABEL: define {{.*}}@amp__run_3_0(
 * AVX512: call <16 x float> @llvm.masked.gather.v16f32
 */
void steps(amp_index1 idx, int n, const int length[n], const int next[n], const float a[n], float out[n]) restrict(amp)
{
    float sum = 0;
    for (int k = 0, at = idx[0]; k < length[idx[0]]; k++, at = next[at])
        sum += a[at];
    out[idx[0]] = sum;
}

/* CHECK-LABEL: define {{.*}}@amp__run_4_0(
 * CHECK-COUNT-8: store i64
 * AVX512-LABEL: define {{.*}}@amp__run_4_0(
 * AVX512-COUNT-16: store i64
 */
void pairs(amp_index1 idx, int n, const int at[n], struct body out[n]) restrict(amp)
{
    out[at[idx[0]]].x = 1;
    out[at[idx[0]]].y = (float)idx[0];
}

void launch(int n, amp_array_view *at, amp_array_view *b, amp_array_view *c, amp_array_view *a, amp_array_view *out)
{
    amp_parallel_for_each(amp_extent1(n), four, at, b, out);
    amp_parallel_for_each(amp_extent1(n), two, at, b, out);
    amp_parallel_for_each(amp_extent1(n), three, b, c);
    amp_parallel_for_each(amp_extent1(n), steps, at, at, a, out);
    amp_parallel_for_each(amp_extent1(n), pairs, at, c);
}

/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v3 -c %s -o %t.o --amp-dump-after=lanes --amp-stop-after=lanes \
 * RUN:     --amp-lanes=8 | FileCheck %s
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v4 -c %s -o %t.o --amp-dump-after=lanes --amp-stop-after=lanes \
 * RUN:     --amp-lanes=8 | FileCheck %s
 *
 * The elements of a private array lie next to those of the other lanes: where all threads have the same subscript, they
 * are vectors, of which those under a mask are blended. */
#include <amp.h>

/* CHECK-LABEL: define {{.*}}@amp__run_0_0(
 * CHECK: %[[AT:.*]] = mul i64 %{{.*}}, 8
 * CHECK: getelementptr i8, ptr %{{.*}}, i64 %[[AT]]
 * CHECK: store <8 x float>
 * CHECK: load <8 x float>
 * CHECK-NOT: llvm.masked.{{gather|scatter}}
 */
void same(amp_index1 idx, int n, int m, const float a[m], float out[n]) restrict(amp)
{
    float v[40], sum = 0;
    for (int k = 0; k < m; k++)
        v[k] = a[k] * (float)idx[0];
    for (int k = m - 1; k >= 0; k--)
        sum = sum / 2 + v[k];
    out[idx[0]] = sum;
}

/* CHECK-LABEL: define {{.*}}@amp__run_1_0(
 * CHECK: select <8 x i1> {{.*}}, <8 x i32>
 * CHECK-NOT: llvm.masked.{{gather|scatter}}
 */
void parted(amp_index1 idx, int n, int m, const int a[n], int out[n]) restrict(amp)
{
    int v[40] = {0}, x = a[idx[0]];
    for (int k = 0; k < m; k++)
        if (v[k] < x)
            v[k] += x - k;
    int sum = 0;
    for (int k = 0; k < m; k++)
        sum = sum / 2 + v[k];
    out[idx[0]] = sum;
}

/* A variable whose accesses have several sizes stays in one piece.
 * CHECK-LABEL: define {{.*}}@amp__run_2_0(
 * CHECK: llvm.masked.gather
 */
void words(amp_index1 idx, int n, int m, const int a[m], int out[n]) restrict(amp)
{
    union {
        int n[8];
        unsigned char bytes[32];
    } v;
    int sum = 0;
    for (int k = 0; k < m; k++)
        v.n[k] = a[k] + idx[0];
    for (int k = 0; k < 4 * m; k++)
        sum = sum / 2 + v.bytes[k];
    out[idx[0]] = sum;
}

void launch(int n, int m, amp_array_view *a, amp_array_view *f, amp_array_view *b, amp_array_view *out)
{
    amp_parallel_for_each(amp_extent1(n), same, f, b);
    amp_parallel_for_each(amp_extent1(n), parted, m, a, out);
    amp_parallel_for_each(amp_extent1(n), words, a, out);
}

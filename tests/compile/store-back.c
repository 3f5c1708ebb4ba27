/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v3 -c %s -o %t.o --amp-dump-after=optimise --amp-stop-after=optimise \
 * RUN:     | FileCheck %s
 *
 * A thread that stores to its element only if it has something better stores a minimum or a maximum; unless a branch
 * does more, or others may store to the element, too. */
#include <amp.h>

/* CHECK-LABEL: define {{.*}}@amp__run_0_0(
 * CHECK: %[[LEAST:.*]] = {{.*}}@llvm.smin.v8i32(
 * CHECK: store <8 x i32> %[[LEAST]]
 */
void least(amp_index2 idx, int m, int n, int k, const int a[m][n], int out[m][n]) restrict(amp)
{
    int new = a[idx[0]][idx[1]] + k;
    if (new < out[idx[0]][idx[1]])
        out[idx[0]][idx[1]] = new;
}

/* CHECK-LABEL: define {{.*}}@amp__run_1_0(
 * CHECK: %[[BETTER:.*]] = fcmp {{.*}}<8 x float>
 * CHECK: %[[MOST:.*]] = select {{.*}}<8 x i1> %[[BETTER]], <8 x float>
 * CHECK: store <8 x float> %[[MOST]]
 */
void most(amp_index1 idx, int n, const float a[n], float out[n]) restrict(amp)
{
    float old = out[idx[0]];
    if (!(a[idx[0]] > old))
        return;
    out[idx[0]] = a[idx[0]];
}

/* CHECK-LABEL: define {{.*}}@amp__run_2_0(
 * CHECK-NOT: = {{.*}}smin
 * CHECK-LABEL: define {{.*}}@amp__run_3_0(
 * CHECK-NOT: = {{.*}}smin
 */
void counted(amp_index1 idx, int n, const int a[n], int out[n], int others[n]) restrict(amp)
{
    if (a[idx[0]] < out[idx[0]]) {
        out[idx[0]] = a[idx[0]];
        others[idx[0]] = 1;
    }
}

void atomic(amp_index1 idx, int n, const int a[n], int out[n], int sum[1]) restrict(amp)
{
    amp_atomic_fetch_add(&sum[0], a[idx[0]]);
    if (a[idx[0]] < out[idx[0]])
        out[idx[0]] = a[idx[0]];
}

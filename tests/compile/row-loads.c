/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v4 -c %s -o %t.o --amp-dump-after=optimise --amp-stop-after=optimise \
 * RUN:     | FileCheck %s
 *
 * What all threads of a row read from one place is read before the row; not after a store, or with atomic operations
 * about. */
#include <amp.h>

/* CHECK-LABEL: define {{.*}}@amp__run_0_0(
 * CHECK: insertelement <16 x i32> poison, i32
 * CHECK: {{^}}body{{.*}}:
 * CHECK-NOT: load i32
 * CHECK: load <16 x i32>
 * CHECK-NOT: load i32
 * CHECK: store <16 x i32>
 */
void path(amp_index2 idx, int n, int k, int d[n][n]) restrict(amp)
{
    int via = d[idx[0]][k] + d[k][idx[1]];
    if (via < d[idx[0]][idx[1]])
        d[idx[0]][idx[1]] = via;
}

/* CHECK-LABEL: define {{.*}}@amp__run_1_0(
 * CHECK: {{^}}body{{.*}}:
 * CHECK: store <16 x i32>
 * CHECK: = load i32, ptr
 * CHECK: store <16 x i32>
 */
void after(amp_index2 idx, int n, const int a[n], int out[n][n]) restrict(amp)
{
    out[idx[0]][idx[1]] = idx[0];
    out[idx[0]][idx[1]] += a[idx[0]];
}

/* CHECK-LABEL: define {{.*}}@amp__run_2_0(
 * CHECK: {{^}}body{{.*}}:
 * CHECK: = load i32, ptr
 * CHECK: store <16 x i32>
 */
void with_atomics(amp_index2 idx, int n, const int a[n], int out[n][n], int sum[1]) restrict(amp)
{
    int value = a[idx[0]];
    out[idx[0]][idx[1]] = value;
    amp_atomic_fetch_add(&sum[0], value);
}

/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v4 -c %s --amp-dump-after=lanes \
 * RUN:     --amp-stop-after=lanes | FileCheck %s
 *
 * Sums of bytes that are only compared with small numbers are added in bytes, in as many lanes as a vector has; and
 * what threads need not read, but lies between what they do, is read without a mask. */
#include <amp.h>

/* CHECK-LABEL: define {{.*}}@amp__run_0_0(
 * CHECK: call <64 x i8> @llvm.uadd.sat.v64i8
 * CHECK: icmp eq <64 x i8>
 * CHECK-NOT: masked.load.v64i8
 * CHECK: ret void
 */
void neighbours(amp_index1 i, int n, const unsigned char a[n], unsigned char out[n]) restrict(amp)
{
    int left = i[0] == 0 ? n - 1 : i[0] - 1, right = i[0] == n - 1 ? 0 : i[0] + 1;
    int sum = a[left] + a[right] + (a[left] > a[right]);
    out[i[0]] = sum == 3 || (sum == 2 && a[i[0]]);
}

/* Not if it is compared with more than a byte holds, or is needed itself.
 * CHECK-LABEL: define {{.*}}@amp__run_1_0(
 * CHECK-NOT: uadd.sat
 * CHECK: ret void
 */
void larger(amp_index1 i, int n, const unsigned char a[n], const unsigned char b[n], unsigned char out[n]) restrict(amp)
{
    out[i[0]] = a[i[0]] + b[i[0]] + 1 > 255;
}

/* CHECK-LABEL: define {{.*}}@amp__run_2_0(
 * CHECK-NOT: uadd.sat
 * CHECK: ret void
 */
void kept(amp_index1 i, int n, const unsigned char a[n], const unsigned char b[n], int out[n]) restrict(amp)
{
    int sum = a[i[0]] + b[i[0]] + 1;
    out[i[0]] = sum > 9 ? sum : 0;
}

/* Nor is more read than threads must, if they need not read what follows.
 * CHECK-LABEL: define {{.*}}@amp__run_3_0(
 * CHECK: masked.load.v{{[0-9]+}}i8
 * CHECK: ret void
 */
void last(amp_index1 i, int n, const unsigned char a[n], unsigned char out[n]) restrict(amp)
{
    if (i[0] >= 1 && a[i[0] - 1] + a[i[0]] == 3 && i[0] + 1 < n)
        out[i[0]] = a[i[0] + 1];
}

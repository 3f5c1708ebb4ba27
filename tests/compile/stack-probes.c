// SPDX-License-Identifier: MIT
// A frame of more than a page is touched page by page, so that a small stack's guard page stops it; a small frame costs
// nothing.
// REQUIRES: x86_64
// RUN: %ampcc -O2 --amp-cpu=x86-64-v2 --amp-gpu=none -S %s -o - | FileCheck %s
#include <amp.h>

// CHECK-LABEL: "small.x86-64-v2":
// CHECK-NOT: subq $3584, %rsp
// CHECK-LABEL: "large.x86-64-v2":
// CHECK: subq $3584, %rsp
// CHECK-NEXT: movq $0, (%rsp)
void small(amp_index1 i, int N, float x[N]) restrict(amp)
{
    x[i[0]] *= 2;
}

void large(amp_index1 i, int N, int x[N]) restrict(amp)
{
    int a[1000];
    for (int k = 0; k < 1000; k++)
        a[k] = x[(i[0] + k) % N];
    int sum = 0;
    for (int k = 0; k < 1000; k++)
        sum += a[(sum + k) % 1000 & 511];
    x[i[0]] = sum;
}

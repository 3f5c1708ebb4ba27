// SPDX-License-Identifier: MIT
// -fno-asynchronous-unwind-tables holds for kernels, too, and for what is left of them on the host.
// RUN: %ampcc -O0 -fno-asynchronous-unwind-tables -c %s -o %t.o && readelf -SW %t.o | FileCheck %s
// RUN: %ampcc -O2 -fno-asynchronous-unwind-tables -c %s -o %t.o && readelf -SW %t.o | FileCheck %s
// CHECK: .text
// CHECK-NOT: .eh_frame
#include <amp.h>

static int twice(int x) restrict(amp)
{
    return 2 * x;
}

void k(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    x[idx[0]] = twice(x[idx[0]]);
}

__attribute__((weak)) void w(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    x[idx[0]] = 1;
}

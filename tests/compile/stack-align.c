// SPDX-License-Identifier: MIT
// Vectors that the register allocator keeps on the stack do not lie across lines of the cache.
// REQUIRES: x86_64
// RUN: %ampcc -O2 -c --amp-cpu=x86-64-v4 %s -o %t.o && objdump -d --no-show-raw-insn %t.o | FileCheck --check-prefixes=V4 %s
// RUN: %ampcc -O2 -c --amp-cpu=x86-64-v3 %s -o %t.o && objdump -d --no-show-raw-insn %t.o | FileCheck --check-prefixes=V3 %s
// RUN: %ampcc -O2 -c --amp-cpu=x86-64-v2 %s -o %t.o && objdump -d --no-show-raw-insn %t.o | not grep 'and .*rsp'
#include <amp.h>
#include <math.h>

void k(amp_index1 idx, int N, const float a[N], const float b[N], float x[N]) restrict(amp)
{
    float v = a[idx[0]], w = b[idx[0]];
    x[idx[0]] = expf(v) * w + logf(w) * v;
}

// V4: and $0xffffffffffffffc0,%rsp
// V4-NOT: vmovups {{.*}}%zmm{{[0-9]+}},{{.*}}(%rsp)
// V4: vmovaps %zmm{{[0-9]+}},{{.*}}(%rsp)
// V3: and $0xffffffffffffffe0,%rsp
// V3-NOT: vmovups {{.*}}%ymm{{[0-9]+}},{{.*}}(%rsp)
// V3: vmovaps %ymm{{[0-9]+}},{{.*}}(%rsp)

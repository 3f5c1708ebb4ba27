// SPDX-License-Identifier: MIT
// RUN: not %ampcc -c %s -o %t 2>&1 | FileCheck %s
// row: atomic.fetch
// Atomic operations need 32 or 64 bits, however they are spelled.
#include <amp.h>

void k(amp_index1 idx, int N, _Float16 h[N], __bf16 b[N]) restrict(amp)
{
    // CHECK: half-atomic.c:[[#@LINE+1]]:{{.*}}this atomic operation is not one of a kernel's
    __atomic_fetch_add(&h[idx[0]], (_Float16)1, __ATOMIC_RELAXED);
}

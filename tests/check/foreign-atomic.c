// SPDX-License-Identifier: MIT
// RUN: not %ampcc -c %s -o %t 2>&1 | FileCheck %s
// clang has more atomic operations than kernels have.
#include <amp.h>

void k(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    // CHECK: foreign-atomic.c:[[#@LINE+1]]:{{.*}}this atomic operation is not one of a kernel's; write amp_atomic_fetch_add and the like
    x[idx[0]] = __atomic_load_n(&x[0], __ATOMIC_RELAXED);
    // CHECK: foreign-atomic.c:[[#@LINE+1]]:{{.*}}this atomic operation is not one of a kernel's
    __atomic_fetch_nand(&x[0], 1, __ATOMIC_RELAXED);
}

// SPDX-License-Identifier: MIT
// RUN: not %ampcc -fsyntax-only %s 2>&1 | FileCheck %s
// row: atomic.fetch
// Atomic operations need 32 or 64 bits, and a place that may be written.
#include <amp.h>

void k(amp_index1 idx, int N, short s[N], const int c[N]) restrict(amp)
{
    // CHECK: atomic.c:[[#@LINE+1]]:{{.*}}error: atomic operations need 32 or 64 bits; use int, long, float or double
    amp_atomic_fetch_add(&s[idx[0]], 1);
    // CHECK: atomic.c:[[#@LINE+1]]:{{.*}}must be a pointer to non-const type
    amp_atomic_fetch_add(&c[idx[0]], 1);
}

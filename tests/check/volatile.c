// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: T1
// No volatile.
#include <amp.h>

struct s {
    volatile int v;
};

static int f(volatile int *p) restrict(amp) // expected-error: type 'volatile int *' is not allowed in restrict(amp) code; volatile has no meaning on a device
{
    return *p;
}

void k(amp_index1 i, int N, int x[N]) restrict(amp)
{
    volatile int v = 1; // expected-error: type 'volatile int' is not allowed in restrict(amp) code; volatile has no meaning on a device
    struct s s = {v}; // expected-error: type 'struct s' is not allowed in restrict(amp) code; volatile has no meaning on a device
    *(volatile int *)x = 1; // expected-error: type 'volatile int *' is not allowed ...
    x[0] = s.v;
}

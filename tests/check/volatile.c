// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// RUN: %ampcc -w -fsyntax-only %s 2>&1 | count 0
// RUN: not %ampcc -Werror -fsyntax-only %s 2>&1 | FileCheck %s
// CHECK: volatile.c:[[@LINE+12]]:{{[0-9]+}}: error: type 'volatile int *' is volatile
// row: T1
// volatile is a warning.
#include <amp.h>

struct s {
    int other;
    volatile int v;
};

static const volatile int table[2] = {1, 2};

static int f(volatile int *p) restrict(amp) // expected-warning: type 'volatile int *' is volatile: each thread makes these accesses itself and in order, one thread after another, which is slow; they order nothing between threads
{
    return *p;
}

void k(amp_index1 i, int N, int x[N], volatile float y[N]) restrict(amp) // expected-warning: type 'volatile float[N]' is volatile: ...
{
    volatile int v = 1; // expected-warning: type 'volatile int' is volatile: ...
    struct s s = {v, v}; // expected-warning: type 'struct s' is volatile: ...
    *(volatile int *)x = 1; // expected-warning: type 'volatile int *' is volatile: ...
    x[0] = s.v + f(x);
    x[1] = table[x[0] & 1]; // expected-warning: type 'const volatile int[2]' is volatile: ...
    y[i[0]] = 1;
}

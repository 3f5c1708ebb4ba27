// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: S4
// Functions may not call themselves, directly or through others.
#include <amp.h>

static int odd(int x) restrict(amp);

static int even(int x) restrict(amp)
{
    return x == 0 ? 1 : odd(x - 1); // expected-note: 'odd' is called by function 'even' here
}

static int odd(int x) restrict(amp)
{
    return x == 0 ? 0 : even(x - 1); // expected-error: recursion is not allowed in restrict(amp) code: 'even' is called again by 'odd'; write a loop
}

static int alone(int x) restrict(amp)
{
    return alone(x); // expected-error: recursion is not allowed in restrict(amp) code: 'alone' calls itself; write a loop
}

void k(amp_index1 i, int N, int x[N]) restrict(amp)
{
    x[i[0]] = even(x[i[0]]); // expected-note: 'even' is called by kernel 'k' here
}

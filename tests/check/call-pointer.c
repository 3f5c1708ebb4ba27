// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: T7, S4, C3939
// Calls go to functions, not through pointers, and functions have no address.
#include <amp.h>

static int one(void) restrict(amp)
{
    return 1;
}

static int two(void) restrict(amp)
{
    return 2;
}

static int (*const table[2])(void) = {one, one};

static int apply(int (*f)(void)) restrict(amp) // expected-error: type 'int (*)(void)' is not allowed in restrict(amp) code; pointers to functions do not exist on devices; choose with 'if' or 'switch'
{
    return f(); // expected-error: a call through a pointer is not allowed in restrict(amp) code; choose with 'if' or 'switch' which function to call
}

void k(amp_index1 i, int N, int x[N]) restrict(amp)
{
    x[0] = apply(one); // expected-note: 'apply' is called by kernel 'k' here expected-note: 'apply' is called by kernel 'k' here expected-error: the address of function 'one' is not allowed in restrict(amp) code; functions can only be called there
    x[1] = (*one)(); // expected-error: a call through a pointer ...
    x[2] = table[1](); // expected-error: a call through a pointer ...
    x[3] = _Generic(x[0], int: one, float: two)(); // expected-error: which of these functions _Generic selects is not known, because some have one type; select the call, as in '_Generic(x, int: f(x), float: g(x))'
}

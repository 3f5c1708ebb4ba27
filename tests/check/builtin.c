// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// Builtins that are functions of their arguments are allowed, and copies of constant size.
#include <amp.h>
#include <string.h>

void k(amp_index1 i, int N, unsigned x[N], float f[N]) restrict(amp)
{
    __builtin_trap(); // expected-error: '__builtin_trap' is not allowed in restrict(amp) code; write it in plain C
    __builtin_prefetch(x); // expected-error: '__builtin_prefetch' is not allowed ...
}

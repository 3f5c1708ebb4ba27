// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only -Wno-deprecated-non-prototype %s
// Without a prototype, C passes a parameter of a small type as a larger one.
#include <amp.h>

restrict(amp) void real(i, n, f, x) amp_index1 i;
int n;
float f; // expected-error: kernel 'real' has no prototype, and C passes 'f' as another type; write the types of parameters between the parentheses
float x[n];
{
    x[i[0]] = f;
}

restrict(amp) void integer(i, n, x, s) amp_index1 i;
int n;
int x[n];
const short s; // expected-error: kernel 'integer' has no prototype, and C passes 's' as another type; write the types of parameters between the parentheses
{
    x[i[0]] = s;
}

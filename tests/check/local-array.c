// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// Local arrays have constant bounds; no alloca.
#include <amp.h>
#include <alloca.h>

void k(amp_index1 i, int N, float x[N]) restrict(amp)
{
    float a[N]; // expected-error: 'a' is a local array of variable length, which is not allowed in restrict(amp) code, a thread's memory has a fixed size; give it a constant bound
    float b[2][N + 1]; // expected-error: 'b' is a local array of variable length, ...
    float *c = alloca(4); // expected-error: alloca is not allowed in restrict(amp) code, a thread's memory has a fixed size; declare an array with a constant bound
    float *d = __builtin_alloca(N); // expected-error: alloca is not allowed ...
    x[0] = a[0] + b[0][0] + c[0] + d[0];
}

// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// A bound whose parameter comes after its array, or not at all. In a function of the host, clang's words are all.
#include <amp.h>

void late(amp_index1 idx,
          float x[N], // expected-error: use of undeclared identifier 'N'
          int N) restrict(amp) // expected-note: 'N' is declared after 'x'; put 'int N' before it
{
    x[idx[0]] *= 2;
}

void second(amp_index2 idx, int M, const float a[M][M],
            float x[M][columns], // expected-error: use of undeclared identifier 'columns'
            unsigned short columns) restrict(amp); // expected-note: 'columns' is declared after 'x'; put 'unsigned short columns' before it

void missing(amp_tiled_index1(16) t,
             float x[N]) restrict(amp) // expected-error: use of undeclared identifier 'N' expected-note: a bound of 'x' is an earlier parameter; add 'int N' before 'x'
{
    x[t.global[0]] = M; // expected-error: use of undeclared identifier 'M'
}

static float helper(float x[N], int N) restrict(cpu, amp); // expected-error: use of undeclared identifier 'N' expected-note: 'N' is declared after 'x'; ...

float host(float x[N], int N) // expected-error: use of undeclared identifier 'N'
{
    return x[0];
}

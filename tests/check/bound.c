// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// A bound is arithmetic on earlier integer parameters and constants.
#include <amp.h>

int global = 3;

static int twice(int x) restrict(cpu, amp)
{
    return 2 * x;
}

void a(amp_index1 i, float x[global]) restrict(amp) // expected-error: 'global' in a bound of 'x' is no earlier integer parameter of the kernel; add a parameter 'int global' before 'x'
{
}

void b(amp_index1 i, int N, float x[twice(N)]) restrict(amp) // expected-error: this bound of 'x' is too complicated; write constants, earlier integer parameters, + - *, and / % by a constant other than 0 and -1
{
}

void c(amp_index1 i, int N, int M, float x[N / M]) restrict(amp) // expected-error: this bound of 'x' is too complicated; ...
{
}

void d(amp_index1 i, int N, float x[N ? N : 1]) restrict(amp) // expected-error: this bound of 'x' is too complicated; ...
{
}

void e(amp_index1 i, int N, float x[i[0]]) restrict(amp) // expected-error: this bound of 'x' is too complicated; ...
{
}

void f(amp_index1 i, float N, float x[(int)N]) restrict(amp) // expected-error: this bound of 'x' is too complicated; ...
{
}

void g(amp_index1 i, int M, int K, float x[M % K], float y[M]) restrict(amp) // expected-error: this bound of 'x' is too complicated; ...
{
}

void h(amp_index1 i, int N, float x[N / (2 - 2)], float y[N]) restrict(amp) // expected-error: this bound of 'x' is too complicated; ...
{
}

void i(amp_index1 i, long N, float x[N % -1]) restrict(amp) // expected-error: this bound of 'x' is too complicated; ...
{
}

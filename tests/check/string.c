// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: S1, C3589
// Strings initialise arrays, and are nothing else.
#include <amp.h>
#include <math.h>

void k(amp_index1 i, int N, char x[N]) restrict(amp)
{
    const char *text = "abc"; // expected-error: a string literal can only initialise an array in restrict(amp) code, or be printed; declare 'static const char text[] = ...'
    x[0] = text[1];
    x[1] = "def"[2]; // expected-error: a string literal can only initialise ...
    x[2] = __func__[0]; // expected-error: a string literal can only initialise ...
}

void nans(amp_index1 i, int N, const char x[N], int M, double d[M]) restrict(amp)
{
    d[i[0]] = nan(x); // expected-error: the argument of 'nan' must be a string literal in restrict(amp) code, nothing parses text there
    d[i[0]] += __builtin_nan(x); // expected-error: the argument of '__builtin_nan' must be a string literal ...
}

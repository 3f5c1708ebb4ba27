// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// Strings initialise arrays, and are nothing else.
#include <amp.h>

void k(amp_index1 i, int N, char x[N]) restrict(amp)
{
    const char *text = "abc"; // expected-error: a string literal can only initialise an array in restrict(amp) code; declare 'static const char text[] = ...'
    x[0] = text[1];
    x[1] = "def"[2]; // expected-error: a string literal can only initialise ...
    x[2] = __func__[0]; // expected-error: a string literal can only initialise ...
}

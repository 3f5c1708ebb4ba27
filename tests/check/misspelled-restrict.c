// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// After such an error clang skips what follows.
#include <amp.h>

void bare(amp_index1 idx, int N, float x[N]) restrict // expected-error: expected ';' after top level declarator expected-note: did you mean 'restrict(amp)', with parentheses?
{ // expected-error: expected identifier or '('
    x[idx[0]] *= 2;
}

void kernel(amp_index1 idx, int N, float x[N]) restict(amp) // expected-error: expected function body after function declarator expected-note: did you mean 'restrict(amp)'?
{
    x[idx[0]] *= 2;
}

// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: S10, C3593
// No goto, no labels.
#include <amp.h>

void k(amp_index1 i, int N, int x[N]) restrict(amp)
{
    void *where = &&out; // expected-error: the address of a label is not allowed in restrict(amp) code; use 'switch'
    if (x[0])
        goto out; // expected-error: goto is not allowed in restrict(amp) code; use loops, 'break' and 'continue'
    goto *where; // expected-error: goto is not allowed ...
out: // expected-error: a label is not allowed in restrict(amp) code; use loops, 'break' and 'continue'
    x[0] = 1;
}

// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: S10, C3593
// goto goes forward, and not into a loop; the address of a label is nothing.
#include <amp.h>

void computed(amp_index1 i, int N, int x[N]) restrict(amp)
{
    void *where = &&out; // expected-error: the address of a label is not allowed in restrict(amp) code; use 'switch'
    goto *where; // expected-error: a computed goto is not allowed in restrict(amp) code; use 'switch'
out:
    x[0] = 1;
}

#define RETRY(label, condition) label: if (condition) goto label

void backwards(amp_index1 i, int N, int x[N]) restrict(amp)
{
again:
    if (x[i[0]]-- > 0)
        goto again; // expected-error: goto to a label before it is not allowed in restrict(amp) code; write a loop
    for (int j = 0; j < N; j++) {
    next:
        while (x[j]) {
            if (x[j]++ > 3)
                goto next; // expected-error: goto to a label before it ...
        }
    }
    RETRY(once_more, --x[i[0]]); // expected-error: goto to a label before it ...
}

void into(amp_index1 i, int N, int x[N]) restrict(amp)
{
    if (x[0])
        goto inside; // expected-error: goto into a loop is not allowed in restrict(amp) code; put what it skips under an 'if' in the loop
    for (int j = 0; j < N; j++) {
        if (x[j] == 3)
            goto deeper; // expected-error: goto into a loop ...
        x[j]++;
    inside:
        do {
            x[j]--;
        deeper:
            x[j]--;
        } while (x[j] > 0);
    }
    for (int j = 0; j < N; j++)
        if (x[j] == 5)
            goto other; // expected-error: goto into a loop ...
    for (int j = 0; j < N; j++) {
    other:
        x[j] = 0;
    }
}

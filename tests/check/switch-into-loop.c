// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: S10
// A switch may not jump into a loop.
#include <amp.h>

void k(amp_index1 i, int N, int x[N]) restrict(amp)
{
    int n = (N + 1) / 2, j = 0;
    switch (N % 2) {
    case 0:
        do {
            x[j++] = 0;
        case 1: // expected-error: a case label inside of a loop whose 'switch' is outside is not allowed in restrict(amp) code, it jumps into the loop; put the 'switch' into the loop
            x[j++] = 0;
        } while (--n > 0);
    }
}

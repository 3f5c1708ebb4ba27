// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: S10
// No goto, no labels.
#include <amp.h>

void k(amp_index1 i, int N, int x[N]) restrict(amp)
{
    for (int j = 0; j < N; j++) {
        switch (x[j]) {
        case 0:
            continue;
        case 1:
            break;
        default:
            return;
        }
        do
            x[j]--;
        while (x[j] > 3);
        if (x[j] == 2)
            break;
    }
}

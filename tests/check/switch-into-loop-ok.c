// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: S10
// A switch may not jump into a loop.
#include <amp.h>

void k(amp_index1 i, int N, int x[N]) restrict(amp)
{
    switch (x[0]) {
    case 0:
        for (int j = 0; j < N; j++)
            switch (j) {
            case 3:
                x[j] = 1;
            }
        if (x[1]) {
        case 1:
            x[2] = 2;
        }
    }
}

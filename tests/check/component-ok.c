// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// An index has as many components as its rank says. What else is subscripted may have more.
#include <amp.h>

static int third(const int numbers[3]) restrict(amp)
{
    return numbers[2];
}

void k(amp_index2 idx, int n, int N, int x[N]) restrict(amp)
{
    int own[3] = {idx[0], idx[1], 2};
    x[own[2]] = idx[1] + idx[n & 1] + third(own);
}

void tiled(amp_tiled_index1(16) t, int N, int x[N]) restrict(amp)
{
    x[t.global[0]] = x[20];
}

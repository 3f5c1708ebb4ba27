// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: D2
// A kernel returns nothing.
#include <amp.h>

void k(amp_index1 i) restrict(amp)
{
    return;
}

static int helper(const int idx[1]) restrict(amp)
{
    return idx[0];
}

void k2(amp_index1 i, int N, int x[N]) restrict(amp)
{
    x[0] = helper(i);
    k(i);
}

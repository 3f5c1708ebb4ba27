// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: S4
// Functions may not call themselves, directly or through others.
#include <amp.h>

static int half(int x) restrict(amp)
{
    return x / 2;
}

static int quarter(int x) restrict(amp)
{
    return half(half(x));
}

void k(amp_index1 i, int N, int x[N]) restrict(amp)
{
    x[i[0]] = quarter(x[i[0]]) + half(1);
}

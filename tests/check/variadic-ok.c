// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: D1
// No functions of a variable number of arguments.
#include <amp.h>

static int f(int a, int b) restrict(amp)
{
    return a + b;
}

void k(amp_index1 i, int N, int x[N]) restrict(amp)
{
    x[i[0]] = f(1, 2);
}

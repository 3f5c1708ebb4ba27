// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: T7
// Calls go to functions, not through pointers, and functions have no address.
#include <amp.h>

static int one(void) restrict(amp)
{
    return 1;
}

static int two(void) restrict(amp)
{
    return 2;
}

void k(amp_index1 i, int N, int x[N], int which) restrict(amp)
{
    x[i[0]] = which ? one() : (two)();
}

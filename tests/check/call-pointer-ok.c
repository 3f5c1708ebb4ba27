// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: T7
// Calls go to functions, not through pointers, and functions have no address. A selection by type names a function.
#include <amp.h>

static int one(void) restrict(amp)
{
    return 1;
}

static int two(void) restrict(amp)
{
    return 2;
}

static float half(float x) restrict(amp)
{
    return x / 2;
}

static int zero(int x) restrict(amp)
{
    return x - x;
}

void k(amp_index1 i, int N, int x[N], int which) restrict(amp)
{
    x[i[0]] = which ? one() : (two)();
    x[i[0]] += _Generic(x[0], int: zero, float: half, default: half)(x[0]);
    x[i[0]] += (int)(_Generic(1.0f, int: zero, float: half, default: half))(1);
    x[i[0]] += _Generic(x[0], int: _Generic(x[0], int: one, float: half), float: half)();
}

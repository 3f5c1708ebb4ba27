// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: S2
// Kernels read const tables with a known value, and no other variables of the file.
#include <amp.h>

static const float table[4] = {1, 2, 3, 4};
const struct { int a, b; } pair = {1, 2};
enum { SIZE = 4 };

void k(amp_index1 i, int N, float x[N]) restrict(amp)
{
    static const int powers[3] = {1, 10, 100};
    extern const float table[4];
    x[i[0]] = table[i[0] % SIZE] + pair.b + powers[1];
}

// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// Local arrays have constant bounds; no alloca.
#include <amp.h>
#include <alloca.h>

enum { SIZE = 8 };

static float first(const float *p) restrict(amp)
{
    return p[0];
}

void k(amp_index1 i, int N, float x[N][N]) restrict(amp)
{
    float a[SIZE] = {0}, b[2][sizeof(int)] = {{1}};
    float(*row)[N] = &x[1];
    x[0][0] = first(a) + b[0][0] + (*row)[2];
}

// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: S4, X1, language.calls
// A kernel may call restrict(amp) functions of its file and <math.h>, and nothing else.
#include <amp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static float twice(float x) restrict(amp)
{
    return 2 * x;
}

static float cube(float x) restrict(cpu, amp)
{
    return x * x * x;
}

void k(amp_index1 i, int N, float x[N], double y[N]) restrict(amp)
{
    x[i[0]] = twice(cube(x[i[0]])) + sqrtf(2) + fmaxf(x[0], 1);
    y[i[0]] = sin(y[i[0]]) + pow(y[0], 2) + abs(-3) + (isnan(y[0]) ? NAN : INFINITY) + signbit(y[0]);
}

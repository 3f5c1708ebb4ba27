// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: S1
// Strings initialise arrays, and are nothing else.
#include <amp.h>
#include <math.h>

static const char digits[] = "0123456789";

void k(amp_index1 i, int N, char x[N]) restrict(amp)
{
    static const char names[2][4] = {"abc", "def"};
    char local[] = "xyz";
    x[i[0]] = digits[i[0] % 10] + names[1][2] + local[0];
}

void nans(amp_index1 i, int M, float f[M], double d[M]) restrict(amp)
{
    f[i[0]] = nanf("") + NAN + __builtin_nanf("1");
    d[i[0]] = nan("0x2") + __builtin_nan("");
}

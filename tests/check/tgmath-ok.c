// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -c -o %t.o %s
// The type-generic names of <tgmath.h> are those of <math.h>.
#include <amp.h>
#include <tgmath.h>

void k(amp_index1 i, int N, float x[N], double y[N]) restrict(amp)
{
    x[i[0]] = sqrt(x[i[0]]) + pow(x[0], 2.0f);
    y[i[0]] = sin(y[i[0]]) + fmax(y[0], x[0]);
}

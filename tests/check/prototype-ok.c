// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only -Wno-deprecated-non-prototype %s
// C passes these parameters as they are, and what is no kernel needs no prototype.
#include <amp.h>

restrict(cpu, amp) static int half(x) short x;
{
    return x / 2;
}

enum kind { ONE, TWO };

restrict(amp) void old(i, n, d, x) amp_index1 i;
const int n;
double d;
double x[n];
{
    x[i[0]] = d + half(n);
}

void k(amp_index1 i, int n, const short s, enum kind e, float f, int x[n]) restrict(amp)
{
    x[i[0]] = half(x[i[0]]) + s + (int)f + (int)e;
}

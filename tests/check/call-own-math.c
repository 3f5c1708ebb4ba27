// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// A function of the user's own replaces that of <math.h>, and needs the mark.
#include <amp.h>

static double tgamma(double x)
{
    return x;
}

static double log2(double x) restrict(amp)
{
    return x;
}

void k(amp_index1 i, int N, double x[N]) restrict(amp)
{
    x[i[0]] = log2(1);
    x[i[0]] = tgamma(1); // expected-error: kernel 'k' cannot call 'tgamma', ...
}

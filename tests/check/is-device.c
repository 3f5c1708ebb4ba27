// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// Both sides of amp_is_device() keep their rules; any other condition keeps those of kernels.
#include <amp.h>
#include <stdio.h>

static int only(int x) restrict(amp)
{
    return x;
}

static int f(int n) restrict(amp)
{
    if (amp_is_device())
        puts("device"); // expected-error: 'puts' exists on the host only; ...
    else
        only(n); // expected-error: 'only' is restrict(amp) and 'f' is host code, which cannot call it; ...
    if (!amp_is_device() && n)
        puts("host?"); // expected-error: 'puts' exists on the host only; ...
    return 0;
}

// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: D6, language.restrict
// restrict(...) lists amp and cpu.
#include <amp.h>

static int f(int x) restrict(cpu)
{
    return x;
}

void k(amp_index1 i) restrict(amp, cpu)
{
}

int host(float *restrict p)
{
    return f((int)p[0]);
}

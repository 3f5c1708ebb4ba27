// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: T1
// No volatile.
#include <amp.h>

int host(void)
{
    volatile int v = 1;
    return v;
}

void k(amp_index1 i) restrict(amp)
{
}

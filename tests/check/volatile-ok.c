// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: T1
// volatile is a warning; on the host nothing is said.
#include <amp.h>

int host(void)
{
    volatile int v = 1;
    return v;
}

void k(amp_index1 i) restrict(amp)
{
}

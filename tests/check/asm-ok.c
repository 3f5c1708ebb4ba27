// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: S11
// No inline assembly.
#include <amp.h>

int host(void)
{
    __asm__ volatile("nop");
    return 0;
}

void k(amp_index1 i) restrict(amp)
{
}

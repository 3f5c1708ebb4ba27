// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: S11, C3592
// No inline assembly.
#include <amp.h>

void k(amp_index1 i) restrict(amp)
{
    __asm__ volatile("nop"); // expected-error: inline assembly is not allowed in restrict(amp) code, it ties the kernel to one processor; write C
    register int a __asm__("eax"); // expected-error: inline assembly ...
}

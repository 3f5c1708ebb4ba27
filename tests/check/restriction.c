// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: D6, C3934, C3936
// restrict(...) lists amp and cpu.
#include <amp.h>

void k(amp_index1 i) restrict(gpu) // expected-error: unknown restriction 'gpu'; there are amp and cpu
{
}

void f(int x) restrict() // expected-error: restrict() is empty; write restrict(amp) or restrict(cpu, amp)
{
}

int main(void) restrict(amp) // expected-error: 'main' is where the host begins and cannot be restrict(amp); launch a kernel from it
{
    return 0;
}

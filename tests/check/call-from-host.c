// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: language.calls, language.union, C3930
// Host code calls a restrict(amp) function only if that is for the cpu, too.
#include <amp.h>

static int device(int x) restrict(amp)
{
    return x + 1;
}

static int both(int x) restrict(cpu, amp)
{
    return device(x); // expected-error: 'both' is restrict(cpu, amp), but 'device', which it calls, is not for the cpu; mark that restrict(cpu, amp), too
}

int host(int x)
{
    return both(x) + device(x); // expected-error: 'device' is restrict(amp) and 'host' is host code, which cannot call it; launch a kernel with amp_parallel_for_each, or mark 'device' restrict(cpu, amp)
}

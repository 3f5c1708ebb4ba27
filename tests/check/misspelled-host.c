// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// What is not like restrict(amp) is not taken for it.
#include <amp.h>

int host(int n) deprecated(now) // expected-error: expected function body after function declarator
{
    return n;
}

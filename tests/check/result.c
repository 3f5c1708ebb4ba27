// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: D2
// A kernel returns nothing.
#include <amp.h>

int k(amp_index1 i) restrict(amp) // expected-error: kernel 'k' returns something; a kernel returns void and writes its results to an array (a function that kernels call has no index as its first parameter)
{
    return i[0];
}

// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fblocks -fsyntax-only %s
// row: S3
// clang's blocks are closures, which devices do not have.
#include <amp.h>

void k(amp_index1 i, int N, int x[N]) restrict(amp)
{
    int (^twice)(int) = ^(int a) { return 2 * a; }; // expected-error: type 'int (^)(int)' is not allowed in restrict(amp) code; pointers to functions do not exist on devices; choose with 'if' or 'switch'
    x[i[0]] = twice(x[i[0]]); // expected-error: a call through a pointer is not allowed in restrict(amp) code; choose with 'if' or 'switch' which function to call
}

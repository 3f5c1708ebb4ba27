// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// An index has as many components as its rank says; to C it is a pointer.
#include <amp.h>

typedef amp_index3 place;

void k(amp_index2 idx, int N, float x[N]) restrict(amp)
{
    x[idx[2]] = 1;  // expected-error: 'idx' is an index of rank 2 and has no component 2; they are [0] to [1]
    x[idx[-1]] = 1; // expected-error: 'idx' is an index of rank 2 and has no component -1; they are [0] to [1]
}

void l(place at, int N, float x[N]) restrict(amp)
{
    enum { LAST = 3 };
    x[0] = (float)(at[LAST]); // expected-error: 'at' is an index of rank 3 and has no component 3; they are [0] to [2]
}

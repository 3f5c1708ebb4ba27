// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: index.element
// x[idx] is C++ AMP's; in C an index is an array of numbers.
#include <amp.h>

typedef amp_index2 position;

void untiled(position idx, int M, int N, float x[M][N], float y[N]) restrict(amp)
{
    x[idx] = 1; // expected-error: 'idx' is an index of rank 2 and no number; write [idx[0]][idx[1]]
    y[idx[0]] += x[idx]; // expected-error: 'idx' is an index of rank 2 and no number; ...
}

void tiled(amp_tiled_index1(4) t, int N, float x[N]) restrict(amp)
{
    x[t] = 1; // expected-error: 't' is an index of rank 1 and no number; write [t.global[0]]
    x[t.local] = 2; // expected-error: 't.local' is an index of rank 1 and no number; write [t.local[0]]
}

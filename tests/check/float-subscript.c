// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
#include <amp.h>

struct point {
    int x, y;
};

void kernel(amp_index1 idx, int N, float x[N], struct point p) restrict(amp)
{
    float i = idx[0];
    double j = i;
    x[i] = 1; // expected-error: array subscript is not an integer expected-note: convert it explicitly: '(int)i'
    x[idx[0] * 0.5] = 1; // expected-error: array subscript is not an integer expected-note: convert it explicitly: '(int)(idx[0] * 0.5)'
    x[N - j] = 1; // expected-error: array subscript is not an integer expected-note: convert it explicitly: '(int)(N - j)'
    x[p] = 1; // expected-error: array subscript is not an integer
    x[(int)i] = 1;
}

float host(float *x, float i)
{
    return x[i]; // expected-error: array subscript is not an integer
}

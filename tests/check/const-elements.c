// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
#include <amp.h>

struct point {
    float x, y;
};

void kernel(amp_index2 idx, // expected-note: 'idx' is the thread's position; copy it to a variable to change it, 'int i = idx[0]'
            int M, int N,
            const float a[M][N], // expected-note: 'a' has const elements, which a kernel only reads; remove const to write them
            const struct point p[M], // expected-note: 'p' has const elements, ...
            float x[M][N]) restrict(amp)
{
    const int one = 1; // expected-note: variable 'one' declared const here
    a[idx[0]][idx[1]] = 2; // expected-error: read-only variable is not assignable
    a[idx[0]][idx[1]]++; // expected-error: read-only variable is not assignable
    p[idx[0]].y += 1; // expected-error: read-only variable is not assignable
    idx[0] = 1; // expected-error: read-only variable is not assignable
    one = 2; // expected-error: cannot assign to variable 'one' with const-qualified type 'const int'
    x[idx[0]][idx[1]] = a[0][0] + one;
}

static void helper(const float *a) restrict(amp) // expected-note: 'a' has const elements, ...
{
    *a = 1; // expected-error: read-only variable is not assignable
}

void host(const float *a)
{
    a[0] = 1; // expected-error: read-only variable is not assignable
}

// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: T5, allowed
// Pointers are locals, parameters and results, and are not stored or made into numbers.
#include <amp.h>

struct s {
    float a, b[4];
};

static const float *next(const float *p) restrict(amp)
{
    return p + 1;
}

void k(amp_index1 i, int N, float x[N], const struct s s[N]) restrict(amp)
{
    const float *p = next(s[0].b), *end = 0;
    for (end = p + 3; p != end; p++)
        x[i[0]] += *p;
    if (p != (void *)0)
        x[0] = p[-1];
}

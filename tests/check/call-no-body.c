// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: X1, C3560
// A restrict(amp) function needs its body in the file.
#include <amp.h>

float elsewhere(float x) restrict(amp);

void k(amp_index1 i, int N, float x[N]) restrict(amp)
{
    x[i[0]] = elsewhere(1); // expected-error: 'elsewhere' is restrict(amp), but its body is not in this file; define it here, or 'static inline' in a header
}

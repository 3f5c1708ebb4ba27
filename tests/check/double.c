// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc --amp-stop-after=check -Wall %s
// RUN: %ampcc --amp-stop-after=check -Werror %s
// RUN: %ampcc --amp-stop-after=check -Wall -Wno-amp-double -Werror %s
// Constants and functions that make arithmetic one of doubles.
#include <amp.h>
#include <math.h>

#define TENTH 0.1

void constants(amp_index1 idx, int N, float x[N]) restrict(amp)
{
    int i = idx[0];
    x[i] = 0.5 * x[i]; // expected-warning: '0.5' is a double, which makes this arithmetic one of doubles, but this kernel's data are floats; write '0.5f'
    x[i] = x[i] / TENTH + 1e-3; // expected-warning: 'TENTH' is a double, ... write '(float)TENTH' expected-warning: '1e-3' is a double, ... write '1e-3f'
    x[i] *= 2.5; // expected-warning: '2.5' is a double, ...
    if (x[i] > 0.1) // expected-warning: '0.1' is a double, ...
        x[i] = 0.25 * i; // expected-warning: '0.25' is a double, ...
}

static float helper(float x) restrict(cpu, amp)
{
    return sin(x) + pow(x, 2.0); // expected-warning: 'sin' computes in double, but this kernel's data are floats; write 'sinf' expected-warning: 'pow' computes in double, ... expected-warning: '2.0' is a double, ...
}

/* All of this is meant, or computes nothing in double. */
void meant(amp_index1 idx, int N, float x[N]) restrict(amp)
{
    int i = idx[0];
    float half = 0.5, two = 4 * half;
    double sum = 0;
    sum += x[i];
    sum = 0.5 * sum + 0.1;
    x[i] = sum * 0.5;
    x[i] = (double)x[i] * 0.1;
    x[i] = (float)(x[i] * 0.1);
    x[i] = i > 0 ? 0.5 : x[i];
    x[i] = 2 * 0.5;
    x[i] = 0.5f * x[i] + sqrtf(x[i]) + two;
    amp_printf("%f\n", 0.5 * x[i]);
}

void of_doubles(amp_index1 idx, int N, const double a[N], float x[N]) restrict(amp)
{
    x[idx[0]] = 0.1 * x[idx[0]] + a[idx[0]];
    x[idx[0]] *= 0.1;
}

float host(float x)
{
    return 0.1 * sin(x);
}

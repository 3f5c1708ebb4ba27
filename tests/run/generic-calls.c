/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 -Wall -Wextra -Werror %s -o %t && %run %t
 *
 * Calls of functions that _Generic selects: by name, in parentheses, nested, with one function for two types, and where
 * the selection is among the calls. */
#include "check.h"

static float of_float(float x) restrict(amp)
{
    return 2 * x;
}

static int of_int(int x) restrict(amp)
{
    return x + x + 1;
}

static double of_double(double x) restrict(amp)
{
    return 3 * x;
}

static unsigned of_unsigned(int x) restrict(amp)
{
    return (unsigned)x - 1;
}

#define TWICE(x) _Generic((x), float: of_float, int: of_int, short: of_int, double: of_double, unsigned: of_unsigned)(x)

static void call(amp_index1 idx, int N, int x[N], float y[N], short z[N], double w[N], unsigned v[N]) restrict(amp)
{
    int i = idx[0];
    x[i] = TWICE(x[i]);
    y[i] = (TWICE(y[i]));
    z[i] = (short)TWICE(z[i]);
    w[i] = _Generic(w[i], double: _Generic(w[i], float: of_float, double: of_double), default: of_int)(w[i]);
    v[i] = _Generic(v[i], unsigned: of_unsigned((int)v[i]), default: of_unsigned(7));
}

int main(void)
{
    enum { N = 37 };
    int x[N];
    float y[N];
    short z[N];
    double w[N];
    unsigned v[N];
    for (int i = 0; i < N; i++)
        x[i] = z[i] = (short)(v[i] = (unsigned)(y[i] = (float)(w[i] = i)));
    amp_auto_array_view *a = amp_array_view1(N, x), *b = amp_array_view1(N, y), *c = amp_array_view1(N, z);
    amp_auto_array_view *d = amp_array_view1(N, w), *e = amp_array_view1(N, v);
    CHECK_OK(amp_parallel_for_each(amp_extent1(N), call, a, b, c, d, e));
    for (int i = 0; i < N; i++)
        if (x[i] != 2 * i + 1 || y[i] != 2 * i || z[i] != 2 * i + 1 || w[i] != 3 * i || v[i] != (unsigned)i - 1) {
            fprintf(stderr, "%d: got %d %g %d %g %u\n", i, x[i], (double)y[i], z[i], w[i], v[i]);
            return 1;
        }
    return 0;
}

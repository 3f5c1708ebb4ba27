/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 -ffp-contract=off %s -o %t && %run %t
 * RUN: %ampcc -O0 -ffp-contract=off %s -o %t && %run-alone %t
 * row: T3
 *
 * Expressions of float are rounded to float at each step, and of double to double: the host's bits. */
#include "check.h"

enum { N = 1000 };

void steps(amp_index1 idx, int n, const float a[n], const float b[n], float f[n], double d[n]) restrict(amp)
{
    int i = idx[0];
    f[i] = (a[i] * b[i] + a[i]) / b[i] - a[i];
    d[i] = ((double)a[i] * b[i] + a[i]) / b[i] - a[i];
}

int main(void)
{
    static float a[N], b[N], f[N];
    static double d[N];
    for (int i = 0; i < N; i++) {
        a[i] = 1 + (float)i / 7;
        b[i] = 3 + (float)i / 11;
    }
    amp_array_view *va = amp_array_view1(N, (const float *)a), *vb = amp_array_view1(N, (const float *)b);
    amp_array_view *vf = amp_array_view1(N, f), *vd = amp_array_view1(N, d);
    CHECK_OK(amp_parallel_for_each(amp_extent1(N), steps, va, vb, vf, vd));
    CHECK_OK(amp_synchronize(vf));
    CHECK_OK(amp_synchronize(vd));
    int n_wrong = 0;
    for (int i = 0; i < N; i++) {
        volatile float product = a[i] * b[i], sum = product + a[i], quotient = sum / b[i], result = quotient - a[i];
        volatile double wide = (double)a[i] * b[i];
        wide = wide + a[i];
        wide = wide / b[i];
        wide = wide - a[i];
        if ((f[i] != result || d[i] != wide) && n_wrong++ == 0)
            printf("%d: %a and %a, expected %a and %a\n", i, f[i], d[i], result, wide);
    }
    amp_array_view *views[] = {va, vb, vf, vd};
    for (int i = 0; i < LENGTH(views); i++)
        amp_array_view_release(views[i]);
    return n_wrong > 0;
}

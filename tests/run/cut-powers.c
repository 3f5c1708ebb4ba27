/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t -lm && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=1 %s -o %t -lm && %run-cpu %t
 * RUN: %ampcc -O0 %s -o %t -lm && %run-alone %t
 *
 * A power of two that is truncated to too few bits is 0, even where LLVM would multiply and divide in the exponent. */
#include "check.h"
#include <math.h>

enum { N = 64 };

static void cut(amp_index1 idx, int n, int shift, const int by[n], float quotient[n], float product[n],
                double of_short[n], float of_all[n], float of_greatest[n]) restrict(amp)
{
    int i = idx[0];
    quotient[i] = 1.0f / (float)(unsigned char)(1u << (by[i] & 31));
    product[i] = 3.0f * (float)(unsigned char)(by[i] & 1 ? 1u << (by[i] & 31) : 2u << (by[i] & 15));
    of_short[i] = 5.0 / (double)(unsigned short)(1ull << (by[i] & 63));
    unsigned short greatest = (unsigned short)(1u << (shift & 31));
    of_greatest[i] = 9.0f / (float)(greatest < 2 ? (unsigned short)2 : greatest);
    of_all[i] = 1.0f / (float)(unsigned char)(1u << (shift & 31));
}

static void check(float found, float expected, const char *what, int by)
{
    if (found != expected && !(isinf(found) && isinf(expected))) {
        printf("%s, by %d: %g, expected %g\n", what, by, (double)found, (double)expected);
        exit(1);
    }
}

int main(void)
{
    static int by[N];
    static float quotient[N], product[N], of_all[N], of_greatest[N];
    static double of_short[N];
    for (int i = 0; i < N; i++)
        by[i] = i;
    amp_array_view *vb = amp_array_view1(N, (const int *)by), *vq = amp_array_view1(N, quotient);
    amp_array_view *vp = amp_array_view1(N, product), *vs = amp_array_view1(N, of_short),
                   *va = amp_array_view1(N, of_all);
    amp_array_view *vg = amp_array_view1(N, of_greatest);
    amp_array_view *views[] = {vb, vq, vp, vs, va, vg};
    for (int shift = 0; shift < 32; shift += 5) {
        CHECK_OK(amp_parallel_for_each(amp_extent1(N), cut, shift, vb, vq, vp, vs, va, vg));
        for (int i = 1; i < LENGTH(views); i++)
            CHECK_OK(amp_synchronize(views[i]));
        for (int i = 0; i < N; i++) {
            int n = i & 31, m = i & 1 ? n : (i & 15) + 1;
            check(quotient[i], n < 8 ? ldexpf(1, -n) : INFINITY, "quotient", n);
            check(product[i], m < 8 ? ldexpf(3, m) : 0, "product", m);
            check((float)of_short[i], i < 16 ? ldexpf(5, -i) : INFINITY, "of a short", i);
            check(of_greatest[i], ldexpf(9, shift == 0 || shift > 15 ? -1 : -shift), "of the greatest", shift);
            check(of_all[i], shift < 8 ? ldexpf(1, -shift) : INFINITY, "of all", shift);
        }
    }
    for (int i = 0; i < LENGTH(views); i++)
        amp_array_view_release(views[i]);
    return 0;
}

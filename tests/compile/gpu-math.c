/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 -D_GNU_SOURCE --amp-cpu=baseline --amp-stop-after=assemble --amp-dump-after=assemble %s \
 * RUN:     | sed -n '/^; ---- sm_75/,$p' | FileCheck --implicit-check-not=.extern %s
 * RUN: %ampcc -O2 -D_GNU_SOURCE -ffast-math --amp-cpu=baseline --amp-stop-after=assemble --amp-dump-after=assemble %s \
 * RUN:     | sed -n '/^; ---- sm_75/,$p' | FileCheck --check-prefix=FAST --implicit-check-not=.extern %s
 * RUN: %ampcc -O1 -D_GNU_SOURCE -fno-builtin --amp-cpu=baseline --amp-stop-after=assemble --amp-dump-after=assemble %s \
 * RUN:     | sed -n '/^; ---- sm_75/,$p' | FileCheck --check-prefix=FAST --implicit-check-not=.extern %s
 *
 * All of <math.h> has code for GPUs, whether clang makes calls or intrinsics of it. What is small is inlined; loads and
 * stores are of global memory there, too.
 */
#include <amp.h>
#include <math.h>
#include <stdlib.h>

/* CHECK: .entry small_kernel(
 * CHECK-NOT: call
 * CHECK: ret;
 * FAST: .entry small_kernel(
 */
void small(amp_index1 idx, int N, float x[N], double y[N]) restrict(amp)
{
    int i = idx[0], exponent;
    float whole;
    x[i] = expf(x[i]) + floorf(x[i]) + modff(x[i], &whole) + whole;
    y[i] = ldexp(y[i], 3) + frexp(y[i], &exponent) + exponent;
}

/* CHECK: .entry all_kernel(
 * FAST: .entry all_kernel(
 */
#define REAL(T, S, x)                                                                                                  \
    acos##S(x) + acosh##S(x) + asin##S(x) + asinh##S(x) + atan##S(x) + atanh##S(x) + atan2##S(x, 2) + cbrt##S(x) +    \
        ceil##S(x) + copysign##S(x, 2) + cos##S(x) + cosh##S(x) + erf##S(x) + erfc##S(x) + exp##S(x) + exp10##S(x) +  \
        exp2##S(x) + expm1##S(x) + fabs##S(x) + fdim##S(x, 2) + floor##S(x) + fma##S(x, x, 2) + fmax##S(x, 2) +       \
        fmin##S(x, 2) + fmod##S(x, 2) + hypot##S(x, 2) + ilogb##S(x) + ldexp##S(x, 2) + lgamma##S(x) + llrint##S(x) + \
        llround##S(x) + log##S(x) + log10##S(x) + log1p##S(x) + log2##S(x) + logb##S(x) + lrint##S(x) + lround##S(x) + \
        nearbyint##S(x) + nextafter##S(x, 2) + pow##S(x, 2.5) + remainder##S(x, 2) + rint##S(x) + round##S(x) +       \
        roundeven##S(x) + scalbln##S(x, 2) + scalbn##S(x, 2) + sin##S(x) + sinh##S(x) + sqrt##S(x) + tan##S(x) +      \
        tanh##S(x) + tgamma##S(x) + trunc##S(x) + nan##S("") + isnan(x) + isinf(x) + isfinite(x) + signbit(x) +       \
        fpclassify(x) + isnormal(x)
#define POINTERS(S, x, a, b, n) frexp##S(x, &n) + modf##S(x, &a) + remquo##S(x, 2, &n) + (sincos##S(x, &a, &b), a + b)
void all(amp_index1 idx, int N, float x[N], double y[N], long k[N]) restrict(amp)
{
    int i = idx[0], n;
    float fa, fb;
    double da, db;
    k[i] = abs((int)k[i]) + labs(k[i]) + llabs(k[i]);
    x[i] = REAL(float, f, x[i]) + POINTERS(f, x[i], fa, fb, n);
    y[i] = REAL(double, , y[i]) + POINTERS(, y[i], da, db, n);
}

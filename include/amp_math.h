/* SPDX-License-Identifier: MIT
 *
 * Mathematics that C lacks, for kernels and the host. C++ AMP has two sets: precise_math, which is <math.h> and the
 * functions below without "fast"; and fast_math, amp_fast_*. Each takes double, or float with the suffix "f"; fast ones
 * take float only. Special values are as in C99 and C23: NaN where there is no value, infinities at poles, signed
 * zeros; none sets errno. docs/language.md lists the measured errors.
 *
 * In kernels all but amp_lgamma become vector code, which is why the bodies are here. */
#ifndef AMP_MATH_H
#define AMP_MATH_H

#include <amp.h>

#ifdef __cplusplus
#pragma push_macro("restrict") /* as in amp.h */
#undef restrict
#ifndef AMP__CXX
#define restrict(...)
#endif
extern "C" {
#endif

/* ------------------------------------------------------------------ roots ---- */

/* Powers of two. C++ before 2017 has no hexadecimal floating constants. */
#define AMP__2_TO_200 1.6069380442589903e60
#define AMP__2_TO_400 2.5822498780869086e120
#define AMP__2_TO_500 3.273390607896142e150
#define AMP__2_TO_600 4.149515568880993e180

/* x without the last bits of its fraction, which `mask` clears. */
AMP__INLINE double amp__upper(double x, uint64_t mask) restrict(cpu, amp)
{
    union {
        double value;
        uint64_t bits;
    } number;
    number.value = x;
    number.bits &= mask;
    return number.value;
}

/* 1 - x t, where that is small, rounded once. The product is exact as a sum: T. J. Dekker, "A floating-point technique
 * for extending the available precision", Numerische Mathematik 18 (1971). */
AMP__INLINE double amp__lack(double x, double t) restrict(cpu, amp)
{
    double split_x = x * 134217729.0, split_t = t * 134217729.0, high_x = split_x - x, high_t = split_t - t;
    high_x = split_x - high_x;
    high_t = split_t - high_t;
    double low_x = x - high_x, low_t = t - high_t, product = x * t, rest = high_x * high_t - product;
    rest += high_x * low_t;
    rest += low_x * high_t;
    rest += low_x * low_t;
    return (1 - product) - rest;
}

/* 1 / sqrt(x). Returns infinities for zeros. Threads any. */
AMP__INLINE double amp_rsqrt(double x) restrict(cpu, amp)
{
    /* An estimate whose square is exact, and its correction; numbers whose halves could vanish are scaled. */
    bool is_small = x<1 / AMP__2_TO_500, is_large = x> AMP__2_TO_500;
    double scaled = x * (is_small ? AMP__2_TO_400 : is_large ? 1 / AMP__2_TO_400 : 1), plain = 1 / __builtin_sqrt(x);
    double y = amp__upper(1 / __builtin_sqrt(scaled), ~(uint64_t)0 << 27), lack = amp__lack(scaled, y * y);
    double better = y + y * (lack * (0.5 + lack * 0.375));
    return x > 0 && x < __builtin_inf() ? better * (is_small   ? AMP__2_TO_200
                                                    : is_large ? 1 / AMP__2_TO_200
                                                               : 1)
                                        : plain;
}
AMP__INLINE float amp_rsqrtf(float x) restrict(cpu, amp)
{
    return 1 / __builtin_sqrtf(x);
}

/* 1 / cbrt(x). Returns infinities for zeros. Threads any. */
AMP__INLINE double amp_rcbrt(double x) restrict(cpu, amp)
{
    double size = __builtin_fabs(x);
    bool is_small = size<1 / AMP__2_TO_500, is_large = size> AMP__2_TO_500;
    double scaled = x * (is_small   ? AMP__2_TO_600
                         : is_large ? 1 / AMP__2_TO_600
                                    : 1),
           plain = 1 / __builtin_cbrt(scaled);
    double y = amp__upper(plain, ~(uint64_t)0 << 36), lack = amp__lack(scaled, y * y * y);
    double better = y + y * (lack * (1 / 3.0 + lack * (2 / 9.0 + lack * (14 / 81.0))));
    return size > 0 && size < __builtin_inf() ? better * (is_small   ? AMP__2_TO_200
                                                          : is_large ? 1 / AMP__2_TO_200
                                                                     : 1)
                                              : plain;
}
AMP__INLINE float amp_rcbrtf(float x) restrict(cpu, amp)
{
    float y = 1 / __builtin_cbrtf(x), rest = 1 - x * y * y * y;
    return __builtin_isfinite(rest) ? y + y * (rest * (1 / 3.0f)) : y;
}

/* ------------------------------------------------------------------ powers ---- */

/* Clang before 18 lacks this function. */
#if defined(__clang__) && __clang_major__ < 18
#define AMP__EXP10(f, x) __builtin_pow##f(10, x)
#else
#define AMP__EXP10(f, x) __builtin_exp10##f(x)
#endif

/* Returns 10 to the power x. Threads any. */
AMP__INLINE double amp_exp10(double x) restrict(cpu, amp)
{
    return AMP__EXP10(, x);
}
AMP__INLINE float amp_exp10f(float x) restrict(cpu, amp)
{
    return AMP__EXP10(f, x);
}

/* x times 2 to the power y. Returns NaN if y has a fraction. Threads any. */
AMP__INLINE double amp_scalb(double x, double y) restrict(cpu, amp)
{
    if (__builtin_isnan(x) || __builtin_isnan(y))
        return x + y;
    if (__builtin_isinf(y))
        return y > 0 ? x * y : x / -y;
    if (__builtin_rint(y) != y)
        return __builtin_nan("");
    return __builtin_scalbn(x, (int)(y > 5000 ? 5000 : y < -5000 ? -5000 : y));
}
AMP__INLINE float amp_scalbf(float x, float y) restrict(cpu, amp)
{
    if (__builtin_isnan(x) || __builtin_isnan(y))
        return x + y;
    if (__builtin_isinf(y))
        return y > 0 ? x * y : x / -y;
    if (__builtin_rintf(y) != y)
        return __builtin_nanf("");
    return __builtin_scalbnf(x, (int)(y > 500 ? 500 : y < -500 ? -500 : y));
}

/* ------------------------------------------------------------------ angles ---- */

/* The sine and the cosine of x, at once. Threads any. */
AMP__INLINE void amp_sincos(double x, double *sine, double *cosine) restrict(cpu, amp)
{
    *sine = __builtin_sin(x);
    *cosine = __builtin_cos(x);
}
AMP__INLINE void amp_sincosf(float x, float *sine, float *cosine) restrict(cpu, amp)
{
    *sine = __builtin_sinf(x);
    *cosine = __builtin_cosf(x);
}

/* sin(pi x) and cos(pi x) where |x| <= 1/4, as the sum of the result and `*low`, which is less than its last bit. The
 * series is as long as double precision needs. Products of half of pi's digits and half of x's are exact. */
AMP__INLINE double amp__sinpi_quarter(double x, double *low) restrict(cpu, amp)
{
    double z = x * x, p = 7.95205400147551266e-07;
    p = p * z - 2.19153534478302178e-05;
    p = p * z + 4.66302805767612554e-04;
    p = p * z - 7.37043094571435043e-03;
    p = p * z + 8.21458866111282330e-02;
    p = p * z - 5.99264529320792105e-01;
    p = p * z + 2.55016403987734552e+00;
    p = p * z - 5.16771278004997025e+00;
    double high = amp__upper(x, ~(uint64_t)0 << 27), first = high * 3.1415926218032837;
    double second = (x - high) * 3.1415926218032837 + (x * 3.178650954705639e-8 + x * z * p), sum = first + second;
    *low = second - (sum - first);
    return sum;
}
AMP__INLINE double amp__cospi_quarter(double x, double *low) restrict(cpu, amp)
{
    double z = x * x, p = 4.30306958703294724e-06;
    p = p * z - 1.04638104924845705e-04;
    p = p * z + 1.92957430940392305e-03;
    p = p * z - 2.58068913900140612e-02;
    p = p * z + 2.35330630358893190e-01;
    p = p * z - 1.33526276885458950e+00;
    p = p * z + 4.05871212641676848e+00;
    p = p * z - 4.93480220054467899e+00;
    double rest = z * p, sum = 1 + rest;
    *low = rest - (sum - 1);
    return sum;
}
/* For a float, computed in double; there are no low parts. */
AMP__INLINE double amp__sinpif_quarter(double x, double *low) restrict(cpu, amp)
{
    double z = x * x;
    *low = 0;
    return x * (3.14159265358979312 +
                z * (z * (z * (z * (z * -0.0073704309 + 0.0821458866) - 0.599264529) + 2.55016404) - 5.16771278));
}
AMP__INLINE double amp__cospif_quarter(double x, double *low) restrict(cpu, amp)
{
    double z = x * x;
    *low = 0;
    return 1 + z * (z * (z * (z * (z * -0.0258068914 + 0.23533063) - 1.33526277) + 4.05871213) - 4.9348022);
}

/* A whole number modulo 4, from -2 to 2; 0 for NaN. */
AMP__INLINE int amp__quarter(double n) restrict(cpu, amp)
{
    return __builtin_isnan(n) ? 0 : (int)(n - 4 * __builtin_rint(n / 4));
}
AMP__INLINE int amp__quarterf(float n) restrict(cpu, amp)
{
    return __builtin_isnan(n) ? 0 : (int)(n - 4 * __builtin_rintf(n / 4));
}

/* sin(pi x), cos(pi x), tan(pi x), without the rounding of pi x: exact at multiples of 1/2. Threads any.
 * Returns NaN for infinities.
 *
 *     double amp_sinpi(double x);      likewise amp_cospi, amp_tanpi, amp_sinpif, amp_cospif, amp_tanpif */
#define AMP__TIMES_PI(T, f, top)                                                                                       \
    AMP__INLINE T amp_sinpi##f(T x) restrict(cpu, amp)                                                                 \
    {                                                                                                                  \
        T a = __builtin_fabs##f(x) < top ? x : x * 0, n = __builtin_rint##f(2 * a), y = a - n / 2;                     \
        int quarter = amp__quarter##f(n);                                                                              \
        double low;                                                                                                    \
        T value = (T)(quarter & 1 ? amp__cospi##f##_quarter(y, &low) : amp__sinpi##f##_quarter(y, &low));              \
        return y == 0 && !(quarter & 1) ? __builtin_copysign##f(y, x) : quarter & 2 ? -value : value;                  \
    }                                                                                                                  \
    AMP__INLINE T amp_cospi##f(T x) restrict(cpu, amp)                                                                 \
    {                                                                                                                  \
        T a = __builtin_fabs##f(x) < top ? x : x * 0, n = __builtin_rint##f(2 * a), y = a - n / 2;                     \
        int quarter = amp__quarter##f(n);                                                                              \
        double low;                                                                                                    \
        T value = (T)(quarter & 1 ? amp__sinpi##f##_quarter(y, &low) : amp__cospi##f##_quarter(y, &low));              \
        return quarter & 1 && y == 0 ? 0 : (quarter + 1) & 2 ? -value : value;                                         \
    }                                                                                                                  \
    AMP__INLINE T amp_tanpi##f(T x) restrict(cpu, amp)                                                                 \
    {                                                                                                                  \
        T a = __builtin_fabs##f(x) < top ? x : x * 0, n = __builtin_rint##f(2 * a), y = a - n / 2;                     \
        int quarter = amp__quarter##f(n);                                                                              \
        double low_sine, low_cosine, sine = amp__sinpi##f##_quarter(y, &low_sine);                                     \
        double cosine = amp__cospi##f##_quarter(y, &low_cosine), over = quarter & 1 ? -cosine : sine;                  \
        double under = quarter & 1 ? sine : cosine, rough = amp__upper(over / under, ~(uint64_t)0 << 27);              \
        double high = amp__upper(under, ~(uint64_t)0 << 27), rest = over - rough * high - rough * (under - high);      \
        double low_over = quarter & 1 ? -low_cosine : low_sine, low_under = quarter & 1 ? low_sine : low_cosine;       \
        T value = (T)(rough + (rest + (low_over - rough * low_under)) / under), sign = quarter & 2 ? -1 : 1;           \
        return y != 0 ? value : quarter & 1 ? sign * __builtin_inf##f() : sign * __builtin_copysign##f(y, x);          \
    }
AMP__TIMES_PI(double, , 9007199254740992.0)
AMP__TIMES_PI(float, f, 16777216.0f)
#undef AMP__TIMES_PI

/* ------------------------------------------------------------------ error function ---- */

/* The quantile of the normal distribution, over the root of 2: rational functions of M. J. Wichura, "Algorithm AS 241",
 * Applied Statistics 37 (1988). `q` is the probability less 1/2, `p` the smaller of the probability and its complement;
 * the result has the sign of q. */
/* clang-format off: it indents each step of a polynomial. */
AMP__INLINE double amp__quantile(double q, double p) restrict(cpu, amp)
{
    double r = 0.180625 - q * q, n = 2.5090809287301226727e+3, d = 5.2264952788528545610e+3;
    n = ((((((n * r + 3.3430575583588128105e+4) * r + 6.7265770927008700853e+4) * r + 4.5921953931549871457e+4) * r +
           1.3731693765509461125e+4) *
              r +
          1.9715909503065514427e+3) *
             r +
         1.3314166789178437745e+2) *
            r +
        3.3871328727963666080e+0;
    d = ((((((d * r + 2.8729085735721942674e+4) * r + 3.9307895800092710610e+4) * r + 2.1213794301586595867e+4) * r +
           5.3941960214247511077e+3) *
              r +
          6.8718700749205790830e+2) *
             r +
         4.2313330701600911252e+1) *
            r +
        1;
    double middle = q * (0.70710678118654752440 * n / d);
    if (__builtin_fabs(q) <= 0.425)
        return middle;
    double s = __builtin_sqrt(-__builtin_log(p)), t, u, v;
    if (s <= 5) {
        t = s - 1.6;
        u = ((((((7.74545014278341407640e-4 * t + 2.27238449892691845833e-2) * t + 2.41780725177450611770e-1) * t +
                1.27045825245236838258e+0) *
                   t +
               3.64784832476320460504e+0) *
                  t +
              5.76949722146069140550e+0) *
                 t +
             4.63033784615654529590e+0) *
                t +
            1.42343711074968357734e+0;
        v = ((((((1.05075007164441684324e-9 * t + 5.47593808499534494600e-4) * t + 1.51986665636164571966e-2) * t +
                1.48103976427480074590e-1) *
                   t +
               6.89767334985100004550e-1) *
                  t +
              1.67638483018380384940e+0) *
                 t +
             2.05319162663775882187e+0) *
                t +
            1;
    } else {
        t = s - 5;
        u = ((((((2.01033439929228813265e-7 * t + 2.71155556874348757815e-5) * t + 1.24266094738807843860e-3) * t +
                2.65321895265761230930e-2) *
                   t +
               2.96560571828504891230e-1) *
                  t +
              1.78482653991729133580e+0) *
                 t +
             5.46378491116411436990e+0) *
                t +
            6.65790464350110377720e+0;
        v = ((((((2.04426310338993978564e-15 * t + 1.42151175831644588870e-7) * t + 1.84631831751005468180e-5) * t +
                7.86869131145613259100e-4) *
                   t +
               1.48753612908506148525e-2) *
                  t +
              1.36929880922735805310e-1) *
                 t +
             5.99832206555887937690e-1) *
                t +
            1;
    }
    return __builtin_copysign(0.70710678118654752440 * u / v, q);
}
/* clang-format on */

/* The inverses of erf and erfc; those of float compute in double, too. They return NaN outside [-1, 1] and [0, 2], and
 * infinities at the ends. Threads any. */
AMP__INLINE double amp_erfinv(double x) restrict(cpu, amp)
{
    double p = 0.5 * (1 - __builtin_fabs(x));
    if (!(p > 0))
        return p == 0 ? x * __builtin_inf() : __builtin_nan("");
    return amp__quantile(0.5 * x, p);
}
AMP__INLINE float amp_erfinvf(float x) restrict(cpu, amp)
{
    return (float)amp_erfinv(x);
}
AMP__INLINE double amp_erfcinv(double x) restrict(cpu, amp)
{
    if (!(x > 0 && x < 2))
        return x == 0 ? __builtin_inf() : x == 2 ? -__builtin_inf() : __builtin_nan("");
    return amp__quantile(0.5 * (1 - x), 0.5 * (x < 1 ? x : 2 - x));
}
AMP__INLINE float amp_erfcinvf(float x) restrict(cpu, amp)
{
    return (float)amp_erfcinv(x);
}

/* ------------------------------------------------------------------ the rest ---- */

/* The logarithm of the absolute value of gamma(x), and the sign of gamma(x) in `*sign`: 1 or -1; 1 at its poles.
 * Threads any. */
AMP__INLINE double amp_lgamma(double x, int *sign) restrict(cpu, amp)
{
    double below = __builtin_floor(x);
    bool is_odd = below != 2 * __builtin_floor(0.5 * below);
    *sign = (x < 0 && below != x && is_odd) || (x == 0 && __builtin_signbit(x)) ? -1 : 1;
    return __builtin_lgamma(x);
}
AMP__INLINE float amp_lgammaf(float x, int *sign) restrict(cpu, amp)
{
    float below = __builtin_floorf(x);
    bool is_odd = below != 2 * __builtin_floorf(0.5f * below);
    *sign = (x < 0 && below != x && is_odd) || (x == 0 && __builtin_signbit(x)) ? -1 : 1;
    return __builtin_lgammaf(x);
}

/* A quiet NaN that carries as many bits of `tag` as fit: 32, or 22 in a float. Threads any. */
AMP__INLINE double amp_nan(int tag) restrict(cpu, amp)
{
    union {
        uint64_t bits;
        double value;
    } nan;
    nan.bits = 0x7ff8000000000000 | (uint32_t)tag;
    return nan.value;
}
AMP__INLINE float amp_nanf(int tag) restrict(cpu, amp)
{
    union {
        uint32_t bits;
        float value;
    } nan;
    nan.bits = 0x7fc00000 | ((uint32_t)tag & 0x3fffff);
    return nan.value;
}

/* ------------------------------------------------------------------ fast ---- */

/* The fast set: float, without a promised accuracy. On `cpu` these are the vector library's functions; those that it
 * lacks are computed differently or less accurately here. Each returns what the function of <math.h> returns. Threads
 * any.
 *
 *     float amp_fast_acosf(float x);      and amp_fast_asinf, amp_fast_atanf, amp_fast_ceilf, amp_fast_cosf,
 *         amp_fast_coshf, amp_fast_expf, amp_fast_exp2f, amp_fast_fabsf, amp_fast_floorf, amp_fast_logf,
 *         amp_fast_log10f, amp_fast_log2f, amp_fast_roundf, amp_fast_rsqrtf, amp_fast_sinf, amp_fast_sinhf,
 *         amp_fast_sqrtf, amp_fast_tanf, amp_fast_tanhf, amp_fast_truncf
 *     float amp_fast_atan2f(float y, float x);      and amp_fast_fmaxf, amp_fast_fminf, amp_fast_powf,
 *         amp_fast_fmodf (of quotients below 2^24)
 *     float amp_fast_frexpf(float x, int *exponent);      float amp_fast_ldexpf(float x, int exponent);
 *     float amp_fast_modff(float x, float *whole);        void amp_fast_sincosf(float x, float *sine, float *cosine);
 *     int amp_fast_isfinite(float x);      and amp_fast_isinf, amp_fast_isnan, amp_fast_signbit */
#define AMP__FAST_1(name)                                                                                              \
    AMP__INLINE float amp_fast_##name##f(float x) restrict(cpu, amp)                                                   \
    {                                                                                                                  \
        return __builtin_##name##f(x);                                                                                 \
    }
#define AMP__FAST_2(name)                                                                                              \
    AMP__INLINE float amp_fast_##name##f(float x, float y) restrict(cpu, amp)                                          \
    {                                                                                                                  \
        return __builtin_##name##f(x, y);                                                                              \
    }
#define AMP__FAST_IS(name)                                                                                             \
    AMP__INLINE int amp_fast_##name(float x) restrict(cpu, amp)                                                        \
    {                                                                                                                  \
        return __builtin_##name(x) != 0;                                                                               \
    }
AMP__FAST_1(acos)
AMP__FAST_1(asin)
AMP__FAST_1(atan)
AMP__FAST_1(ceil)
AMP__FAST_1(cos)
AMP__FAST_1(cosh)
AMP__FAST_1(exp)
AMP__FAST_1(exp2)
AMP__FAST_1(fabs)
AMP__FAST_1(floor)
AMP__FAST_1(log)
AMP__FAST_1(log10)
AMP__FAST_1(log2)
AMP__FAST_1(round)
AMP__FAST_1(sin)
AMP__FAST_1(sinh)
AMP__FAST_1(sqrt)
AMP__FAST_1(tan)
AMP__FAST_1(tanh)
AMP__FAST_1(trunc)
AMP__FAST_2(atan2)
AMP__FAST_2(fmax)
AMP__FAST_2(fmin)
AMP__FAST_2(pow)
AMP__FAST_IS(isfinite)
AMP__FAST_IS(isinf)
AMP__FAST_IS(isnan)
AMP__FAST_IS(signbit)
#undef AMP__FAST_1
#undef AMP__FAST_2
#undef AMP__FAST_IS

AMP__INLINE float amp_fast_rsqrtf(float x) restrict(cpu, amp)
{
    return 1 / __builtin_sqrtf(x);
}
AMP__INLINE float amp_fast_fmodf(float x, float y) restrict(cpu, amp)
{
    float rest = x - y * __builtin_truncf(x / y);
    return __builtin_isinf(y) && __builtin_isfinite(x) ? x : __builtin_copysignf(rest, x);
}
AMP__INLINE float amp_fast_frexpf(float x, int *exponent) restrict(cpu, amp)
{
    union {
        float value;
        uint32_t bits;
    } number;
    bool is_small = __builtin_fabsf(x) < 1.1754944e-38f;
    number.value = is_small ? x * 33554432.0f : x;
    int biased = (int)(number.bits >> 23 & 255);
    bool is_plain = biased > 0 && biased < 255;
    number.bits = (number.bits & 0x807fffff) | 126u << 23;
    *exponent = is_plain ? biased - (is_small ? 151 : 126) : 0;
    return is_plain ? number.value : x;
}
AMP__INLINE float amp_fast_ldexpf(float x, int exponent) restrict(cpu, amp)
{
    /* A product with three powers of 2, each of which is a normal number. */
    union {
        uint32_t bits;
        float value;
    } third, rest;
    int n = exponent < -300 ? -300 : exponent > 300 ? 300 : exponent;
    third.bits = (uint32_t)(n / 3 + 127) << 23;
    rest.bits = (uint32_t)(n - n / 3 * 2 + 127) << 23;
    return x * third.value * third.value * rest.value;
}
AMP__INLINE float amp_fast_modff(float x, float *whole) restrict(cpu, amp)
{
    *whole = __builtin_truncf(x);
    return __builtin_copysignf(__builtin_isinf(x) ? 0 : x - *whole, x);
}
AMP__INLINE void amp_fast_sincosf(float x, float *sine, float *cosine) restrict(cpu, amp)
{
    *sine = __builtin_sinf(x);
    *cosine = __builtin_cosf(x);
}

#ifdef __cplusplus
#pragma pop_macro("restrict")
}
#endif

#endif

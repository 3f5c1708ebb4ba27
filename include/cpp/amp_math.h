/* SPDX-License-Identifier: MIT
 *
 * fast_math and precise_math of C++ AMP. Both call the same functions, whose errors docs/language.md lists: those of
 * <math.h>, and for what C lacks those of libamp's <amp_math.h>. On the host both have the functions of <cmath>. */
#ifndef AMP_CPP_AMP_MATH_H
#define AMP_CPP_AMP_MATH_H

#pragma GCC system_header

#include <amp.h>

#include_next <amp_math.h>

#include <cmath>

namespace Concurrency
{
#define AMP__STD(name)                                                                                                 \
    using std::name;                                                                                                   \
    using ::name##f;
#define AMP__BOTH_STD                                                                                                  \
    AMP__STD(acos) AMP__STD(asin) AMP__STD(atan) AMP__STD(atan2) AMP__STD(ceil) AMP__STD(cos) AMP__STD(cosh)           \
    AMP__STD(exp) AMP__STD(exp2) AMP__STD(fabs) AMP__STD(floor) AMP__STD(fmax) AMP__STD(fmin) AMP__STD(fmod)           \
    AMP__STD(frexp) AMP__STD(ldexp) AMP__STD(log) AMP__STD(log10) AMP__STD(log2) AMP__STD(modf) AMP__STD(pow)          \
    AMP__STD(round) AMP__STD(sin) AMP__STD(sinh) AMP__STD(sqrt) AMP__STD(tan) AMP__STD(tanh) AMP__STD(trunc)
#define AMP__PRECISE_STD                                                                                               \
    AMP__STD(acosh) AMP__STD(asinh) AMP__STD(atanh) AMP__STD(cbrt) AMP__STD(copysign) AMP__STD(erf)                    \
    AMP__STD(erfc) AMP__STD(expm1) AMP__STD(fdim) AMP__STD(fma) AMP__STD(hypot) AMP__STD(ilogb) AMP__STD(log1p)        \
    AMP__STD(logb) AMP__STD(nearbyint) AMP__STD(nextafter) AMP__STD(remainder) AMP__STD(remquo) AMP__STD(scalbn)       \
    AMP__STD(tgamma)
namespace fast_math
{
AMP__BOTH_STD
}
namespace precise_math
{
AMP__BOTH_STD
AMP__PRECISE_STD
} // namespace precise_math
#undef AMP__PRECISE_STD
#undef AMP__BOTH_STD
#undef AMP__STD
} // namespace Concurrency

#ifdef AMP__CXX

#define AMP__ON_1(F, name, function)                                                                                   \
    inline F name(F x) restrict(amp) { return function(x); }
#define AMP__ON_2(F, name, function)                                                                                   \
    inline F name(F x, F y) restrict(amp) { return function(x, y); }
#define AMP__IS(F, name)                                                                                               \
    inline int name(F x) restrict(amp) { return __builtin_##name(x); }
/* name(float) and namef(float); the functions after them are for float. */
#define AMP__FLOAT_1(name, function) AMP__ON_1(float, name, function) AMP__ON_1(float, name##f, function)
#define AMP__FLOAT_2(name, function) AMP__ON_2(float, name, function) AMP__ON_2(float, name##f, function)

/* What both namespaces have for float. */
#define AMP__BOTH_FLOAT                                                                                                \
    AMP__FLOAT_1(acos, __builtin_acosf)                                                                                \
    AMP__FLOAT_1(asin, __builtin_asinf)                                                                                \
    AMP__FLOAT_1(atan, __builtin_atanf)                                                                                \
    AMP__FLOAT_2(atan2, __builtin_atan2f)                                                                              \
    AMP__FLOAT_1(ceil, __builtin_ceilf)                                                                                \
    AMP__FLOAT_1(cos, __builtin_cosf)                                                                                  \
    AMP__FLOAT_1(cosh, __builtin_coshf)                                                                                \
    AMP__FLOAT_1(exp, __builtin_expf)                                                                                  \
    AMP__FLOAT_1(exp2, __builtin_exp2f)                                                                                \
    AMP__FLOAT_1(fabs, __builtin_fabsf)                                                                                \
    AMP__FLOAT_1(floor, __builtin_floorf)                                                                              \
    AMP__FLOAT_2(fmax, __builtin_fmaxf)                                                                                \
    AMP__FLOAT_2(fmin, __builtin_fminf)                                                                                \
    AMP__FLOAT_2(fmod, __builtin_fmodf)                                                                                \
    AMP__FLOAT_1(log, __builtin_logf)                                                                                  \
    AMP__FLOAT_1(log10, __builtin_log10f)                                                                              \
    AMP__FLOAT_1(log2, __builtin_log2f)                                                                                \
    AMP__FLOAT_2(pow, __builtin_powf)                                                                                  \
    AMP__FLOAT_1(round, __builtin_roundf)                                                                              \
    AMP__FLOAT_1(rsqrt, amp_rsqrtf)                                                                                    \
    AMP__FLOAT_1(sin, __builtin_sinf)                                                                                  \
    AMP__FLOAT_1(sinh, __builtin_sinhf)                                                                                \
    AMP__FLOAT_1(sqrt, __builtin_sqrtf)                                                                                \
    AMP__FLOAT_1(tan, __builtin_tanf)                                                                                  \
    AMP__FLOAT_1(tanh, __builtin_tanhf)                                                                                \
    AMP__FLOAT_1(trunc, __builtin_truncf)                                                                              \
    AMP__IS(float, isfinite)                                                                                           \
    AMP__IS(float, isinf)                                                                                              \
    AMP__IS(float, isnan)                                                                                              \
    AMP__IS(float, signbit)                                                                                            \
    inline float frexp(float x, int *exponent) restrict(amp) { return __builtin_frexpf(x, exponent); }                 \
    inline float frexpf(float x, int *exponent) restrict(amp) { return __builtin_frexpf(x, exponent); }                \
    inline float ldexp(float x, int exponent) restrict(amp) { return __builtin_ldexpf(x, exponent); }                  \
    inline float ldexpf(float x, int exponent) restrict(amp) { return __builtin_ldexpf(x, exponent); }                 \
    inline float modf(float x, float *whole) restrict(amp) { return __builtin_modff(x, whole); }                       \
    inline float modff(float x, float *whole) restrict(amp) { return __builtin_modff(x, whole); }                      \
    inline void sincos(float x, float *sine, float *cosine) restrict(amp) { amp_sincosf(x, sine, cosine); }            \
    inline void sincosf(float x, float *sine, float *cosine) restrict(amp) { amp_sincosf(x, sine, cosine); }

namespace Concurrency
{

namespace fast_math
{
AMP__BOTH_FLOAT
}

namespace precise_math
{
/* clang-format off: it takes them for one declaration. */
AMP__BOTH_FLOAT
AMP__ON_1(double, acos, __builtin_acos)
AMP__ON_1(double, asin, __builtin_asin)
AMP__ON_1(double, atan, __builtin_atan)
AMP__ON_1(double, ceil, __builtin_ceil)
AMP__ON_1(double, cos, __builtin_cos)
AMP__ON_1(double, cosh, __builtin_cosh)
AMP__ON_1(double, exp, __builtin_exp)
AMP__ON_1(double, exp2, __builtin_exp2)
AMP__ON_1(double, fabs, __builtin_fabs)
AMP__ON_1(double, floor, __builtin_floor)
AMP__ON_1(double, log, __builtin_log)
AMP__ON_1(double, log10, __builtin_log10)
AMP__ON_1(double, log2, __builtin_log2)
AMP__ON_1(double, round, __builtin_round)
AMP__ON_1(double, sin, __builtin_sin)
AMP__ON_1(double, sinh, __builtin_sinh)
AMP__ON_1(double, sqrt, __builtin_sqrt)
AMP__ON_1(double, tan, __builtin_tan)
AMP__ON_1(double, tanh, __builtin_tanh)
AMP__ON_1(double, trunc, __builtin_trunc)
AMP__ON_2(double, atan2, __builtin_atan2)
AMP__ON_2(double, fmax, __builtin_fmax)
AMP__ON_2(double, fmin, __builtin_fmin)
AMP__ON_2(double, fmod, __builtin_fmod)
AMP__ON_2(double, pow, __builtin_pow)
AMP__FLOAT_1(acosh, __builtin_acoshf)
AMP__ON_1(double, acosh, __builtin_acosh)
AMP__FLOAT_1(asinh, __builtin_asinhf)
AMP__ON_1(double, asinh, __builtin_asinh)
AMP__FLOAT_1(atanh, __builtin_atanhf)
AMP__ON_1(double, atanh, __builtin_atanh)
AMP__FLOAT_1(cbrt, __builtin_cbrtf)
AMP__ON_1(double, cbrt, __builtin_cbrt)
AMP__FLOAT_1(erf, __builtin_erff)
AMP__ON_1(double, erf, __builtin_erf)
AMP__FLOAT_1(erfc, __builtin_erfcf)
AMP__ON_1(double, erfc, __builtin_erfc)
AMP__FLOAT_1(expm1, __builtin_expm1f)
AMP__ON_1(double, expm1, __builtin_expm1)
AMP__FLOAT_1(log1p, __builtin_log1pf)
AMP__ON_1(double, log1p, __builtin_log1p)
AMP__FLOAT_1(logb, __builtin_logbf)
AMP__ON_1(double, logb, __builtin_logb)
AMP__FLOAT_1(nearbyint, __builtin_nearbyintf)
AMP__ON_1(double, nearbyint, __builtin_nearbyint)
AMP__FLOAT_1(tgamma, __builtin_tgammaf)
AMP__ON_1(double, tgamma, __builtin_tgamma)
AMP__FLOAT_2(copysign, __builtin_copysignf)
AMP__ON_2(double, copysign, __builtin_copysign)
AMP__FLOAT_2(fdim, __builtin_fdimf)
AMP__ON_2(double, fdim, __builtin_fdim)
AMP__FLOAT_2(hypot, __builtin_hypotf)
AMP__ON_2(double, hypot, __builtin_hypot)
AMP__FLOAT_2(nextafter, __builtin_nextafterf)
AMP__ON_2(double, nextafter, __builtin_nextafter)
AMP__FLOAT_2(remainder, __builtin_remainderf)
AMP__ON_2(double, remainder, __builtin_remainder)
AMP__FLOAT_1(cospi, amp_cospif)
AMP__ON_1(double, cospi, amp_cospi)
AMP__FLOAT_1(erfcinv, amp_erfcinvf)
AMP__ON_1(double, erfcinv, amp_erfcinv)
AMP__FLOAT_1(erfinv, amp_erfinvf)
AMP__ON_1(double, erfinv, amp_erfinv)
AMP__FLOAT_1(exp10, amp_exp10f)
AMP__ON_1(double, exp10, amp_exp10)
AMP__FLOAT_1(rcbrt, amp_rcbrtf)
AMP__ON_1(double, rcbrt, amp_rcbrt)
AMP__FLOAT_1(sinpi, amp_sinpif)
AMP__ON_1(double, sinpi, amp_sinpi)
AMP__FLOAT_1(tanpi, amp_tanpif)
AMP__ON_1(double, tanpi, amp_tanpi)
AMP__ON_1(double, rsqrt, amp_rsqrt)
AMP__FLOAT_2(scalb, amp_scalbf)
AMP__ON_2(double, scalb, amp_scalb)
AMP__IS(double, isfinite)
AMP__IS(double, isinf)
AMP__IS(double, isnan)
AMP__IS(double, signbit)
AMP__IS(float, isnormal)
AMP__IS(double, isnormal)
/* clang-format on */

inline double frexp(double x, int *exponent) restrict(amp)
{
    return __builtin_frexp(x, exponent);
}
inline double ldexp(double x, int exponent) restrict(amp)
{
    return __builtin_ldexp(x, exponent);
}
inline double modf(double x, double *whole) restrict(amp)
{
    return __builtin_modf(x, whole);
}
inline void sincos(double x, double *sine, double *cosine) restrict(amp)
{
    amp_sincos(x, sine, cosine);
}
#define AMP__PRECISE(F, f, suffix)                                                                                     \
    inline F fma##suffix(F x, F y, F z) restrict(amp) { return __builtin_fma##f(x, y, z); }                            \
    inline int ilogb##suffix(F x) restrict(amp) { return __builtin_ilogb##f(x); }                                      \
    inline F lgamma##suffix(F x, int *sign) restrict(amp) { return amp_lgamma##f(x, sign); }                           \
    inline F remquo##suffix(F x, F y, int *quotient) restrict(amp) { return __builtin_remquo##f(x, y, quotient); }     \
    inline F scalbn##suffix(F x, int exponent) restrict(amp) { return __builtin_scalbn##f(x, exponent); }              \
    inline int fpclassify##suffix(F x) restrict(amp) { return __builtin_fpclassify(0, 1, 4, 3, 2, x); }
AMP__PRECISE(float, f, )
AMP__PRECISE(float, f, f)
AMP__PRECISE(double, , )
inline double nan(int tag) restrict(amp)
{
    return amp_nan(tag);
}
inline float nanf(int tag) restrict(amp)
{
    return amp_nanf(tag);
}
#undef AMP__PRECISE
} // namespace precise_math

} // namespace Concurrency

#undef AMP__BOTH_FLOAT
#undef AMP__FLOAT_1
#undef AMP__FLOAT_2
#undef AMP__ON_1
#undef AMP__ON_2
#undef AMP__IS

#endif

#endif

/* SPDX-License-Identifier: MIT
 *
 * The functions that kernels call on GPUs. The build compiles them together with libclc for nvptx64, and ampcc links
 * those that a kernel needs. There is no C library for this target, so nothing is included. */

/* ---- amp.h ---- */

/* The backend looks for it by name if a kernel may abort; see docs/gpu.md. */
struct {
    int is_aborted;
    char text[252];
} amp__aborted;

void amp_abort(const char *text)
{
    if (!__atomic_exchange_n(&amp__aborted.is_aborted, 1, __ATOMIC_RELAXED))
        for (int i = 0; text[i] && i < (int)sizeof amp__aborted.text - 1; i++)
            amp__aborted.text[i] = text[i];
    __asm__ volatile("exit;" ::: "memory"); /* barriers do not wait for threads that have exited */
}

/* ---- <math.h> ----
 *
 * Functions of double are libclc's, which has them under OpenCL's mangled names. The functions that it lacks, or that
 * are wrong or slow there, are here and in double.h and float.h. docs/gpu.md has the accuracy. */

/* NAME calls libclc's function. MANGLED is the beginning of its name, which the parameters' types follow. */
#define UNARY(T, S, L, name, mangled)                                                                                  \
    T mangled##L(T x);                                                                                                 \
    T name##S(T x)                                                                                                     \
    {                                                                                                                  \
        return mangled##L(x);                                                                                          \
    }
#define BINARY(T, S, L, name, mangled)                                                                                 \
    T mangled##L##L(T x, T y);                                                                                         \
    T name##S(T x, T y)                                                                                                \
    {                                                                                                                  \
        return mangled##L##L(x, y);                                                                                    \
    }
#define UNARY_DOUBLE(name, mangled) UNARY(double, , d, name, mangled)
#define BINARY_DOUBLE(name, mangled) BINARY(double, , d, name, mangled)

UNARY_DOUBLE(acos, _Z4acos)
UNARY_DOUBLE(acosh, _Z5acosh)
UNARY_DOUBLE(asin, _Z4asin)
UNARY_DOUBLE(asinh, _Z5asinh)
UNARY_DOUBLE(atanh, _Z5atanh)
UNARY_DOUBLE(cbrt, _Z4cbrt)
UNARY_DOUBLE(erfc, _Z4erfc)
UNARY_DOUBLE(exp, _Z3exp)
UNARY_DOUBLE(exp10, _Z5exp10)
UNARY_DOUBLE(exp2, _Z4exp2)
UNARY_DOUBLE(lgamma, _Z6lgamma)
UNARY_DOUBLE(log, _Z3log)
UNARY_DOUBLE(log10, _Z5log10)
UNARY_DOUBLE(log1p, _Z5log1p)
UNARY_DOUBLE(log2, _Z4log2)
UNARY_DOUBLE(logb, _Z4logb)
UNARY_DOUBLE(tanh, _Z4tanh)
BINARY_DOUBLE(atan2, _Z5atan2)
BINARY_DOUBLE(fmod, _Z4fmod)
BINARY_DOUBLE(hypot, _Z5hypot)
BINARY_DOUBLE(nextafter, _Z9nextafter)
BINARY_DOUBLE(pow, _Z3pow)
BINARY_DOUBLE(remainder, _Z9remainder)
UNARY(float, f, f, expm1, _Z5expm1)
UNARY(float, f, f, logb, _Z4logb)
BINARY(float, f, f, hypot, _Z5hypot)
BINARY(float, f, f, nextafter, _Z9nextafter)

double _Z5sinpid(double x);
int _Z5ilogbd(double x);
int _Z5ilogbf(float x);
double _Z5frexpdPi(double x, int *exponent);
float _Z5frexpfPi(float x, int *exponent);
double _Z6remquoddPi(double x, double y, int *quotient);

/* x times 2^n. libclc's for float loses subnormal results; here the product of doubles is exact, and rounded once. */
static float scale_f(float x, int n)
{
    union {
        unsigned long long bits;
        double value;
    } power = {(unsigned long long)(1023 + (n > 300 ? 300 : n < -300 ? -300 : n)) << 52};
    return (float)(x * power.value);
}

/* libclc's turns a NaN into a number. All steps but the last are exact, or multiply numbers that become 0 anyway. */
static double scale_d(double x, int n)
{
    for (int i = 0; i < 2; i++) {
        double by = n > 1023 ? 0x1p1023 : n < -1022 ? 0x1p-969 : 1;
        x *= by;
        n += n > 1023 ? -1023 : n < -1022 ? 969 : 0;
    }
    union {
        unsigned long long bits;
        double value;
    } power = {(unsigned long long)(1023 + (n > 1023 ? 1023 : n < -1022 ? -1022 : n)) << 52};
    return x * power.value;
}

#include "double.h"
#include "float.h"

/* ---- where libclc's are not good enough ---- */

/* In float these lose subnormal numbers, or more; in double they are exact or almost exact. */
#define BY_DOUBLE(name)                                                                                                \
    float name##f(float x)                                                                                             \
    {                                                                                                                  \
        return (float)name(x);                                                                                         \
    }
BY_DOUBLE(lgamma)

double remquo(double x, double y, int *quotient)
{
    return _Z6remquoddPi(x, y, quotient);
}

/* libclc's lose the sign of zero. */
#define KEEPS_ZERO(name, mangled)                                                                                      \
    double mangled##d(double x);                                                                                       \
    double name(double x)                                                                                              \
    {                                                                                                                  \
        return x == 0 ? x : mangled##d(x);                                                                             \
    }
KEEPS_ZERO(atan, _Z4atan)
KEEPS_ZERO(erf, _Z3erf)
KEEPS_ZERO(expm1, _Z5expm1)

/* libclc's read beyond the ends of a table where the result overflows. */
double cosh(double x)
{
    double size = __builtin_fabs(x), half = exp(size / 2), e = exp(size);
    return size < 22 ? e / 2 + 0.5 / e : half / 2 * half;
}

double sinh(double x)
{
    double size = __builtin_fabs(x), half = exp(size / 2), e = expm1(size);
    double result = size < 22 ? (e + e / (e + 1)) / 2 : half / 2 * half;
    return __builtin_copysign(size < 0x1p-28 ? size : result, x);
}

/* Lanczos' approximation, with Boost's coefficients for double (lanczos13m53): x + g - 1/2 to the power of x - 1/2,
 * over e to the power of x + g - 1/2, times a quotient of polynomials. */
static double lanczos(double x)
{
    static const double above[] = {
        23531376880.410759688572007674451636754734846804940, 42919803642.649098768957899047001988850926355848959,
        35711959237.355668049440185451547166705960488635843, 17921034426.037209699919755754458931112671403265390,
        6039542586.3520280050642916443072979210699388420708, 1439720407.3117216736632230727949123939715485786372,
        248874557.86205415651146038641322942321632125127801, 31426415.585400194380614231628318205362874684987640,
        2876370.6289353724412254090516208496135991145378768, 186056.26539522349504029498971604569928220784236328,
        8071.6720023658162106380029022722506138218516325024, 210.82427775157934587250973392071336271166969580291,
        2.5066282746310002701649081771338373386264310793408};
    static const double below[] = {0,       39916800, 120543840, 150917976, 105258076, 45995730, 13339535,
                                   2637558, 357423,   32670,     1925,      66,        1};
    double a = 0, b = 0;
    for (int i = 0; i < 13; i++) {
        /* in powers of 1/x for large x, which do not overflow */
        a = x < 8 ? a * x + above[12 - i] : a / x + above[i];
        b = x < 8 ? b * x + below[12 - i] : b / x + below[i];
    }
    return a / b;
}

double tgamma(double x)
{
    static const double g_half = 5.524680040776729583740234375, pi = 3.14159265358979311600;
    double size = __builtin_fabs(x);
    if (!(size < __builtin_inf()))
        return x + __builtin_inf(); /* NaN for minus infinity */
    if (size < 0x1p-54)
        return 1 / x;
    if (x < 0 && x == __builtin_floor(x))
        return __builtin_nan("");
    if (size >= 184)
        return x > 0 ? __builtin_inf() : __builtin_floor(x) / 2 == __builtin_floor(x / 2) ? 0.0 : -0.0;
    double y = size + g_half, z = size - 0.5;
    double lost = size > g_half ? y - size - g_half : y - g_half - size; /* when y was rounded */
    double r = lanczos(size) * exp(-y);
    if (x < 0) { /* gamma(-x) gamma(x) = -pi / (x sin(pi x)) */
        r = -pi / (_Z5sinpid(size) * size * r);
        lost = -lost;
        z = -z;
    }
    r += lost * (g_half + 0.5) * r / y;
    z = pow(y, z / 2);
    return r * z * z;
}
BY_DOUBLE(tgamma)

/* The other functions, once for each type: T with its suffix S and libclc's letter L. */
#define OTHERS(T, S, L)                                                                                                \
    T fdim##S(T x, T y)                                                                                                \
    {                                                                                                                  \
        return x <= y ? 0 : x - y; /* NaN if either is */                                                              \
    }                                                                                                                  \
    T frexp##S(T x, int *exponent)                                                                                     \
    {                                                                                                                  \
        return _Z5frexp##L##Pi(x, exponent);                                                                           \
    }                                                                                                                  \
    int ilogb##S(T x)                                                                                                  \
    {                                                                                                                  \
        return x == 0 || x != x ? -0x7fffffff - 1 : _Z5ilogb##L(x); /* as glibc on x86 */                              \
    }                                                                                                                  \
    T ldexp##S(T x, int n)                                                                                             \
    {                                                                                                                  \
        return scale_##L(x, n);                                                                                        \
    }                                                                                                                  \
    T scalbn##S(T x, int n)                                                                                            \
    {                                                                                                                  \
        return scale_##L(x, n);                                                                                        \
    }                                                                                                                  \
    T scalbln##S(T x, long n)                                                                                          \
    {                                                                                                                  \
        return scale_##L(x, n > 5000 ? 5000 : n < -5000 ? -5000 : (int)n);                                             \
    }                                                                                                                  \
    long lrint##S(T x)                                                                                                 \
    {                                                                                                                  \
        return (long)__builtin_rint##S(x);                                                                             \
    }                                                                                                                  \
    long long llrint##S(T x)                                                                                           \
    {                                                                                                                  \
        return (long long)__builtin_rint##S(x);                                                                        \
    }                                                                                                                  \
    long lround##S(T x)                                                                                                \
    {                                                                                                                  \
        return (long)__builtin_round##S(x);                                                                            \
    }                                                                                                                  \
    long long llround##S(T x)                                                                                          \
    {                                                                                                                  \
        return (long long)__builtin_round##S(x);                                                                       \
    }                                                                                                                  \
    T modf##S(T x, T *whole)                                                                                           \
    {                                                                                                                  \
        *whole = __builtin_trunc##S(x);                                                                                \
        return __builtin_copysign##S(__builtin_isinf(x) ? 0 : x - *whole, x);                                          \
    }                                                                                                                  \
    T nan##S(const char *tag)                                                                                          \
    {                                                                                                                  \
        (void)tag;                                                                                                     \
        return __builtin_nan##S("");                                                                                   \
    }                                                                                                                  \
    void sincos##S(T x, T *sine, T *cosine)                                                                            \
    {                                                                                                                  \
        *sine = sin##S(x);                                                                                             \
        *cosine = cos##S(x);                                                                                           \
    }
OTHERS(double, , d)
OTHERS(float, f, f)

/* Called by name with -fno-builtin. glibc's classes of numbers have names of their own. */
#define CLASSES(T, S)                                                                                                  \
    int __isnan##S(T x)                                                                                                \
    {                                                                                                                  \
        return __builtin_isnan(x);                                                                                     \
    }                                                                                                                  \
    int __isinf##S(T x)                                                                                                \
    {                                                                                                                  \
        return __builtin_isinf_sign(x);                                                                                \
    }                                                                                                                  \
    int __finite##S(T x)                                                                                               \
    {                                                                                                                  \
        return __builtin_isfinite(x);                                                                                  \
    }                                                                                                                  \
    int __fpclassify##S(T x)                                                                                           \
    {                                                                                                                  \
        return __builtin_fpclassify(0, 1, 4, 3, 2, x);                                                                 \
    }                                                                                                                  \
    int __signbit##S(T x)                                                                                              \
    {                                                                                                                  \
        return __builtin_signbit(x);                                                                                   \
    }
CLASSES(double, )
CLASSES(float, f)

int abs(int x)
{
    return x < 0 ? -x : x;
}
long labs(long x)
{
    return x < 0 ? -x : x;
}
long long llabs(long long x)
{
    return x < 0 ? -x : x;
}

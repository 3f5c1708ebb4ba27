// SPDX-License-Identifier: MIT
// REQUIRES: x86_64, llvm22
// RUN: %ampcc -O2 %s -o %t -lm
// RUN: env AMP_DEFAULT_ACCELERATOR=cpu AMP_ISA=x86-64-v2 %t 20000
// RUN: env AMP_DEFAULT_ACCELERATOR=cpu AMP_ISA=x86-64-v3 %t 20000
// RUN: env AMP_DEFAULT_ACCELERATOR=cpu AMP_ISA=x86-64-v4 %t 20000
// RUN: %ampcc -O2 --amp-precise-math --amp-cpu=x86-64-v2,x86-64-v3 -DPRECISE %s -o %t -lm
// RUN: env AMP_DEFAULT_ACCELERATOR=cpu AMP_ISA=x86-64-v3 %t 20000
// row: math.precise
// The largest error, in ULP, of the functions of <math.h> and <amp_math.h> in kernels: the table of docs/language.md,
// "Accuracy". A second argument names the one function to measure.
//
//     build/bin/ampcc -O2 tests/docs/accuracy.c -o accuracy -lm
//     for level in x86-64-v2 x86-64-v3 x86-64-v4; do AMP_ISA=$level ./accuracy 8000000; done
//
// Arguments have bit patterns drawn evenly from those between the two ends of a range, so all magnitudes count alike.
// float is compared with glibc's double function, double with its long double one. A star marks what is beyond C++
// AMP's bound for precise_math. The program fails if an error is over that bound and over what is promised instead: 4
// for the functions of libmvec; and, with --amp-precise-math and -DPRECISE, what glibc documents for three of its own.
#define _GNU_SOURCE
#include <amp.h>
#include <amp_math.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// X(function, lowest and highest argument, the model's bounds for float and double, what is promised instead where they
// are not kept, the same with -DPRECISE); MAX and BIG are the type's largest number and log2 of it.
#define FUNCTIONS_1(X)                                                                                                 \
    X(acos, -1, 1, 3, 2, 4, 0)                                                                                         \
    X(acosh, 1, MAX, 4, 2, 4, 0)                                                                                       \
    X(asin, -1, 1, 4, 2, 4, 0)                                                                                         \
    X(asinh, -MAX, MAX, 3, 2, 4, 0)                                                                                    \
    X(atan, -MAX, MAX, 2, 2, 4, 0)                                                                                     \
    X(atanh, -1, 1, 3, 2, 4, 0)                                                                                        \
    X(cbrt, -MAX, MAX, 1, 1, 4, 4)                                                                                     \
    X(cos, -MAX, MAX, 2, 2, 4, 0)                                                                                      \
    X(cosh, -BIG, BIG, 2, 2, 4, 0)                                                                                     \
    X(erf, -MAX, MAX, 3, 2, 4, 0)                                                                                      \
    X(erfc, -MAX, BIG, 6, 5, 4, 0)                                                                                     \
    X(exp, -BIG, BIG, 2, 1, 4, 0)                                                                                      \
    X(exp10, -BIG, BIG, 2, 1, 4, 2)                                                                                    \
    X(exp2, -BIG, BIG, 2, 1, 4, 0)                                                                                     \
    X(expm1, -BIG, BIG, 1, 1, 4, 0)                                                                                    \
    X(log, 0, MAX, 1, 1, 4, 0)                                                                                         \
    X(log10, 0, MAX, 3, 1, 4, 2)                                                                                       \
    X(log1p, -1, MAX, 2, 1, 4, 0)                                                                                      \
    X(log2, 0, MAX, 3, 1, 4, 0)                                                                                        \
    X(sin, -MAX, MAX, 2, 2, 4, 0)                                                                                      \
    X(sinh, -BIG, BIG, 3, 2, 4, 0)                                                                                     \
    X(tan, -MAX, MAX, 4, 2, 4, 0)                                                                                      \
    X(tanh, -MAX, MAX, 2, 2, 4, 0)                                                                                     \
    X(lgamma, 0, MAX, 6, 4, 0, 0)                                                                                      \
    X(tgamma, 0, BIG, 11, 8, 0, 0)                                                                                     \
    X(sqrt, 0, MAX, 0.5, 0.5, 0, 0)                                                                                    \
    X(amp_rsqrt, 0, MAX, 2, 1, 0, 0)                                                                                   \
    X(amp_rcbrt, -MAX, MAX, 2, 1, 0, 0)                                                                                \
    X(amp_sinpi, -MAX, MAX, 2, 2, 0, 0)                                                                                \
    X(amp_cospi, -MAX, MAX, 2, 2, 0, 0)                                                                                \
    X(amp_tanpi, -MAX, MAX, 2, 2, 0, 0)                                                                                \
    X(amp_erfinv, -1, 1, 3, 8, 0, 0)                                                                                   \
    X(amp_erfcinv, 0, 2, 7, 8, 0, 0)
// The same, with the ends of both arguments.
#define FUNCTIONS_2(X)                                                                                                 \
    X(atan2, -MAX, MAX, -MAX, MAX, 3, 2, 4, 0)                                                                         \
    X(hypot, -MAX, MAX, -MAX, MAX, 3, 2, 4, 0)                                                                         \
    X(pow, 0, MAX, -BIG, BIG, 8, 2, 4, 0)                                                                              \
    X(fmod, -MAX, MAX, -MAX, MAX, 0, 0, 0, 0)

// What the C library has not, in long double.
static long double amp_rsqrtl(long double x)
{
    return 1 / sqrtl(x);
}
static long double amp_rcbrtl(long double x)
{
    return 1 / cbrtl(x);
}
static long double amp_sinpil(long double x)
{
    long double turn = remainderl(x, 2), near = fabsl(turn) > 0.5L ? copysignl(1, turn) - turn : turn;
    return sinl(acosl(-1) * near);
}
static long double amp_cospil(long double x)
{
    return sinl(acosl(-1) * (0.5L - fabsl(remainderl(x, 2))));
}
static long double amp_tanpil(long double x)
{
    return amp_sinpil(x) / amp_cospil(x);
}
static long double newton(long double y, long double error) // for erf(y) that is too large by `error`
{
    return y - error * sqrtl(acosl(-1)) / 2 * expl(y * y);
}
static long double amp_erfcinvl(long double x)
{
    long double y = amp_erfcinv((double)x);
    for (int i = 0; i < 2 && isfinite(y); i++)
        y = x < 0.5L ? newton(y, x - erfcl(y)) : newton(y, erfl(y) - (1 - x));
    return y;
}
static long double amp_erfinvl(long double x)
{
    long double y = amp_erfinv((double)x);
    if (fabsl(x) > 0.5L)
        return copysignl(amp_erfcinvl(1 - fabsl(x)), x);
    for (int i = 0; i < 2 && isfinite(y); i++)
        y = newton(y, erfl(y) - x);
    return y;
}

enum { CHUNK = 1 << 14 };

struct function {
    const char *name;
    amp_kernel kernel;
    double low[2], high[2], bound, limit;
    void *reference;
};

// A kernel for each function and type, and tables of them.
#define KERNEL(name, function, type)                                                                                   \
    static void name(amp_index1 i, int N, const type x[N], const type y[N], type r[N]) restrict(amp)                   \
    {                                                                                                                  \
        type a = x[i[0]], b = y[i[0]];                                                                                 \
        (void)b;                                                                                                       \
        r[i[0]] = function;                                                                                            \
    }
#define KERNELS_1(math, low, high, of_float, of_double, or_else, precise)                                              \
    KERNEL(math##_float, math##f(a), float)                                                                            \
    KERNEL(math##_double, math(a), double)
#define KERNELS_2(math, low, high, low2, high2, of_float, of_double, or_else, precise)                                 \
    KERNEL(math##_float, math##f(a, b), float)                                                                         \
    KERNEL(math##_double, math(a, b), double)
FUNCTIONS_1(KERNELS_1)
FUNCTIONS_2(KERNELS_2)

#ifdef PRECISE
#define LIMIT(bound, or_else, precise) ((precise) > (bound) ? (precise) : (bound))
#else
#define LIMIT(bound, or_else, precise) ((or_else) > (bound) ? (or_else) : (bound))
#endif
#define FLOAT_1(math, low, high, of_float, of_double, or_else, precise)                                                \
    {#math, (amp_kernel)math##_float, {low}, {high}, of_float, LIMIT(of_float, or_else, precise),                      \
     (void *)(double (*)(double))math},
#define FLOAT_2(math, low, high, low2, high2, of_float, of_double, or_else, precise)                                   \
    {#math, (amp_kernel)math##_float, {low, low2}, {high, high2}, of_float, LIMIT(of_float, or_else, precise),         \
     (void *)(double (*)(double, double))math},
#define DOUBLE_1(math, low, high, of_float, of_double, or_else, precise)                                               \
    {#math, (amp_kernel)math##_double, {low}, {high}, of_double, LIMIT(of_double, or_else, precise), (void *)math##l},
#define DOUBLE_2(math, low, high, low2, high2, of_float, of_double, or_else, precise)                                  \
    {#math, (amp_kernel)math##_double, {low, low2}, {high, high2}, of_double, LIMIT(of_double, or_else, precise),      \
     (void *)math##l},
#define MAX 0x1.fffffep127
#define BIG 128
static const struct function floats[] = {FUNCTIONS_1(FLOAT_1) FUNCTIONS_2(FLOAT_2)};
#undef MAX
#undef BIG
#define MAX 0x1.fffffffffffffp1023
#define BIG 1024
static const struct function doubles[] = {FUNCTIONS_1(DOUBLE_1) FUNCTIONS_2(DOUBLE_2)};
enum { N_FUNCTIONS = sizeof floats / sizeof *floats, N_1 = N_FUNCTIONS - 4 };

static uint64_t state;

static uint64_t draw(void) // splitmix64
{
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

// Numbers in order as integers in order.
static int64_t rank_of(double x, int is_float)
{
    float f = (float)x;
    int64_t d;
    int32_t i;
    memcpy(&i, &f, sizeof i);
    memcpy(&d, &x, sizeof d);
    return is_float ? (i < 0 ? -(int64_t)(i & INT32_MAX) : i) : (d < 0 ? -(d & INT64_MAX) : d);
}

static void fill(void *to, int at, double low, double high, int is_float)
{
    int64_t begin = rank_of(low, is_float), end = rank_of(high, is_float);
    int64_t rank = begin + (int64_t)(draw() % ((uint64_t)end - (uint64_t)begin + 1));
    if (is_float) {
        int32_t i = rank < 0 ? (int32_t)-rank | INT32_MIN : (int32_t)rank;
        memcpy((float *)to + at, &i, sizeof i);
    } else {
        rank = rank < 0 ? -rank | INT64_MIN : rank;
        memcpy((double *)to + at, &rank, sizeof rank);
    }
}

// The distance in units of the last place that a result as large as the reference has.
static double error_of(long double got, long double reference, int is_float)
{
    int digits = is_float ? 24 : 53, largest = is_float ? 128 : 1024, exponent;
    if (isnan(reference) || isnan(got))
        return isnan(reference) && isnan(got) ? 0 : INFINITY;
    if (fabsl(reference) >= ldexpl(1 - ldexpl(1, -digits - 1), largest))
        reference = copysignl(ldexpl(1, largest), reference); // rounds to infinity
    if (isinf(got))
        got = copysignl(ldexpl(1, largest), got);
    frexpl(reference, &exponent);
    int smallest = is_float ? -125 : -1021;
    if (reference == 0 || exponent < smallest)
        exponent = smallest;
    return (double)ldexpl(fabsl(got - reference), digits - exponent);
}

static double measure(const struct function *function, int n_arguments, int is_float, long n_samples)
{
    static union {
        float f[CHUNK];
        double d[CHUNK];
    } x, y, r;
    double largest = 0;
    state = 1;
    amp_type type = is_float ? AMP_TYPE_F32 : AMP_TYPE_F64;
    size_t size = is_float ? sizeof(float) : sizeof(double);
    amp_array_view *views[] = {amp_array_view_create(amp_extent1(CHUNK), &x, type, size, false),
                               amp_array_view_create(amp_extent1(CHUNK), &y, type, size, false),
                               amp_array_view_create(amp_extent1(CHUNK), &r, type, size, false)};
    for (long at = 0; at < n_samples; at += CHUNK) {
        for (int i = 0; i < CHUNK; i++) {
            fill(&x, i, function->low[0], function->high[0], is_float);
            fill(&y, i, function->low[1], function->high[1], is_float);
        }
        for (int v = 0; v < 3; v++)
            amp_refresh(views[v]);
        if (amp_parallel_for_each(amp_extent1(CHUNK), function->kernel, views[0], views[1], views[2]) != AMP_OK ||
            amp_synchronize(views[2]) != AMP_OK) {
            fprintf(stderr, "%s\n", amp_error_text());
            exit(2);
        }
        for (int i = 0; i < CHUNK; i++) {
            long double got, reference;
            double a = is_float ? x.f[i] : x.d[i], b = is_float ? y.f[i] : y.d[i];
            got = is_float ? r.f[i] : r.d[i];
            if (is_float)
                reference = n_arguments == 1 ? ((double (*)(double))function->reference)(a)
                                             : ((double (*)(double, double))function->reference)(a, b);
            else
                reference = n_arguments == 1 ? ((long double (*)(long double))function->reference)(a)
                                             : ((long double (*)(long double, long double))function->reference)(a, b);
            double error = error_of(got, reference, is_float);
            if (error > function->limit && !(largest > function->limit))
                fprintf(stderr, "%s: %a, %a gives %La, but should be %La\n", function->name, a, b, got, reference);
            largest = fmax(largest, error);
        }
    }
    for (int v = 0; v < 3; v++)
        amp_array_view_release(views[v]);
    return largest;
}

int main(int argc, char **argv)
{
    long n_samples = argc > 1 ? atol(argv[1]) : 1000000;
    int status = 0;
    for (int f = 0; f < N_FUNCTIONS; f++) {
        if (argc > 2 && strcmp(argv[2], floats[f].name) != 0)
            continue;
        int n_arguments = f < N_1 ? 1 : 2;
        double error = measure(&floats[f], n_arguments, 1, n_samples);
        double error2 = measure(&doubles[f], n_arguments, 0, n_samples);
        printf("%-12s %5.2f%c %5.2f%c\n", floats[f].name, error, error > floats[f].bound ? '*' : ' ', error2,
               error2 > doubles[f].bound ? '*' : ' ');
        status |= error > floats[f].limit || error2 > doubles[f].limit;
    }
    return status;
}

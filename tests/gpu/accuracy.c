// SPDX-License-Identifier: MIT
// REQUIRES: cuda
// RUN: %ampcc -O2 %s -o %t -lm
// RUN: env AMP_DEFAULT_ACCELERATOR=cuda:0 %t
// The largest error, in ULP, of functions of float in kernels on a GPU, whose own approximations are part of them:
// those of docs/gpu.md's table. Functions of one argument get all 2^32, the others 2^30 that are drawn. References are
// the functions of double there, which tests/docs/accuracy.c sets against the C library. Fails if an error is larger
// than in the table. An argument names the one function to measure.
#define _GNU_SOURCE
#include <amp.h>
#include <amp_math.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// X(function, the largest error)
#define FUNCTIONS_1(X)                                                                                                 \
    X(acos, 1.26) X(acosh, 2.02) X(asin, 1.90) X(asinh, 1.91) X(atan, 1.56) X(atanh, 1.82) X(cbrt, 0.82) X(cos, 1.54)  \
    X(cosh, 2.29) X(erf, 1.26) X(erfc, 4.87) X(exp, 1.94) X(exp10, 1.92) X(exp2, 2.06) X(expm1, 1.19) X(log, 0.92)     \
    X(log10, 0.93) X(log1p, 1.46) X(log2, 0.95) X(sin, 1.54) X(sinh, 2.72) X(tan, 3.20) X(tanh, 1.78) X(lgamma, 0.51)  \
    X(tgamma, 0.51) X(amp_rsqrt, 1.52) X(amp_rcbrt, 1.00) X(amp_sinpi, 0.97) X(amp_cospi, 0.88) X(amp_erfinv, 3.25)    \
    X(amp_erfcinv, 3.61)
// X(function, the largest error, the arguments of random numbers a and b)
#define FUNCTIONS_2(X)                                                                                                 \
    X(atan2, 1.85, number(a), b & 1 ? (int)b * 0x1p-30f : number(a) * ((int)b * 0x1p-30f))                             \
    X(hypot, 1.02, number(a), b & 1 ? number(b) : number(a) * ((int)b * 0x1p-30f))                                     \
    X(pow, 2.90, number(a & INT32_MAX), (int)b * 0x1p-31f * 150 / (log2f(number(a & INT32_MAX)) + 1e-9f))              \
    X(fmod, 0, number(a), number(b)) X(remainder, 0, number(a), number(b))

static float number(uint32_t bits) restrict(amp)
{
    union {
        uint32_t bits;
        float number;
    } value = {bits};
    return value.number;
}

static uint32_t draw(uint32_t h) restrict(amp)
{
    h = (h ^ h >> 16) * 0x7feb352d;
    h = (h ^ h >> 15) * 0x846ca68b;
    return h ^ h >> 16;
}

// In thousandths of the last place that a float as large as the reference has; at most a million.
static uint32_t error_of(float got, double reference) restrict(amp)
{
    double value = isinf(got) ? copysign(0x1p128, got) : got;
    if (isnan(reference) || isnan(got))
        return isnan(reference) && isnan(got) ? 0 : 1000000;
    if (fabs(reference) >= 0x1.ffffffp127) // rounds to infinity
        reference = copysign(0x1p128, reference);
    int exponent = reference == 0 ? -126 : ilogb(reference);
    double error = 1000 * ldexp(fabs(value - reference), 23 - (exponent < -126 ? -126 : exponent));
    return error < 1000000 ? (uint32_t)ceil(error) : 1000000;
}

// Kernels leave the largest error in the upper half of an integer, and the first argument in the lower one.
#define FLOAT_OF(name) name##f
#define KERNEL_1(name, limit)                                                                                          \
    static void name##_kernel(amp_index1 i, int N, uint64_t worst[N]) restrict(amp)                                    \
    {                                                                                                                  \
        uint64_t mine = 0;                                                                                             \
        for (uint32_t k = 0; k < 4096; k++) {                                                                          \
            uint32_t bits = (uint32_t)i[0] + (k << 20);                                                                \
            uint64_t one = (uint64_t)error_of(FLOAT_OF(name)(number(bits)), name((double)number(bits))) << 32 | bits;  \
            mine = one > mine ? one : mine;                                                                            \
        }                                                                                                              \
        amp_atomic_fetch_max(&worst[0], mine);                                                                         \
    }
#define KERNEL_2(name, limit, first, second)                                                                           \
    static void name##_kernel(amp_index1 i, int N, uint64_t worst[N]) restrict(amp)                                    \
    {                                                                                                                  \
        uint64_t mine = 0;                                                                                             \
        for (uint32_t k = 0; k < 1024; k++) {                                                                          \
            uint32_t at = ((uint32_t)i[0] << 10) + k, a = draw(at), b = draw(a + at);                                  \
            float x = first, y = second;                                                                               \
            uint64_t one = (uint64_t)error_of(FLOAT_OF(name)(x, y), name((double)x, (double)y)) << 32 | a;             \
            mine = one > mine ? one : mine;                                                                            \
        }                                                                                                              \
        amp_atomic_fetch_max(&worst[0], mine);                                                                         \
    }
FUNCTIONS_1(KERNEL_1)
FUNCTIONS_2(KERNEL_2)

#define ROW_1(name, limit) {#name, limit, (amp_kernel)name##_kernel},
#define ROW_2(name, limit, first, second) {#name, limit, (amp_kernel)name##_kernel},
static const struct {
    const char *name;
    double limit;
    amp_kernel kernel;
} functions[] = {FUNCTIONS_1(ROW_1) FUNCTIONS_2(ROW_2)};

int main(int argc, char **argv)
{
    int status = 0;
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) {
        if (argc > 1 && strcmp(argv[1], functions[f].name) != 0)
            continue;
        uint64_t worst = 0;
        amp_array_view *view = amp_array_view1(1, &worst);
        if (amp_parallel_for_each(amp_extent1(1 << 20), functions[f].kernel, view) != AMP_OK ||
            amp_synchronize(view) != AMP_OK) {
            fprintf(stderr, "%s\n", amp_error_text());
            return 2;
        }
        amp_array_view_release(view);
        uint32_t bits = (uint32_t)worst;
        float argument;
        memcpy(&argument, &bits, sizeof argument);
        double error = (double)(worst >> 32) / 1000;
        bool is_large = error > functions[f].limit;
        printf("%-12s %6.3f%s at %a\n", functions[f].name, error, is_large ? "*" : " ", argument);
        status |= is_large;
    }
    return status;
}

/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 -Wall -Wextra -Werror %s -lm -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=1 -ffp-contract=off %s -lm -o %t && %run-cpu %t
 * RUN: %ampcc -O0 %s -lm -o %t && %run-alone %t
 * RUN: %clang -O1 -I %build/include %s -L%build/lib -Wl,-rpath,%build/lib -lamp -lm -o %t && %t host
 * row: header.amp_math, math.precise, math.fast, language.host_math, T3
 *
 * <amp_math.h>: special values to the sign of zero, on the host and in kernels, and the same results on both; the fast
 * set against <math.h>. tests/docs/accuracy.c measures how exact the functions are. */
#include "check.h"

#include <amp_math.h>

#define INF (double)INFINITY

/* Exact results. */
static const struct {
    const char *name;
    double x, value;
} exact[] = {
    {"rsqrt", 4, 0.5},        {"rsqrt", 0x1p-1060, 0x1p530},
    {"rsqrt", 0.0, INF},      {"rsqrt", -0.0, -INF},
    {"rsqrt", INF, 0},        {"rsqrt", -1, NAN},
    {"rsqrt", NAN, NAN},      {"rsqrt", 0x1p1022, 0x1p-511},
    {"rcbrt", 8, 0.5},        {"rcbrt", -27 * 64, -1 / 12.0},
    {"rcbrt", -0.0, -INF},    {"rcbrt", 0.0, INF},
    {"rcbrt", -INF, -0.0},    {"rcbrt", 0x1p-1074, 0x1p358},
    {"rcbrt", NAN, NAN},      {"rcbrt", 0x1p1023, 0x1p-341},
    {"sinpi", 0.0, 0.0},      {"sinpi", -0.0, -0.0},
    {"sinpi", 0.5, 1},        {"sinpi", 1, 0.0},
    {"sinpi", -1, -0.0},      {"sinpi", 1.5, -1},
    {"sinpi", -0.5, -1},      {"sinpi", 2, 0.0},
    {"sinpi", 0x1p60, 0.0},   {"sinpi", -0x1p54, -0.0},
    {"sinpi", INF, NAN},      {"sinpi", NAN, NAN},
    {"sinpi", 8388607.5, -1}, {"cospi", 0, 1},
    {"cospi", 0.5, 0.0},      {"cospi", -0.5, 0.0},
    {"cospi", 1.5, 0.0},      {"cospi", 1, -1},
    {"cospi", -3, -1},        {"cospi", 4, 1},
    {"cospi", 16777215, -1},  {"cospi", 0x1p70, 1},
    {"cospi", -INF, NAN},     {"cospi", NAN, NAN},
    {"tanpi", 0.0, 0.0},      {"tanpi", -0.0, -0.0},
    {"tanpi", 1, -0.0},       {"tanpi", 2, 0.0},
    {"tanpi", -1, 0.0},       {"tanpi", 0.5, INF},
    {"tanpi", 1.5, -INF},     {"tanpi", -0.5, -INF},
    {"tanpi", -1.5, INF},     {"tanpi", -2, -0.0},
    {"tanpi", INF, NAN},      {"tanpi", NAN, NAN},
    {"exp10", -INF, 0},       {"exp10", 0, 1},
    {"exp10", INF, INF},      {"exp10", NAN, NAN},
    {"erfinv", 0.0, 0.0},     {"erfinv", -0.0, -0.0},
    {"erfinv", 1, INF},       {"erfinv", -1, -INF},
    {"erfinv", 1.25, NAN},    {"erfinv", -2, NAN},
    {"erfinv", NAN, NAN},     {"erfinv", INF, NAN},
    {"erfcinv", 1, 0.0},      {"erfcinv", 0, INF},
    {"erfcinv", 2, -INF},     {"erfcinv", -0.5, NAN},
    {"erfcinv", 2.5, NAN},    {"erfcinv", NAN, NAN},
    {"erfcinv", -INF, NAN},
};

#define SAME(a, b) (((a) == (b) && !signbit(a) == !signbit(b)) || (isnan(a) && isnan(b)))

#define ONE_ARGUMENT(X) X(rsqrt) X(rcbrt) X(sinpi) X(cospi) X(tanpi) X(exp10) X(erfinv) X(erfcinv)
#define KERNEL(T, f, name)                                                                                             \
    static void name##_##T(amp_index1 i, int N, const T x[N], const T y[N], T r[N]) restrict(cpu, amp)                 \
    {                                                                                                                  \
        if (y[i[0]] > -2)                                                                                              \
            r[i[0]] = amp_##name##f(x[i[0]]);                                                                          \
    }
#define KERNELS(name) KERNEL(float, f, name) KERNEL(double, , name)
ONE_ARGUMENT(KERNELS)

/* Those of other forms. */
#define OTHERS(T, f)                                                                                                   \
    static void scalb_##T(amp_index1 i, int N, const T x[N], const T y[N], T r[N]) restrict(cpu, amp)                  \
    {                                                                                                                  \
        r[i[0]] = amp_scalb##f(x[i[0]], y[i[0]]) + amp_scalb##f(x[i[0]], (T)(i[0] % 40 - 20));                         \
    }                                                                                                                  \
    static void pairs_##T(amp_index1 i, int N, const T x[N], const T y[N], T r[N]) restrict(cpu, amp)                  \
    {                                                                                                                  \
        T sine, cosine, v = x[i[0]];                                                                                   \
        int sign = 7;                                                                                                  \
        (void)y;                                                                                                       \
        amp_sincos##f(v, &sine, &cosine);                                                                              \
        r[i[0]] = sine * sine + cosine * cosine;                                                                       \
        T gamma = amp_lgamma##f(v, &sign);                                                                             \
        r[i[0]] += 10 * (T)sign + (isnan(gamma) ? 100 : isinf(gamma) ? 200 : 0);                                       \
    }                                                                                                                  \
    static void nans_##T(amp_index1 i, int N, const T x[N], const T y[N], T r[N]) restrict(cpu, amp)                   \
    {                                                                                                                  \
        (void)x, (void)y;                                                                                              \
        r[i[0]] = amp_nan##f(i[0] + 5);                                                                                \
    }
OTHERS(float, f)
OTHERS(double, )

#define FAST_1(X)                                                                                                      \
    X(acos) X(asin) X(atan) X(ceil) X(cos) X(cosh) X(exp) X(exp2) X(fabs) X(floor) X(log) X(log10) X(log2) X(round)    \
    X(sin) X(sinh) X(sqrt) X(tan) X(tanh) X(trunc)
#define FAST_2(X) X(atan2) X(fmax) X(fmin) X(pow)
#define FAST_KERNEL_1(name)                                                                                            \
    static void fast_##name(amp_index1 i, int N, const float x[N], const float y[N], float r[N]) restrict(cpu, amp)    \
    {                                                                                                                  \
        (void)y;                                                                                                       \
        r[i[0]] = amp_fast_##name##f(x[i[0]]);                                                                         \
    }
#define FAST_KERNEL_2(name)                                                                                            \
    static void fast_##name(amp_index1 i, int N, const float x[N], const float y[N], float r[N]) restrict(cpu, amp)    \
    {                                                                                                                  \
        r[i[0]] = amp_fast_##name##f(x[i[0]], y[i[0]]);                                                                \
    }
FAST_1(FAST_KERNEL_1)
FAST_2(FAST_KERNEL_2)

/* The rest of a division, or near a multiple what is left on its other side. */
static void fast_fmod(amp_index1 i, int N, const float x[N], const float y[N], float r[N]) restrict(cpu, amp)
{
    float rest = amp_fast_fmodf(x[i[0]], y[i[0]]), exact_rest = fmodf(x[i[0]], y[i[0]]);
    float error = fabsf(rest - exact_rest), slack = 1e-6f * fabsf(x[i[0]]);
    r[i[0]] = isnan(exact_rest) ? isnan(rest) != 0 : error <= slack || fabsf(error - fabsf(y[i[0]])) <= slack;
}

static void fast_rsqrt(amp_index1 i, int N, const float x[N], const float y[N], float r[N]) restrict(cpu, amp)
{
    (void)y;
    r[i[0]] = amp_fast_rsqrtf(x[i[0]]);
}

/* Takes numbers apart and puts them together again: what comes out is what went in, and 0.5 <= fraction < 1. */
static void fast_parts(amp_index1 i, int N, const float x[N], const float y[N], float r[N]) restrict(cpu, amp)
{
    float v = x[i[0]], whole, sine, cosine;
    int exponent;
    (void)y;
    float fraction = amp_fast_frexpf(v, &exponent), back = amp_fast_ldexpf(fraction, exponent);
    float rest = amp_fast_modff(v, &whole);
    amp_fast_sincosf(v, &sine, &cosine);
    bool is_plain = amp_fast_isfinite(v) && v != 0, good = amp_fast_isnan(v) ? amp_fast_isnan(back) : back == v;
    good = good && (!is_plain || (fabsf(fraction) >= 0.5f && fabsf(fraction) < 1));
    good = good && (amp_fast_isnan(v) || (!amp_fast_isinf(v) ? rest + whole == v : whole == v && rest == 0));
    good = good && (amp_fast_isnan(v) || amp_fast_signbit(v) == amp_fast_signbit(fraction)) && fabsf(rest) < 1;
    good = good && (!amp_fast_isfinite(v) || fabsf(sine * sine + cosine * cosine - 1) < 1e-5f);
    r[i[0]] = good || amp_fast_isnan(v) ? 1 : 0;
}

#define RUN(T)                                                                                                         \
    typedef void T##_function(const int *, int, const T *, const T *, T *);                                            \
    enum { N_##T = 3 * 97 };                                                                                           \
    static T T##_x[N_##T], T##_y[N_##T], T##_out[N_##T];                                                               \
    static void run_##T(T##_function *kernel, bool on_host)                                                            \
    {                                                                                                                  \
        for (int i = 0; i < N_##T; i++)                                                                                \
            T##_out[i] = 7;                                                                                            \
        if (on_host) {                                                                                                 \
            for (int i = 0; i < N_##T; i++)                                                                            \
                kernel((amp_index1){i}, N_##T, T##_x, T##_y, T##_out);                                                 \
            return;                                                                                                    \
        }                                                                                                              \
        amp_array_view *views[] = {amp_array_view1(N_##T, (const T *)T##_x), amp_array_view1(N_##T, (const T *)T##_y), \
                                   amp_array_view1(N_##T, T##_out)};                                                   \
        CHECK_OK(amp_parallel_for_each(amp_extent1(N_##T), kernel, views[0], views[1], views[2]));                     \
        for (int v = 0; v < 3; v++)                                                                                    \
            amp_array_view_release(views[v]);                                                                          \
    }                                                                                                                  \
    /* Both sides within some units in the last place of each other. */                                                \
    static void compare_##T(const char *name, T##_function *kernel, double ulps, bool on_host)                         \
    {                                                                                                                  \
        T want[N_##T];                                                                                                 \
        run_##T(kernel, true);                                                                                         \
        memcpy(want, T##_out, sizeof want);                                                                            \
        run_##T(kernel, on_host);                                                                                      \
        CHECK_ULPS(ulps, T##_out, want, N_##T, "%s of " #T, name);                                                     \
    }                                                                                                                  \
    static void check_exact_##T(const char *name, T##_function *kernel, bool on_host)                                  \
    {                                                                                                                  \
        for (int i = 0; i < N_##T; i++) {                                                                              \
            T##_x[i] = (T)exact[i % LENGTH(exact)].x;                                                                  \
            T##_y[i] = i % 3 - 1;                                                                                      \
        }                                                                                                              \
        run_##T(kernel, on_host);                                                                                      \
        for (int i = 0; i < N_##T; i++) {                                                                              \
            double x = exact[i % LENGTH(exact)].x, value = exact[i % LENGTH(exact)].value;                             \
            bool fits = (T)x == x && (T)value == value && (value == 0 || fabs(value) >= 0x1p-1022);                    \
            if (strcmp(exact[i % LENGTH(exact)].name, name) != 0 || (!fits && !isnan(x) && !isnan(value)))             \
                continue;                                                                                              \
            if (!SAME(T##_out[i], (T)value)) {                                                                         \
                fprintf(stderr, "%s(%a), " #T ": %a, expected %a\n", name, x, (double)T##_out[i], value);              \
                exit(1);                                                                                               \
            }                                                                                                          \
        }                                                                                                              \
    }
RUN(float)
RUN(double)

static void fill(double scale)
{
    for (int i = 0; i < N_float; i++) {
        double x = check_value(i) / 500.0 * scale, y = check_value(i + 5000) / 200.0;
        float_x[i] = (float)x;
        float_y[i] = (float)y;
        double_x[i] = x;
        double_y[i] = y;
    }
}

static void check_fast(const char *name, float_function *kernel, double (*reference)(double, double), bool on_host)
{
    run_float(kernel, on_host);
    for (int i = 0; i < N_float; i++) {
        double want = (float)reference(float_x[i], float_y[i]), got = float_out[i];
        if (isnan(want) ? !isnan(got) : !(got == want || fabs(got - want) <= 1e-5 * (fabs(want) + 0.01))) {
            fprintf(stderr, "fast %s(%a, %a): %a, expected %a\n", name, float_x[i], float_y[i], got, want);
            exit(1);
        }
    }
}
#define REFERENCE_1(name)                                                                                              \
    static double reference_##name(double x, double y)                                                                 \
    {                                                                                                                  \
        (void)y;                                                                                                       \
        return name(x);                                                                                                \
    }
#define REFERENCE_2(name)                                                                                              \
    static double reference_##name(double x, double y)                                                                 \
    {                                                                                                                  \
        return name(x, y);                                                                                             \
    }
FAST_1(REFERENCE_1)
FAST_2(REFERENCE_2)

static double reference_rsqrt(double x, double y)
{
    (void)y;
    return 1 / sqrt(x);
}

static void expect(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "%s is wrong\n", what);
        exit(1);
    }
}

static void check_nans(bool on_host)
{
    run_float(nans_float, on_host);
    run_double(nans_double, on_host);
    for (int i = 0; i < N_float; i++) {
        uint32_t f;
        uint64_t d;
        memcpy(&f, &float_out[i], sizeof f);
        memcpy(&d, &double_out[i], sizeof d);
        expect(isnan(float_out[i]) && f == 0x7fc00005 + (uint32_t)i, "amp_nanf");
        expect(isnan(double_out[i]) && d == 0x7ff8000000000005 + (uint64_t)i, "amp_nan");
    }
}

int main(int argc, char **argv)
{
    bool on_host = argc > 1; /* compiled by another compiler there are no kernels */
    (void)argv;
#define EXACT(name)                                                                                                    \
    check_exact_float(#name, name##_float, on_host);                                                                   \
    check_exact_double(#name, name##_double, on_host);
    ONE_ARGUMENT(EXACT)
    static const double scales[] = {1, 0.01, 30, 1e-30};
    for (int s = 0; s < LENGTH(scales); s++) {
        fill(scales[s]);
#define COMPARE(name)                                                                                                  \
    compare_float(#name, name##_float, 8, on_host);                                                                    \
    compare_double(#name, name##_double, 12, on_host);
        ONE_ARGUMENT(COMPARE)
        for (int i = 0; i < N_float; i += 3)
            float_y[i] = roundf(float_y[i]), double_y[i] = round(double_y[i]);
        compare_float("scalb", scalb_float, 0, on_host);
        compare_double("scalb", scalb_double, 0, on_host);
        compare_float("pairs", pairs_float, 4, on_host);
        compare_double("pairs", pairs_double, 4, on_host);
        for (int i = 0; i < N_float; i += 7)
            float_x[i] = i % 4 == 0 ? INFINITY : i % 4 == 1 ? -0.0f : i % 4 == 2 ? NAN : 1e-42f;
        run_float(fast_parts, on_host);
        for (int i = 0; i < N_float; i++)
            expect(float_out[i] == 1, "amp_fast_frexpf, ldexpf, modff or sincosf");
        run_float(fast_fmod, on_host);
        for (int i = 0; i < N_float; i++)
            expect(float_out[i] == 1, "amp_fast_fmodf");
#define FAST(name) check_fast(#name, fast_##name, reference_##name, on_host);
        FAST_1(FAST)
        FAST_2(FAST)
        FAST(rsqrt)
    }
    check_nans(on_host);

    /* What is special of the others. */
    int sign = 0;
    expect(amp_scalb(3, 4) == 48 && amp_scalb(-1, -INF) == 0 && signbit(amp_scalb(-1, -INF)) &&
               amp_scalb(-1, INF) == -INF && isnan(amp_scalb(0, INF)) && isnan(amp_scalb(INF, -INF)) &&
               isnan(amp_scalb(1, 0.5)) && amp_scalb(1, 1e300) == INF && amp_scalb(1, -1e300) == 0,
           "amp_scalb");
    expect(amp_lgamma(5, &sign) == log(24) && sign == 1, "amp_lgamma(5)");
    expect(amp_lgamma(-0.5, &sign) > 1 && sign == -1, "amp_lgamma(-0.5)");
    expect(amp_lgamma(-1.5, &sign) > 0 && sign == 1, "amp_lgamma(-1.5)");
    expect(amp_lgamma(-0.0, &sign) == INF && sign == -1, "amp_lgamma(-0)");
    expect(amp_lgamma(-3, &sign) == INF && sign == 1, "amp_lgamma(-3)");
    expect(fabs(erf(amp_erfinv(0.3)) - 0.3) < 1e-15 && fabs(erfc(amp_erfcinv(1e-20)) / 1e-20 - 1) < 1e-12, "erf");
    expect(amp_fast_ldexpf(1, -149) == 0x1p-149f && amp_fast_ldexpf(0x1p-149f, 270) == 0x1p121f &&
               amp_fast_ldexpf(3, 1000) == INFINITY && amp_fast_ldexpf(-3, -1000) == 0,
           "amp_fast_ldexpf");
    return 0;
}

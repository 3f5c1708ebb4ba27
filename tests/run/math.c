/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 -D_GNU_SOURCE -ffp-contract=off %s -lm -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 -D_GNU_SOURCE -ffp-contract=off --amp-lanes=1 %s -lm -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 -D_GNU_SOURCE -ffp-contract=off --amp-lanes=16 %s -lm -o %t && %run-native %t
 * RUN: %ampcc -O0 -D_GNU_SOURCE -ffp-contract=off --amp-lanes=8 %s -lm -o %t && %run-alone %t
 * row: math.precise, math.host, language.host_math
 *
 * Every function of <math.h> that kernels may call, float and double, over ordinary and special values, under a mask
 * and without. What IEEE 754 defines exactly must be exact, to the sign of zero; the others must lie within 4 units in
 * the last place of the C library's result, which is the bound of its vector functions. */
#include "check.h"

#define ONE_ARGUMENT(EXACT, CLOSE)                                                                                     \
    EXACT(ceil) EXACT(fabs) EXACT(floor) EXACT(nearbyint) EXACT(rint) EXACT(round) EXACT(roundeven) EXACT(sqrt)        \
    EXACT(trunc) EXACT(logb)                                                                                           \
    CLOSE(acos) CLOSE(acosh) CLOSE(asin) CLOSE(asinh) CLOSE(atan) CLOSE(atanh) CLOSE(cbrt) CLOSE(cos) CLOSE(cosh)      \
    CLOSE(erf) CLOSE(erfc) CLOSE(exp) CLOSE(exp2) CLOSE(exp10) CLOSE(expm1) CLOSE(lgamma) CLOSE(log) CLOSE(log10)      \
    CLOSE(log1p) CLOSE(log2) CLOSE(sin) CLOSE(sinh) CLOSE(tan) CLOSE(tanh) CLOSE(tgamma)
#define TWO_ARGUMENTS(EXACT, CLOSE)                                                                                    \
    EXACT(copysign) EXACT(fdim) EXACT(fmax) EXACT(fmin) EXACT(fmod) EXACT(nextafter) EXACT(remainder)                  \
    CLOSE(atan2) CLOSE(hypot) CLOSE(pow)

#define KERNEL1(T, suffix, name)                                                                                       \
    static void name##_##T(amp_index1 idx, int N, const T x[N], const T y[N], T out[N]) restrict(cpu, amp)             \
    {                                                                                                                  \
        out[idx[0]] = name##suffix(x[idx[0]]);                                                                         \
    }                                                                                                                  \
    static void name##_##T##_masked(amp_index1 idx, int N, const T x[N], const T y[N], T out[N]) restrict(cpu, amp)    \
    {                                                                                                                  \
        if (y[idx[0]] > 0)                                                                                             \
            out[idx[0]] = name##suffix(x[idx[0]]);                                                                     \
    }
#define KERNEL2(T, suffix, name)                                                                                       \
    static void name##_##T(amp_index1 idx, int N, const T x[N], const T y[N], T out[N]) restrict(cpu, amp)             \
    {                                                                                                                  \
        out[idx[0]] = name##suffix(x[idx[0]], y[idx[0]]);                                                              \
    }                                                                                                                  \
    static void name##_##T##_masked(amp_index1 idx, int N, const T x[N], const T y[N], T out[N]) restrict(cpu, amp)    \
    {                                                                                                                  \
        if (x[idx[0]] < y[idx[0]])                                                                                     \
            out[idx[0]] = name##suffix(x[idx[0]], y[0]);                                                               \
    }
#define BOTH1(name) KERNEL1(float, f, name) KERNEL1(double, , name)
#define BOTH2(name) KERNEL2(float, f, name) KERNEL2(double, , name)
ONE_ARGUMENT(BOTH1, BOTH1)
TWO_ARGUMENTS(BOTH2, BOTH2)

/* Functions of other forms; integer results are returned as real numbers. */
#define OTHERS(T, suffix)                                                                                              \
    static void fma_##T(amp_index1 idx, int N, const T x[N], const T y[N], T out[N]) restrict(cpu, amp)                \
    {                                                                                                                  \
        out[idx[0]] = fma##suffix(x[idx[0]], y[idx[0]], -x[N - 1 - idx[0]]);                                           \
    }                                                                                                                  \
    static void scale_##T(amp_index1 idx, int N, const T x[N], const T y[N], T out[N]) restrict(cpu, amp)              \
    {                                                                                                                  \
        int by = idx[0] % 300 - 150;                                                                                   \
        out[idx[0]] = ldexp##suffix(x[idx[0]], by);                                                                    \
        if (y[idx[0]] > 0)                                                                                             \
            out[idx[0]] = scalbn##suffix(out[idx[0]], -by) + scalbln##suffix(y[idx[0]], by);                           \
    }                                                                                                                  \
    static void rounded_##T(amp_index1 idx, int N, const T x[N], const T y[N], T out[N]) restrict(cpu, amp)            \
    {                                                                                                                  \
        T v = x[idx[0]];                                                                                               \
        if (fabs##suffix(v) < 1000000 && v != 0)                                                                       \
            out[idx[0]] = (T)(lrint##suffix(v) + 3 * lround##suffix(v) + llrint##suffix(v) - 5 * llround##suffix(v) +  \
                              7 * ilogb##suffix(v));                                                                   \
    }                                                                                                                  \
    static void through_pointers_##T(amp_index1 idx, int N, const T x[N], const T y[N], T out[N]) restrict(cpu, amp)   \
    {                                                                                                                  \
        T v = x[idx[0]], whole, sine, cosine;                                                                          \
        int exponent = 0, quotient = 0;                                                                                \
        if (isfinite(v) && isfinite(y[idx[0]])) {                                                                      \
            T sum = frexp##suffix(v, &exponent) + (T)exponent;                                                         \
            sum += 3 * modf##suffix(v, &whole);                                                                        \
            sincos##suffix(v, &sine, &cosine);                                                                         \
            if (y[idx[0]] != 0)                                                                                        \
                sum += remquo##suffix(v, y[idx[0]], &quotient);                                                        \
            out[idx[0]] = sum + fmod##suffix(whole, 100) + (sine - cosine) + (T)(quotient & 7);                        \
        } else {                                                                                                       \
            out[idx[0]] = 99;                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    static void classes_##T(amp_index1 idx, int N, const T x[N], const T y[N], T out[N]) restrict(cpu, amp)            \
    {                                                                                                                  \
        T v = x[idx[0]], w = y[idx[0]];                                                                                \
        out[idx[0]] = (isnan(v) != 0) + 2 * (isinf(v) != 0) + 4 * (isfinite(v) != 0) + 8 * (isnormal(v) != 0) +        \
                      16 * (signbit(v) != 0) + 32 * isless(v, w) + 64 * isgreaterequal(v, w) +                         \
                      128 * isunordered(v, w) + 256 * (T)fpclassify(v) + 4096 * islessgreater(v, w) +                  \
                      8192 * (v == w) + 16384 * (v != w);                                                              \
    }                                                                                                                  \
    /* Many calls that depend on each other, in a loop whose trip count differs. */                                    \
    static void iterated_##T(amp_index1 idx, int N, const T x[N], const T y[N], T out[N]) restrict(cpu, amp)           \
    {                                                                                                                  \
        T v = x[idx[0]];                                                                                               \
        for (int k = 0; k < idx[0] % 5; k++) {                                                                         \
            if (v > 2)                                                                                                 \
                v = sqrt##suffix(v);                                                                                   \
            else if (v < 0)                                                                                            \
                v = fabs##suffix(v) / 2;                                                                               \
            else                                                                                                       \
                v = floor##suffix(v * 8) - fmin##suffix(v, (T)0.25);                                                   \
        }                                                                                                              \
        out[idx[0]] = v;                                                                                               \
    }
OTHERS(float, f)
OTHERS(double, )

static const double special[] = {0.0,       -0.0,
                                 1,         -1,
                                 0.5,       -0.5,
                                 1.5,       2.5,
                                 -2.5,      3.5,
                                 INFINITY,  -INFINITY,
                                 NAN,       1e-30,
                                 -1e-30,    1e-45,
                                 1e-310,    1e30,
                                 -1e30,     3e38,
                                 1e300,     -1e300,
                                 2,         3,
                                 10,        0.1,
                                 -0.1,      0.9999,
                                 1.0001,    -0.99999,
                                 3.14159,   -1.570796,
                                 6.28319,   100,
                                 -100,      1000.5,
                                 1e5,       -1e5,
                                 8388607.5, 4503599627370495.5,
                                 16777217,  88.7,
                                 -87.3,     709.7,
                                 -745,      0.4999999701976776,
                                 127.5,     -149,
                                 1e-5,      33.25};

/* The error that a function may have where it runs. GPUs have a library of their own: docs/gpu.md has its errors, which
 * are larger beside zeros of lgamma. */
static double allowed(double ulps)
{
    bool is_gpu = !strncmp(amp_accelerator_info(amp_accelerator_default())->path, "cuda", 4);
    return is_gpu && ulps > 0 ? 8 : ulps;
}

#define RUN(T)                                                                                                         \
    typedef void T##_function(const int *, int, const T *, const T *, T *);                                            \
    static void run_##T(const char *name, T##_function *kernel, double ulps, bool is_exact)                            \
    {                                                                                                                  \
        static const int sizes[] = {1, 3, 16, 17, 33, 47, 48, 49, 200};                                                \
        for (int s = 0; s < LENGTH(sizes); s++) {                                                                      \
            int n = sizes[s];                                                                                          \
            T *x = check_alloc(n * sizeof(T)), *y = check_alloc(n * sizeof(T)), *out = check_alloc(n * sizeof(T));     \
            T *want = check_alloc(n * sizeof(T));                                                                      \
            for (int i = 0; i < n; i++) {                                                                              \
                x[i] = (T)(i < LENGTH(special) ? special[i] : check_value(i) / 37.0);                                  \
                y[i] = (T)(i % 4 == 1 ? special[i * 7 % LENGTH(special)] : check_value(i + 9) / 61.0);                 \
                out[i] = want[i] = 7;                                                                                  \
            }                                                                                                          \
            amp_array_view *v[] = {amp_array_view1(n, (const T *)x), amp_array_view1(n, (const T *)y),                 \
                                   amp_array_view1(n, out)};                                                           \
            CHECK_OK(amp_parallel_for_each(amp_extent1(n), kernel, v[0], v[1], v[2]));                                 \
            for (int i = 0; i < n; i++)                                                                                \
                kernel((amp_index1){i}, n, x, y, want);                                                                \
            CHECK_ULPS(allowed(ulps), out, want, n, "%s, extent %d", name, n);                                         \
            for (int i = 0; i < n && is_exact; i++)                                                                    \
                if (!isnan(want[i]) && signbit(want[i]) != signbit(out[i])) {                                          \
                    fprintf(stderr, "%s[%d], extent %d: got %g, expected %g\n", name, i, n, out[i], want[i]);          \
                    exit(1);                                                                                           \
                }                                                                                                      \
            for (int i = 0; i < 3; i++)                                                                                \
                amp_array_view_release(v[i]);                                                                          \
            check_free_all();                                                                                          \
        }                                                                                                              \
    }
RUN(float)
RUN(double)

int main(void)
{
    /* fmin and fmax of zeros may have either sign. */
#define TEST(T, name, ulps)                                                                                            \
    run_##T(#name "_" #T, name##_##T, ulps, ulps == 0 && strncmp(#name, "fm", 2) != 0);                                \
    run_##T(#name "_" #T "_masked", name##_##T##_masked, ulps, ulps == 0 && strncmp(#name, "fm", 2) != 0);
#define EXACT(name) TEST(float, name, 0) TEST(double, name, 0)
#define CLOSE(name) TEST(float, name, 4) TEST(double, name, 4)
    ONE_ARGUMENT(EXACT, CLOSE)
    TWO_ARGUMENTS(EXACT, CLOSE)
#define OTHER(T)                                                                                                       \
    run_##T("fma_" #T, fma_##T, 0, true);                                                                              \
    run_##T("scale_" #T, scale_##T, 0, true);                                                                          \
    run_##T("rounded_" #T, rounded_##T, 0, false);                                                                     \
    run_##T("through_pointers_" #T, through_pointers_##T, 4, false);                                                   \
    run_##T("classes_" #T, classes_##T, 0, false);                                                                     \
    run_##T("iterated_" #T, iterated_##T, 0, true);
    OTHER(float)
    OTHER(double)
    return 0;
}

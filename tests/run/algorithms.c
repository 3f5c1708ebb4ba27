/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 -Wall -Wextra -Werror %s -lm -o %t && %run %t
 * RUN: %ampcc -std=gnu11 -O0 --amp-check %s -lm -o %t && %run-cpu %t && env AMP_DEFAULT_ACCELERATOR=checked %t
 * RUN: %ampcc -std=gnu23 -O2 %s %build/lib/libamp.a -lm -o %t && %run-cpu %t
 *
 * Reductions, dot products and scans against plain C: all types, shapes and sections, lengths around those of chunks,
 * now and later. Sums of real numbers must have the bits of the order that is promised, at each level and with any
 * number of threads. */
#include "check.h"

#include <amp_algorithms.h>

static const int lengths[] = {1,  2,  3,   15,   16,    17,    31,    32,    33,    63,
                              64, 65, 127, 1000, 16383, 16384, 16385, 16417, 100003};

/* X(T, type for sums that wrap, type of sums, scale) */
#define EACH_TYPE(X)                                                                                                   \
    X(int8_t, uint8_t, 1)                                                                                              \
    X(uint8_t, uint8_t, 1)                                                                                             \
    X(int16_t, uint16_t, 50)                                                                                           \
    X(uint16_t, uint16_t, 50)                                                                                          \
    X(int32_t, uint32_t, 4000000)                                                                                      \
    X(uint32_t, uint32_t, 4000000)                                                                                     \
    X(int64_t, uint64_t, 18000000000000000)                                                                            \
    X(uint64_t, uint64_t, 18000000000000000)                                                                           \
    X(half, float, 1)                                                                                                  \
    X(bfloat, float, 1)                                                                                                \
    X(float, float, 1)                                                                                                 \
    X(double, double, 1)
typedef _Float16 half;
typedef __bf16 bfloat;

/* Floating-point numbers are such that all sums are exact in the type that adds. */
#define DEFINE(T, Sum, scale)                                                                                          \
    static T T##_value(int i)                                                                                          \
    {                                                                                                                  \
        return (T)((T)0.5 ? check_value(i) % 7 : check_value(i) * scale);                                              \
    }                                                                                                                  \
    static void T##_expect(T got, T want, const char *what, int n)                                                     \
    {                                                                                                                  \
        if (got == want)                                                                                               \
            return;                                                                                                    \
        fprintf(stderr, "%s of %d " #T ": got %.17g, expected %.17g\n", what, n, (double)got, (double)want);           \
        exit(1);                                                                                                       \
    }                                                                                                                  \
    /* A view of x or y that has n elements, and dense memory with the same elements. */                               \
    static void T##_check_reductions(amp_array_view *view, amp_array_view *other, const T *x, const T *y, int n)       \
    {                                                                                                                  \
        T sum = 1, least = 1, greatest = 1, dot = 1, later[4];                                                         \
        Sum want_sum = 0, want_dot = 0;                                                                                \
        T want_least = x[0], want_greatest = x[0];                                                                     \
        for (int i = 0; i < n; i++) {                                                                                  \
            want_sum += x[i];                                                                                          \
            want_dot += (Sum)(1u * (Sum)x[i] * (Sum)y[i]);                                                             \
            want_least = x[i] < want_least ? x[i] : want_least;                                                        \
            want_greatest = x[i] > want_greatest ? x[i] : want_greatest;                                               \
        }                                                                                                              \
        amp_auto_future *sum_future = amp_reduce_sum_async(view, &later[0]);                                           \
        amp_auto_future *min_future = amp_reduce_min_async(view, &later[1]);                                           \
        amp_auto_future *max_future = amp_reduce_max_async(view, &later[2]);                                           \
        amp_auto_future *dot_future = amp_dot_async(view, other, &later[3]);                                           \
        CHECK_OK(amp_reduce_sum(view, &sum));                                                                          \
        CHECK_OK(amp_reduce_min(view, &least));                                                                        \
        CHECK_OK(amp_reduce_max(view, &greatest));                                                                     \
        CHECK_OK(amp_dot(view, other, &dot));                                                                          \
        T##_expect(sum, (T)want_sum, "sum", n);                                                                        \
        T##_expect(least, want_least, "minimum", n);                                                                   \
        T##_expect(greatest, want_greatest, "maximum", n);                                                             \
        T##_expect(dot, (T)want_dot, "dot product", n);                                                                \
        CHECK_OK(amp_future_wait(sum_future));                                                                         \
        CHECK_OK(amp_future_wait(min_future));                                                                         \
        CHECK_OK(amp_future_wait(max_future));                                                                         \
        CHECK_OK(amp_future_wait(dot_future));                                                                         \
        T##_expect(later[0], sum, "sum later", n);                                                                     \
        T##_expect(later[1], least, "minimum later", n);                                                               \
        T##_expect(later[2], greatest, "maximum later", n);                                                            \
        T##_expect(later[3], dot, "dot product later", n);                                                             \
    }                                                                                                                  \
    /* Scans `from` to `to`; `x` has the elements of `from` as they were. */                                           \
    static void T##_check_scan(amp_array_view *to, amp_array_view *from, const T *x, int n, bool inclusive,            \
                               bool is_async)                                                                          \
    {                                                                                                                  \
        T *got = malloc((size_t)n * sizeof *got);                                                                      \
        if (is_async) {                                                                                                \
            amp_auto_future *future = amp_scan_sum_async(to, from, inclusive);                                         \
            CHECK_OK(amp_future_wait(future));                                                                         \
        } else {                                                                                                       \
            CHECK_OK(amp_scan_sum(to, from, inclusive));                                                               \
        }                                                                                                              \
        CHECK_OK(amp_copy_to(got, to, n));                                                                             \
        Sum sum = 0;                                                                                                   \
        for (int i = 0; i < n; i++) {                                                                                  \
            Sum with = (Sum)(sum + x[i]);                                                                              \
            T##_expect(got[i], (T)(inclusive ? with : sum), inclusive ? "scan" : "exclusive scan", i);                 \
            sum = with;                                                                                                \
        }                                                                                                              \
        free(got);                                                                                                     \
    }                                                                                                                  \
    static void T##_check_length(int n)                                                                                \
    {                                                                                                                  \
        T *x = check_alloc((size_t)n * sizeof *x), *y = check_alloc((size_t)n * sizeof *y);                            \
        for (int i = 0; i < n; i++) {                                                                                  \
            x[i] = T##_value(i);                                                                                       \
            y[i] = T##_value(i + 31);                                                                                  \
        }                                                                                                              \
        T *before = malloc((size_t)n * sizeof *before);                                                                \
        memcpy(before, x, (size_t)n * sizeof *x);                                                                      \
        amp_array_view *a = amp_array_view1(n, x), *b = amp_array_view1(n, (const T *)y);                              \
        amp_array_view *to = amp_array_view_without_source1(T, n);                                                     \
        T##_check_reductions(a, b, x, y, n);                                                                           \
        T##_check_reductions(b, b, y, y, n);                                                                           \
        T##_check_scan(to, b, y, n, true, false);                                                                      \
        T##_check_scan(to, b, y, n, false, true);                                                                      \
        T##_check_scan(a, a, before, n, n % 2, false);                                                                 \
        amp_array_view_release(a);                                                                                     \
        amp_array_view_release(b);                                                                                     \
        amp_array_view_release(to);                                                                                    \
        free(before);                                                                                                  \
        check_free_all();                                                                                              \
    }                                                                                                                  \
    static void T##_check_shapes(void)                                                                                 \
    {                                                                                                                  \
        enum { L = 7, M = 23, N = 60, ROWS = M - 4, COLUMNS = N - 3 };                                                 \
        static T x[L][M][N], part[L * ROWS * COLUMNS];                                                                 \
        for (int i = 0; i < L * M * N; i++)                                                                            \
            x[0][0][i] = T##_value(i);                                                                                 \
        amp_auto_array_view *all = amp_array_view_whole3(x), *matrix = amp_array_view_project(all, 5);                 \
        amp_auto_array_view *row = amp_array_view_project(matrix, 2);                                                  \
        T##_check_reductions(all, all, x[0][0], x[0][0], L * M * N);                                                   \
        T##_check_reductions(matrix, matrix, x[5][0], x[5][0], M * N);                                                 \
        T##_check_reductions(row, row, x[5][2], x[5][2], N);                                                           \
        int n = 0;                                                                                                     \
        for (int i = 1; i < L; i++)                                                                                    \
            for (int j = 3; j < 3 + ROWS; j++)                                                                         \
                for (int k = 2; k < 2 + COLUMNS; k++)                                                                  \
                    part[n++] = x[i][j][k];                                                                            \
        amp_auto_array_view *section = amp_array_view_section3(all, 1, 3, 2, L - 1, ROWS, COLUMNS);                    \
        amp_auto_array_view *dense = amp_array_view3(L - 1, ROWS, COLUMNS, (const T *)part);                           \
        amp_auto_array_view *to = amp_array_view_without_source3(T, L - 1, ROWS, COLUMNS);                             \
        T##_check_reductions(section, dense, part, part, n);                                                           \
        T##_check_scan(to, section, part, n, true, true);                                                              \
        T corner = x[0][0][0], end = x[L - 1][M - 1][N - 1];                                                           \
        T##_check_scan(section, section, part, n, false, false);                                                       \
        CHECK_OK(amp_synchronize(all));                                                                                \
        T##_expect(x[0][0][0], corner, "element outside of the section", 0);                                           \
        T##_expect(x[L - 1][M - 1][N - 1], end, "element outside of the section", n);                                  \
    }
EACH_TYPE(DEFINE)

static void check_nan(void)
{
    float x[100], least, greatest, hidden;
    for (int i = 0; i < 100; i++)
        x[i] = i % 3 ? NAN : (float)i;
    amp_auto_array_view *view = amp_array_view_whole1(x), *none = amp_array_view_section1(view, 1, 2);
    CHECK_OK(amp_reduce_min(view, &least));
    CHECK_OK(amp_reduce_max(view, &greatest));
    CHECK_OK(amp_reduce_max(none, &hidden));
    if (least != 0 || greatest != 99 || !isnan(hidden)) {
        fprintf(stderr, "least %g, greatest %g of numbers and NaNs, %g of NaNs\n", least, greatest, hidden);
        exit(1);
    }
}

/* What docs/language.md says of the order of additions, as plain C: the same bits. */
#define DEFINE_ORDER(T, Sum, columns)                                                                                  \
    /* The sum of the products of n elements. */                                                                       \
    static double T##_sum_of(int n, const T *x, const T *y)                                                            \
    {                                                                                                                  \
        double sums[columns] = {0};                                                                                    \
        for (int begin = 0; begin < n; begin += 16384) {                                                               \
            Sum parts[columns] = {0};                                                                                  \
            for (int i = begin; i < n && i < begin + 16384; i++) {                                                     \
                Sum product = (Sum)x[i] * (Sum)y[i];                                                                   \
                parts[(i - begin) % (columns)] += product;                                                             \
            }                                                                                                          \
            for (int c = 0; c < (columns); c++)                                                                        \
                sums[c] += (double)parts[c];                                                                           \
        }                                                                                                              \
        for (int half = (columns) / 2; half > 0; half /= 2)                                                            \
            for (int c = 0; c < half; c++)                                                                             \
                sums[c] += sums[c + half];                                                                             \
        return sums[0];                                                                                                \
    }                                                                                                                  \
    static void T##_check_order(void)                                                                                  \
    {                                                                                                                  \
        enum { N = 200001 };                                                                                           \
        static T x[N], ones[N], prefix[N];                                                                             \
        for (int i = 0; i < N; i++) {                                                                                  \
            x[i] = (T)(1.0 / (i % 1000 + 3));                                                                          \
            ones[i] = 1;                                                                                               \
        }                                                                                                              \
        amp_auto_array_view *view = amp_array_view1(N, (const T *)x), *to = amp_array_view_whole1(prefix);             \
        T sum, dot;                                                                                                    \
        CHECK_OK(amp_reduce_sum(view, &sum));                                                                          \
        CHECK_OK(amp_dot(view, view, &dot));                                                                           \
        CHECK_OK(amp_scan_sum(to, view, true));                                                                        \
        CHECK_OK(amp_synchronize(to));                                                                                 \
        T##_expect(sum, (T)T##_sum_of(N, x, ones), "sum in order", N);                                                 \
        T##_expect(dot, (T)T##_sum_of(N, x, x), "dot product in order", N);                                            \
        double before = 0;                                                                                             \
        for (int begin = 0; begin < N; begin += 16384) {                                                               \
            int n = N - begin < 16384 ? N - begin : 16384;                                                             \
            Sum running = (Sum)before;                                                                                 \
            for (int i = 0; i < n; i++) {                                                                              \
                running += (Sum)x[begin + i];                                                                          \
                T##_expect(prefix[begin + i], (T)running, "scan in order", begin + i);                                 \
            }                                                                                                          \
            before += T##_sum_of(n, x + begin, ones);                                                                  \
        }                                                                                                              \
    }
#pragma STDC FP_CONTRACT OFF
DEFINE_ORDER(half, float, 32)
DEFINE_ORDER(bfloat, float, 32)
DEFINE_ORDER(float, float, 32)
DEFINE_ORDER(double, double, 16)

int main(void)
{
    for (int i = 0; i < LENGTH(lengths); i++) {
#define CHECK_LENGTH(T, Sum, scale) T##_check_length(lengths[i]);
        EACH_TYPE(CHECK_LENGTH)
    }
#define CHECK_SHAPES(T, Sum, scale) T##_check_shapes();
    EACH_TYPE(CHECK_SHAPES)
    check_nan();
    half_check_order();
    bfloat_check_order();
    float_check_order();
    double_check_order();
    return 0;
}

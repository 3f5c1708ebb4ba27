/* SPDX-License-Identifier: MIT
 *
 * c = a * b for square matrices of several sizes, powers of two and others, of float and double. */
#include "../bench.h"

enum { SMALL = 64 }; /* the extents of each of many small matrices, which have as many elements as one of `size` */
static int size;
static float *a_float, *b_float, *c_float;
static double *a_double, *b_double, *c_double;

#define PROBLEM(T)                                                                                                     \
    static void set_up_##T(int n)                                                                                      \
    {                                                                                                                  \
        size_t count = (size_t)n * (size_t)n;                                                                          \
        size = n;                                                                                                      \
        a_##T = new_array(count * sizeof(T));                                                                          \
        b_##T = new_array(count * sizeof(T));                                                                          \
        c_##T = new_array(count * sizeof(T));                                                                          \
        for (size_t i = 0; i < count; i++) {                                                                           \
            a_##T[i] = (T)small((uint32_t)i);                                                                          \
            b_##T[i] = (T)small(~(uint32_t)i);                                                                         \
        }                                                                                                              \
    }                                                                                                                  \
    /* The element of the result that the sum of x[k] * y[k * step] is. */                                             \
    static void verify_sum_##T(const T *x, const T *y, int n, int step, int at)                                        \
    {                                                                                                                  \
        double sum = 0;                                                                                                \
        for (int k = 0; k < n; k++)                                                                                    \
            sum += (double)x[k] * (double)y[k * step];                                                                 \
        expect((double)c_##T[at], sum, 0, (size_t)at);                                                                 \
    }                                                                                                                  \
    /* Some elements of all rows of a times `other` transposed. */                                                     \
    static void verify_times_##T(const T *other)                                                                       \
    {                                                                                                                  \
        for (int row = 0; row < size; row++)                                                                           \
            for (int col = row % 7; col < size; col += 61)                                                             \
                verify_sum_##T(&a_##T[row * size], &other[col * size], size, 1, row * size + col);                     \
    }                                                                                                                  \
    static void verify_transposed_##T(void)                                                                            \
    {                                                                                                                  \
        verify_times_##T(b_##T);                                                                                       \
    }                                                                                                                  \
    static void verify_own_##T(void)                                                                                   \
    {                                                                                                                  \
        verify_times_##T(a_##T);                                                                                       \
    }                                                                                                                  \
    static void verify_many_##T(void)                                                                                  \
    {                                                                                                                  \
        for (int at = 0; at < size * size; at += 7) {                                                                  \
            int first = at / (SMALL * SMALL) * SMALL * SMALL, row = (at - first) / SMALL, col = (at - first) % SMALL;  \
            verify_sum_##T(&a_##T[first + row * SMALL], &b_##T[first + col], SMALL, SMALL, at);                        \
        }                                                                                                              \
    }                                                                                                                  \
    /* Some rows, whole. */                                                                                            \
    static void verify_##T(void)                                                                                       \
    {                                                                                                                  \
        enum { APART = 197 };                                                                                          \
        double *expected = new_array((size_t)size * sizeof *expected);                                                 \
        for (size_t row = 0, n = (size_t)size; row < n; row += APART) {                                                \
            memset(expected, 0, n * sizeof *expected);                                                                 \
            for (size_t k = 0; k < n; k++)                                                                             \
                for (size_t col = 0; col < n; col++)                                                                   \
                    expected[col] += (double)a_##T[row * n + k] * (double)b_##T[k * n + col];                          \
            for (size_t col = 0; col < n; col++)                                                                       \
                expect((double)c_##T[row * n + col], expected[col], 0, row * n + col);                                 \
        }                                                                                                              \
        free(expected);                                                                                                \
    }
PROBLEM(float)
PROBLEM(double)

/* A variant for each size and type, with the functions that the including file defines: prepare_T(n) and run_T(). */
#define SIZE(T, n)                                                                                                     \
    static void prepare_##T##_##n(void)                                                                                \
    {                                                                                                                  \
        prepare_##T(n);                                                                                                \
    }                                                                                                                  \
    BENCH("products", #n " " #T, prepare_##T##_##n, run_##T, verify_##T)

/* The other forms, with the functions run_FORM_T(). */
#define FORM(form, T, n, verify)                                                                                       \
    static void prepare_##form##_##T##_##n(void)                                                                       \
    {                                                                                                                  \
        prepare_##T(n);                                                                                                \
    }                                                                                                                  \
    BENCH("products", #n " " #T " " #form, prepare_##form##_##T##_##n, run_##form##_##T, verify)
#define EACH_FORM(T)                                                                                                   \
    FORM(flat, T, 1000, verify_##T)                                                                                    \
    FORM(flat, T, 1024, verify_##T)                                                                                    \
    FORM(flat, T, 2000, verify_##T)                                                                                    \
    FORM(flat, T, 2048, verify_##T)                                                                                    \
    FORM(transposed, T, 1000, verify_transposed_##T)                                                                   \
    FORM(transposed, T, 1024, verify_transposed_##T)                                                                   \
    FORM(transposed, T, 2000, verify_transposed_##T)                                                                   \
    FORM(transposed, T, 2048, verify_transposed_##T)                                                                   \
    FORM(own, T, 1000, verify_own_##T)                                                                                 \
    FORM(own, T, 2048, verify_own_##T)                                                                                 \
    FORM(many, T, 1024, verify_many_##T)

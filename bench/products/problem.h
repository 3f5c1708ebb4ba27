/* SPDX-License-Identifier: MIT
 *
 * c = a * b for square matrices of several sizes, powers of two and others, of float and double. */
#include "../bench.h"

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

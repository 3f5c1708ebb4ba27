/* SPDX-License-Identifier: MIT */
#include "problem.h"

#ifdef __AVX512F__
enum { VECTOR = 64, ROWS = 8 };
#else
enum { VECTOR = 32, ROWS = 4 };
#endif

#define NATURAL(T)                                                                                                     \
    static void natural_##T(void)                                                                                      \
    {                                                                                                                  \
        const T(*a)[SIZE] = (void *)a_##T, (*b)[SIZE] = (void *)b_##T;                                                 \
        T(*c)[SIZE] = (void *)c_##T;                                                                                   \
        _Pragma("omp parallel for collapse(2)") for (int row = 0; row < SIZE; row++)                                   \
        {                                                                                                              \
            for (int col = 0; col < SIZE; col++) {                                                                     \
                T sum = 0;                                                                                             \
                _Pragma("omp simd reduction(+ : sum)") for (int k = 0; k < SIZE; k++) sum += a[row][k] * b[k][col];    \
                c[row][col] = sum;                                                                                     \
            }                                                                                                          \
        }                                                                                                              \
    }

/* The loops run in the order i, k, j. */
#define REORDERED(T)                                                                                                   \
    static void reordered_##T(void)                                                                                    \
    {                                                                                                                  \
        const T(*a)[SIZE] = (void *)a_##T, (*b)[SIZE] = (void *)b_##T;                                                 \
        T(*c)[SIZE] = (void *)c_##T;                                                                                   \
        _Pragma("omp parallel for") for (int row = 0; row < SIZE; row++)                                               \
        {                                                                                                              \
            memset(c[row], 0, sizeof c[row]);                                                                          \
            for (int k = 0; k < SIZE; k++) {                                                                           \
                T x = a[row][k];                                                                                       \
                _Pragma("omp simd") for (int col = 0; col < SIZE; col++) c[row][col] += x * b[k][col];                 \
            }                                                                                                          \
        }                                                                                                              \
    }

/* Two vectors of columns of b are packed and multiplied by blocks of rows held in registers. */
#define BLOCKED(T)                                                                                                     \
    typedef T vector_##T __attribute__((vector_size(VECTOR)));                                                         \
    static void blocked_##T(void)                                                                                      \
    {                                                                                                                  \
        enum { COLS = 2 * VECTOR / sizeof(T) };                                                                        \
        const T(*a)[SIZE] = (void *)a_##T, (*b)[SIZE] = (void *)b_##T;                                                 \
        T(*c)[SIZE] = (void *)c_##T;                                                                                   \
        _Pragma("omp parallel for schedule(static)") for (int col = 0; col < SIZE; col += COLS)                        \
        {                                                                                                              \
            static _Thread_local vector_##T panel[SIZE][2];                                                            \
            for (int k = 0; k < SIZE; k++)                                                                             \
                memcpy(panel[k], &b[k][col], sizeof panel[k]);                                                         \
            for (int row = 0; row < SIZE; row += ROWS) {                                                               \
                vector_##T sum[ROWS][2] = {0};                                                                         \
                for (int k = 0; k < SIZE; k++) {                                                                       \
                    vector_##T left = panel[k][0], right = panel[k][1];                                                \
                    _Pragma("GCC unroll 8") for (int r = 0; r < ROWS; r++)                                             \
                    {                                                                                                  \
                        sum[r][0] += a[row + r][k] * left;                                                             \
                        sum[r][1] += a[row + r][k] * right;                                                            \
                    }                                                                                                  \
                }                                                                                                      \
                _Pragma("GCC unroll 8") for (int r = 0; r < ROWS; r++)                                                 \
                {                                                                                                      \
                    vector_##T *to = (void *)&c[row + r][col];                                                         \
                    to[0] = sum[r][0];                                                                                 \
                    to[1] = sum[r][1];                                                                                 \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }

#define VARIANTS(T) NATURAL(T) REORDERED(T) BLOCKED(T) BENCH("mxm", "natural " #T, set_up_##T, natural_##T, verify_##T)
VARIANTS(float)
VARIANTS(int)
BENCH("mxm", "reordered float", set_up_float, reordered_float, verify_float)
BENCH("mxm", "reordered int", set_up_int, reordered_int, verify_int)
BENCH("mxm", "blocked float", set_up_float, blocked_float, verify_float)
BENCH("mxm", "blocked int", set_up_int, blocked_int, verify_int)

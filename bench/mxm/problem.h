/* SPDX-License-Identifier: MIT
 *
 * c = a * b, 1024^3, float and int: c[i][j] = sum over k of a[i][k] * b[k][j]. */
#include "../bench.h"

enum { SIZE = 1024 };

static float *a_float, *b_float, *c_float;
static int *a_int, *b_int, *c_int;

#define PROBLEM(T)                                                                                                     \
    static void set_up_##T(void)                                                                                       \
    {                                                                                                                  \
        a_##T = new_array(SIZE * SIZE * sizeof(T));                                                                    \
        b_##T = new_array(SIZE * SIZE * sizeof(T));                                                                    \
        c_##T = new_array(SIZE * SIZE * sizeof(T));                                                                    \
        for (uint32_t i = 0; i < SIZE * SIZE; i++) {                                                                   \
            a_##T[i] = (T)small(i);                                                                                    \
            b_##T[i] = (T)small(~i);                                                                                   \
        }                                                                                                              \
    }                                                                                                                  \
    /* Whole rows, but not all of them. */                                                                             \
    static void verify_##T(void)                                                                                       \
    {                                                                                                                  \
        for (int row = 0; row < SIZE; row += 33) {                                                                     \
            double expected[SIZE] = {0};                                                                               \
            for (int k = 0; k < SIZE; k++)                                                                             \
                for (int col = 0; col < SIZE; col++)                                                                   \
                    expected[col] += (double)a_##T[row * SIZE + k] * (double)b_##T[k * SIZE + col];                    \
            for (int col = 0; col < SIZE; col++)                                                                       \
                expect((double)c_##T[row * SIZE + col], expected[col], 0, (size_t)(row * SIZE + col));                 \
        }                                                                                                              \
    }
PROBLEM(float)
#ifndef FLOAT_ONLY
PROBLEM(int)
#endif

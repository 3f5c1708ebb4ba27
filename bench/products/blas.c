/* SPDX-License-Identifier: MIT
 *
 * OpenBLAS's sgemm and dgemm, opened at run time. */
#include "problem.h"
#include <dlfcn.h>

#define run_flat_float  run_float
#define run_flat_double run_double

enum { CBLAS_ROW_MAJOR = 101, CBLAS_NO_TRANS = 111, CBLAS_TRANS = 112 };

#define GEMM(T, name)                                                                                                  \
    static void (*name)(int, int, int, int, int, int, T, const T *, int, const T *, int, T, T *, int);                 \
    static void prepare_##T(int n)                                                                                     \
    {                                                                                                                  \
        void *library = dlopen("libopenblas.so.0", RTLD_NOW);                                                          \
        if (!library)                                                                                                  \
            missing("libopenblas.so.0 (package libopenblas0-pthread)");                                                \
        *(void **)&name = dlsym(library, "cblas_" #name);                                                              \
        if (!name)                                                                                                     \
            die("libopenblas.so.0 lacks cblas_" #name);                                                                \
        set_up_##T(n);                                                                                                 \
    }                                                                                                                  \
    static void run_##T(void)                                                                                          \
    {                                                                                                                  \
        name(CBLAS_ROW_MAJOR, CBLAS_NO_TRANS, CBLAS_NO_TRANS, size, size, size, 1, a_##T, size, b_##T, size, 0, c_##T, \
             size);                                                                                                    \
    }                                                                                                                  \
    static void run_transposed_##T(void)                                                                               \
    {                                                                                                                  \
        name(CBLAS_ROW_MAJOR, CBLAS_NO_TRANS, CBLAS_TRANS, size, size, size, 1, a_##T, size, b_##T, size, 0, c_##T,    \
             size);                                                                                                    \
    }                                                                                                                  \
    static void run_own_##T(void)                                                                                      \
    {                                                                                                                  \
        name(CBLAS_ROW_MAJOR, CBLAS_NO_TRANS, CBLAS_TRANS, size, size, size, 1, a_##T, size, a_##T, size, 0, c_##T,    \
             size);                                                                                                    \
    }                                                                                                                  \
    static void run_many_##T(void)                                                                                     \
    {                                                                                                                  \
        for (int at = 0; at < size * size; at += SMALL * SMALL)                                                        \
            name(CBLAS_ROW_MAJOR, CBLAS_NO_TRANS, CBLAS_NO_TRANS, SMALL, SMALL, SMALL, 1, &a_##T[at], SMALL,           \
                 &b_##T[at], SMALL, 0, &c_##T[at], SMALL);                                                             \
    }
GEMM(float, sgemm)
GEMM(double, dgemm)

SIZE(float, 500)
SIZE(float, 512)
SIZE(float, 1000)
SIZE(float, 1008)
SIZE(float, 1024)
SIZE(float, 2000)
SIZE(float, 2048)
SIZE(float, 3000)
SIZE(float, 3008)
SIZE(float, 4096)
SIZE(double, 500)
SIZE(double, 512)
SIZE(double, 1000)
SIZE(double, 1008)
SIZE(double, 1024)
SIZE(double, 2000)
SIZE(double, 2048)
SIZE(double, 3000)
SIZE(double, 3008)
SIZE(double, 4096)

EACH_FORM(float)
EACH_FORM(double)

/* SPDX-License-Identifier: MIT
 *
 * Programs of the kinds that users bring, as they would write them. A file has the data of one program, the plain loops
 * that OpenMP runs, which are the peer and what our result is compared with, and the kernels with their launches. */
#pragma once

#include "../bench.h"

#ifdef _OPENMP

void omp_set_num_threads(int n); /* there may be a library without a header */

#define FOR_BOTH
#define VARIANT      "natural"
#define MEASURED     loops
#define ONE_THREAD() omp_set_num_threads(1)

#else

#include <amp.h>
#include <amp_algorithms.h>

#define FOR_BOTH restrict(cpu, amp)
#define VARIANT  "plain"
#define MEASURED launch
#define ONE_THREAD()

#endif

/* set_up() makes the data; launch() and loops() compute `array` from it, or from what the run before left. Each element
 * of it must be within `tolerance` of what the loops compute in one thread, in relation to values above 1. */
#define PORT(name, array, count, tolerance)                                                                            \
    static void verify(void)                                                                                           \
    {                                                                                                                  \
        size_t n = (count);                                                                                            \
        __typeof__(array) measured = array;                                                                            \
        set_up();                                                                                                      \
        ONE_THREAD();                                                                                                  \
        for (long i = 0; i < bench_runs; i++)                                                                          \
            loops();                                                                                                   \
        for (size_t i = 0; i < n; i++) {                                                                               \
            double expected = (double)array[i];                                                                        \
            expect((double)measured[i], expected, (tolerance) * fmax(1, fabs(expected)), i);                           \
        }                                                                                                              \
    }                                                                                                                  \
    BENCH(name, VARIANT, set_up, MEASURED, verify)

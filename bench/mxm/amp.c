/* SPDX-License-Identifier: MIT */
#include "kernel.h"
#include "problem.h"

static amp_array_view *a, *b, *c;

static void multiply(amp_kernel kernel)
{
    amp_discard_data(c);
    amp_parallel_for_each(amp_extent2(SIZE, SIZE), kernel, a, b, c);
    amp_synchronize(c);
}

#define PREPARE(T)                                                                                                     \
    static void prepare_##T(void)                                                                                      \
    {                                                                                                                  \
        set_up_##T();                                                                                                  \
        a = amp_array_view2(SIZE, SIZE, (const T *)a_##T);                                                             \
        b = amp_array_view2(SIZE, SIZE, (const T *)b_##T);                                                             \
        c = amp_array_view2(SIZE, SIZE, c_##T);                                                                        \
    }
PREPARE(float)
PREPARE(int)

#define VARIANT(name, T)                                                                                               \
    static void run_##name##_##T(void)                                                                                 \
    {                                                                                                                  \
        multiply((amp_kernel)name##_##T);                                                                              \
    }                                                                                                                  \
    BENCH("mxm", #name " " #T, prepare_##T, run_##name##_##T, verify_##T)

VARIANT(simple, float)
VARIANT(simple, int)
VARIANT(tiled16, float)
VARIANT(tiled16, int)
VARIANT(tiled8, float)
VARIANT(tiled32, float)

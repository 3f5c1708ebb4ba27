/* SPDX-License-Identifier: MIT */
#include "problem.h"

#include "../../samples/mxm_kernels.h"

static amp_array_view *a, *b, *c;

#define KERNEL(T)                                                                                                      \
    MXM_SIMPLE(multiply_##T, T)                                                                                        \
    static void prepare_##T(int n)                                                                                     \
    {                                                                                                                  \
        set_up_##T(n);                                                                                                 \
        a = amp_array_view2(n, n, (const T *)a_##T);                                                                   \
        b = amp_array_view2(n, n, (const T *)b_##T);                                                                   \
        c = amp_array_view2(n, n, c_##T);                                                                              \
    }                                                                                                                  \
    static void run_##T(void)                                                                                          \
    {                                                                                                                  \
        amp_discard_data(c);                                                                                           \
        amp_parallel_for_each(amp_extent2(size, size), multiply_##T, a, b, c);                                         \
        amp_synchronize(c);                                                                                            \
    }
KERNEL(float)
KERNEL(double)

SIZE(float, 500)
SIZE(float, 1000)
SIZE(float, 1024)
SIZE(float, 2000)
SIZE(float, 2048)
SIZE(float, 3000)
SIZE(float, 4096)
SIZE(double, 500)
SIZE(double, 1000)
SIZE(double, 1024)
SIZE(double, 2000)
SIZE(double, 2048)
SIZE(double, 3000)
SIZE(double, 4096)

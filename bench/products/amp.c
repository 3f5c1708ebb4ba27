/* SPDX-License-Identifier: MIT */
#include "problem.h"

#include "../../samples/mxm_kernels.h"

static amp_array_view *a, *b, *c;

#define RUN(name, kernel)                                                                                              \
    static void name(void)                                                                                             \
    {                                                                                                                  \
        amp_discard_data(c);                                                                                           \
        amp_parallel_for_each(amp_extent2(size, size), kernel, a, b, c);                                               \
        amp_synchronize(c);                                                                                            \
    }
#define KERNELS(T)                                                                                                     \
    MXM_SIMPLE(multiply_##T, T)                                                                                        \
    MXM_TILED(multiply_tiles_##T, T, 16)                                                                               \
    static void prepare_##T(int n)                                                                                     \
    {                                                                                                                  \
        set_up_##T(n);                                                                                                 \
        a = amp_array_view2(n, n, (const T *)a_##T);                                                                   \
        b = amp_array_view2(n, n, (const T *)b_##T);                                                                   \
        c = amp_array_view2(n, n, c_##T);                                                                              \
    }                                                                                                                  \
    RUN(run_##T, multiply_##T)                                                                                         \
    RUN(run_tiles_##T, multiply_tiles_##T)
KERNELS(float)
KERNELS(double)

/* Matrices whose extents are multiples of a tile's. */
#define TILES(T, n)                                                                                                    \
    static void prepare_tiles_##T##_##n(void)                                                                          \
    {                                                                                                                  \
        prepare_##T(n);                                                                                                \
    }                                                                                                                  \
    BENCH("products", #n " " #T " in tiles", prepare_tiles_##T##_##n, run_tiles_##T, verify_##T)

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

TILES(float, 512)
TILES(float, 1008)
TILES(float, 1024)
TILES(float, 2000)
TILES(float, 2048)
TILES(float, 3008)
TILES(float, 4096)
TILES(double, 512)
TILES(double, 1008)
TILES(double, 1024)
TILES(double, 2000)
TILES(double, 2048)
TILES(double, 3008)
TILES(double, 4096)

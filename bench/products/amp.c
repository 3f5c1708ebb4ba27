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

#define PRODUCT(T, n, form, words)                                                                                     \
    static void prepare_##form##_##T##_##n(void)                                                                       \
    {                                                                                                                  \
        prepare_##T(n);                                                                                                \
    }                                                                                                                  \
    BENCH("products", #n " " #T " " words, prepare_##form##_##T##_##n, run_##form##_##T, verify_##T)

/* Matrices whose extents are multiples of a tile's. */
#define TILES(T, n) PRODUCT(T, n, tiles, "in tiles")

/* The same for any extents, as programs for CUDA have it: each access is guarded. */
enum { TILE = 16 };
#define GUARDED(T)                                                                                                     \
    static void multiply_guarded_##T(amp_tiled_index2(TILE, TILE) t, int n, const T x[n][n], const T y[n][n],          \
                                     T z[n][n]) restrict(amp)                                                          \
    {                                                                                                                  \
        tile_static T of_x[TILE][TILE], of_y[TILE][TILE];                                                              \
        int row = t.global[0], col = t.global[1], ty = t.local[0], tx = t.local[1];                                    \
        T sum = 0;                                                                                                     \
        for (int i = 0; i < (n + TILE - 1) / TILE; i++) {                                                              \
            of_x[ty][tx] = row < n && i * TILE + tx < n ? x[row][i * TILE + tx] : 0;                                   \
            of_y[ty][tx] = col < n && i * TILE + ty < n ? y[i * TILE + ty][col] : 0;                                   \
            amp_tile_barrier_wait(t.barrier);                                                                          \
            for (int k = 0; k < TILE; k++)                                                                             \
                sum += of_x[ty][k] * of_y[k][tx];                                                                      \
            amp_tile_barrier_wait(t.barrier);                                                                          \
        }                                                                                                              \
        if (row < n && col < n)                                                                                        \
            z[row][col] = sum;                                                                                         \
    }                                                                                                                  \
    static void run_guarded_##T(void)                                                                                  \
    {                                                                                                                  \
        int n = (size + TILE - 1) / TILE * TILE;                                                                       \
        amp_discard_data(c);                                                                                           \
        amp_parallel_for_each(amp_extent2(n, n), multiply_guarded_##T, a, b, c);                                       \
        amp_synchronize(c);                                                                                            \
    }                                                                                                                  \
    PRODUCT(T, 1000, guarded, "in guarded tiles")                                                                      \
    PRODUCT(T, 1024, guarded, "in guarded tiles")                                                                      \
    PRODUCT(T, 2000, guarded, "in guarded tiles")                                                                      \
    PRODUCT(T, 2048, guarded, "in guarded tiles")

/* Other forms of a product: with a flat index, of a and b transposed, of a and a transposed, and of many small ones. */
#define FORMS(T)                                                                                                       \
    static void multiply_flat_##T(amp_index1 idx, int width, int n, const T x[n], const T y[n], T z[n]) restrict(amp)  \
    {                                                                                                                  \
        int row = idx[0] / width, col = idx[0] % width;                                                                \
        T sum = 0;                                                                                                     \
        for (int k = 0; k < width; k++)                                                                                \
            sum += x[row * width + k] * y[k * width + col];                                                            \
        z[row * width + col] = sum;                                                                                    \
    }                                                                                                                  \
    static void run_flat_##T(void)                                                                                     \
    {                                                                                                                  \
        amp_auto_array_view *x = amp_array_view1(size * size, (const T *)a_##T);                                       \
        amp_auto_array_view *y = amp_array_view1(size * size, (const T *)b_##T);                                       \
        amp_auto_array_view *z = amp_array_view1(size * size, c_##T);                                                  \
        amp_discard_data(z);                                                                                           \
        amp_parallel_for_each(amp_extent1(size * size), multiply_flat_##T, size, x, y, z);                             \
        amp_synchronize(z);                                                                                            \
    }                                                                                                                  \
    static void multiply_transposed_##T(amp_index2 idx, int n, const T x[n][n], const T y[n][n], T z[n][n])            \
        restrict(amp)                                                                                                  \
    {                                                                                                                  \
        T sum = 0;                                                                                                     \
        for (int k = 0; k < n; k++)                                                                                    \
            sum += x[idx[0]][k] * y[idx[1]][k];                                                                        \
        z[idx[0]][idx[1]] = sum;                                                                                       \
    }                                                                                                                  \
    RUN(run_transposed_##T, multiply_transposed_##T)                                                                   \
    static void run_own_##T(void)                                                                                      \
    {                                                                                                                  \
        amp_discard_data(c);                                                                                           \
        amp_parallel_for_each(amp_extent2(size, size), multiply_transposed_##T, a, a, c);                              \
        amp_synchronize(c);                                                                                            \
    }                                                                                                                  \
    static void multiply_many_##T(amp_index3 idx, int n, const T x[n][SMALL][SMALL], const T y[n][SMALL][SMALL],       \
                                  T z[n][SMALL][SMALL]) restrict(amp)                                                  \
    {                                                                                                                  \
        T sum = 0;                                                                                                     \
        for (int k = 0; k < SMALL; k++)                                                                                \
            sum += x[idx[0]][idx[1]][k] * y[idx[0]][k][idx[2]];                                                        \
        z[idx[0]][idx[1]][idx[2]] = sum;                                                                               \
    }                                                                                                                  \
    static void run_many_##T(void)                                                                                     \
    {                                                                                                                  \
        int n = size * size / (SMALL * SMALL);                                                                         \
        amp_auto_array_view *x = amp_array_view3(n, SMALL, SMALL, (const T *)a_##T);                                   \
        amp_auto_array_view *y = amp_array_view3(n, SMALL, SMALL, (const T *)b_##T);                                   \
        amp_auto_array_view *z = amp_array_view3(n, SMALL, SMALL, c_##T);                                              \
        amp_discard_data(z);                                                                                           \
        amp_parallel_for_each(amp_extent3(n, SMALL, SMALL), multiply_many_##T, x, y, z);                               \
        amp_synchronize(z);                                                                                            \
    }
FORMS(float)
FORMS(double)

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

GUARDED(float)
GUARDED(double)

EACH_FORM(float)
EACH_FORM(double)

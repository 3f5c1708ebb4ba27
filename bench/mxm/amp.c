/* SPDX-License-Identifier: MIT */
#include "problem.h"
#include <amp.h>

#define SIMPLE(T)                                                                                                      \
    static void simple_##T(amp_index2 idx, int M, int N, int W, const T a[M][W], const T b[W][N],                      \
                           T c[M][N]) restrict(amp)                                                                    \
    {                                                                                                                  \
        int row = idx[0], col = idx[1];                                                                                \
        T sum = 0;                                                                                                     \
        for (int k = 0; k < W; k++)                                                                                    \
            sum += a[row][k] * b[k][col];                                                                              \
        c[row][col] = sum;                                                                                             \
    }

#define TILED(T, TS)                                                                                                   \
    static void tiled##TS##_##T(amp_tiled_index2(TS, TS) t, int M, int N, int W, const T a[M][W], const T b[W][N],     \
                                T c[M][N]) restrict(amp)                                                               \
    {                                                                                                                  \
        int row = t.local[0], col = t.local[1];                                                                        \
        T sum = 0;                                                                                                     \
        for (int i = 0; i < W; i += TS) {                                                                              \
            tile_static T local_a[TS][TS], local_b[TS][TS];                                                            \
            local_a[row][col] = a[t.global[0]][i + col];                                                               \
            local_b[row][col] = b[i + row][t.global[1]];                                                               \
            amp_tile_barrier_wait(t.barrier);                                                                          \
            for (int k = 0; k < TS; k++)                                                                               \
                sum += local_a[row][k] * local_b[k][col];                                                              \
            amp_tile_barrier_wait(t.barrier);                                                                          \
        }                                                                                                              \
        c[t.global[0]][t.global[1]] = sum;                                                                             \
    }

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

SIMPLE(float)
SIMPLE(int)
TILED(float, 16)
TILED(int, 16)
TILED(float, 8)
TILED(float, 32)
VARIANT(simple, float)
VARIANT(simple, int)
VARIANT(tiled16, float)
VARIANT(tiled16, int)
VARIANT(tiled8, float)
VARIANT(tiled32, float)

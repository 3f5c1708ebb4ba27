/* SPDX-License-Identifier: MIT
 *
 * The two kernels of the matrix multiplication, c[M][N] = a[M][W] * b[W][N], for elements of type T. */
#include <amp.h>

/* A thread for each element of c. */
#define MXM_SIMPLE(name, T)                                                                                            \
    static void name(amp_index2 idx, int M, int N, int W, const T a[M][W], const T b[W][N],                            \
                     T c[M][N]) restrict(amp)                                                                          \
    {                                                                                                                  \
        int row = idx[0], col = idx[1];                                                                                \
        T sum = 0;                                                                                                     \
        for (int k = 0; k < W; k++)                                                                                    \
            sum += a[row][k] * b[k][col];                                                                              \
        c[row][col] = sum;                                                                                             \
    }

/* A tile of TS x TS threads reads what they all need of a and b once, and shares it. Extents are multiples of TS. */
#define MXM_TILED(name, T, TS)                                                                                         \
    static void name(amp_tiled_index2(TS, TS) t, int M, int N, int W, const T a[M][W], const T b[W][N],                \
                          T c[M][N]) restrict(amp)                                                                     \
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

/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O3 --amp-gpu=none --amp-cpu=x86-64-v4 -c %s -o %t.o --amp-report 2>&1 | FileCheck %s
 * RUN: %ampcc -O3 --amp-gpu=none --amp-cpu=x86-64-v4 --amp-dump-after=optimise --amp-stop-after=optimise -c %s -o %t.o 2>&1 | FileCheck --check-prefix=CODE %s
 *
 * Products in tiles with guards, as programs for CUDA have them. Away from the borders they run without masks, and the
 * vectors that guards choose do not become large integers, of which LLVM shifts each element out.
 *
 * CODE-NOT: {{phi|load}} i512
 */
#include <amp.h>

enum { TILE = 16 };
#define PRODUCT(name, OF_X, OF_Y)                                                                                      \
    void name(amp_tiled_index2(TILE, TILE) t, int n, const float x[n][n], const float y[n][n], float z[n][n])          \
        restrict(amp)                                                                                                  \
    {                                                                                                                  \
        tile_static float of_x[TILE][TILE], of_y[TILE][TILE];                                                          \
        int row = t.global[0], col = t.global[1], ty = t.local[0], tx = t.local[1];                                    \
        float sum = 0;                                                                                                 \
        for (int i = 0; i < (n + TILE - 1) / TILE; i++) {                                                              \
            of_x[ty][tx] = OF_X;                                                                                       \
            of_y[ty][tx] = OF_Y;                                                                                       \
            amp_tile_barrier_wait(t.barrier);                                                                          \
            for (int k = 0; k < TILE; k++)                                                                             \
                sum += of_x[ty][k] * of_y[k][tx];                                                                      \
            amp_tile_barrier_wait(t.barrier);                                                                          \
        }                                                                                                              \
        if (row < n && col < n)                                                                                        \
            z[row][col] = sum;                                                                                         \
    }

/* CHECK: kernel all_guarded {{.*}} away from the borders 1 block without masks
 */
PRODUCT(all_guarded, row < n && i * TILE + tx < n ? x[row][i * TILE + tx] : 0,
        col < n && i * TILE + ty < n ? y[i * TILE + ty][col] : 0)

/* CHECK: kernel columns_guarded {{.*}} away from the borders 1 block without masks
 */
PRODUCT(columns_guarded, x[row][i * TILE + tx], col < n && i * TILE + ty < n ? y[i * TILE + ty][col] : 0)

/* What it reads need not be guarded, as arrays may be larger than the product.
 * CHECK: kernel result_guarded {{.*}} without tiles of 16x16
 */
PRODUCT(result_guarded, x[row][i * TILE + tx], y[i * TILE + ty][col])

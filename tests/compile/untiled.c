/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v3 -c %s -o %t.o --amp-report 2>&1 | FileCheck %s
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v3 -c %s -o %t.o --amp-report=json:%t.json && FileCheck --check-prefix=JSON %s < %t.json
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v3 --amp-panels=0 -c %s -o %t.o --amp-report 2>&1 | FileCheck --check-prefix=NONE %s
 * RUN: %ampcc -O2 -g --amp-gpu=none --amp-cpu=x86-64-v3 -c %s -o %t.o --amp-report 2>&1 | FileCheck %s
 *
 * Which kernels run without their tiles.
 *
 * NONE-NOT: without tiles
 */
#include <amp.h>

enum { SIDE = 8 };
#define PRODUCT(name, COPY_A, COPY_B, READ_A, READ_B, WRITE)                                                           \
    void name(amp_tiled_index2(SIDE, SIDE) t, int n, float a[n][n], float b[n][n], float c[n][n]) restrict(amp)        \
    {                                                                                                                  \
        tile_static float of_a[SIDE][SIDE], of_b[SIDE][SIDE];                                                          \
        int row = t.local[0], col = t.local[1];                                                                        \
        float sum = 0;                                                                                                 \
        for (int i = 0; i < n; i += SIDE) {                                                                            \
            COPY_A;                                                                                                    \
            COPY_B;                                                                                                    \
            amp_tile_barrier_wait(t.barrier);                                                                          \
            for (int k = 0; k < SIDE; k++)                                                                             \
                sum += READ_A * READ_B;                                                                                \
            amp_tile_barrier_wait(t.barrier);                                                                          \
            WRITE;                                                                                                     \
        }                                                                                                              \
        c[t.global[0]][t.global[1]] = sum;                                                                             \
    }
#define FROM_A of_a[row][col] = a[t.global[0]][i + col]
#define FROM_B of_b[row][col] = b[i + row][t.global[1]]

/* CHECK: kernel all {{.*}}; without tiles of 8x8, whose copies, as in line [[#@LINE+3]], are not needed{{$}}
 * JSON: "without_tiles": true
 */
PRODUCT(all, FROM_A, FROM_B, of_a[row][k], of_b[k][col], )

/* Loops that the user has unrolled.
 * CHECK: kernel unrolled {{.*}}; without tiles of 16x16
 */
void unrolled(amp_tiled_index2(16, 16) t, int n, const float a[n][n], const float b[n][n], float c[n][n]) restrict(amp)
{
    tile_static float of_a[16][16], of_b[16][16];
    int row = t.local[0], col = t.local[1];
    float sum = 0;
    for (int i = 0; i < n; i += 16) {
        of_a[row][col] = a[t.global[0]][i + col];
        of_b[row][col] = b[i + row][t.global[1]];
        amp_tile_barrier_wait(t.barrier);
#pragma unroll
        for (int k = 0; k < 16; k++)
            sum += of_a[row][k] * of_b[k][col];
        amp_tile_barrier_wait(t.barrier);
    }
    c[t.global[0]][t.global[1]] = sum;
}

/* The loop writes to an array.
 * CHECK-NOT: without tiles
 * JSON: "without_tiles": true
 * JSON-NOT: "without_tiles": true
 */
PRODUCT(written, FROM_A, FROM_B, of_a[row][k], of_b[k][col], c[t.global[0]][t.global[1]] = sum)

/* What is copied is computed. */
PRODUCT(computed, of_a[row][col] = 2 * a[t.global[0]][i + col], FROM_B, of_a[row][k], of_b[k][col], )

/* A thread reads what belongs to another row, or column. */
PRODUCT(other_row, FROM_A, FROM_B, of_a[k][col], of_b[k][col], )
PRODUCT(other_column, FROM_A, FROM_B, of_a[row][k], of_b[row][k], )

/* No tile reads what another one reads. */
PRODUCT(own, of_a[row][col] = a[t.global[0]][t.global[1]], FROM_B, of_a[row][col], of_b[k][col], )

/* Tile memory lacks some elements, or gets them in another order, or twice. */
PRODUCT(some, if (row > 1) FROM_A, FROM_B, of_a[row][k], of_b[k][col], )
PRODUCT(mirrored, of_a[row][SIDE - 1 - col] = a[t.global[0]][i + col], FROM_B, of_a[row][k], of_b[k][col], )
PRODUCT(twice, FROM_A, FROM_B; FROM_B, of_a[row][k], of_b[k][col], FROM_B)
PRODUCT(shared, of_a[row][0] = a[t.global[0]][i], FROM_B, of_a[row][0], of_b[k][col], )

/* How far the loop runs depends on what was copied, or on the index. */
PRODUCT(found, FROM_A, FROM_B, of_a[row][k], of_b[k][col], if (of_a[0][0] < 0) break)
PRODUCT(triangle, FROM_A, FROM_B, of_a[row][k], of_b[k][col], if (i > t.tile[0] * SIDE) break)

/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v4 -c %s -o %t.o --amp-report 2>&1 | FileCheck --check-prefixes=CHECK,BOTH %s
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v3 -c %s -o %t.o --amp-report 2>&1 | FileCheck --check-prefixes=CHECK,BOTH %s
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v4 --amp-panels=0 -c %s -o %t.o --amp-report 2>&1 | FileCheck --check-prefix=BOTH %s
 *
 * Which tiles read copies of what all tiles of their column read; with --amp-panels=0, none do.
 */
#include <amp.h>

#define TILED(name)                                                                                                    \
    void name(amp_tiled_index2(16, 16) t, int M, int N, int W, const float a[M][W], const float b[W][N],               \
              float c[M][N]) restrict(amp)
#define BEGIN                                                                                                          \
    tile_static float part[16][16];                                                                                    \
    int row = t.local[0], col = t.local[1];                                                                            \
    float sum = 0;

/* Of b the tiles below one another read the same, of a those beside.
 * BOTH: kernel simple
 * CHECK: read a {{.*}}contiguous; large boxes read a copy
 * CHECK: read b {{.*}}contiguous; large boxes read a copy
 */
TILED(simple)
{
    BEGIN
    for (int i = 0; i < W; i += 16) {
        part[row][col] = a[t.global[0]][i + col] * b[i + row][t.global[1]];
        amp_tile_barrier_wait(t.barrier);
        sum += part[15 - row][col];
        amp_tile_barrier_wait(t.barrier);
    }
    c[t.global[0]][t.global[1]] = sum;
}

/* Threads at the border read nothing, in all tiles of a column.
 * BOTH: kernel guarded {{.*}}; away from the borders {{.*}} with fewer masks
 * CHECK: read b {{.*}}contiguous, under a mask; large boxes read a copy
 */
TILED(guarded)
{
    BEGIN
    for (int i = 0; i < W; i += 16) {
        part[row][col] = i + row < W && t.global[1] < N ? b[i + row][t.global[1]] : 0;
        amp_tile_barrier_wait(t.barrier);
        sum += part[15 - row][col];
        amp_tile_barrier_wait(t.barrier);
    }
    if (t.global[0] < M && t.global[1] < N)
        c[t.global[0]][t.global[1]] = sum;
}

/* Tiles of a row begin at different columns of a.
 * BOTH: kernel skewed
 * BOTH: read a{{ }}
 * BOTH-NOT: copy
 * CHECK: read b {{.*}}contiguous; large boxes read a copy
 */
TILED(skewed)
{
    BEGIN
    for (int i = 0; i < W; i += 16) {
        part[row][col] = a[t.global[0]][i + t.tile[1] + col] * b[i + row][t.global[1]];
        amp_tile_barrier_wait(t.barrier);
        sum += part[15 - row][col];
        amp_tile_barrier_wait(t.barrier);
    }
    c[t.global[0]][t.global[1]] = sum;
}

/* Tiles begin at different rows of b.
 * BOTH: kernel triangle
 * BOTH-NOT: copy
 */
TILED(triangle)
{
    BEGIN
    for (int i = t.tile[0] * 16; i < W; i += 16) {
        part[row][col] = b[i + row][t.global[1]];
        amp_tile_barrier_wait(t.barrier);
        sum += part[15 - row][col];
        amp_tile_barrier_wait(t.barrier);
    }
    c[t.global[0]][t.global[1]] = sum;
}

/* The loop writes to an array.
 * BOTH: kernel written
 * BOTH-NOT: copy
 */
TILED(written)
{
    BEGIN
    for (int i = 0; i < W; i += 16) {
        part[row][col] = b[i + row][t.global[1]];
        amp_tile_barrier_wait(t.barrier);
        c[t.global[0]][t.global[1]] = sum += part[15 - row][col];
        amp_tile_barrier_wait(t.barrier);
    }
}

/* An atomic operation may tell a tile what another one has done.
 * BOTH: kernel told
 * BOTH-NOT: copy
 */
void told(amp_tiled_index2(16, 16) t, int N, int W, const float b[W][N], float c[N], int n[1]) restrict(amp)
{
    BEGIN
    for (int i = 0; i < W; i += 16) {
        amp_atomic_fetch_add(&n[0], 1);
        part[row][col] = b[i + row][t.global[1]];
        amp_tile_barrier_wait(t.barrier);
        sum += part[15 - row][col];
        amp_tile_barrier_wait(t.barrier);
    }
    c[t.global[1]] = sum;
}

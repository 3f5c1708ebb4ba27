/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v3 -c %s --amp-dump-after=lanes --amp-stop-after=lanes | FileCheck %s
 *
 * A sum that the rounds of a tile carry on has one place for each block, whatever it is called in the loop. */
#include <amp.h>

/* 4 blocks of 4 x 2 vectors.
 * CHECK-LABEL: define {{.*}}@amp__run_0_0(
 * CHECK: %tile.saved{{[0-9]*}} = alloca [32 x <8 x float>]
 * CHECK-NOT: alloca [32 x <8 x float>]
 */
void product(amp_tiled_index2(16, 16) t, int n, const float a[n][n], const float b[n][n], float c[n][n]) restrict(amp)
{
    tile_static float x[16][16], y[16][16];
    int i = t.local[0], j = t.local[1];
    float sum = 0;
    for (int from = 0; from < n; from += 16) {
        x[i][j] = a[t.global[0]][from + j];
        y[i][j] = b[from + i][t.global[1]];
        amp_tile_barrier_wait(t.barrier);
        for (int k = 0; k < 16; k++)
            sum += x[i][k] * y[k][j];
        amp_tile_barrier_wait(t.barrier);
    }
    c[t.global[0]][t.global[1]] = sum;
}

/* Between the barriers both are needed.
 * CHECK-LABEL: define {{.*}}@amp__run_1_0(
 * CHECK-COUNT-2: %tile.saved{{[0-9]*}} = alloca [{{[0-9]+}} x <8 x float>]
 */
void pairs(amp_tiled_index2(16, 16) t, int n, const float a[n][n], float c[n][n]) restrict(amp)
{
    tile_static float x[16][16];
    int i = t.local[0], j = t.local[1];
    float before = 0, sum = 0;
    for (int from = 0; from < n; from += 16) {
        x[i][j] = a[t.global[0]][from + j];
        amp_tile_barrier_wait(t.barrier);
        float now = before + x[j][i];
        before = sum;
        sum = now;
        amp_tile_barrier_wait(t.barrier);
    }
    c[t.global[0]][t.global[1]] = sum;
}

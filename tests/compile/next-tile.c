/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v4 -c %s --amp-dump-after=lanes --amp-stop-after=lanes | FileCheck %s
 *
 * Where a tile reads pieces of many rows, it asks the second cache for those of the next tile but one. */
#include <amp.h>

enum { TILE = 64, STEPS = 8, INNER = TILE - 2 * STEPS };

/* That tile reads 2 * INNER elements farther.
 * CHECK-LABEL: define {{.*}}@amp__run_0_0(
 * CHECK: %[[next:.*]] = getelementptr i8, ptr {{.*}}, i64 384
 * CHECK: call void @llvm.prefetch.p0(ptr %[[next]], i32 0, i32 3, i32 1)
 */
void rows(amp_tiled_index1(TILE) t, int steps, int m, int n, const int a[m][n], int b[n]) restrict(amp)
{
    tile_static int sums[TILE];
    int thread = t.local[0], column = t.tile[0] * INNER + thread;
    sums[thread] = 0;
    for (int step = 0; step < steps; step++) {
        sums[thread] += a[step][column];
        amp_tile_barrier_wait(t.barrier);
    }
    if (thread < INNER)
        b[column] = sums[thread];
}

/* What a tile reads, others read, too: it asks for what it reads itself in the next round, up to the line after, since
 * rows need not begin with one.
 * CHECK-LABEL: define {{.*}}@amp__run_1_0(
 * CHECK: %[[next:.*]] = getelementptr i8, ptr {{.*}}, i64 1088
 * CHECK: call void @llvm.prefetch.p0(ptr %[[next]], i32 0, i32 2, i32 1)
 */
void product(amp_tiled_index2(16, 16) t, int n, const float a[n][n], const float b[n][n], float c[n][n]) restrict(amp)
{
    tile_static float x[16][16], y[16][16];
    int i = t.local[0], j = t.local[1];
    float sum = 0;
    for (int from = 0; from < n; from += 16) {
        x[i][j] = a[t.global[0]][16 * from + j];
        y[i][j] = b[from + i][t.global[1]] + 1; /* a copy would be left out */
        amp_tile_barrier_wait(t.barrier);
        for (int k = 0; k < 16; k++)
            sum += x[i][k] * y[k][j];
        amp_tile_barrier_wait(t.barrier);
    }
    c[t.global[0]][t.global[1]] = sum;
}

/* From the last column to the first.
 * CHECK-LABEL: define {{.*}}@amp__run_2_0(
 * CHECK: %[[next:.*]] = getelementptr i8, ptr {{.*}}, i64 -512
 * CHECK: call void @llvm.prefetch.p0(ptr %[[next]], i32 0, i32 3, i32 1)
 */
void backwards(amp_tiled_index1(TILE) t, int m, int n, const int a[m][n], int b[n]) restrict(amp)
{
    tile_static int part[TILE];
    int column = n - 1 - t.tile[0] * TILE - TILE + 1 + t.local[0];
    part[t.local[0]] = 0;
    for (int row = 0; row < m; row++) {
        part[t.local[0]] += a[row][column];
        amp_tile_barrier_wait(t.barrier);
    }
    b[column] = part[t.local[0]];
}

/* Without a loop, tiles read one row, which processors notice.
 * CHECK-LABEL: define {{.*}}@amp__run_3_0(
 * CHECK-NOT: call void @llvm.prefetch
 */
void pairs(amp_tiled_index1(TILE) t, int n, const int a[n], int b[n]) restrict(amp)
{
    tile_static int part[TILE];
    part[t.local[0]] = a[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    b[t.global[0]] = part[t.local[0] ^ 1];
}

/* Neither is the next tile at a fixed distance here, nor in one page there.
 * CHECK-LABEL: define {{.*}}@amp__run_4_0(
 * CHECK-NOT: call void @llvm.prefetch
 */
void far(amp_tiled_index1(TILE) t, int steps, int m, int n, const int a[m][n], const int x[n], int b[n]) restrict(amp)
{
    int sum = 0;
    for (int step = 0; step < steps; step++) {
        sum += a[t.tile[0]][step * TILE + t.local[0]] + x[t.tile[0] * 4096 + step * TILE + t.local[0]];
        amp_tile_barrier_wait(t.barrier);
    }
    b[t.global[0]] = sum;
}

/* A tile that goes along a row of an array asks for the same place in the next row.
 * CHECK-LABEL: define {{.*}}@amp__run_5_0(
 * CHECK: %[[row:.*]] = getelementptr i8, ptr {{.*}}, i64 3072
 * CHECK: call void @llvm.prefetch.p0(ptr %[[row]], i32 0, i32 3, i32 1)
 */
void row(amp_tiled_index2(1, 64) t, int m, const float a[m][768], float b[m]) restrict(amp)
{
    tile_static float part[64];
    float sum = 0;
    for (int j = t.local[1]; j < 768; j += 64)
        sum += a[t.tile[0]][j];
    part[t.local[1]] = sum;
    amp_tile_barrier_wait(t.barrier);
    if (t.local[1] == 0)
        b[t.tile[0]] = part[0] + part[1] + part[63];
}

/* Not if tiles beside one another read different pieces of it.
 * CHECK-LABEL: define {{.*}}@amp__run_6_0(
 * CHECK-NOT: llvm.prefetch
 * CHECK: ret void
 */
void piece(amp_tiled_index2(1, 64) t, int m, const float a[m][768], float b[m][768]) restrict(amp)
{
    tile_static float part[64];
    part[t.local[1]] = a[t.tile[0]][t.global[1]];
    amp_tile_barrier_wait(t.barrier);
    b[t.tile[0]][t.global[1]] = part[63 - t.local[1]];
}

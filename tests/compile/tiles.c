/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v4 -c %s --amp-dump-after=lanes --amp-stop-after=lanes \
 * RUN:   | FileCheck %s --implicit-check-not="call void @amp_tile_barrier"
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v2 -c %s --amp-dump-after=lanes --amp-stop-after=lanes \
 * RUN:   | FileCheck %s --check-prefix=SMALL --implicit-check-not="call void @amp_tile_barrier"
 *
 * Barriers: none is left; a tile that fits into one block needs no regions, others get one behind each barrier. Tile
 * memory lies on the stack. */
#include <amp.h>

enum { S = 16 };

/* CHECK-LABEL: define {{.*}}@amp__run_0_0(
 * CHECK: alloca [16 x [16 x float]], align 64
 * CHECK: alloca [16 x [16 x float]], align 64
 * CHECK-NOT: {{^}}region
 * CHECK: load <16 x float>
 * CHECK-NOT: {{^}}region
 * SMALL-LABEL: define {{.*}}@amp__run_0_0(
 * SMALL: {{^}}region
 * SMALL: {{^}}region
 */
void multiply(amp_tiled_index2(S, S) t, int M, int N, int W, const float a[M][W], const float b[W][N], float c[M][N])
    restrict(amp)
{
    int row = t.local[0], col = t.local[1];
    float sum = 0;
    for (int i = 0; i < W; i += S) {
        tile_static float part_a[S][S], part_b[S][S];
        part_a[row][col] = a[t.global[0]][i + col];
        part_b[row][col] = b[i + row][t.global[1]];
        amp_tile_barrier_wait(t.barrier);
        for (int k = 0; k < S; k++)
            sum += part_a[row][k] * part_b[k][col];
        amp_tile_barrier_wait(t.barrier);
    }
    c[t.global[0]][t.global[1]] = sum;
}

/* Threads differ between the barriers of the loop: regions, and lanes that do not work are masked. Without AVX-512 they
 * store what they have there.
 * CHECK-LABEL: define {{.*}}@amp__run_1_0(
 * CHECK: alloca [256 x float], align 64
 * CHECK: {{^}}region
 * CHECK: {{^}}region
 * CHECK: call void @llvm.masked.store.v{{[0-9]+}}f32
 * SMALL-LABEL: define {{.*}}@amp__run_1_0(
 * SMALL: {{^}}region
 * SMALL: %[[part:.*]] = select <{{[0-9]+}} x i1> {{.*}}, <{{[0-9]+}} x float>
 * SMALL-NEXT: store <{{[0-9]+}} x float> %[[part]]
 */
void reduce(amp_tiled_index1(256) t, int N, const float in[N * 256], float out[N]) restrict(amp)
{
    tile_static float part[256];
    part[t.local[0]] = in[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    for (int s = 128; s > 0; s /= 2) {
        if (t.local[0] < s)
            part[t.local[0]] += part[t.local[0] + s];
        amp_tile_barrier_wait(t.barrier);
    }
    if (t.local[0] == 0)
        out[t.tile[0]] = part[0];
}

/* The tile has as many threads as there are lanes: no region at either width, for four fit into both.
 * CHECK-LABEL: define {{.*}}@amp__run_2_0(
 * CHECK-NOT: {{^}}region
 * SMALL-LABEL: define {{.*}}@amp__run_2_0(
 * SMALL-NOT: {{^}}region
 */
void four(amp_tiled_index1(4) t, int N, int x[N]) restrict(amp)
{
    tile_static int part[4];
    part[t.local[0]] = x[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    x[t.global[0]] = part[3 - t.local[0]];
}

/* Two tiles share a block of 16 rows, and tile memory is that of two.
 * CHECK-LABEL: define {{.*}}@amp__run_3_0(
 * CHECK: alloca [512 x i8], align 64
 * CHECK-NOT: {{^}}region
 * CHECK: getelementptr inbounds {{(nuw )?}}i8, ptr %amp.share.part, i64 256
 * CHECK-NOT: {{^}}region
 * SMALL-LABEL: define {{.*}}@amp__run_3_0(
 */
void share(amp_tiled_index2(8, 8) t, int M, int N, float x[M][N]) restrict(amp)
{
    tile_static float part[8][8];
    part[t.local[0]][t.local[1]] = x[t.global[0]][t.global[1]];
    amp_tile_barrier_wait(t.barrier);
    x[t.global[0]][t.global[1]] = part[t.local[1]][t.local[0]] + (float)t.tile[1];
}

/* Tiles that may go different ways do not.
 * CHECK-LABEL: define {{.*}}@amp__run_4_0(
 * CHECK: alloca [8 x [8 x float]], align 64
 * SMALL-LABEL: define {{.*}}@amp__run_4_0(
 */
void part_ways(amp_tiled_index2(8, 8) t, int M, int N, float x[M][N]) restrict(amp)
{
    for (int i = 0; i < t.tile[1]; i++) {
        tile_static float part[8][8];
        part[t.local[0]][t.local[1]] = x[t.global[0]][t.global[1]];
        amp_tile_barrier_wait(t.barrier);
        x[t.global[0]][t.global[1]] = part[t.local[1]][t.local[0]];
        amp_tile_barrier_wait(t.barrier);
    }
}

/* Without a barrier there is one region, whatever the tile's size.
 * CHECK-LABEL: define {{.*}}@amp__run_5_0(
 * CHECK: {{^}}region:
 * CHECK-NOT: {{^}}region
 * SMALL-LABEL: define {{.*}}@amp__run_5_0(
 * SMALL: {{^}}region:
 * SMALL-NOT: {{^}}region
 */
void without(amp_tiled_index1(1024) t, int N, int x[N]) restrict(amp)
{
    x[t.global[0]] += t.local[0];
}

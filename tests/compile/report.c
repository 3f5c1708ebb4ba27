/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v3,x86-64-v4 --amp-report -c %s -o %t.o > %t.out 2> %t.err
 * RUN: FileCheck --match-full-lines --input-file=%t.err %s
 * RUN: count 0 < %t.out
 * RUN: %ampcc -O0 --amp-cpu=x86-64-v4 --amp-report -c %s -o %t.o 2>&1 | FileCheck --check-prefix=O0 %s
 * RUN: %ampcc -O2 --amp-cpu=x86-64-v4 --amp-lanes=1 --amp-report -c %s -o %t.o 2>&1 | FileCheck --check-prefix=ONE %s
 *
 * What --amp-report says of kernels that suit lanes: shapes of blocks and tiles, accesses, and where lanes part.
 */
#include <amp.h>

/* O0: kernel simple {{.*}}for x86-64-v4: no SIMD, one thread after another: -O0 asks for it
 * ONE: kernel simple {{.*}}for x86-64-v4: no SIMD, one thread after another: amp_lanes(1) or --amp-lanes=1 asks for it
 * CHECK: {{.*}}report.c:[[#@LINE+13]]: kernel simple (rank 2; a[][], b[][], c[][]) for x86-64-v3: 8 lanes, blocks of {{[0-9]+}} rows x {{[0-9]}} vectors
 * CHECK-NEXT: memory  line [[#@LINE+17]]  read a   uniform: one scalar for all lanes
 * CHECK-NEXT: line [[#@LINE+16]]  read b   contiguous, the same for all rows of a block; large boxes read a copy
 * CHECK-NEXT: line [[#@LINE+16]]  write c  contiguous
 * CHECK-NEXT: masks   none
 * CHECK-NEXT: spills  {{(none|.*; none in an innermost loop)}}
 * CHECK-NEXT: {{.*}}report.c:[[#@LINE+7]]: kernel simple {{.*}}for x86-64-v4: 16 lanes, blocks of {{[0-9]+}} rows x {{[0-9]}} vectors
 * CHECK-NEXT: memory  line [[#@LINE+11]]  read a   uniform: one scalar for all lanes
 * CHECK-NEXT: line [[#@LINE+10]]  read b   contiguous, the same for all rows of a block; large boxes read a copy
 * CHECK-NEXT: line [[#@LINE+10]]  write c  contiguous
 * CHECK-NEXT: masks   none
 * CHECK-NEXT: spills  {{(none|.*; none in an innermost loop)}}
 */
void simple(amp_index2 idx, int M, int N, int W, const float a[M][W], const float b[W][N], float c[M][N]) restrict(amp)
{
    int row = idx[0], col = idx[1];
    float sum = 0;
    for (int k = 0; k < W; k++)
        sum += a[row][k] * b[k][col];
    c[row][col] = sum;
}

/* Copies that are not needed in tile memory; an access of an unrolled loop once.
 * CHECK: {{.*}}: kernel tiled {{.*}}for x86-64-v4: {{.*}}; without tiles of 16x16, whose copies, as in line [[#@LINE+14]], are not needed
 * CHECK-NEXT: memory  line [[#@LINE+16]]  read a   uniform: one scalar for all lanes
 * CHECK-NEXT: line [[#@LINE+15]]  read b   contiguous{{.*}}
 * CHECK-NEXT: line [[#@LINE+17]]  write c  contiguous
 * CHECK-NEXT: masks   none
 * CHECK-NEXT: spills  {{.*}}
 */
void tiled(amp_tiled_index2(16, 16) t, int M, int N, int W, const float a[M][W], const float b[W][N], float c[M][N])
    restrict(amp)
{
    int row = t.local[0], col = t.local[1];
    float sum = 0;
    for (int i = 0; i < W; i += 16) {
        tile_static float local_a[16][16];
        local_a[row][col] = a[t.global[0]][i + col];
        amp_tile_barrier_wait(t.barrier);
        for (int k = 0; k < 16; k++)
            sum += local_a[row][k] * b[i + k][t.global[1]];
        amp_tile_barrier_wait(t.barrier);
    }
    c[t.global[0]][t.global[1]] = sum;
}

/* Local variables and tile memory by their names.
 * CHECK: {{.*}}: kernel reduce (rank 1; in[], out[]) for x86-64-v4: {{.*}}
 * CHECK-NEXT: memory  line [[#@LINE+15]]  read in     contiguous
 * CHECK-NEXT: line [[#@LINE+14]]  write part  contiguous
 * CHECK-NEXT: line [[#@LINE+17]]  read part   contiguous, under a mask
 * CHECK-NEXT: line [[#@LINE+16]]  write part  contiguous, under a mask
 * CHECK-NEXT: line [[#@LINE+19]]  read part   uniform: one scalar for all lanes, under a mask
 * CHECK-NEXT: line [[#@LINE+18]]  write out   uniform: one scalar for all lanes, under a mask
 * CHECK-NEXT: masks   line [[#@LINE+12]]  if          lanes part: each side runs under a mask if some {{.*}} if all do
 * CHECK-NEXT: line [[#@LINE+15]]  if          lanes part: each side runs under a mask if some lane takes it
 * CHECK-NEXT: -> a condition that is the same along the last dimension, or ?: between values {{.*}}
 * CHECK-NEXT: spills  {{.*}}
 */
void reduce(amp_tiled_index1(256) t, int n, int m, const float in[n], float out[m]) restrict(amp)
{
    tile_static float part[256];
    int i = t.local[0];
    part[i] = in[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    for (int half = 128; half > 0; half /= 2) {
        if (i < half)
            part[i] += part[i + half];
        amp_tile_barrier_wait(t.barrier);
    }
    if (i == 0)
        out[t.tile[0]] = part[0];
}

/* CHECK: {{.*}}: kernel escape {{.*}}for x86-64-v4: {{.*}}
 * CHECK-NEXT: memory  line [[#@LINE+8]]  read x     contiguous
 * CHECK-NEXT: line [[#@LINE+13]]  write out  contiguous
 * CHECK-NEXT: masks   line [[#@LINE+8]]  loop       lanes leave it at different times: it runs until the last one has
 * CHECK-NEXT: -> as many passes for all lanes, or an order of the threads {{.*}}
 * CHECK-NEXT: spills  {{.*}}
 */
void escape(amp_index1 idx, int n, const float x[n], int out[n]) restrict(amp)
{
    float z = x[idx[0]];
    int k = 0;
    while (k < 100 && z < 4) {
        z = z * z + 0.5f;
        k++;
    }
    out[idx[0]] = k;
}

/* The borders' masks cost nothing inside.
 * CHECK: {{.*}}: kernel border {{.*}}for x86-64-v4: 16 lanes; away from the borders {{[0-9] vectors?}} without masks
 * CHECK-NEXT: memory line [[#@LINE+9]] read x contiguous
 * CHECK-NEXT: line [[#@LINE+9]] write out contiguous
 * CHECK-NEXT: masks line [[#@LINE+6]] if masks at the borders of the domain only
 * CHECK-NEXT: spills {{.*}}
 */
void border(amp_index1 idx, int n, const float x[n], float out[n]) restrict(amp)
{
    float sum = 0;
    if (idx[0] >= 3)
        sum += x[idx[0] - 3];
    out[idx[0]] = sum;
}

/* CHECK: {{.*}}: kernel narrow (rank 2; out[][]) for x86-64-v4: no SIMD, one thread after another: the tile has one thread in its last dimension; tiles of 16x1
 * CHECK-NEXT: spills  {{.*}}
 * CHECK-NOT: {{.+}}
 */
void narrow(amp_tiled_index2(16, 1) t, int m, int n, float out[m][n]) restrict(amp)
{
    out[t.global[0]][t.global[1]] = 1;
}

/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v4 -c %s --amp-dump-after=lanes --amp-stop-after=lanes \
 * RUN:     | FileCheck --check-prefixes=CHECK,V4 %s
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v3 -c %s --amp-dump-after=lanes --amp-stop-after=lanes \
 * RUN:     | FileCheck --check-prefixes=CHECK,V3 %s
 *
 * Neighbouring members are read and written together, as whole vectors, or, if some are missing, under a mask, which
 * AVX-512 has. */
#include <amp.h>

struct pair {
    float re, im;
};

/* CHECK-LABEL: define {{.*}}@amp__run_0_0(
 * V4: load <32 x i32>
 * V4-NOT: gather
 * V4: store <32 x i32>
 * V3: load <16 x i32>
 * V3: store <16 x i32>
 */
void square(amp_index1 idx, int n, const struct pair a[n], struct pair b[n]) restrict(amp)
{
    struct pair x = a[idx[0]];
    b[idx[0]].re = x.re * x.re - x.im * x.im;
    b[idx[0]].im = 2 * x.re * x.im;
}

/* Two members of three.
 * CHECK-LABEL: define {{.*}}@amp__run_1_0(
 * V4: @llvm.masked.load.v48i32
 * V4-NOT: v48f32
 * V3-NOT: load <24 x i32>
 */
void some(amp_index1 idx, int n, const float a[n][3], float b[n]) restrict(amp)
{
    b[idx[0]] = a[idx[0]][0] + a[idx[0]][2];
}

/* What one store writes may be what the next load reads.
 * CHECK-LABEL: define {{.*}}@amp__run_2_0(
 * V4-NOT: store <32 x i32>
 * V4: @llvm.masked.store.v32f32
 * V4: @llvm.masked.store.v32f32
 */
amp_lanes(16) void swap(amp_index1 idx, int n, const struct pair a[n], struct pair b[n]) restrict(amp)
{
    b[idx[0]].re = a[idx[0]].im;
    b[idx[0]].im = a[idx[0]].re;
}

/* Tile memory is no array's.
 * CHECK-LABEL: define {{.*}}@amp__run_3_0(
 * V4: store <32 x i32>
 * V3: store <16 x i32>
 */
void copy(amp_tiled_index1(64) t, int n, const int a[n], int b[n]) restrict(amp)
{
    tile_static int part[128];
    int i = t.local[0], from = t.tile[0] * 128;
    part[2 * i] = a[from + 2 * i];
    part[2 * i + 1] = a[from + 2 * i + 1];
    amp_tile_barrier_wait(t.barrier);
    b[t.global[0]] = part[127 - i];
}

/* There, with masks, vectors begin with lines of the cache, so that none reaches into what another block accesses: one
 * for two elements, and one for a lone one.
 * CHECK-LABEL: define {{.*}}@amp__run_4_0(
 * V4: @llvm.masked.load.v64i32.p0({{.*}} <64 x i1> <i1 false, i1 true, i1 false, i1 true, i1 false,
 * V4: @llvm.masked.store.v64i32.p0({{.*}} <64 x i1> <i1 false, i1 true, i1 false, i1 true, i1 false,
 * V4: @llvm.masked.load.v64i32.p0({{.*}} <64 x i1> <i1 false, i1 false, i1 true, i1 false, i1 false,
 */
void phases(amp_tiled_index1(64) t, int n, const int a[n], int b[n]) restrict(amp)
{
    tile_static int part[256];
    int i = t.local[0];
    for (int k = 0; k < 4; k++)
        part[k * 64 + i] = a[k * 64 + i];
    amp_tile_barrier_wait(t.barrier);
    int kept = part[4 * i + 1];
    part[4 * i + 1] = part[4 * i + 3];
    part[4 * i + 3] = kept;
    amp_tile_barrier_wait(t.barrier);
    part[4 * i + 2]++;
    amp_tile_barrier_wait(t.barrier);
    b[t.global[0]] = part[i];
}

/* So they do if numbers are multiplied after the sum, as in a tree.
 * CHECK-LABEL: define {{.*}}@amp__run_5_0(
 * V4: @llvm.masked.load.v64i32.p0({{.*}} <64 x i1> <i1 false, i1 true, i1 false, i1 true, i1 false,
 * V4: @llvm.masked.store.v64i32.p0({{.*}} <64 x i1> <i1 false, i1 false, i1 false, i1 true, i1 false,
 */
void tree(amp_tiled_index1(512) t, int n, const int a[n], int b[n]) restrict(amp)
{
    tile_static int part[1024];
    int i = t.local[0], distance = 1;
    part[2 * i] = a[t.tile[0] * 1024 + 2 * i];
    part[2 * i + 1] = a[t.tile[0] * 1024 + 2 * i + 1];
    for (int active = 512; active > 0; active /= 2, distance *= 2) {
        amp_tile_barrier_wait(t.barrier);
        if (i < active)
            part[distance * (2 * i + 2) - 1] += part[distance * (2 * i + 1) - 1];
    }
    amp_tile_barrier_wait(t.barrier);
    b[t.global[0]] = part[i];
}

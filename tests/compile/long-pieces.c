/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-gpu=none --amp-convoys=0 --amp-cpu=x86-64-v2,x86-64-v3,x86-64-v4 -c %s -o %t.o --amp-report 2>&1 | FileCheck %s
 * RUN: %ampcc -O2 --amp-gpu=none --amp-convoys=0 --amp-cpu=x86-64-v4 -c %s --amp-dump-after=lanes --amp-stop-after=lanes \
 * RUN:   | FileCheck %s --check-prefix=NEXT
 *
 * Where all threads of tiles together stride over arrays, blocks are long: each pass reads a piece of another page.
 * Not of narrow elements: the index would take more vectors than they do.
 *
 * CHECK: kernel dot {{.*}} x86-64-v2: 16 lanes; a tile of 256 takes 16 blocks
 * CHECK: kernel dot {{.*}} x86-64-v3: 32 lanes; a tile of 256 takes 8 blocks
 * CHECK: kernel dot {{.*}} x86-64-v4: 64 lanes; a tile of 256 takes 4 blocks
 * CHECK: kernel narrow {{.*}} x86-64-v2: 16 lanes; a tile of 256 takes 16 blocks
 * CHECK: kernel narrow {{.*}} x86-64-v3: 32 lanes; a tile of 256 takes 8 blocks
 * CHECK: kernel narrow {{.*}} x86-64-v4: 64 lanes; a tile of 256 takes 4 blocks
 *
 * A block asks the cache for what the next one reads, or the one after that if it is near, because each runs all of the
 * loop before the next one does; if they meet at barriers, for what the next tile but one reads.
 *
 * NEXT-LABEL: define {{.*}}@amp__run_0_0(
 * NEXT: %[[next:.*]] = getelementptr i8, ptr {{.*}}, i64 512
 * NEXT: call void @llvm.prefetch.p0(ptr %[[next]],
 * NEXT-LABEL: define {{.*}}@amp__run_1_0(
 * NEXT: %[[next:.*]] = getelementptr i8, ptr {{.*}}, i64 512
 * NEXT: call void @llvm.prefetch.p0(ptr %[[next]],
 * NEXT-LABEL: define {{.*}}@amp__run_2_0(
 * NEXT: %[[next:.*]] = getelementptr i8, ptr {{.*}}, i64 4096
 * NEXT: call void @llvm.prefetch.p0(ptr %[[next]],
 */
#include <amp.h>

enum { TILE = 256 };

void dot(amp_tiled_index1(TILE) t, int n, int m, const double a[n], const double b[n], double sums[m]) restrict(amp)
{
    double sum = 0;
    for (int i = t.global[0]; i < n; i += m)
        sum += a[i] * b[i];
    sums[t.global[0]] = sum;
}

void narrow(amp_tiled_index1(TILE) t, int n, int m, const float a[n], const float b[n], float sums[m]) restrict(amp)
{
    float sum = 0;
    for (int i = t.global[0]; i < n; i += m)
        sum += a[i] * b[i];
    sums[t.global[0]] = sum;
}

void meeting(amp_tiled_index1(TILE) t, int n, int m, int passes, const double a[n], double sums[m]) restrict(amp)
{
    tile_static double part[TILE];
    double sum = 0;
    for (int pass = 0; pass < passes; pass++) {
        part[t.local[0]] = a[t.global[0] + pass * m];
        amp_tile_barrier_wait(t.barrier);
        sum += part[TILE - 1 - t.local[0]];
        amp_tile_barrier_wait(t.barrier);
    }
    sums[t.global[0]] = sum;
}

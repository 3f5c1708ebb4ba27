/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v4 --amp-lanes=64 -c %s --amp-dump-after=lanes \
 * RUN:     --amp-stop-after=lanes | FileCheck %s
 *
 * What grows from lane to lane is compared as a distance from lane 0, which takes one vector of bytes. */
#include <amp.h>

/* CHECK-LABEL: define {{.*}}@amp__run_0_0(
 * CHECK: call i64 @llvm.ssub.sat.i64
 * CHECK: icmp {{.*}} <64 x i8>
 * CHECK-NOT: icmp {{.*}} <64 x i32>
 */
void below(amp_tiled_index1(256) t, int n, int a[n], int limit) restrict(amp)
{
    tile_static int part[256];
    part[t.local[0]] = a[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    if (t.local[0] - 7 < limit)
        a[t.global[0]] = part[255 - t.local[0]];
}

/* Not if the value may wrap around, nor if the distances need more than a byte.
 * CHECK-LABEL: define {{.*}}@amp__run_1_0(
 * CHECK-NOT: icmp {{.*}} <64 x i8>
 */
void others(amp_tiled_index1(256) t, int n, int a[n], unsigned from, int limit) restrict(amp)
{
    tile_static int part[256];
    part[t.local[0]] = a[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    if ((int)(t.local[0] + from) < limit)
        a[t.global[0]] = part[255 - t.local[0]];
    if (3 * t.local[0] < limit)
        a[t.global[0]] += 1;
}

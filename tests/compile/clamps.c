/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v4 -c %s --amp-dump-after=lanes --amp-stop-after=lanes | FileCheck %s
 *
 * Whether lanes lie side by side is found by the subscripts from which their places follow, not by the addresses. These
 * are computed where they are used, even if the source does that before a loop. */
#include <amp.h>

enum { TILE = 64 };

/* CHECK-LABEL: define {{.*}}@amp__run_0_0(
 * CHECK-NOT: icmp ne <{{.*}} x ptr>
 * CHECK: icmp ne <64 x i32>
 * CHECK-NOT: icmp ne <{{.*}} x ptr>
 * CHECK: icmp ule i32 {{.*}}, -64
 * CHECK-NOT: icmp ne <{{.*}} x ptr>
 */
void smooth(amp_tiled_index1(TILE) t, int steps, int n, const int from[n], int to[n]) restrict(amp)
{
    tile_static int now[TILE], next[TILE];
    int i = t.local[0], left = i > 0 ? i - 1 : 0;
    now[i] = from[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    for (int step = 0; step < steps; step++) {
        if (i >= step)
            next[i] = now[left];
        amp_tile_barrier_wait(t.barrier);
        now[i] = next[i];
        amp_tile_barrier_wait(t.barrier);
    }
    to[t.global[0]] = now[i];
}

/* Subscripts of 64 bits are as wide as addresses.
 * CHECK-LABEL: define {{.*}}@amp__run_1_0(
 * CHECK: icmp ne <16 x ptr>
 */
void wide(amp_index1 idx, int n, const float a[n], float out[n]) restrict(amp)
{
    long i = idx[0];
    out[i] = a[i > 0 ? i - 1 : 0];
}

/* Where conditions choose what is added to what lanes count, only these are compared, after the barrier, too.
 * CHECK-LABEL: define {{.*}}@amp__run_2_0(
 * CHECK-NOT: icmp ne <{{.*}} x {{ptr|i32}}>
 * CHECK: call i1 @llvm.vector.reduce.or
 * CHECK: icmp ule i32
 * CHECK-NOT: icmp ne <{{.*}} x {{ptr|i32}}>
 * CHECK: {{^}}}
 */
void by_conditions(amp_tiled_index1(TILE) t, int n, const int from[n], int to[n]) restrict(amp)
{
    tile_static int now[TILE];
    int i = t.local[0], left = i > 0 && t.global[0] > 1 ? i - 1 : i;
    now[i] = from[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    to[t.global[0]] = now[left];
}

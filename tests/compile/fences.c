/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v3 -c %s --amp-dump-after=lanes --amp-stop-after=lanes \
 * RUN:   | FileCheck %s --implicit-check-not="call void @amp_"
 * row: tile_barrier.fences
 *
 * What was read in front of a fence is read again behind it, and what is stored in front is stored; no call is left. */
#include <amp.h>

/* CHECK-LABEL: define {{.*}}@amp__run_0_0(
 * CHECK: body
 * CHECK: load i32, ptr
 * CHECK: fence acq_rel
 * CHECK: load i32, ptr
 * CHECK: fence syncscope("singlethread") acq_rel
 * CHECK: load i32, ptr
 */
void read_again(amp_tiled_index1(8) t, int N, int x[N], int y[3]) restrict(amp)
{
    y[0] = x[0];
    amp_global_memory_fence(t.barrier);
    y[1] = x[0];
    amp_tile_static_memory_fence(t.barrier);
    y[2] = x[0];
}

/* CHECK-LABEL: define {{.*}}@amp__run_1_0(
 * CHECK: store i32 1
 * CHECK: fence acq_rel
 * CHECK: store i32 2
 */
void store_twice(amp_tiled_index1(8) t, int y[1]) restrict(amp)
{
    y[0] = 1;
    amp_all_memory_fence(t.barrier);
    y[0] = 2;
}

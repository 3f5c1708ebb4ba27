/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v4 --amp-report -c %s -o %t.o 2>&1 | FileCheck %s
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v4 -c %s --amp-dump-after=lanes --amp-stop-after=lanes \
 * RUN:     | FileCheck --check-prefix=CODE %s
 *
 * In a tree of partial sums the threads with something to do run one after another, where their elements are
 * scattered; contiguous ones are left to lanes. */
#include <amp.h>

/* CHECK: kernel scattered {{.*}}for x86-64-v4: 16 lanes
 * CHECK: line 30 read part one thread after another
 * CHECK: line 30 write part one thread after another
 * CHECK: line 29 if the threads that take it run one after another: lanes would take longer
 *
 * The loop over them is as long as there are such threads, and has nothing else in it.
 * CODE-LABEL: define {{.*}}@amp__run_0_0(
 * CODE: %[[most:.*]] = select i1 %{{.*}}, i64 512, i64 %{{.*}}
 * CODE: %[[active:.*]] = trunc i64 %[[most]] to i32
 * CODE: icmp slt i32 %{{.*}}, %[[active]]
 */
void scattered(amp_tiled_index1(512) t, int n, const int in[n], int out[n]) restrict(amp)
{
    tile_static int part[512];
    part[t.local[0]] = in[t.global[0]];
#pragma clang loop unroll(disable) /* known-loops.c has what else becomes of it */
    for (int active = 256, apart = 1; active > 0; active /= 2, apart *= 2) {
        amp_tile_barrier_wait(t.barrier);
        if (t.local[0] < active)
            part[2 * apart * t.local[0]] += part[2 * apart * t.local[0] + apart];
    }
    if (t.local[0] == 0)
        out[t.tile[0]] = part[0];
}

/* CHECK: kernel contiguous {{.*}}for x86-64-v4
 * CHECK-NOT: one after another
 */
void contiguous(amp_tiled_index1(512) t, int n, const int in[n], int out[n]) restrict(amp)
{
    tile_static int part[512];
    part[t.local[0]] = in[t.global[0]];
    for (int active = 256; active > 0; active /= 2) {
        amp_tile_barrier_wait(t.barrier);
        if (t.local[0] < active)
            part[t.local[0]] += part[t.local[0] + active];
    }
    if (t.local[0] == 0)
        out[t.tile[0]] = part[0];
}

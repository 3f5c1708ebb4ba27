/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v3 -c %s --amp-dump-after=lanes --amp-stop-after=lanes | FileCheck %s
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v4 -c %s --amp-dump-after=lanes --amp-stop-after=lanes | FileCheck %s
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v3 --amp-report -c %s -o %t.o 2>&1 | FileCheck --check-prefix=REPORT %s
 *
 * Where only a thread's place decides whether it takes a branch, there is a version without a mask, for blocks whose
 * threads all take it. */
#include <amp.h>

/* CHECK-LABEL: define {{.*}}@amp__run_0_0(
 * CHECK: call i1 @llvm.vector.reduce.and
 * CHECK: whole{{[0-9]*}}:
 * CHECK-NOT: masked.store
 * CHECK: store <[[#]] x i32>
 * REPORT: kernel middle
 * REPORT: masks line [[#@LINE+10]] if lanes part: each side runs under a mask if some lane takes it, without one if
 * all do
 */
void middle(amp_tiled_index1(64) t, int step, int n, int x[n]) restrict(amp)
{
    tile_static int memory[64];
    int thread = t.local[0];
    bool is_valid = thread > step && thread < 63 - step;
    memory[thread] = x[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    if (is_valid)
        x[t.global[0]] = memory[thread + 1];
}

/* What data decides is seldom the same for all.
 * CHECK-LABEL: define {{.*}}@amp__run_1_0(
 * CHECK-NOT: reduce.and
 * CHECK: }
 */
void data(amp_index1 idx, int n, const int x[n], int y[n]) restrict(amp)
{
    if (x[idx[0]] > 0)
        y[idx[0]] = 1;
}

/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=baseline -c %s --amp-dump-after=lanes --amp-stop-after=lanes | FileCheck %s
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=baseline --amp-convoys=0 -c %s --amp-dump-after=lanes --amp-stop-after=lanes \
 * RUN:     | FileCheck --check-prefix=NONE %s
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=baseline --amp-report -c %s -o %t.o 2>&1 | FileCheck --check-prefix=REPORT %s
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=baseline --amp-convoys=5 --amp-report=json -c %s -o %t.o 2>&1 \
 * RUN:     | FileCheck --check-prefix=JSON %s
 * RUN: not %ampcc -O2 --amp-convoys=many -c %s -o %t.o 2>&1 | FileCheck --check-prefix=ERROR %s
 *
 * Where all threads stride over an array together, neighbours go through the loop together.
 *
 * NONE-NOT: convoy
 * ERROR: error: '--amp-convoys=many' is no number of tiles or blocks; it must be from 0 to 4096
 */
#include <amp.h>

/* Turns of which all threads take part in every iteration do without the tests whether they do.
 * CHECK-LABEL: define {{.*}}@amp__run_0_0(
 * CHECK: label %convoys.memory, label %alone
 * CHECK: %[[LEFT:.*]] = ashr i64 %{{.*}}, 2
 * CHECK: %[[WHOLE:.*]] = icmp sle i64 %{{.*}}, %[[LEFT]]
 * CHECK: br i1 %[[WHOLE]], label
 * CHECK: call void @llvm.masked.store
 * CHECK: {{^}}  store <{{.*}} x float>
 * REPORT: kernel scale
 * REPORT: masks line [[#@LINE+6]] loop convoys of [[#]] blocks go through it together by turns of 4 iterations,
 * JSON: "kernel": "scale"
 * JSON: "convoy": 5, "turn": 4,
 */
void scale(amp_index1 idx, int step, int n, float x[n]) restrict(amp)
{
    for (int i = idx[0]; i < n; i += step)
        x[i] *= 2;
}

/* CHECK-LABEL: define {{.*}}@amp__run_1_0(
 * CHECK: label %convoys.memory, label %alone
 * REPORT: kernel sum
 * REPORT: masks line [[#@LINE+6]] loop convoys of [[#]] tiles go through it together by turns of 4 iterations,
 */
void sum(amp_tiled_index1(128) t, int m, int n, const float x[n], float sums[m]) restrict(amp)
{
    tile_static float part[128];
    float own = 0;
    for (size_t i = (size_t)t.tile[0] * 256 + t.local[0]; i < (size_t)n; i += (size_t)m * 256)
        own += x[i] + x[i + 128];
    part[t.local[0]] = own;
    amp_tile_barrier_wait(t.barrier);
    if (t.local[0] == 0) {
        sums[t.tile[0]] = 0;
        for (int i = 0; i < 128; i++)
            sums[t.tile[0]] += part[i];
    }
}

/* A turn reads no more places than a set of the cache has room for.
 * CHECK-LABEL: define {{.*}}@amp__run_2_0(
 * CHECK: label %convoys.memory, label %alone
 * REPORT: kernel three
 * REPORT: masks line [[#@LINE+4]] loop convoys of [[#]] blocks go through it together by turns of 2 iterations,
 */
void three(amp_index1 idx, int step, int n, const float x[n], const float y[n], float z[n]) restrict(amp)
{
    for (int i = idx[0]; i < n; i += step)
        z[i] = x[i] + y[i];
}

/* Threads that do not get to the loop would not meet the others at the end of its iterations.
 * CHECK-LABEL: define {{.*}}@amp__run_3_0(
 * CHECK-NOT: label %convoys
 */
void guarded(amp_index1 idx, int step, int n, float x[n]) restrict(amp)
{
    if (idx[0] % 3 == 0)
        return;
    for (int i = idx[0]; i < n; i += step)
        x[i] *= 2;
}

/* Where a tile strides over a row alone, its blocks go together.
 * CHECK-LABEL: define {{.*}}@amp__run_4_0(
 * CHECK: label %convoys.memory, label %alone
 * REPORT: kernel rows
 * REPORT: masks line [[#@LINE+4]] loop the blocks of a tile go through it together, where the array and the steps are
 */
void rows(amp_tiled_index1(64) t, int m, int n, float x[m][n]) restrict(amp)
{
    for (int i = t.local[0]; i < n; i += 64)
        x[t.tile[0]][i] += 1;
}

/* Nobody knows how far apart the iterations are before the threads run.
 * CHECK-LABEL: define {{.*}}@amp__run_5_0(
 * CHECK-NOT: label %convoys
 */
void unknown(amp_index1 idx, int m, int n, const int steps[m], float x[n]) restrict(amp)
{
    for (int i = idx[0]; i < n; i += steps[0])
        x[i] *= 2;
}

/* Tiles that come to different barriers cannot go together.
 * CHECK-LABEL: define {{.*}}@amp__run_6_0(
 * CHECK-NOT: label %convoys
 * CHECK: ret void
 */
void uneven(amp_tiled_index1(64) t, int step, int n, float x[n]) restrict(amp)
{
    tile_static float last;
    for (int i = t.global[0]; i < n; i += step)
        x[i] *= 2;
    for (int k = 0; k < t.tile[0]; k++) {
        amp_tile_barrier_wait(t.barrier);
        if (t.local[0] == k)
            last = x[t.global[0]];
        amp_tile_barrier_wait(t.barrier);
        x[t.global[0]] += last;
    }
}

/* Threads that end the launch would not give the convoy's memory back.
 * CHECK-LABEL: define {{.*}}@amp__run_7_0(
 * CHECK-NOT: label %convoys
 */
void ending(amp_index1 idx, int step, int n, float x[n]) restrict(amp)
{
    for (int i = idx[0]; i < n; i += step)
        x[i] *= 2;
    if (x[idx[0]] < 0)
        amp_abort("negative");
}

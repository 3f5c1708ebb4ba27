/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=baseline -c %s --amp-dump-after=lanes --amp-stop-after=lanes | FileCheck %s
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=baseline --amp-convoys=0 -c %s --amp-dump-after=lanes --amp-stop-after=lanes \
 * RUN:     | FileCheck --check-prefix=NONE %s
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=baseline --amp-report -c %s -o %t.o 2>&1 | FileCheck --check-prefix=REPORT %s
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=baseline --amp-report=json -c %s -o %t.o 2>&1 \
 * RUN:     | FileCheck --check-prefix=JSON %s
 *
 * Where all threads run a loop equally often, and in each round read neighbouring elements far from those of the round
 * before, neighbours go through it together.
 *
 * NONE-NOT: label %convoys
 */
#include <amp.h>

/* CHECK-LABEL: define {{.*}}@amp__run_0_0(
 * CHECK: label %convoys.memory, label %alone
 * REPORT: kernel column
 * REPORT: notes line [[#@LINE+6]] loop convoys of [[#]] blocks go through it together by turns of 4 iterations,
 * JSON: "kernel": "column"
 * JSON: "convoy": {{[0-9]}}
 */
void column(amp_index1 idx, int m, int n, const float a[m][n], const float x[m], float y[n]) restrict(amp)
{
    for (int k = 0; k < m; k++)
        y[idx[0]] += x[k] * a[k][idx[0]];
}

/* The rows of a tile's chunk lie one behind another. Sums that do not wrap around are known as such in the loop.
 * CHECK-LABEL: define {{.*}}@amp__run_1_0(
 * CHECK: label %convoys.memory, label %alone
 * REPORT: kernel chunk
 * REPORT: memory line [[#@LINE+10]] read a contiguous{{$}}
 * REPORT: notes line [[#@LINE+8]] loop the blocks of a tile go through it together, where the array and the steps are
 * JSON: "kernel": "chunk"
 * JSON: "convoy": 1,
 */
void chunk(amp_tiled_index1(256) t, int m, int n, const float a[n], int tiles, float sums[tiles]) restrict(amp)
{
    int first = t.tile[0] * 256 * m;
    float own = 0;
    for (int k = 0; k < m; k++)
        own += a[first + k * 256 + t.local[0]];
    amp_atomic_fetch_add(&sums[t.tile[0]], own);
}

/* What a thread reads from round to round lies side by side, and overlaps with what its neighbours read.
 * CHECK-LABEL: define {{.*}}@amp__run_2_0(
 * CHECK-NOT: label %convoys
 */
void window(amp_index1 idx, int m, int n, const float a[n], float y[n]) restrict(amp)
{
    for (int k = 0; k < m; k++)
        y[idx[0]] += a[idx[0] + k];
}

/* The next round of the outer loop finds the rows in the cache.
 * CHECK-LABEL: define {{.*}}@amp__run_3_0(
 * CHECK-NOT: label %convoys
 */
void again(amp_index1 idx, int m, int n, const float a[m][n], float y[n]) restrict(amp)
{
    for (int round = 0; round < m; round++)
        for (int k = 0; k < m; k++)
            y[idx[0]] = y[idx[0]] * 3 + a[k][idx[0]];
}

/* Few rows can be read at a time.
 * CHECK-LABEL: define {{.*}}@amp__run_4_0(
 * CHECK-NOT: label %convoys
 */
void few(amp_index1 idx, int n, const float a[12][n], float y[n]) restrict(amp)
{
    for (int k = 0; k < 12; k++)
        y[idx[0]] = y[idx[0]] / a[k][idx[0]];
}

/* Some threads never get there.
 * CHECK-LABEL: define {{.*}}@amp__run_5_0(
 * CHECK-NOT: label %convoys
 */
void guarded(amp_index1 idx, int m, int n, const float a[m][n], float y[n]) restrict(amp)
{
    if (y[idx[0]] < 0)
        return;
    for (int k = 0; k < m; k++)
        y[idx[0]] += a[k][idx[0]];
}

/* Threads wait for others: in a round, for what the next blocks have written.
 * CHECK-LABEL: define {{.*}}@amp__run_6_0(
 * CHECK-NOT: label %convoys
 * CHECK: ret void
 */
void fenced(amp_tiled_index1(64) t, int m, int n, float a[m][n]) restrict(amp)
{
    for (int k = 0; k < m; k++) {
        a[k][t.global[0]] += 1;
        amp_global_memory_fence(t.barrier);
    }
}

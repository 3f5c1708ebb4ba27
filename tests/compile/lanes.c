/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v4 --amp-report -c %s -o %t.o 2>&1 | FileCheck %s
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v4 --amp-report --amp-lanes=2 --amp-lanes=plain:4 --amp-lanes=other:1 \
 * RUN:     -c %s -o %t.o 2>&1 | FileCheck --check-prefix=ASKED %s
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v4 --amp-report --amp-lanes=set:16 -c %s -o %t.o 2>&1 | \
 * RUN:     FileCheck --check-prefix=OVER %s
 * RUN: not %ampcc --amp-lanes=plain:3 -c %s -o %t.o 2>&1 | FileCheck --check-prefix=NUMBER %s
 * NUMBER: ampcc: error: '3' is no number of lanes; it must be 1, 2, 4, 8, 16, 32 or 64
 *
 * Lanes are chosen by an estimate of what a thread costs. The source and the command line override it. */
#include <amp.h>

/* CHECK: kernel plain {{.*}}for x86-64-v4: 16 lanes
 * ASKED: kernel plain {{.*}}for x86-64-v4: 4 lanes
 * OVER: kernel plain {{.*}}for x86-64-v4: 16 lanes
 */
void plain(amp_index1 idx, int N, float x[N]) restrict(amp)
{
    x[idx[0]] *= 2;
}

/* CHECK: kernel set {{.*}}for x86-64-v4: 8 lanes
 * ASKED: kernel set {{.*}}for x86-64-v4: 8 lanes
 * OVER: kernel set {{.*}}for x86-64-v4: 16 lanes
 */
amp_lanes(8) void set(amp_index1 idx, int N, float x[N]) restrict(amp)
{
    x[idx[0]] *= 2;
}

/* CHECK: kernel scalar {{.*}}for x86-64-v4: no SIMD, one thread after another: amp_lanes(1) or --amp-lanes=1 asks for it
 */
amp_lanes(1) void scalar(amp_index1 idx, int N, float x[N]) restrict(amp)
{
    x[idx[0]] *= 2;
}

/* A graph: lanes would gather and scatter, and wait for the longest list.
 * CHECK: kernel visit {{.*}}for x86-64-v4: no SIMD, one thread after another: lanes would take {{[2-9]\.[0-9]}} times as long, by the compiler's estimate
 * CHECK-NEXT: notes line [[#@LINE+10]] neighbour lanes would gather it
 * CHECK-NEXT: line [[#@LINE+10]] seen lanes would gather it
 * CHECK-NEXT: line [[#@LINE+10]] cost lanes would scatter it
 * CHECK-NEXT: -> the index comes from memory: {{.*}}
 */
void visit(amp_index1 idx, int N, int M, const int at[N + 1], const int neighbour[M], const unsigned char seen[N],
           int cost[N]) restrict(amp)
{
    int node = idx[0];
    for (int k = at[node]; k < at[node + 1]; k++) {
        int to = neighbour[k];
        if (!seen[to])
            cost[to] = cost[node] + 1;
    }
}

struct cell {
    float f[12];
};

/* An array of structs, with little to compute, and a branch, for Intel's processors, too. Without the branch, lanes
 * store their scalars as fast.
 * CHECK: kernel shift {{.*}}for x86-64-v4: no SIMD, one thread after another: lanes would take {{[2-9]\.[0-9]}} times as long, by the compiler's estimate{{$}}
 */
void shift(amp_index1 idx, int N, const struct cell from[N + 12], struct cell to[N + 12]) restrict(amp)
{
    if (from[idx[0]].f[11] > 0)
        for (int q = 0; q < 11; q++)
            to[idx[0] + q].f[q] = 0.5f * from[idx[0]].f[q];
}

/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-cpu=x86-64-v4 --amp-gpu=none --amp-report -c %s -o %t.o 2>&1 | FileCheck %s
 * RUN: sh -c 'for k in often seldom; do objdump -d %t.o | sed -n "/<$k.x86-64-v4>:/,/^$/p" | grep -c lock; done' \
 * RUN:     | FileCheck --check-prefix=LOCKS %s
 * RUN: %ampcc -O2 --amp-cpu=x86-64-v4 --amp-gpu=none --amp-precise-math --amp-report -c %s -o %t.o 2>&1 \
 * RUN:     | FileCheck --check-prefix=PRECISE %s
 * RUN: %ampcc -O2 --amp-cpu=x86-64-v4 --amp-gpu=none --amp-lanes=2 --amp-report -c %s -o %t.o 2>&1 \
 * RUN:     | FileCheck --check-prefix=TWO %s
 * RUN: %ampcc -O2 --amp-cpu=x86-64 --amp-gpu=none --amp-report -c %s -o %t.o 2>&1 | FileCheck --check-prefix=OLD %s
 *
 * The advice of --amp-report that is about options, spills and atomic operations helps, as that in advice.c does.
 */
#include <amp.h>
#include <math.h>

/* By default there is nothing to say.
 * CHECK: kernel sine {{.*}}for
 * CHECK: calls {{.*}} sinf  {{.*}}a function for vectors
 * CHECK-NOT: ->
 * PRECISE: kernel sine {{.*}}for
 * PRECISE: sinf {{.*}}lane by lane
 * PRECISE-NEXT: -> --amp-precise-math asks for it
 * TWO: kernel sine {{.*}}for
 * TWO: sinf {{.*}}lane by lane
 * TWO-NEXT: -> it has no version for vectors of the 2 lanes that are asked for
 *
 * CHECK: kernel whole {{.*}}for
 * CHECK-NOT: floorf
 * CHECK-NOT: ->
 * OLD: kernel whole {{.*}}for x86-64:
 * OLD: floorf {{.*}}lane by lane: this target has no instruction for it
 * OLD-NEXT: -> a later target may have it: see --amp-cpu
 */
void sine(amp_index1 i, int n, float x[n]) restrict(amp)
{
    x[i[0]] = sinf(x[i[0]]);
}
void whole(amp_index1 i, int n, float x[n]) restrict(amp)
{
    x[i[0]] = floorf(x[i[0]]);
}

/* Fewer values at once: four passes instead of one.
 * CHECK: kernel crowded {{.*}}for
 * CHECK: spills {{.*}} in innermost loops, first near line [[#@LINE+16]]
 * CHECK-NEXT: -> fewer values at once, as in a shorter body
 * CHECK: kernel roomy {{.*}}for
 * CHECK-NOT: ->
 */
#define SOME(X) X(0) X(1) X(2) X(3) X(4)
#define MORE(X) SOME(X) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19)
#define DECLARE(k) float s##k = x[i[0]] + k, t##k = s##k * k;
#define STEP(k)                                                                                                        \
    s##k = s##k * y[step] + t##k;                                                                                      \
    t##k = t##k * y[step] + s##k;
#define ADD(k) sum += s##k + t##k;
void crowded(amp_index1 i, int n, int steps, const float y[n], float x[n]) restrict(amp)
{
    float sum = 0;
    MORE(DECLARE)
    for (int step = 0; step < steps; step++) {
        MORE(STEP)
    }
    MORE(ADD)
    x[i[0]] = sum;
}
void roomy(amp_index1 i, int n, int steps, const float y[n], float x[n]) restrict(amp)
{
    float sum = 0;
    SOME(DECLARE)
    for (int step = 0; step < steps; step++) {
        SOME(STEP)
    }
    SOME(ADD)
    x[i[0]] = sum;
}

/* The calls in a kernel before.
 * CHECK: kernel calls_within {{.*}}for
 * CHECK: spills {{.*}} in innermost loops
 * CHECK-NEXT: -> fewer values that are computed before a call and used after it: call in a kernel before this
 * CHECK: kernel calls_before {{.*}}for
 * CHECK: masks   none
 * CHECK-NEXT: calls {{.*}} sinf
 * CHECK-NOT: ->
 * CHECK: kernel after_calls {{.*}}for
 * CHECK-NOT: ->
 */
void calls_within(amp_index1 i, int n, int steps, const float y[n], float x[n]) restrict(amp)
{
    float sum = x[i[0]], other = sum * 2, third = sum * 3, at = sum;
    for (int k = 0; k < steps; k++) {
        float v = sum * y[k], w = other * y[k];
        sum += sinf(at + y[k]) * w + other * third;
        other += v * w;
        third -= v;
    }
    x[i[0]] = sum + other + third;
}
void calls_before(amp_index2 i, int n, int steps, const float y[n], const float x[n], float s[steps][n]) restrict(amp)
{
    s[i[0]][i[1]] = sinf(x[i[1]] + y[i[0]]);
}
void after_calls(amp_index1 i, int n, int steps, const float y[n], const float s[steps][n], float x[n]) restrict(amp)
{
    float sum = x[i[0]], other = sum * 2, third = sum * 3;
    for (int k = 0; k < steps; k++) {
        float v = sum * y[k], w = other * y[k];
        sum += s[k][i[0]] * w + other * third;
        other += v * w;
        third -= v;
    }
    x[i[0]] = sum + other + third;
}

/* A quarter of the atomic operations.
 * CHECK: kernel often {{.*}}for
 * CHECK: update sum {{.*}}atomic, lane by lane
 * CHECK-NEXT: -> let each thread combine several values in a variable of its own first
 * LOCKS: [[#LOCKS:]]
 * LOCKS-NEXT: [[#div(LOCKS, 4)]]
 */
void often(amp_index1 i, int n, const float y[4][n], float sum[1], float before[n]) restrict(amp)
{
    for (int k = 0; k < 4; k++)
        before[i[0]] = amp_atomic_fetch_add(&sum[0], y[k][i[0]]);
}
void seldom(amp_index1 i, int n, const float y[4][n], float sum[1], float before[n]) restrict(amp)
{
    float own = 0;
    for (int k = 0; k < 4; k++)
        own += y[k][i[0]];
    before[i[0]] = amp_atomic_fetch_add(&sum[0], own);
}

/* What helps depends on whose elements they are.
 * CHECK: kernel scattered {{.*}}for
 * CHECK: update h {{.*}}atomic, lane by lane
 * CHECK-NEXT: -> combine in tile_static memory first, then add once per tile
 * CHECK: kernel once_per_tile {{.*}}for
 * CHECK: update own {{.*}}atomic, lane by lane
 * CHECK-NOT: ->
 */
void scattered(amp_index1 i, int n, const unsigned char x[n], int h[64]) restrict(amp)
{
    amp_atomic_fetch_add(&h[x[i[0]] & 63], 1);
}
void once_per_tile(amp_tiled_index1(64) t, int n, const unsigned char x[n], int h[64]) restrict(amp)
{
    tile_static int own[64];
    own[t.local[0]] = 0;
    amp_tile_barrier_wait(t.barrier);
    amp_atomic_fetch_add(&own[x[t.global[0]] & 63], 1);
    amp_tile_barrier_wait(t.barrier);
    amp_atomic_fetch_add(&h[t.local[0]], own[t.local[0]]);
}

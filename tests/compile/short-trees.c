/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v3 -c %s -o %t.o --amp-dump-after=optimise --amp-stop-after=optimise \
 * RUN:     | FileCheck %s
 *
 * The last steps of a tree are for the first lanes of a vector only, and take what they add from the register that the
 * step before has stored. A load would wait for that store. */
#include <amp.h>

/* CHECK: %[[A:.*]] = fadd <16 x float>
 * CHECK: %[[LOW:.*]] = shufflevector <16 x float> %[[A]], <16 x float> poison, <8 x i32> <i32 0, i32 1, {{.*}}>
 * CHECK: %[[B:.*]] = fadd <8 x float> {{.*}}%[[LOW]]
 * CHECK-NOT: load <
 * CHECK: %[[HIGH:.*]] = shufflevector <8 x float> %[[B]], <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
 * CHECK: fadd <4 x float> {{.*}}%[[HIGH]]
 */
void tree(amp_tiled_index1(256) t, int n, const float in[n], float out[n]) restrict(amp)
{
    tile_static float part[256];
    int at = t.local[0];
    part[at] = in[t.global[0]];
    for (int d = 128; d > 0; d /= 2) {
        amp_tile_barrier_wait(t.barrier);
        if (at < d)
            part[at] += part[at + d];
    }
    if (at == 0)
        out[t.tile[0]] = part[0];
}

/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v3 -c %s -o %t.o --amp-dump-after=optimise --amp-stop-after=optimise \
 * RUN:     | FileCheck %s
 *
 * The last steps of a tree are for the first lanes of a vector only. What they add is loaded for these lanes: a load of
 * all would begin in the middle of one vector stored before, and processors would wait until that is in the cache. */
#include <amp.h>

/* CHECK: %[[A:.*]] = load <16 x float>
 * CHECK: fadd <16 x float> {{.*}}%[[A]]
 * CHECK: %[[B:.*]] = load <8 x float>
 * CHECK: fadd <8 x float> {{.*}}%[[B]]
 * CHECK: %[[C:.*]] = load <4 x float>
 * CHECK: fadd <4 x float> {{.*}}%[[C]]
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

/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-cpu=x86-64-v2 -c %s --amp-dump-after=optimise --amp-stop-after=optimise | FileCheck %s
 * RUN: %ampcc -O2 --amp-cpu=x86-64-v3 -c %s --amp-dump-after=optimise --amp-stop-after=optimise \
 * RUN:   | FileCheck %s --check-prefixes=CHECK,MASKED,LOOP
 * RUN: %ampcc -O2 --amp-cpu=x86-64-v4 -c %s --amp-dump-after=optimise --amp-stop-after=optimise \
 * RUN:   | FileCheck %s --check-prefixes=CHECK,MASKED
 *
 * Where branches of a tile ask for a thread's place alone, the tile's blocks stand behind one another, so that each
 * mask is a constant: of a reduction's last steps nothing is left but the first block's first lanes. Not where they ask
 * for more. */
#include <amp.h>

// CHECK-LABEL: define {{.*}}@amp__run_0_0(
// CHECK-NOT: call {{.*}}@llvm.masked
// CHECK-LABEL: define {{.*}}@amp__run_1_0(
// LOOP: icmp eq i64 {{.*}}, 8
// MASKED: call {{.*}}@llvm.masked
void reduce(amp_tiled_index1(256) t, int n, int m, const float in[n], float out[m]) restrict(amp)
{
    tile_static float part[256];
    int i = t.local[0];
    part[i] = in[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    for (int half = 128; half > 0; half /= 2) {
        if (i < half)
            part[i] += part[i + half];
        amp_tile_barrier_wait(t.barrier);
    }
    if (i == 0)
        out[t.tile[0]] = part[0];
}

void choose(amp_tiled_index1(256) t, int n, float x[n]) restrict(amp)
{
    tile_static float part[256];
    int i = t.local[0];
    part[255 - i] = x[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    if (part[i] > 0)
        x[t.global[0]] = part[i] * part[i];
}

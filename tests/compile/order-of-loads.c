/* SPDX-License-Identifier: MIT
 * REQUIRES: x86_64
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v4 --amp-dump-after=optimise -c %s -o %t.o | FileCheck %s
 * RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=x86-64-v4 -c %s -o %t.o && objdump -d %t.o | FileCheck --check-prefix=CODE %s
 *
 * The pieces of a tile are read in the order in which they lie in memory, though the sums need the upper half first. */
#include <amp.h>

enum { TILE = 256 };

/* CHECK-LABEL: define {{.*}}@amp__run_0_0(
 * CHECK-COUNT-16: load volatile <16 x float>
 * CODE: vmovups -0x3c0(%[[at:[a-z0-9]+]]),%zmm
 * CODE-NEXT: vmovups -0x380(%[[at]]),%zmm
 * CODE-NEXT: vmovups -0x340(%[[at]]),%zmm
 * CODE-NEXT: vmovups -0x300(%[[at]]),%zmm
 * CODE-NEXT: vmovups -0x2c0(%[[at]]),%zmm
 * CODE-NEXT: vmovups -0x280(%[[at]]),%zmm
 * CODE-NEXT: vmovups -0x240(%[[at]]),%zmm
 * CODE-NEXT: vmovups -0x200(%[[at]]),%zmm
 * CODE-NEXT: vaddps -0x1c0(%[[at]]),%zmm
 * CODE-NEXT: vaddps -0x180(%[[at]]),%zmm
 * CODE-NEXT: vaddps -0x140(%[[at]]),%zmm
 */
void sum(amp_tiled_index1(TILE) t, int n, const float in[n], int m, float out[m]) restrict(amp)
{
    tile_static float part[TILE];
    int thread = t.local[0];
    part[thread] = in[t.global[0]];
    for (int half = TILE / 2; half > 0; half /= 2) {
        amp_tile_barrier_wait(t.barrier);
        if (thread < half)
            part[thread] += part[thread + half];
    }
    if (thread == 0)
        out[t.tile[0]] = part[0];
}

// SPDX-License-Identifier: MIT
// A frame of several pages is probed from the beginning of its function: LLVM's probes take r11 for themselves, even if
// they came after code that has something in it.
// REQUIRES: x86_64
// RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=znver4 --amp-convoys=100 -S %s -o - | FileCheck %s
#include <amp.h>

enum { TILE = 192 };

// CHECK-LABEL: {{^"?}}chunks.znver4{{"?}}:
// CHECK-NOT: {{cmp|test|jmp}}
// CHECK: pushq %rbp
// CHECK: subq ${{[0-9]+}}, %r11
static void chunks(amp_tiled_index1(TILE) t, int length, int step, int n, const int in[n], int m, int out[m])
    restrict(amp)
{
    tile_static int found[TILE];
    unsigned own = (unsigned)t.tile[0];
    for (int k = 0; k < length; k++)
        own = own * 5 + (unsigned)in[k * step + t.global[0]];
    found[t.local[0]] = (int)own;
    amp_tile_barrier_wait(t.barrier);
    if (found[0] % 2)
        own += (unsigned)found[(t.local[0] + 1) % TILE];
    out[t.global[0]] = (int)own;
}

amp_status launch(int n, amp_array_view *in, amp_array_view *out)
{
    return amp_parallel_for_each(amp_extent1(n * TILE), chunks, 4, n * TILE, in, out);
}

// SPDX-License-Identifier: MIT
// A frame of several pages is probed from the beginning of its function: LLVM's probes take r11 for themselves, even if
// they came after code that has something in it. Using an array at once makes LLVM begin with the frame.
// REQUIRES: x86_64
// RUN: %ampcc -O2 --amp-gpu=none --amp-cpu=znver4 -S %s -o - | FileCheck %s
#include <amp.h>

// CHECK-LABEL: {{^"?}}count.znver4{{"?}}:
// CHECK-NOT: {{cmp|test|jmp}}
// CHECK: pushq %rbp
// CHECK: subq ${{[0-9]+}}, %r11
// CHECK: movb $0, {{[0-9]*}}(%rsp)
void count(amp_tiled_index1(64) t, int tiles, int n, const int x[n], int out[tiles]) restrict(amp)
{
    tile_static int last[8192];
    int sum = 0;
    for (int i = t.local[0]; i < 8192; i += 64)
        last[i] = t.tile[0];
    amp_tile_barrier_wait(t.barrier);
    for (int i = t.global[0]; i < n; i += tiles * 64) {
        sum += last[x[i] & 8191];
        last[x[i] & 8191] = i;
    }
    amp_tile_barrier_wait(t.barrier);
    last[t.local[0]] = sum;
    amp_tile_barrier_wait(t.barrier);
    if (t.local[0] == 0)
        for (int i = 0; i < 64; i++)
            out[t.tile[0]] += last[i];
}

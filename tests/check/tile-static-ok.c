// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: S6, language.tile_static
// tile_static belongs to tiled kernels and what they call, and has no initialiser.
#include <amp.h>

static float helper(amp_tile_barrier barrier, float x) restrict(amp)
{
    tile_static float sum;
    sum = x;
    amp_tile_barrier_wait(barrier);
    return sum;
}

void k(amp_tiled_index1(4) t, int N, float x[N]) restrict(amp)
{
    tile_static float a[4];
    a[t.local[0]] = helper(t.barrier, x[t.global[0]]);
    amp_tile_barrier_wait_with_tile_static_memory_fence(t.barrier);
    x[t.global[0]] = a[3 - t.local[0]];
}

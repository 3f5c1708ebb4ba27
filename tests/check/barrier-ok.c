// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: c1, tile_barrier.copy
// Barriers belong to tiled kernels and what they call.
#include <amp.h>

static void wait(amp_tile_barrier barrier) restrict(amp)
{
    amp_tile_barrier_wait(barrier);
}

void k(amp_tiled_index2(4, 4) t) restrict(amp)
{
    amp_tile_barrier_wait(t.barrier);
    amp_tile_barrier_wait_with_all_memory_fence(t.barrier);
    amp_tile_barrier_wait_with_global_memory_fence(t.barrier);
    wait(t.barrier);
}

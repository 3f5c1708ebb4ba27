// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: c1
// Barriers belong to tiled kernels and what they call.
#include <amp.h>

static void wait(amp_tile_barrier barrier) restrict(amp)
{
    amp_tile_barrier_wait(barrier); // expected-error: 'amp_tile_barrier_wait' needs a tile; it is allowed only in kernels whose first parameter is an amp_tiled_index, and in functions that only those call
}

void tiled(amp_tiled_index2(4, 4) t) restrict(amp)
{
    wait(t.barrier);
}

void untiled(amp_index1 i) restrict(amp)
{
    amp_tile_barrier none = {0};
    wait(none); // expected-note: 'wait' is called by kernel 'untiled' here
}

void host(void)
{
    amp_tile_barrier none = {0};
    amp_tile_barrier_wait(none); // expected-error: 'amp_tile_barrier_wait' is restrict(amp) and 'host' is host code, which cannot call it; ...
}

static void wait_everywhere(amp_tile_barrier barrier) restrict(cpu, amp)
{
    amp_tile_barrier_wait(barrier); // expected-error: 'amp_tile_barrier_wait' needs a tile, which the host has not, but 'wait_everywhere' is restrict(cpu, amp); mark it restrict(amp)
}

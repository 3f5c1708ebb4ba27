// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// Kernels that lack restrict(amp).
#include <amp.h>

void scale(amp_index1 idx, int N, float factor, float x[N]) // expected-note 2: 'scale' is defined here
{
    x[idx[0]] *= factor;
}

void tiled(amp_tiled_index1(16) t, int N, float x[N]) // expected-error: 'tiled' uses what only kernels have; add restrict(amp) after its parameters expected-note: 'tiled' is defined here
{
    tile_static float s[16]; // expected-note: it is used here
    s[t.local[0]] = x[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    x[t.global[0]] = s[15 - t.local[0]];
}

int host(amp_index2 idx)
{
    return idx[0] + idx[1];
}

void launch(amp_array_view *x)
{
    amp_parallel_for_each(amp_extent1(16), scale, 2.0f, x); // expected-error: 'scale' is not a kernel; add restrict(amp) after its parameters
    amp_future_release(amp_parallel_for_each_async(amp_extent1(16), scale, 2.0f, x)); // expected-error: 'scale' is not a kernel; add restrict(amp) after its parameters
    amp_parallel_for_each(amp_extent1(16), tiled, x); // expected-error: 'tiled' is not a kernel; add restrict(amp) after its parameters
}

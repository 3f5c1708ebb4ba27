// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc --amp-stop-after=check -Wall %s
// RUN: %ampcc --amp-stop-after=check -Wno-amp-private -Werror %S/private-atomic.c
// Atomic operations on what threads share, with a thread's own variables beside it.
#include <amp.h>

void shared(amp_tiled_index1(64) t, int N, const int x[N], int h[64]) restrict(amp)
{
    tile_static int count[64], rows[4][16];
    int *at = &count[x[t.global[0]] & 63], expected = 0, own[64] = {0};
    count[t.local[0]] = 0;
    rows[t.local[0] / 16][t.local[0] % 16] = 0;
    amp_tile_barrier_wait(t.barrier);
    amp_atomic_fetch_add(at, 1);
    amp_atomic_fetch_add(&at[0], 1);
    amp_atomic_fetch_add(rows[1] + 2, own[3]);
    amp_atomic_compare_exchange(&count[0], &expected, own[t.local[0]]);
    amp_tile_barrier_wait(t.barrier);
    amp_atomic_fetch_add(&h[t.local[0]], count[t.local[0]] + rows[1][2]);
}

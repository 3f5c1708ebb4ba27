// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -O2 -c -o %t.o %s
// row: S6
// What a tile's threads keep has to fit: 48 KiB together, and some arrays of each thread's own.
#include <amp.h>

void shared(amp_tiled_index1(16) t, int N, float x[N]) restrict(amp)
{
    tile_static float a[12288];
    a[768 * t.local[0]] = x[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    x[t.global[0]] = a[768 * (15 - t.local[0])];
}

void own(amp_index1 i, int N, float x[N]) restrict(amp)
{
    float a[64];
    for (int k = 0; k < 64; k++)
        a[k] = x[(i[0] + k) % N];
    x[i[0]] = a[N % 64];
}

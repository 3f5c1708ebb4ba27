// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -O2 --amp-cpu=x86-64-v3 -c -o %t.o %s
// REQUIRES: x86_64
// row: S6, C3565, C3568, C3583
// What a tile's threads keep has to fit.
#include <amp.h>

void shared(amp_tiled_index1(16) t, int N, float x[N]) restrict(amp) // expected-error: the tile_static variables of 'shared' take 49168 bytes; every accelerator has 49152 for a tile
{
    tile_static float a[12288], b;
    if (t.local[0] == 0)
        b = x[t.tile_origin[0]];
    a[t.local[0]] = x[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    x[t.global[0]] = a[15 - t.local[0]] + b;
}

void own(amp_index1 i, int N, float x[N]) restrict(amp) // expected-error: the local arrays of 'own', and what it keeps across barriers, take ...
{
    float a[100][100][100];
    a[i[0]][1][N] = 1;
    x[i[0]] = a[N][1][2];
}

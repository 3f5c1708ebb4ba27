// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc --amp-stop-after=check %s
// Elements that all threads write at once.
#include <amp.h>

void histogram(amp_index1 i, int N, const unsigned char x[N], int h[64]) restrict(amp)
{
    int own[64] = {0};
    own[x[i[0]] & 63]++;
    for (int b = 0; b < 64; b++)
        h[b] += own[b]; // expected-warning: all threads write the same element of 'h'; use amp_atomic_fetch_add and the like, or subscript it by the index
}

void sum(amp_index2 i, int N, const float x[N][N], float total[1]) restrict(amp)
{
    float value = x[i[0]][i[1]];
    total[0] = total[0] + value; // expected-warning: all threads write the same element of 'total'; use amp_atomic_fetch_add and the like, or subscript it by the index
}

void count(amp_index1 i, int N, int k, float x[N], int n[4][4]) restrict(amp)
{
    x[i[0]] = 0;
    n[0][0] = k;
    if (k > 0)
        ++n[k][1]; // expected-warning: all threads write the same element of 'n'; use amp_atomic_fetch_add and the like, or subscript it by the index
}

void product(amp_index1 i, int N, const float x[N], float all[1]) restrict(amp)
{
    all[0] *= x[i[0]]; // expected-warning: all threads write the same element of 'all'; use amp_atomic_fetch_add and the like, or subscript it by the index
}

void of_tile(amp_tiled_index1(64) t, int N, const float x[N], float sums[N / 64]) restrict(amp)
{
    tile_static float part[2];
    part[1] = x[t.global[0]]; // expected-warning: all threads of a tile write the same element of 'part'; use ...
    amp_tile_barrier_wait(t.barrier);
    sums[t.tile[0]] += part[1]; // expected-warning: all threads of a tile write the same element of 'sums'; use amp_atomic_fetch_add and the like, or subscript it by the index
}

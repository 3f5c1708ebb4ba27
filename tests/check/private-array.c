// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc --amp-stop-after=check %s
// Local arrays that are used as if the threads of a tile shared them.
#include <amp.h>

void reverse(amp_tiled_index1(16) t, int N, float x[N]) restrict(amp)
{
    float s[16]; // expected-note: 's' is declared here
    s[t.local[0]] = x[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    x[t.global[0]] = s[15 - t.local[0]]; // expected-warning: 's' is private to each thread, yet read across a barrier at another thread's index; declare it tile_static
}

void product(amp_tiled_index2(16, 16) t, int N, const float a[N][N], float c[N][N]) restrict(amp)
{
    int row = t.local[0], column = t.local[1];
    float sum = 0;
    for (int k = 0; k < N; k += 16) {
        float s[16][16]; // expected-note: 's' is declared here
        s[row][column] = a[t.global[0]][k + column];
        amp_tile_barrier_wait(t.barrier);
        for (int i = 0; i < 16; i++)
            sum += s[row][i]; // expected-warning: 's' is private to each thread, yet ...
        amp_tile_barrier_wait(t.barrier);
    }
    c[t.global[0]][t.global[1]] = sum;
}

void counted(amp_tiled_index1(64) t, int N, const int x[N], int h[64]) restrict(amp)
{
    int own[64]; // expected-note: 'own' is declared here
    int bin = x[t.global[0]] / 4;
    own[t.local[0]] = 0;
    amp_tile_barrier_wait(t.barrier);
    own[bin & 63]++; // expected-warning: 'own' is private to each thread, yet changed across a barrier at another thread's index; declare it tile_static
    amp_tile_barrier_wait(t.barrier);
    h[t.global[0]] = own[t.local[0]];
}

void filled(amp_tiled_index1(64) t, int N, const int x[N], int h[64]) restrict(amp)
{
    int own[64] = {0}; // expected-note: 'own' is declared here
    int bin = x[t.global[0]] / 4;
    own[bin & 63] += 1;
    amp_tile_barrier_wait(t.barrier);
    h[t.global[0]] = own[t.local[0]]; // expected-warning: 'own' is private to each thread, yet written at an index from memory and read across a barrier at the thread's own; declare it tile_static
}

// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc --amp-stop-after=check %s
// Atomic operations on variables that belong to one thread.
#include <amp.h>

void histogram(amp_tiled_index1(64) t, int N, const unsigned char x[N], int h[64]) restrict(amp)
{
    int own[64]; // expected-note: 'own' is declared here
    own[t.local[0]] = 0;
    amp_tile_barrier_wait(t.barrier);
    amp_atomic_fetch_add(&own[x[t.global[0]] & 63], 1); // expected-warning: 'own' belongs to this thread alone, so an atomic operation does nothing more than a plain one; to share it, declare it tile_static int own[64]
    amp_atomic_fetch_add(&own[1], 1);
    amp_tile_barrier_wait(t.barrier);
    amp_atomic_fetch_add(&h[t.local[0]], own[t.local[0]]);
}

void offset(amp_tiled_index2(8, 8) t, int N, const float x[N][N], float h[8]) restrict(amp)
{
    float own[8][8] = {{0}}; // expected-note: 'own' is declared here
    amp_atomic_fetch_max(own[0] + t.local[1], x[t.global[0]][t.global[1]]); // expected-warning: ...; to share it, declare it tile_static float own[8][8]
    h[t.local[0]] = own[0][0];
}

void count(amp_tiled_index1(64) t, int N, int h[N]) restrict(amp)
{
    int n = 0;                     // expected-note: 'n' is declared here
    amp_atomic_exchange(&n, 1);    // expected-warning: ...; to share it, declare it tile_static int n
    h[t.global[0]] = n;
}

void untiled(amp_index1 i, int N, const int x[N], int h[4]) restrict(amp)
{
    int own[4] = {0};                         // expected-note: 'own' is declared here
    amp_atomic_fetch_inc(&own[x[i[0]] & 3]);  // expected-warning: 'own' belongs to this thread alone, so an atomic operation does nothing more than a plain one; to share it, make it a parameter, or the kernel tiled and it tile_static int own[4]
    for (int b = 0; b < 4; b++)
        amp_atomic_fetch_add(&h[b], own[b]);
}

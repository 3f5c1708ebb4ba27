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

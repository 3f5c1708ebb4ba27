// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc --amp-stop-after=check -Wall %s
// RUN: %ampcc --amp-stop-after=check -Wno-amp -Werror %S/private-array.c
// RUN: not %ampcc --amp-stop-after=check -Werror=amp-private %S/private-array.c
// Local arrays that a thread uses for itself.
#include <amp.h>

static void fill(float s[16]) restrict(amp)
{
    for (int i = 0; i < 16; i++)
        s[i] = 1;
}

void whole(amp_tiled_index1(16) t, int N, float x[N]) restrict(amp)
{
    float s[16], filled[16], first[16] = {1}, own[16];
    tile_static float shared[16];
    for (int i = 0; i < 16; i++)
        s[i] = i;
    s[t.local[0]] = x[t.global[0]];
    fill(filled);
    filled[t.local[0]] = 2;
    first[t.local[0]] = 2;
    own[t.local[0]] = 3;
    shared[t.local[0]] = 4;
    amp_tile_barrier_wait(t.barrier);
    int other = 15 - t.local[0];
    x[t.global[0]] = s[other] + filled[other] + first[other] + own[t.local[0]] + shared[other];
}

void before(amp_tiled_index1(16) t, int N, float x[N]) restrict(amp)
{
    float s[16];
    amp_tile_barrier_wait(t.barrier);
    s[t.local[0]] = x[t.global[0]];
    if (t.local[0] == 0)
        x[t.global[0]] = s[0];
}

void merged(amp_tiled_index1(64) t, int N, const int x[N], int h[64]) restrict(amp)
{
    int own[64] = {0}, early[64] = {0}, chosen[64];
    for (int k = t.local[0]; k < N; k += 64) {
        own[x[k] & 63]++;
        early[x[k] & 63]++;
    }
    for (int k = 0; k < 64; k++)
        chosen[k] = own[k];
    h[t.global[0]] = early[t.local[0]];
    amp_tile_barrier_wait(t.barrier);
    h[t.global[0]] += chosen[t.local[0]];
    for (int k = 0; k < 64; k++)
        amp_atomic_fetch_add(&h[k], own[k] + own[t.local[0]]);
}

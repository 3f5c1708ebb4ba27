// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc --amp-stop-after=check -Wall %s
// RUN: %ampcc --amp-stop-after=check -Wno-amp-race -Werror %S/race.c
// Elements that one thread writes, or all with the same value.
#include <amp.h>

void same_value(amp_index1 i, int N, int k, const float x[N], int go_on[2]) restrict(amp)
{
    int twice = 2 * k;
    go_on[0] = 1;
    if (x[i[0]] > 0)
        go_on[1] = twice;
}

void one_thread(amp_index1 i, int n[1]) restrict(amp)
{
    n[0]++;
}

void chosen(amp_index1 i, int N, const float x[N], float first[4]) restrict(amp)
{
    int at = 0, last = 0;
    if (i[0] == 0)
        first[0] += x[0];
    i[0] == 1 ? first[1]++ : 0;
    i[0] == 2 && first[2]++;
    if (x[i[0]] > 0)
        at = 1;
    for (int k = 0; k < i[0]; k++)
        last++;
    first[at] += 1;
    first[last] += 1;
    switch (i[0]) {
    case 0:
        first[0] += 1;
    }
    while (x[i[0]] > first[3])
        first[3] += 1;
}

void left(amp_index1 i, int N, const float x[N], float first[1]) restrict(amp)
{
    if (i[0] > 0)
        return;
    first[0] += x[i[0]];
}

void broken(amp_index1 i, int N, const float x[N], float y[8]) restrict(amp)
{
    int k = 0;
    for (; k < 7; k++)
        if (x[i[0]] > k)
            break;
    y[k] += 1;
}

void locked(amp_index1 i, int N, const float x[N], int lock[1], float sum[1]) restrict(amp)
{
    while (amp_atomic_exchange(&lock[0], 1))
        ;
    sum[0] += x[i[0]];
    amp_atomic_exchange(&lock[0], 0);
}

void of_tile(amp_tiled_index1(64) t, int N, const float x[N], float sums[N / 64]) restrict(amp)
{
    tile_static float part[64];
    int own[2];
    own[1] = t.local[0];
    part[own[1]] = x[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    sums[t.tile[0]] = part[0];
    if (t.local[0] == 0)
        sums[t.tile[0]] += part[1];
}

void tile_of_one(amp_tiled_index1(1) t, int N, const float x[N], float sums[N]) restrict(amp)
{
    sums[t.tile[0]] += x[t.global[0]];
}

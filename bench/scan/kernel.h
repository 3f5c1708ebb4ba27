/* SPDX-License-Identifier: MIT */
#include <amp.h>

/* Up and down a tree of partial sums, two elements for each thread. */
static void scan(amp_tiled_index1(BLOCK / 2) t, int n, const int in[n], int out[n]) restrict(amp)
{
    tile_static int part[BLOCK];
    int thread = t.local[0], from = t.tile[0] * BLOCK, distance = 1;
    part[2 * thread] = in[from + 2 * thread];
    part[2 * thread + 1] = in[from + 2 * thread + 1];
    for (int active = BLOCK / 2; active > 0; active /= 2) {
        amp_tile_barrier_wait(t.barrier);
        if (thread < active)
            part[distance * (2 * thread + 2) - 1] += part[distance * (2 * thread + 1) - 1];
        distance *= 2;
    }
    if (thread == 0)
        part[BLOCK - 1] = 0;
    for (int active = 1; active < BLOCK; active *= 2) {
        distance /= 2;
        amp_tile_barrier_wait(t.barrier);
        if (thread < active) {
            int left = distance * (2 * thread + 1) - 1, right = distance * (2 * thread + 2) - 1;
            int kept = part[left];
            part[left] = part[right];
            part[right] += kept;
        }
    }
    amp_tile_barrier_wait(t.barrier);
    out[from + 2 * thread] = part[2 * thread];
    out[from + 2 * thread + 1] = part[2 * thread + 1];
}

/* SPDX-License-Identifier: MIT */
#include <amp.h>

/* All threads together stride over the vectors as over a grid; then the tile adds up. */
static void dot(amp_tiled_index1(TILE) t, int n, int m, const double a[n], const double b[n], double out[m])
    restrict(amp)
{
    tile_static double part[TILE];
    int thread = t.local[0];
    part[thread] = 0;
    for (int i = t.global[0]; i < n; i += m * TILE)
        part[thread] += a[i] * b[i];
    for (int half = TILE / 2; half > 0; half /= 2) {
        amp_tile_barrier_wait(t.barrier);
        if (thread < half)
            part[thread] += part[thread + half];
    }
    if (thread == 0)
        out[t.tile[0]] = part[0];
}

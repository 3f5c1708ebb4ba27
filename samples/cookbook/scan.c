/* SPDX-License-Identifier: MIT
 *
 * Prefix sums: y[i] = x[0] + ... + x[i]. Tiles add up on their own, then the sums of the tiles before are added. */
#include "cookbook.h"

enum { N = 10000, T = 128, TILES = (N + T - 1) / T };

static void scan_tiles(amp_tiled_index1(T) t, const int x[N], int y[N], int sums[TILES]) restrict(amp)
{
    tile_static int s[T];
    int i = t.local[0];
    s[i] = t.global[0] < N ? x[t.global[0]] : 0;
    amp_tile_barrier_wait(t.barrier);
    for (int distance = 1; distance < T; distance *= 2) {
        int left = i >= distance ? s[i - distance] : 0;
        amp_tile_barrier_wait(t.barrier); /* all have read */
        s[i] += left;
        amp_tile_barrier_wait(t.barrier); /* all have written */
    }
    if (t.global[0] < N)
        y[t.global[0]] = s[i];
    if (i == T - 1)
        sums[t.tile[0]] = s[i];
}

static void add_before(amp_index1 idx, const int sums[TILES], int y[N]) restrict(amp)
{
    int before = 0;
    for (int tile = 0; tile < idx[0] / T; tile++)
        before += sums[tile];
    y[idx[0]] += before;
}

int main(void)
{
    static int x_data[N], y_data[N];
    for (int i = 0; i < N; i++)
        x_data[i] = i % 10 - 4;
    amp_auto_array_view *x = amp_array_view1(N, (const int *)x_data), *y = amp_array_view1(N, y_data);
    amp_auto_array_view *sums = amp_array_view_without_source1(int, TILES);
    amp_parallel_for_each(amp_extent1(TILES * T), scan_tiles, x, y, sums);
    amp_parallel_for_each(amp_extent1(N), add_before, sums, y);
    amp_synchronize(y);
    int wrong = 0, sum = 0;
    for (int i = 0; i < N; i++)
        wrong += y_data[i] != (sum += x_data[i]);
    printf("last sum %d, %d wrong\n", y_data[N - 1], wrong);
    return finish();
}

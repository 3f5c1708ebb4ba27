/* SPDX-License-Identifier: MIT
 *
 * Contrast by equalising the histogram: count the grey levels in tile memory, add them up, and map each pixel. The left
 * half of the picture is as it was. */
#include "cookbook.h"
#include <math.h>

enum { H = 192, W = 320, LEVELS = 256 };

static void paint(amp_index2 idx, unsigned char grey[H][W]) restrict(amp)
{
    float y = (float)idx[0] / H, x = (float)(idx[1] % (W / 2)) / (W / 2);
    float hills = sinf(9 * x + 2 * sinf(5 * y)) * cosf(7 * y) + 0.4f * sinf(31 * x * y + 4 * x);
    grey[idx[0]][idx[1]] = (unsigned char)(115 + 18 * hills); /* faint */
}

static void count(amp_tiled_index2(16, 16) t, const unsigned char grey[H][W], int counts[LEVELS]) restrict(amp)
{
    tile_static int own[LEVELS];
    int me = 16 * t.local[0] + t.local[1];
    own[me] = 0;
    amp_tile_barrier_wait(t.barrier);
    amp_atomic_fetch_inc(&own[grey[t.global[0]][t.global[1]]]);
    amp_tile_barrier_wait(t.barrier);
    amp_atomic_fetch_add(&counts[me], own[me]);
}

/* One thread for each level: how many pixels are at most that bright. */
static void add_up(amp_index1 idx, const int counts[LEVELS], unsigned char map[LEVELS]) restrict(amp)
{
    int sum = 0;
    for (int i = 0; i <= idx[0]; i++)
        sum += counts[i];
    map[idx[0]] = (unsigned char)(255 * (long)sum / (H * W));
}

static void equalise(amp_index2 idx, const unsigned char map[LEVELS], const unsigned char grey[H][W],
                     unsigned char rgb[H][W][3]) restrict(amp)
{
    int level = grey[idx[0]][idx[1]];
    for (int c = 0; c < 3; c++)
        rgb[idx[0]][idx[1]][c] = idx[1] < W / 2 ? (unsigned char)level : map[level];
}

int main(int argc, char **argv)
{
    static unsigned char rgb[H][W][3];
    int counts_data[LEVELS] = {0};
    amp_auto_array_view *grey = amp_array_view_without_source2(unsigned char, H, W),
                        *picture = amp_array_view3(H, W, 3, rgb[0][0]);
    amp_auto_array_view *counts = amp_array_view1(LEVELS, counts_data),
                        *map = amp_array_view_without_source1(unsigned char, LEVELS);
    amp_parallel_for_each(amp_extent2(H, W), paint, grey);
    amp_parallel_for_each(amp_extent2(H, W), count, grey, counts);
    amp_parallel_for_each(amp_extent1(LEVELS), add_up, counts, map);
    amp_parallel_for_each(amp_extent2(H, W), equalise, map, grey, picture);
    amp_synchronize(counts);
    amp_synchronize(picture);
    int sum = 0, bright = 0;
    for (int i = 0; i < LEVELS; i++)
        sum += counts_data[i];
    for (int i = 0; i < H * W; i++)
        bright += rgb[0][i][0] > 200;
    printf("%d pixels counted, %s\n", sum, bright > H * W / 20 ? "more contrast" : "still faint");
    picture_write(argc, argv, H, W, rgb[0][0]);
    return finish();
}

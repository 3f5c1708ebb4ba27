/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 -Wall -Wextra -Werror %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=4 %s -o %t && %run-cpu %t
 *
 * A value that is the same for all rows of a tile goes around a loop with barriers and becomes one that is not. A tile
 * takes several blocks, which leave it in memory at barriers: for each row, though it begins with one for all. */
#include "check.h"

enum { H = 16, W = 32 };

static void add(amp_tiled_index2(H, W) t, int n, const float b[H][W], const float line[W], float c[H][W]) restrict(amp)
{
    tile_static float p[H][W];
    float v = line[t.global[1]];
    p[t.local[0]][t.local[1]] = v;
    amp_tile_barrier_wait(t.barrier);
    for (int i = 0; i < n; i++) {
        amp_tile_barrier_wait(t.barrier);
        v += b[t.global[0]][t.global[1]];
        p[t.local[0]][t.local[1]] = v;
        amp_tile_barrier_wait(t.barrier);
    }
    c[t.global[0]][t.global[1]] = v + p[t.local[0]][W - 1 - t.local[1]];
}

int main(void)
{
    static float b[H][W], line[W], c[H][W];
    for (int x = 0; x < W; x++)
        line[x] = (float)(x + 1);
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            b[y][x] = (float)(y * W + x);
    amp_array_view *views[] = {amp_array_view2(H, W, (const float *)b), amp_array_view1(W, (const float *)line),
                               amp_array_view2(H, W, (float *)c)};
    for (int n = 0; n < 4; n++) {
        CHECK_OK(amp_parallel_for_each(amp_extent2(H, W), add, n, views[0], views[1], views[2]));
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++) {
                int other = W - 1 - x;
                float expected = line[x] + (float)n * b[y][x] + line[other] + (float)n * b[y][other];
                if (c[y][x] != expected) {
                    fprintf(stderr, "%d: c[%d][%d] is %g instead of %g\n", n, y, x, c[y][x], expected);
                    return 1;
                }
            }
    }
    check_release(views, LENGTH(views));
    return 0;
}

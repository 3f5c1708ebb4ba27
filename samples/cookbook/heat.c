/* SPDX-License-Identifier: MIT
 *
 * Heat spreads on a plate: a hot edge, a hot disc, and cold walls. 2000 launches, and one copy at the end. */
#include "cookbook.h"

enum { H = 160, W = 240, STEPS = 2000 };

static void step(amp_index2 idx, const float now[H][W], float next[H][W]) restrict(amp)
{
    int y = idx[0], x = idx[1], dy = y - 110, dx = x - 170;
    if (dx * dx + dy * dy < 200 || x == 0)
        next[y][x] = 100; /* held hot */
    else if (y == 0 || y == H - 1 || x == W - 1 || (x == 90 && y < 100))
        next[y][x] = 0; /* held cold */
    else
        next[y][x] = (now[y - 1][x] + now[y + 1][x] + now[y][x - 1] + now[y][x + 1]) / 4;
}

static void colour(amp_index2 idx, const float heat[H][W], unsigned char rgb[H][W][3]) restrict(amp)
{
    float t = heat[idx[0]][idx[1]] / 100;
    rgb[idx[0]][idx[1]][0] = (unsigned char)(255 * (t < 0.5f ? 2 * t : 1));
    rgb[idx[0]][idx[1]][1] = (unsigned char)(255 * (t < 0.5f ? 0.3f * t : 1.7f * t - 0.7f));
    rgb[idx[0]][idx[1]][2] = (unsigned char)(255 * (t < 0.25f ? 0.3f + t : t < 0.5f ? 1.1f - 2.2f * t : 0));
}

int main(int argc, char **argv)
{
    static float plate[H][W];
    static unsigned char rgb[H][W][3];
    amp_auto_array_view *now = amp_array_view2(H, W, plate[0]), *next = amp_array_view_without_source2(float, H, W);
    amp_auto_array_view *picture = amp_array_view3(H, W, 3, rgb[0][0]);
    for (int i = 0; i < STEPS; i++) {
        amp_parallel_for_each(amp_extent2(H, W), step, now, next);
        amp_array_view *last = now;
        now = next;
        next = last;
    }
    amp_parallel_for_each(amp_extent2(H, W), colour, now, picture);
    amp_synchronize(now);
    amp_synchronize(picture);
    printf("%.1f %.1f %.1f\n", plate[80][10], plate[80][120], plate[80][170]);
    picture_write(argc, argv, H, W, rgb[0][0]);
    return finish();
}

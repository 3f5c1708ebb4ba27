/* SPDX-License-Identifier: MIT
 *
 * Waves on water behind a wall with two gaps. Three views take turns: the past, now, and next. */
#include "cookbook.h"
#include <math.h>

enum { H = 200, W = 300, STEPS = 420 };

static void step(amp_index2 idx, int time, const float past[H][W], const float now[H][W], float next[H][W])
    restrict(amp)
{
    int y = idx[0], x = idx[1];
    int is_wall = x == 80 && !(y > 70 && y < 82) && !(y > 118 && y < 130);
    if (y == 0 || y == H - 1 || x == 0 || x == W - 1 || is_wall)
        next[y][x] = 0;
    else if (x == 3)
        next[y][x] = sinf(0.35f * (float)time);
    else
        next[y][x] = 0.998f * (2 * now[y][x] - past[y][x] +
                               0.4f * (now[y - 1][x] + now[y + 1][x] + now[y][x - 1] + now[y][x + 1] - 4 * now[y][x]));
}

static void colour(amp_index2 idx, const float height[H][W], unsigned char rgb[H][W][3]) restrict(amp)
{
    float h = fminf(fmaxf(0.5f + 0.9f * height[idx[0]][idx[1]], 0), 1);
    int is_wall = idx[1] == 80 && height[idx[0]][80] == 0;
    rgb[idx[0]][idx[1]][0] = (unsigned char)(is_wall ? 90 : 30 + 190 * h * h);
    rgb[idx[0]][idx[1]][1] = (unsigned char)(is_wall ? 60 : 60 + 180 * h);
    rgb[idx[0]][idx[1]][2] = (unsigned char)(is_wall ? 30 : 120 + 130 * h);
}

int main(int argc, char **argv)
{
    static float water[3][H][W];
    static unsigned char rgb[H][W][3];
    amp_array_view *views[3], *picture = amp_array_view3(H, W, 3, rgb[0][0]);
    for (int i = 0; i < 3; i++)
        views[i] = amp_array_view2(H, W, water[i][0]);
    for (int i = 0; i < STEPS; i++)
        amp_parallel_for_each(amp_extent2(H, W), step, i, views[i % 3], views[(i + 1) % 3], views[(i + 2) % 3]);
    amp_parallel_for_each(amp_extent2(H, W), colour, views[(STEPS + 1) % 3], picture);
    amp_synchronize(picture);
    for (int i = 0; i < 3; i++)
        amp_array_view_release(views[i]);
    amp_array_view_release(picture);
    float above = 0, below = 0; /* the picture is symmetric */
    for (int x = 90; x < W; x++) {
        above += fabsf(water[(STEPS + 1) % 3][60][x]);
        below += fabsf(water[(STEPS + 1) % 3][H - 60][x]);
    }
    printf("%s\n", above > 1 && fabsf(above - below) < 0.01f * above ? "symmetric waves" : "something is wrong");
    picture_write(argc, argv, H, W, rgb[0][0]);
    return finish();
}

/* SPDX-License-Identifier: MIT
 *
 * Turns a picture by 30 degrees: each pixel asks where it comes from, and takes the mean of the four pixels there. */
#include "cookbook.h"
#include <math.h>

enum { H = 200, W = 260 };

static void paint(amp_index2 idx, float in[H][W][3]) restrict(amp)
{
    int y = idx[0], x = idx[1];
    in[y][x][0] = x / 20 % 2 == y / 20 % 2 ? 230 : 60;
    in[y][x][1] = (float)(255 * y / H);
    in[y][x][2] = (float)(255 * x / W);
}

static void rotate(amp_index2 idx, float angle, const float in[H][W][3], unsigned char rgb[H][W][3]) restrict(amp)
{
    float dy = (float)idx[0] - H / 2, dx = (float)idx[1] - W / 2;
    float from_y = H / 2 + cosf(angle) * dy - sinf(angle) * dx, from_x = W / 2 + sinf(angle) * dy + cosf(angle) * dx;
    int y = (int)floorf(from_y), x = (int)floorf(from_x);
    float below = from_y - (float)y, right = from_x - (float)x;
    for (int c = 0; c < 3; c++) {
        float value = 20;
        if (y >= 0 && y + 1 < H && x >= 0 && x + 1 < W)
            value = (1 - below) * ((1 - right) * in[y][x][c] + right * in[y][x + 1][c]) +
                    below * ((1 - right) * in[y + 1][x][c] + right * in[y + 1][x + 1][c]);
        rgb[idx[0]][idx[1]][c] = (unsigned char)value;
    }
}

int main(int argc, char **argv)
{
    static unsigned char rgb[H][W][3];
    amp_auto_array_view *in = amp_array_view_without_source3(float, H, W, 3),
                        *out = amp_array_view3(H, W, 3, rgb[0][0]);
    amp_parallel_for_each(amp_extent2(H, W), paint, in);
    amp_parallel_for_each(amp_extent2(H, W), rotate, 3.14159265 / 6, in, out);
    amp_synchronize(out);
    printf("centre %d %d, corner %d\n", rgb[H / 2][W / 2][1], rgb[H / 2][W / 2][2], rgb[0][0][0]);
    picture_write(argc, argv, H, W, rgb[0][0]);
    return finish();
}

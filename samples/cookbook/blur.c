/* SPDX-License-Identifier: MIT
 *
 * An image filter, before and after: a blur of 9 x 9 pixels. The left half of the picture is as it was. */
#include "cookbook.h"

enum { H = 200, W = 400, RADIUS = 4 };

/* Draws discs and stripes. */
static void draw(amp_index2 idx, unsigned char rgb[H][W][3]) restrict(amp)
{
    int y = idx[0], x = idx[1] % (W / 2);
    int dx = x % 50 - 25, dy = y % 50 - 25, is_disc = dx * dx + dy * dy < 300;
    rgb[y][idx[1]][0] = (unsigned char)(is_disc ? 230 : x);
    rgb[y][idx[1]][1] = (unsigned char)(is_disc ? 60 + x / 2 : y);
    rgb[y][idx[1]][2] = (unsigned char)(x / 4 % 2 && !is_disc ? 200 : 40);
}

/* Blurs the right half; pixels outside count as those of the border. */
static void blur(amp_index2 idx, const unsigned char in[H][W][3], unsigned char out[H][W][3]) restrict(amp)
{
    for (int channel = 0; channel < 3; channel++) {
        int sum = 0;
        for (int dy = -RADIUS; dy <= RADIUS; dy++)
            for (int dx = -RADIUS; dx <= RADIUS; dx++) {
                int y = idx[0] + dy < 0 ? 0 : idx[0] + dy >= H ? H - 1 : idx[0] + dy;
                int x = idx[1] + dx < W / 2 ? W / 2 : idx[1] + dx >= W ? W - 1 : idx[1] + dx;
                sum += in[y][x][channel];
            }
        int mean = sum / ((2 * RADIUS + 1) * (2 * RADIUS + 1));
        out[idx[0]][idx[1]][channel] = idx[1] < W / 2 ? in[idx[0]][idx[1]][channel] : (unsigned char)mean;
    }
}

/* How much neighbouring pixels differ, in the columns from `begin` on. */
static long roughness(const unsigned char rgb[H][W][3], int begin)
{
    long sum = 0;
    for (int y = 0; y < H; y++)
        for (int x = begin + 1; x < begin + W / 2; x++)
            sum += rgb[y][x][2] > rgb[y][x - 1][2] ? rgb[y][x][2] - rgb[y][x - 1][2] : 0;
    return sum;
}

int main(int argc, char **argv)
{
    static unsigned char rgb[H][W][3];
    amp_auto_array_view *in = amp_array_view_without_source3(unsigned char, H, W, 3); /* never on the host */
    amp_auto_array_view *out = amp_array_view3(H, W, 3, rgb[0][0]);
    amp_discard_data(out);
    amp_parallel_for_each(amp_extent2(H, W), draw, in);
    amp_parallel_for_each(amp_extent2(H, W), blur, in, out);
    amp_synchronize(out);
    printf("edges: %ld before, %ld after\n", roughness(rgb, 0), roughness(rgb, W / 2));
    picture_write(argc, argv, H, W, rgb[0][0]);
    return finish();
}

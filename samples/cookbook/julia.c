/* SPDX-License-Identifier: MIT
 *
 * A Julia set with smooth colours. The parameter c of the set is a struct that the launch passes. */
#include "cookbook.h"
#include <math.h>

enum { H = 240, W = 320, STEPS = 150 };
struct complex {
    float re, im;
};

static float smooth_steps(struct complex z, struct complex c) restrict(amp)
{
    for (int n = 0; n < STEPS; n++) {
        float size = z.re * z.re + z.im * z.im;
        if (size > 64)
            return (float)n + 1 - log2f(0.5f * log2f(size));
        z = (struct complex){z.re * z.re - z.im * z.im + c.re, 2 * z.re * z.im + c.im};
    }
    return 0;
}

static void julia(amp_index2 idx, struct complex c, unsigned char rgb[H][W][3]) restrict(amp)
{
    struct complex z = {3.2f * idx[1] / W - 1.6f, 2.4f * idx[0] / H - 1.2f};
    float n = smooth_steps(z, c);
    for (int channel = 0; channel < 3; channel++)
        rgb[idx[0]][idx[1]][channel] = n > 0 ? (unsigned char)(127 - 127 * cosf(0.12f * n + 0.9f * channel)) : 0;
}

int main(int argc, char **argv)
{
    static unsigned char rgb[H][W][3];
    amp_auto_array_view *picture = amp_array_view3(H, W, 3, rgb[0][0]);
    amp_parallel_for_each(amp_extent2(H, W), julia, ((struct complex){-0.8f, 0.156f}), picture);
    amp_synchronize(picture);
    int same = 0; /* the set is symmetric about its centre */
    for (int y = 1; y < H; y++)
        for (int x = 1; x < W; x++)
            same += rgb[y][x][0] / 8 == rgb[H - y][W - x][0] / 8;
    printf("%s\n", same > H * W * 9 / 10 ? "symmetric" : "not symmetric");
    picture_write(argc, argv, H, W, rgb[0][0]);
    return finish();
}

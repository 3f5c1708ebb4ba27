/* SPDX-License-Identifier: MIT
 *
 * Edges of a picture by Sobel's operator. The tile reads its pixels and a border of one into tile memory once. */
#include "cookbook.h"
#include <math.h>

enum { H = 192, W = 256, T = 16 };

static float brightness(int y, int x) restrict(cpu, amp)
{
    float dy = (float)y - 96, dx = (float)x - 128, r = sqrtf(dx * dx + dy * dy);
    return (r < 70) ^ (x / 32 % 2 == y / 32 % 2) ? 200 : 50 + 0.2f * (float)x;
}

static void paint(amp_index2 idx, float in[H][W]) restrict(amp)
{
    in[idx[0]][idx[1]] = brightness(idx[0], idx[1]);
}

static void sobel(amp_tiled_index2(T, T) t, const float in[H][W], unsigned char rgb[H][W][3]) restrict(amp)
{
    tile_static float s[T + 2][T + 2];
    for (int i = t.local[0]; i < T + 2; i += T)
        for (int j = t.local[1]; j < T + 2; j += T) {
            int y = t.tile_origin[0] + i - 1, x = t.tile_origin[1] + j - 1;
            s[i][j] = in[y < 0 ? 0 : y >= H ? H - 1 : y][x < 0 ? 0 : x >= W ? W - 1 : x];
        }
    amp_tile_barrier_wait(t.barrier);
    int i = t.local[0] + 1, j = t.local[1] + 1;
    float gx =
        s[i - 1][j + 1] + 2 * s[i][j + 1] + s[i + 1][j + 1] - s[i - 1][j - 1] - 2 * s[i][j - 1] - s[i + 1][j - 1];
    float gy =
        s[i + 1][j - 1] + 2 * s[i + 1][j] + s[i + 1][j + 1] - s[i - 1][j - 1] - 2 * s[i - 1][j] - s[i - 1][j + 1];
    float strength = fminf(sqrtf(gx * gx + gy * gy) / 2, 255);
    for (int channel = 0; channel < 3; channel++)
        rgb[t.global[0]][t.global[1]][channel] = (unsigned char)strength;
}

int main(int argc, char **argv)
{
    static unsigned char rgb[H][W][3];
    amp_auto_array_view *in = amp_array_view_without_source2(float, H, W), *out = amp_array_view3(H, W, 3, rgb[0][0]);
    amp_discard_data(out);
    amp_parallel_for_each(amp_extent2(H, W), paint, in);
    amp_parallel_for_each(amp_extent2(H, W), sobel, in, out);
    amp_synchronize(out);
    int edges = 0;
    for (int i = 0; i < H * W; i++)
        edges += rgb[0][i][0] > 100;
    printf("%d %% of the pixels are edges\n", 100 * edges / (H * W));
    picture_write(argc, argv, H, W, rgb[0][0]);
    return finish();
}

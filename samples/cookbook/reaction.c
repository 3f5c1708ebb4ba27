/* SPDX-License-Identifier: MIT
 *
 * Two substances react and spread (Gray and Scott): spots become a pattern like coral. Each element is a struct. */
#include "cookbook.h"

enum { H = 160, W = 240, STEPS = 4000 };
struct cell {
    float u, v;
};

static void step(amp_index2 idx, const struct cell now[H][W], struct cell next[H][W]) restrict(amp)
{
    int y = idx[0], x = idx[1], up = (y + H - 1) % H, down = (y + 1) % H, left = (x + W - 1) % W, right = (x + 1) % W;
    struct cell c = now[y][x];
    float around_u = now[up][x].u + now[down][x].u + now[y][left].u + now[y][right].u - 4 * c.u;
    float around_v = now[up][x].v + now[down][x].v + now[y][left].v + now[y][right].v - 4 * c.v;
    float reaction = c.u * c.v * c.v;
    next[y][x].u = c.u + 0.2f * around_u - reaction + 0.0545f * (1 - c.u);
    next[y][x].v = c.v + 0.1f * around_v + reaction - (0.0545f + 0.062f) * c.v;
}

int main(int argc, char **argv)
{
    static struct cell cells[H][W];
    static unsigned char rgb[H][W][3];
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            cells[y][x] = (y / 8 % 5 == 2 && x / 8 % 7 == 3) ? (struct cell){0.5f, 0.4f} : (struct cell){1, 0};
    amp_auto_array_view *now = amp_array_view2(H, W, cells[0]),
                        *next = amp_array_view_without_source2(struct cell, H, W);
    for (int i = 0; i < STEPS; i++) {
        amp_parallel_for_each(amp_extent2(H, W), step, now, next);
        amp_array_view *last = now;
        now = next;
        next = last;
    }
    amp_synchronize(now);
    int covered = 0;
    for (int i = 0; i < H * W; i++) {
        float v = cells[0][i].v < 0.4f ? cells[0][i].v / 0.4f : 1;
        covered += v > 0.5f;
        rgb[0][i][0] = (unsigned char)(20 + 230 * v);
        rgb[0][i][1] = (unsigned char)(30 + 120 * v);
        rgb[0][i][2] = (unsigned char)(60 + 40 * v);
    }
    printf("%s\n", covered > H * W / 5 && covered < H * W * 4 / 5 ? "a pattern" : "no pattern");
    picture_write(argc, argv, H, W, rgb[0][0]);
    return finish();
}

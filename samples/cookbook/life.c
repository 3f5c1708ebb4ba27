/* SPDX-License-Identifier: MIT
 *
 * Conway's game of life on a torus, in the terminal: a glider, before and after 40 generations. */
#include "cookbook.h"

enum { H = 12, W = 40 };

static void generation(amp_index2 idx, const char now[H][W], char next[H][W]) restrict(amp)
{
    int neighbours = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dy || dx)
                neighbours += now[(idx[0] + dy + H) % H][(idx[1] + dx + W) % W];
    next[idx[0]][idx[1]] = neighbours == 3 || (neighbours == 2 && now[idx[0]][idx[1]]);
}

static void show(const char cells[H][W])
{
    for (int y = 0; y < H; y++) {
        for (int x = 0; x < W; x++)
            putchar(cells[y][x] ? '#' : '.');
        putchar('\n');
    }
}

int main(void)
{
    static char cells[H][W] = {{0, 1, 0}, {0, 0, 1}, {1, 1, 1}}; /* a glider */
    cells[8][19] = cells[8][20] = cells[8][21] = 1;              /* and a blinker */
    show(cells);
    amp_auto_array_view *now = amp_array_view2(H, W, cells[0]), *next = amp_array_view_without_source2(char, H, W);
    for (int i = 0; i < 40; i++) {
        amp_parallel_for_each(amp_extent2(H, W), generation, now, next);
        amp_array_view *last = now;
        now = next;
        next = last;
    }
    amp_synchronize(now);
    puts("after 40 generations:");
    show(cells);
    return finish();
}

/* SPDX-License-Identifier: MIT */
#include "problem.h"

#include "kernel.h"

static amp_array_view *walls, *views[2];

static void prepare(void)
{
    set_up();
    walls = amp_array_view2(ROWS, COLUMNS, (const int *)wall);
    for (int b = 0; b < 2; b++)
        views[b] = amp_array_view1(COLUMNS, best[b]);
}

static void run(void)
{
    memcpy(best[0], wall, COLUMNS * sizeof(int));
    amp_refresh(views[0]);
    int from = 0, tiles = (COLUMNS + INNER - 1) / INNER;
    for (int row = 1; row < ROWS; row += STEPS, from = 1 - from)
        amp_parallel_for_each(amp_extent1(tiles * TILE), advance, row, row + STEPS < ROWS ? STEPS : ROWS - row, walls,
                              views[from], views[1 - from]);
    amp_synchronize(views[from]);
    result = best[from];
}

BENCH("pathfinder", "plain", prepare, run, verify)

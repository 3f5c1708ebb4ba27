/* SPDX-License-Identifier: MIT
 *
 * The cheapest way through a grid from each point of its last row to the first, a step of at most one column a row. */
#include "../bench.h"

enum { ROWS = 200, COLUMNS = 1000000, TILE = 256, STEPS = 20, INNER = TILE - 2 * STEPS };
static int *wall, *best[2];

static void set_up(void)
{
    wall = new_array((size_t)ROWS * COLUMNS * sizeof *wall);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        wall[i] = (int)(hash((uint32_t)i) >> 8) % 10;
    for (int b = 0; b < 2; b++)
        best[b] = new_array(COLUMNS * sizeof **best);
}

static int *verify_row(const int *from, int *to, int row)
{
    for (int j = 0; j < COLUMNS; j++) {
        int least = from[j];
        if (j > 0 && from[j - 1] < least)
            least = from[j - 1];
        if (j < COLUMNS - 1 && from[j + 1] < least)
            least = from[j + 1];
        to[j] = least + wall[row * COLUMNS + j];
    }
    return to;
}

static int *result;

static void verify(void)
{
    int *rows[2] = {new_array(COLUMNS * sizeof(int)), new_array(COLUMNS * sizeof(int))};
    memcpy(rows[0], wall, COLUMNS * sizeof(int));
    for (int row = 1; row < ROWS; row++)
        verify_row(rows[(row - 1) % 2], rows[row % 2], row);
    for (size_t j = 0; j < COLUMNS; j++)
        expect(result[j], rows[(ROWS - 1) % 2][j], 0, j);
    free(rows[0]);
    free(rows[1]);
}

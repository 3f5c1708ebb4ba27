/* SPDX-License-Identifier: MIT
 *
 * Ten sweeps: each inner point becomes the mean of its four neighbours. The first reads `start`, each of the others
 * what the previous one wrote; the result is in `grid[1]`. */
#include "../bench.h"

enum { SIZE = 4096, SWEEPS = 10 };
static float *start, *grid[2];

static void set_up(void)
{
    size_t size_bytes = SIZE * SIZE * sizeof(float);
    start = new_array(size_bytes);
    for (uint32_t i = 0; i < SIZE * SIZE; i++)
        start[i] = between(0, 1, i);
    for (int g = 0; g < 2; g++) {
        grid[g] = new_array(size_bytes);
        memcpy(grid[g], start, size_bytes);
    }
}

/* A point's result depends on points up to ten away, so squares of that size are computed again. */
static void verify(void)
{
    enum { SIDE = 64 };
    for (int top = 0; top <= SIZE - SIDE; top += (SIZE - SIDE) / 12) {
        for (int left = 0; left <= SIZE - SIDE; left += (SIZE - SIDE) / 12) {
            static double square[2][SIDE][SIDE];
            for (int i = 0; i < SIDE; i++)
                for (int j = 0; j < SIDE; j++)
                    square[0][i][j] = square[1][i][j] = start[(top + i) * SIZE + left + j];
            for (int sweep = 0; sweep < SWEEPS; sweep++) {
                double (*from)[SIDE] = square[sweep % 2], (*to)[SIDE] = square[1 - sweep % 2];
                for (int i = 1; i < SIDE - 1; i++)
                    for (int j = 1; j < SIDE - 1; j++)
                        to[i][j] = 0.25 * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
            }
            int low_i = top ? SWEEPS : 0, high_i = top < SIZE - SIDE ? SIDE - SWEEPS : SIDE;
            int low_j = left ? SWEEPS : 0, high_j = left < SIZE - SIDE ? SIDE - SWEEPS : SIDE;
            for (int i = low_i; i < high_i; i++)
                for (int j = low_j; j < high_j; j++) {
                    size_t at = (size_t)((top + i) * SIZE + left + j);
                    expect(grid[1][at], square[SWEEPS % 2][i][j], 1e-6, at);
                }
        }
    }
}

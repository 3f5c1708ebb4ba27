/* SPDX-License-Identifier: MIT
 *
 * A 7x7 filter over an image; points outside count as 0. */
#include "../bench.h"

enum { SIZE = 2048, RADIUS = 3, TAPS = 2 * RADIUS + 1 };
static float *in, *out, filter[TAPS][TAPS];

static void set_up(void)
{
    in = new_array(SIZE * SIZE * sizeof *in);
    out = new_array(SIZE * SIZE * sizeof *out);
    for (uint32_t i = 0; i < SIZE * SIZE; i++)
        in[i] = between(0, 1, i);
    for (uint32_t i = 0; i < TAPS * TAPS; i++)
        filter[i / TAPS][i % TAPS] = between(-1, 1, ~i);
}

static void verify(void)
{
    for (int row = 0; row < SIZE; row += row < 4 || row > SIZE - 6 ? 1 : 31) {
        for (int col = 0; col < SIZE; col++) {
            double sum = 0;
            for (int i = 0; i < TAPS; i++)
                for (int j = 0; j < TAPS; j++) {
                    int y = row + i - RADIUS, x = col + j - RADIUS;
                    if (y >= 0 && y < SIZE && x >= 0 && x < SIZE)
                        sum += (double)filter[i][j] * in[y * SIZE + x];
                }
            expect(out[row * SIZE + col], sum, 1e-5, (size_t)(row * SIZE + col));
        }
    }
}

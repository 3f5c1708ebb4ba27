/* SPDX-License-Identifier: MIT
 *
 * y = A * x; A is sparse, stored as compressed rows of 1 to 64 entries within 4096 columns of the diagonal. */
#include "../bench.h"

enum { ROWS = 1 << 20, BAND = 4096 };
static int *offset, *column, n_entries;
static float *value, *x, *y;

static void set_up(void)
{
    offset = new_array((ROWS + 1) * sizeof *offset);
    for (uint32_t row = 0; row < ROWS; row++)
        offset[row + 1] = offset[row] + 1 + (int)(hash(row) >> 26);
    n_entries = offset[ROWS];
    column = new_array((size_t)n_entries * sizeof *column);
    value = new_array((size_t)n_entries * sizeof *value);
    for (int row = 0; row < ROWS; row++) {
        int first = row < BAND ? 0 : row > ROWS - BAND ? ROWS - 2 * BAND : row - BAND;
        int step = 2 * BAND / (offset[row + 1] - offset[row]);
        for (int k = offset[row]; k < offset[row + 1]; k++) {
            uint32_t random = hash((uint32_t)k);
            column[k] = first + (k - offset[row]) * step + (int)(random >> 8) % step;
            value[k] = (float)(random >> 8) / (1 << 24);
        }
    }
    x = new_array(ROWS * sizeof *x);
    y = new_array(ROWS * sizeof *y);
    for (uint32_t i = 0; i < ROWS; i++)
        x[i] = between(-1, 1, i);
}

static void verify(void)
{
    for (int row = 0; row < ROWS; row += 7) {
        double sum = 0;
        for (int k = offset[row]; k < offset[row + 1]; k++)
            sum += (double)value[k] * x[column[k]];
        expect(y[row], sum, 1e-5, (size_t)row);
    }
}

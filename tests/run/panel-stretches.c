/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 -ffp-contract=off %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 -ffp-contract=off --amp-panels=1 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O2 -ffp-contract=off --amp-panels=7 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O2 -ffp-contract=off --amp-panels=17 %s -o %t && %run-cpu %t
 *
 * A loop that pauses at the end of a panel loads stretches ahead, too; and lanes go along rows that a panel holds. */
#include "check.h"

enum { ROWS = 37, COLUMNS = 70, DEPTH = 101 };

#define STEP(x, y) sum = sum * 0.5f + (x) * (y)

static void both(amp_index2 idx, int r, int n, int rn, int m, const float own[rn][m], const float b[m][n],
                 float c[r][n]) restrict(amp)
{
    float sum = 1;
    for (int k = 0; k < m; k++)
        STEP(own[idx[0] * n + idx[1]][k], b[k][idx[1]]);
    c[idx[0]][idx[1]] = sum;
}

static void transposed(amp_index2 idx, int r, int n, int m, const float a[r][m], const float b[n][m], float c[r][n])
    restrict(amp)
{
    float sum = 1;
    for (int k = 0; k < m; k++)
        STEP(a[idx[0]][k], b[idx[1]][k]);
    c[idx[0]][idx[1]] = sum;
}

static float own[ROWS * COLUMNS][DEPTH], b[DEPTH][COLUMNS], flipped[COLUMNS][DEPTH], a[ROWS][DEPTH], c[ROWS][COLUMNS];

static void compare(const char *name, int row, int column, float expected)
{
    if (c[row][column] == expected)
        return;
    fprintf(stderr, "%s[%d][%d]: %g, expected %g\n", name, row, column, (double)c[row][column], (double)expected);
    exit(1);
}

int main(void)
{
    for (int k = 0; k < DEPTH; k++) {
        for (int i = 0; i < ROWS * COLUMNS; i++)
            own[i][k] = (float)((i * 31 + k * 17) % 23 - 11);
        for (int j = 0; j < COLUMNS; j++)
            b[k][j] = flipped[j][k] = (float)((k * 13 + j * 7) % 19 - 9);
        for (int i = 0; i < ROWS; i++)
            a[i][k] = (float)((i * 5 + k * 3) % 17 - 8);
    }
    amp_auto_array_view *owns = amp_array_view2(ROWS * COLUMNS, DEPTH, (const float *)own),
                        *bs = amp_array_view2(DEPTH, COLUMNS, (const float *)b),
                        *flips = amp_array_view2(COLUMNS, DEPTH, (const float *)flipped),
                        *as = amp_array_view2(ROWS, DEPTH, (const float *)a),
                        *cs = amp_array_view2(ROWS, COLUMNS, (float *)c);
    CHECK_OK(amp_parallel_for_each(amp_extent2(ROWS, COLUMNS), both, owns, bs, cs));
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        float sum = 1;
        for (int k = 0; k < DEPTH; k++)
            STEP(own[i][k], b[k][i % COLUMNS]);
        compare("both", i / COLUMNS, i % COLUMNS, sum);
    }
    CHECK_OK(amp_parallel_for_each(amp_extent2(ROWS, COLUMNS), transposed, as, flips, cs));
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        float sum = 1;
        for (int k = 0; k < DEPTH; k++)
            STEP(a[i / COLUMNS][k], flipped[i % COLUMNS][k]);
        compare("transposed", i / COLUMNS, i % COLUMNS, sum);
    }
    puts("right");
    return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * The median of each pixel of an image and its eight neighbours. */
#include "port.h"

enum { ROWS = 3000, COLUMNS = 4000 };
typedef unsigned char pixel;
static pixel *image, *smooth;

static void set_up(void)
{
    image = new_array(ROWS * COLUMNS * sizeof *image);
    smooth = new_array(ROWS * COLUMNS * sizeof *smooth);
    for (uint32_t i = 0; i < ROWS * COLUMNS; i++)
        image[i] = (pixel)between(0, 255, i);
}

/* Exchanges two elements if they are not in order. */
#define ORDER(a, b)                                                                                                    \
    do {                                                                                                               \
        pixel low_ = p[a] < p[b] ? p[a] : p[b], high_ = p[a] < p[b] ? p[b] : p[a];                                     \
        p[a] = low_, p[b] = high_;                                                                                     \
    } while (0)

static inline pixel median(const pixel *above, const pixel *row, const pixel *below) FOR_BOTH
{
    pixel p[9] = {above[0], above[1], above[2], row[0], row[1], row[2], below[0], below[1], below[2]};
    ORDER(1, 2);
    ORDER(4, 5);
    ORDER(7, 8);
    ORDER(0, 1);
    ORDER(3, 4);
    ORDER(6, 7);
    ORDER(1, 2);
    ORDER(4, 5);
    ORDER(7, 8);
    ORDER(0, 3);
    ORDER(5, 8);
    ORDER(4, 7);
    ORDER(3, 6);
    ORDER(1, 4);
    ORDER(2, 5);
    ORDER(4, 7);
    ORDER(4, 2);
    ORDER(6, 4);
    ORDER(4, 2);
    return p[4];
}

static void loops(void)
{
#pragma omp parallel for
    for (int i = 1; i < ROWS - 1; i++) {
        const pixel *above = image + (i - 1) * COLUMNS, *row = above + COLUMNS, *below = row + COLUMNS;
        pixel *restrict to = smooth + i * COLUMNS;
        for (int j = 1; j < COLUMNS - 1; j++)
            to[j] = median(above + j - 1, row + j - 1, below + j - 1);
    }
}

#ifndef _OPENMP
static void find_medians(amp_index2 idx, int m, int n, const pixel from[m][n], pixel to[m][n]) restrict(amp)
{
    int i = idx[0] + 1, j = idx[1] + 1;
    to[i][j] = median(&from[i - 1][j - 1], &from[i][j - 1], &from[i + 1][j - 1]);
}

static void launch(void)
{
    amp_auto_array_view *a = amp_array_view2(ROWS, COLUMNS, (const pixel *)image),
                        *b = amp_array_view2(ROWS, COLUMNS, smooth);
    amp_parallel_for_each(amp_extent2(ROWS - 2, COLUMNS - 2), find_medians, a, b);
    amp_synchronize(b);
}
#endif

PORT("median", smooth, ROWS *COLUMNS, 0)

/* SPDX-License-Identifier: MIT
 *
 * Edges in an image of bytes, by Sobel's filter. */
#include "port.h"

enum { ROWS = 3000, COLUMNS = 4000 };
typedef unsigned char pixel;
static pixel *image, *edges;

static void set_up(void)
{
    image = new_array(ROWS * COLUMNS * sizeof *image);
    edges = new_array(ROWS * COLUMNS * sizeof *edges);
    for (uint32_t i = 0; i < ROWS * COLUMNS; i++)
        image[i] = (pixel)between(0, 255, i);
}

static void loops(void)
{
#pragma omp parallel for
    for (int i = 1; i < ROWS - 1; i++) {
        const pixel *above = image + (i - 1) * COLUMNS, *row = above + COLUMNS, *below = row + COLUMNS;
        pixel *restrict to = edges + i * COLUMNS;
        for (int j = 1; j < COLUMNS - 1; j++) {
            int x = above[j + 1] + 2 * row[j + 1] + below[j + 1] - above[j - 1] - 2 * row[j - 1] - below[j - 1];
            int y = below[j - 1] + 2 * below[j] + below[j + 1] - above[j - 1] - 2 * above[j] - above[j + 1];
            int sum = (x < 0 ? -x : x) + (y < 0 ? -y : y);
            to[j] = (pixel)(sum > 255 ? 255 : sum);
        }
    }
}

#ifndef _OPENMP
static void find_edges(amp_index2 idx, int m, int n, const pixel from[m][n], pixel to[m][n]) restrict(amp)
{
    int i = idx[0], j = idx[1];
    if (i > 0 && i < m - 1 && j > 0 && j < n - 1) {
        int x = from[i - 1][j + 1] + 2 * from[i][j + 1] + from[i + 1][j + 1] - from[i - 1][j - 1] - 2 * from[i][j - 1] -
                from[i + 1][j - 1];
        int y = from[i + 1][j - 1] + 2 * from[i + 1][j] + from[i + 1][j + 1] - from[i - 1][j - 1] - 2 * from[i - 1][j] -
                from[i - 1][j + 1];
        int sum = (x < 0 ? -x : x) + (y < 0 ? -y : y);
        to[i][j] = (pixel)(sum > 255 ? 255 : sum);
    }
}

static void launch(void)
{
    amp_auto_array_view *a = amp_array_view2(ROWS, COLUMNS, (const pixel *)image),
                        *b = amp_array_view2(ROWS, COLUMNS, edges);
    amp_parallel_for_each(amp_extent2(ROWS, COLUMNS), find_edges, a, b);
    amp_synchronize(b);
}
#endif

PORT("sobel", edges, ROWS *COLUMNS, 0)

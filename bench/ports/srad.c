/* SPDX-License-Identifier: MIT
 *
 * Speckles are removed from an image by diffusion that stops at edges: two sweeps over neighbours, whose places are
 * clamped at the border. */
#include "port.h"

enum { SIZE = 1024, STEPS = 4 };
static float *image, *spread, *slopes; /* slopes: to the north, south, west and east */

static void set_up(void)
{
    image = new_array(SIZE * SIZE * sizeof *image);
    spread = new_array(SIZE * SIZE * sizeof *spread);
    slopes = new_array(4 * SIZE * SIZE * sizeof *slopes);
    for (uint32_t i = 0; i < SIZE * SIZE; i++)
        image[i] = expf(between(0, 1, i));
}

static inline float diffusion(float here, float north, float south, float west, float east) FOR_BOTH
{
    float gradient = (north * north + south * south + west * west + east * east) / (here * here);
    float laplacian = (north + south + west + east) / here;
    float above = 0.5f * gradient - 1.0f / 16 * (laplacian * laplacian), below = 1 + 0.25f * laplacian;
    float q = above / (below * below), c = 1 / (1 + (q - 0.05f) / (0.05f * (1 + 0.05f)));
    return c < 0 ? 0 : c > 1 ? 1 : c;
}

static void loops(void)
{
    float *north = slopes, *south = north + SIZE * SIZE, *west = south + SIZE * SIZE, *east = west + SIZE * SIZE;
    for (int step = 0; step < STEPS; step++) {
#pragma omp parallel for
        for (int row = 0; row < SIZE; row++)
            for (int col = 0; col < SIZE; col++) {
                int at = row * SIZE + col, up = row > 0 ? row - 1 : 0, down = row < SIZE - 1 ? row + 1 : SIZE - 1;
                int left = col > 0 ? col - 1 : 0, right = col < SIZE - 1 ? col + 1 : SIZE - 1;
                float here = image[at];
                north[at] = image[up * SIZE + col] - here;
                south[at] = image[down * SIZE + col] - here;
                west[at] = image[row * SIZE + left] - here;
                east[at] = image[row * SIZE + right] - here;
                spread[at] = diffusion(here, north[at], south[at], west[at], east[at]);
            }
#pragma omp parallel for
        for (int row = 0; row < SIZE; row++)
            for (int col = 0; col < SIZE; col++) {
                int at = row * SIZE + col, down = row < SIZE - 1 ? row + 1 : SIZE - 1;
                int right = col < SIZE - 1 ? col + 1 : SIZE - 1;
                float flow = spread[at] * north[at] + spread[down * SIZE + col] * south[at] + spread[at] * west[at] +
                             spread[row * SIZE + right] * east[at];
                image[at] += 0.125f * flow;
            }
    }
}

#ifndef _OPENMP
static void find_slopes(amp_index2 idx, int n, int m, const float j[n][m], float to[4][n][m], float c[n][m])
    restrict(amp)
{
    int row = idx[0], col = idx[1];
    int up = row > 0 ? row - 1 : 0, down = row < n - 1 ? row + 1 : n - 1;
    int left = col > 0 ? col - 1 : 0, right = col < m - 1 ? col + 1 : m - 1;
    float here = j[row][col];
    float north = j[up][col] - here, south = j[down][col] - here, west = j[row][left] - here,
          east = j[row][right] - here;
    to[0][row][col] = north;
    to[1][row][col] = south;
    to[2][row][col] = west;
    to[3][row][col] = east;
    c[row][col] = diffusion(here, north, south, west, east);
}

static void diffuse(amp_index2 idx, int n, int m, const float c[n][m], const float by[4][n][m], float j[n][m])
    restrict(amp)
{
    int row = idx[0], col = idx[1];
    int down = row < n - 1 ? row + 1 : n - 1, right = col < m - 1 ? col + 1 : m - 1;
    float flow = c[row][col] * by[0][row][col] + c[down][col] * by[1][row][col] + c[row][col] * by[2][row][col] +
                 c[row][right] * by[3][row][col];
    j[row][col] += 0.125f * flow;
}

static void launch(void)
{
    amp_auto_array_view *j = amp_array_view2(SIZE, SIZE, image);
    amp_auto_array_view *c = amp_array_view2(SIZE, SIZE, spread);
    amp_auto_array_view *by = amp_array_view3(4, SIZE, SIZE, slopes);
    amp_extent domain = amp_extent2(SIZE, SIZE);
    for (int step = 0; step < STEPS; step++) {
        amp_parallel_for_each(domain, find_slopes, j, by, c);
        amp_parallel_for_each(domain, diffuse, c, by, j);
    }
    amp_synchronize(j);
}
#endif

PORT("srad", image, SIZE *SIZE, 1e-5)

/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 -Wall -Wextra -Werror %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O3 --amp-lanes=4 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-report --amp-cpu=native -c %s -o %t.o 2>&1 | FileCheck %s
 *
 * Loops in which a tile goes through a row by strides: where all its threads have as many, lanes do not part. */
#include "check.h"

/* CHECK: kernel norm {{.*}}; away from the borders
 * CHECK: read x contiguous{{$}}
 * CHECK: masks at the borders of the domain only
 * CHECK: kernel squares {{.*}}; away from the borders
 */
enum { TILE = 64, WIDTH = 192, ROWS = 5 };

static float total(amp_tile_barrier barrier, int at, float part[TILE], float value) restrict(amp)
{
    part[at] = value;
    amp_tile_barrier_wait(barrier);
    for (int d = TILE / 2; d > 0; d /= 2) {
        if (at < d)
            part[at] += part[at + d];
        amp_tile_barrier_wait(barrier);
    }
    float all = part[0];
    amp_tile_barrier_wait(barrier);
    return all;
}

static void norm(amp_tiled_index2(1, TILE) t, int m, const float x[m][WIDTH], float y[m][WIDTH]) restrict(amp)
{
    tile_static float part[TILE];
    int row = t.tile[0], at = t.local[1];
    float sum = 0;
    for (int j = at; j < WIDTH; j += TILE)
        sum += x[row][j];
    sum = total(t.barrier, at, part, sum);
    for (int j = at; j < WIDTH; j += TILE)
        y[row][j] = x[row][j] * 2 - sum;
}

/* The number of strides differs between threads unless the width is a multiple of the tile; some may have none. */
static void squares(amp_tiled_index2(2, TILE) t, int m, int n, const int x[m][n], int y[m][n]) restrict(amp)
{
    tile_static int last[2][TILE];
    int row = t.global[0], at = t.local[1];
    last[t.local[0]][at] = -1;
    for (int j = at + 1; j <= n; j += TILE) {
        y[row][j - 1] = x[row][j - 1] * x[row][j - 1];
        last[t.local[0]][at] = j;
    }
    amp_tile_barrier_wait(t.barrier);
    for (int j = at; j < n; j += TILE + 3) /* strides with gaps */
        y[row][j] += last[t.local[0]][(at + 1) % TILE] + j;
    amp_tile_barrier_wait(t.barrier);
    for (int j = at > m ? at : m + at; j < n; j += TILE) /* not from neighbours */
        last[t.local[0]][at] += j;
    for (int j = TILE * t.local[0] + at; j < n; j += 2 * TILE) /* by both rows */
        last[t.local[0]][at] += 3 * j;
    if (at < n)
        y[row][at] += last[t.local[0]][at];
}

static float width_sum(const float *x)
{
    float part[TILE];
    for (int at = 0; at < TILE; at++) {
        part[at] = 0;
        for (int j = at; j < WIDTH; j += TILE)
            part[at] += x[j];
    }
    for (int d = TILE / 2; d > 0; d /= 2)
        for (int at = 0; at < d; at++)
            part[at] += part[at + d];
    return part[0];
}

static void check_norm(void)
{
    static float x[ROWS][WIDTH], y[ROWS][WIDTH], want[ROWS][WIDTH];
    for (int i = 0; i < ROWS * WIDTH; i++)
        x[i / WIDTH][i % WIDTH] = (float)(i * 13 % 31) / 4;
    amp_array_view *from = amp_array_view2(ROWS, WIDTH, (const float *)x), *to = amp_array_view2(ROWS, WIDTH, y[0]);
    CHECK_OK(amp_parallel_for_each(amp_extent2(ROWS, TILE), norm, from, to));
    CHECK_OK(amp_synchronize(to));
    for (int i = 0; i < ROWS * WIDTH; i++)
        want[i / WIDTH][i % WIDTH] = x[i / WIDTH][i % WIDTH] * 2 - width_sum(x[i / WIDTH]);
    CHECK_FLOATS(y[0], want[0], ROWS * WIDTH, "norm");
    amp_array_view_release(from);
    amp_array_view_release(to);
}

static void check_squares(int n)
{
    enum { M = 4 };
    int *x = check_alloc(M * n * sizeof(int)), *y = check_alloc(M * n * sizeof(int)),
        *want = check_alloc(M * n * sizeof(int));
    for (int i = 0; i < M * n; i++)
        x[i] = i * 7 % 23 - 11, y[i] = want[i] = 0;
    amp_array_view *from = amp_array_view2(M, n, (const int *)x), *to = amp_array_view2(M, n, y);
    CHECK_OK(amp_parallel_for_each(amp_extent2(M, TILE), squares, from, to));
    CHECK_OK(amp_synchronize(to));
    for (int row = 0; row < M; row++) {
        int last[TILE];
        for (int at = 0; at < TILE; at++) {
            last[at] = -1;
            for (int j = at + 1; j <= n; j += TILE)
                want[row * n + j - 1] = x[row * n + j - 1] * x[row * n + j - 1], last[at] = j;
        }
        for (int at = 0; at < TILE; at++)
            for (int j = at; j < n; j += TILE + 3)
                want[row * n + j] += last[(at + 1) % TILE] + j;
        for (int at = 0; at < TILE && at < n; at++) {
            for (int j = at > M ? at : M + at; j < n; j += TILE)
                last[at] += j;
            for (int j = TILE * (row % 2) + at; j < n; j += 2 * TILE)
                last[at] += 3 * j;
            want[row * n + at] += last[at];
        }
    }
    CHECK_INTS(y, want, M * n, "squares of rows of %d", n);
    amp_array_view_release(from);
    amp_array_view_release(to);
    check_free_all();
}

int main(void)
{
    check_norm();
    static const int widths[] = {1, 5, 63, 64, 65, 66, 67, 127, 128, 131, 192, 200, 640};
    for (unsigned w = 0; w < LENGTH(widths); w++)
        check_squares(widths[w]);
    return 0;
}

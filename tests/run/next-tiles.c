/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=4 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 --amp-lanes=32 %s -o %t && %run-native %t
 *
 * Tiles that read pieces of many rows ask the cache for those of the next tile, and lanes that go along rows for what
 * comes later in these: at the end of an array there is nothing. */
#include "check.h"

enum { TILE = 32, INNER = 24 };

/* Tiles overlap, and go through the rows together. */
static void rows(amp_tiled_index1(TILE) t, int m, int n, const int a[m][n], int sums[n]) restrict(amp)
{
    tile_static int part[TILE];
    int thread = t.local[0], column = t.tile[0] * INNER + thread;
    part[thread] = 0;
    for (int row = 0; row < m; row++) {
        if (column < n)
            part[thread] += a[row][column];
        amp_tile_barrier_wait(t.barrier);
    }
    if (thread < INNER && column < n)
        sums[column] = part[thread];
}

/* From the last column to the first. */
static void backwards(amp_tiled_index1(TILE) t, int m, int n, const int a[m][n], int sums[n]) restrict(amp)
{
    tile_static int part[TILE];
    int last = n - 1 - t.tile[0] * TILE, column = last - TILE + 1 + t.local[0];
    part[t.local[0]] = 0;
    for (int row = 0; row < m; row++) {
        if (column >= 0)
            part[t.local[0]] += a[row][column];
        amp_tile_barrier_wait(t.barrier);
    }
    if (column >= 0)
        sums[column] = part[t.local[0]];
}

/* In two dimensions, where each tile reads elements of its own. */
static void squares(amp_tiled_index2(4, 16) t, int height, int m, int n, const int a[m][n], int sums[n]) restrict(amp)
{
    tile_static int part[4][16];
    int i = t.local[0], j = t.local[1], column = t.global[1];
    part[i][j] = 0;
    for (int row = i; row < height; row += 4) {
        int below = t.tile[0] * height + row;
        if (column < n && below < m)
            part[i][j] += a[below][column];
    }
    amp_tile_barrier_wait(t.barrier);
    if (i == 0 && column < n)
        amp_atomic_fetch_add(&sums[column], part[0][j] + part[1][j] + part[2][j] + part[3][j]);
}

/* Each thread goes along a row. */
static void along(amp_index1 idx, int n, int m, const int a[n][m], int sums[n]) restrict(amp)
{
    int sum = 0;
    for (int k = 0; k < m; k++)
        sum += a[idx[0]][k];
    sums[idx[0]] = sum;
}

static int tiles(int n, int width)
{
    return (n + width - 1) / width;
}

static void check_case(int m, int n)
{
    int *a = check_alloc((size_t)m * (size_t)n * sizeof *a), *got = check_alloc((size_t)n * sizeof *got);
    int *want = check_alloc((size_t)n * sizeof *want), *across = check_alloc((size_t)m * sizeof *across);
    int *want_across = check_alloc((size_t)m * sizeof *want_across);
    for (int i = 0; i < m * n; i++)
        a[i] = check_value(i);
    memset(want, 0, (size_t)n * sizeof *want);
    memset(want_across, 0, (size_t)m * sizeof *want_across);
    for (int i = 0; i < m * n; i++) {
        want[i % n] += a[i];
        want_across[i / n] += a[i];
    }
    amp_auto_array_view *in = amp_array_view2(m, n, (const int *)a), *out = amp_array_view1(n, got);
    amp_auto_array_view *of_rows = amp_array_view1(m, across);
    amp_parallel_for_each(amp_extent1(tiles(n, INNER) * TILE), rows, in, out);
    CHECK_INTS(got, want, n, "rows, m = %d, n = %d", m, n);
    amp_parallel_for_each(amp_extent1(tiles(n, TILE) * TILE), backwards, in, out);
    CHECK_INTS(got, want, n, "backwards, m = %d, n = %d", m, n);
    memset(got, 0, (size_t)n * sizeof *got);
    amp_parallel_for_each(amp_extent2(4 * tiles(m, 7), tiles(n, 16) * 16), squares, 7, in, out);
    CHECK_INTS(got, want, n, "squares, m = %d, n = %d", m, n);
    amp_parallel_for_each(amp_extent1(m), along, in, of_rows);
    CHECK_INTS(across, want_across, m, "along, m = %d, n = %d", m, n);
}

int main(void)
{
    EACH_FEW(m)
    EACH_EXTENT(n) {
        check_case(m, n);
        check_free_all();
    }
    return 0;
}

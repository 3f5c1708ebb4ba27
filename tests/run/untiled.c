/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 -ffp-contract=off --amp-panels=3 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O1 -ffp-contract=off --amp-panels=1 --amp-lanes=4 %s -o %t && %run-native %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=baseline -O2 -ffp-contract=off --amp-panels=40 --amp-lanes=2 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O2 -ffp-contract=off %s -o %t && %run-cpu %t large
 *
 * Tiles that copy what they read into tile memory, where that is not needed, bit for bit as plain C; and where it
 * is. */
#include "tiled.h"

/* ---- products of all element types, in tiles of several sizes ---- */

#define PRODUCT(name, SIDE, T, S, COLUMNS_A, COLUMNS_B, ROW_B, COLUMN_B, GLOBAL_0, PASS)                               \
    TILED(name, SIDE, SIDE, T)                                                                                         \
    {                                                                                                                  \
        tile_static T part_a[SIDE][COLUMNS_A], part_b[SIDE][COLUMNS_B];                                                \
        int row = t.local[0], col = t.local[1];                                                                        \
        S sum = 0;                                                                                                     \
        for (int i = 0; i < L / PASS; i += SIDE / PASS) {                                                              \
            part_a[row][col] = a[GLOBAL_0][i * PASS + col];                                                            \
            part_b[ROW_B(row, col)][COLUMN_B(row, col)] = b[i * PASS + row][t.global[1]];                              \
            amp_tile_barrier_wait(t.barrier);                                                                          \
            for (int k = 0; k < SIDE; k++)                                                                             \
                sum += part_a[row][k] * part_b[ROW_B(k, col)][COLUMN_B(k, col)];                                       \
            amp_tile_barrier_wait(t.barrier);                                                                          \
        }                                                                                                              \
        c[t.global[0]][t.global[1]] = (T)sum;                                                                          \
    }                                                                                                                  \
    PLAIN(name, T)                                                                                                     \
    {                                                                                                                  \
        (void)R;                                                                                                       \
        EACH_POINT                                                                                                     \
        {                                                                                                              \
            S sum = 0;                                                                                                 \
            for (int k = 0; k < L; k++)                                                                                \
                sum += a[row][k] * b[k][col];                                                                          \
            c[row][col] = (T)sum;                                                                                      \
        }                                                                                                              \
    }
#define FIRST(row, col) (row)
#define SECOND(row, col) (col)
#define PLAIN_PRODUCT(name, SIDE, T, S) PRODUCT(name, SIDE, T, S, SIDE, SIDE, FIRST, SECOND, t.global[0], 1)
typedef unsigned char byte;
typedef long long wide_int;
PLAIN_PRODUCT(bytes, 16, byte, unsigned)
PLAIN_PRODUCT(shorts, 8, short, int)
PLAIN_PRODUCT(ints, 16, int, int)
PLAIN_PRODUCT(wide_ints, 8, wide_int, wide_int)
PLAIN_PRODUCT(floats, 16, float, float)
PLAIN_PRODUCT(doubles, 16, double, double)
PLAIN_PRODUCT(tiles_of_4, 4, float, float)
PLAIN_PRODUCT(tiles_of_8, 8, float, float)
PLAIN_PRODUCT(tiles_of_32, 32, float, float)
PRODUCT(padded, 16, float, float, 17, 19, FIRST, SECOND, t.global[0], 1)
PRODUCT(transposed, 16, float, float, 16, 17, SECOND, FIRST, t.global[0], 1)
PRODUCT(by_tile, 16, float, float, 16, 16, FIRST, SECOND, t.tile[0] * 16 + t.local[0], 1)
PRODUCT(by_origin, 8, double, double, 8, 8, FIRST, SECOND, t.tile_origin[0] + t.local[0], 1)
PRODUCT(by_pass, 8, double, double, 8, 9, FIRST, SECOND, t.global[0], 8)

/* One copy is enough; a variable has one dimension; and one holds what its own thread reads. */
TILED(one_copy, 8, 32, float)
{
    tile_static float part[8 * 32], own[8][32];
    int row = t.local[0], col = t.local[1];
    float sum = 0;
    for (int i = 0; i < L; i += 8) {
        part[row * 32 + col] = b[i + row][t.global[1]];
        own[row][col] = a[t.global[0]][i];
        amp_tile_barrier_wait(t.barrier);
        for (int k = 0; k < 8; k++)
            sum = sum * 0.5f + a[t.global[0]][i + k] * part[k * 32 + col] - own[row][col];
        amp_tile_barrier_wait(t.barrier);
    }
    c[t.global[0]][t.global[1]] = sum;
}
PLAIN(one_copy, float)
{
    EACH_POINT
    {
        float sum = 0;
        for (int k = 0; k < L; k++)
            sum = sum * 0.5f + a[row][k] * b[k][col] - a[row][k / R * R];
        c[row][col] = sum;
    }
}

/* A tile of one row; and what follows the loop may write and read arrays. */
TILED(one_row, 1, 16, float)
{
    tile_static float part[16];
    int col = t.local[1];
    float sum = 0;
    for (int i = 0; i < L / 16 * 16; i += 16) {
        part[col] = a[t.global[0]][i + col];
        amp_tile_barrier_wait(t.barrier);
        for (int k = 0; k < 16; k++)
            sum += part[k] * b[i + k][t.global[1]];
        amp_tile_barrier_wait(t.barrier);
    }
    c[t.global[0]][t.global[1]] = sum;
    c[t.global[0]][t.global[1]] += b[0][t.global[1]];
}
PLAIN(one_row, float)
{
    (void)R;
    EACH_POINT
    {
        float sum = 0;
        for (int k = 0; k < L / 16 * 16; k++)
            sum += a[row][k] * b[k][col];
        c[row][col] = sum + b[0][col];
    }
}

/* ---- where tile memory is needed ---- */

/* A thread reads what others have copied of other rows, or columns, of the same array. */
TILED(other_rows, 16, 16, float)
{
    tile_static float part_a[16][16], part_b[16][16];
    int row = t.local[0], col = t.local[1];
    float sum = 0;
    for (int i = 0; i < L; i += 16) {
        part_a[row][col] = a[t.global[0]][i + col];
        part_b[row][col] = b[i + row][t.global[1]];
        amp_tile_barrier_wait(t.barrier);
        for (int k = 0; k < 16; k++)
            sum += part_a[k][col] * part_b[row][k];
        amp_tile_barrier_wait(t.barrier);
    }
    c[t.global[0]][t.global[1]] = sum;
}
PLAIN(other_rows, float)
{
    EACH_POINT
    {
        float sum = 0;
        for (int i = 0; i < L; i += R)
            for (int k = 0; k < R; k++)
                sum += a[row / R * R + k][i + col % R] * b[i + row % R][col / R * R + k];
        c[row][col] = sum;
    }
}

/* A thread reads its neighbour's, or what was copied in the pass before. */
TILED(neighbours, 16, 16, float)
{
    tile_static float part[16][16], ahead[16][16];
    int row = t.local[0], col = t.local[1];
    float sum = 0;
    ahead[row][col] = b[row][t.global[1]];
    for (int i = 0; i < L; i += 16) {
        part[row][col] = b[i + row][t.global[1]];
        amp_tile_barrier_wait(t.barrier);
        for (int k = 0; k < 15; k++)
            sum = sum * 0.5f + part[k + (row & 1)][col] * a[t.global[0]][i + k] + ahead[k][col];
        amp_tile_barrier_wait(t.barrier);
        ahead[row][col] = b[i + row][t.global[1]];
        amp_tile_barrier_wait(t.barrier);
    }
    c[t.global[0]][t.global[1]] = sum;
}
PLAIN(neighbours, float)
{
    EACH_POINT
    {
        float sum = 0;
        for (int i = 0; i < L; i += R)
            for (int k = 0; k < R - 1; k++)
                sum = sum * 0.5f + b[i + k + (row & 1)][col] * a[row][i + k] + b[(i ? i - R : 0) + k][col];
        c[row][col] = sum;
    }
}

/* What a pass reads comes before what it copies. */
TILED(before, 16, 16, float)
{
    tile_static float part[16][16];
    int row = t.local[0], col = t.local[1];
    float sum = 0, last = 0;
    for (int i = 0; i < L; i += 16) {
        float kept = last;
        for (int k = 0; k < 4; k++)
            kept += i ? part[k][col] : 0;
        amp_tile_barrier_wait(t.barrier);
        part[row][col] = b[i + row][t.global[1]];
        amp_tile_barrier_wait(t.barrier);
        for (int k = 0; k < 16; k++)
            sum = sum * 0.5f + part[k][col] * a[t.global[0]][i + k] + kept;
        last = kept * 0.25f;
    }
    c[t.global[0]][t.global[1]] = sum;
}
PLAIN(before, float)
{
    EACH_POINT
    {
        float sum = 0, last = 0;
        for (int i = 0; i < L; i += R) {
            float kept = last;
            for (int k = 0; k < 4; k++)
                kept += i ? b[i - R + k][col] : 0;
            for (int k = 0; k < R; k++)
                sum = sum * 0.5f + b[i + k][col] * a[row][i + k] + kept;
            last = kept * 0.25f;
        }
        c[row][col] = sum;
    }
}

/* Bits of an index that are not their sum, where a tile's side is no power of two; and a copy of a copy. */
TILED(bits, 12, 12, float)
{
    tile_static float part_a[12][12], part_b[12][12], of_b[12][12];
    int row = t.local[0], col = t.local[1];
    float sum = 0;
    for (int i = 0; i < L; i += 12) {
        part_a[row][col] = a[(t.tile_origin[0] | t.local[0]) % M][i + col];
        part_b[row][col] = b[i + row][t.global[1]];
        of_b[row][col] = part_b[row][col];
        amp_tile_barrier_wait(t.barrier);
        for (int k = 0; k < 12; k++)
            sum += part_a[row][k] * of_b[k][col] - part_b[k][col];
        amp_tile_barrier_wait(t.barrier);
    }
    c[t.global[0]][t.global[1]] = sum;
}
PLAIN(bits, float)
{
    EACH_POINT
    {
        float sum = 0;
        for (int k = 0; k < L; k++)
            sum += a[((row / R * R) | (row % R)) % M][k] * b[k][col] - b[k][col];
        c[row][col] = sum;
    }
}
TILED(bits_of_index, 12, 8, float)
{
    tile_static float part[12][8];
    int row = t.local[0], col = t.local[1];
    float sum = 0;
    for (int i = 0; i < L; i += 12) {
        part[row][col] = b[i + row][(t.tile_origin[1] | t.local[1]) % N];
        amp_tile_barrier_wait(t.barrier);
        for (int k = 0; k < 12; k++)
            sum += a[(t.tile[0] * 12 | t.local[0]) % M][i + k] * part[k][col];
        amp_tile_barrier_wait(t.barrier);
    }
    c[t.global[0]][t.global[1]] = sum;
}
PLAIN(bits_of_index, float)
{
    EACH_POINT
    {
        float sum = 0;
        for (int k = 0; k < L; k++)
            sum += a[((row / R * R) | (row % R)) % M][k] * b[k][col];
        c[row][col] = sum;
    }
}

/* Some threads do not copy. */
TILED(some, 16, 16, float)
{
    tile_static float part[16][16];
    int row = t.local[0], col = t.local[1];
    float sum = 0;
    part[row][col] = 3;
    for (int i = 0; i < L; i += 16) {
        if ((row + i) % 3 != 0)
            part[row][col] = b[i + row][t.global[1]];
        amp_tile_barrier_wait(t.barrier);
        for (int k = 0; k < 16; k++)
            sum += part[k][col] * a[t.global[0]][i + k];
        amp_tile_barrier_wait(t.barrier);
    }
    c[t.global[0]][t.global[1]] = sum;
}
PLAIN(some, float)
{
    EACH_POINT
    {
        float sum = 0;
        for (int i = 0; i < L; i += R)
            for (int k = 0; k < R; k++) {
                int from = i;
                while (from >= 0 && (k + from) % 3 == 0)
                    from -= R;
                sum += (from < 0 ? 3 : b[from + k][col]) * a[row][i + k];
            }
        c[row][col] = sum;
    }
}

/* What only one tile reads, its threads may write: there is one column of tiles, and the result lies in a, of which the
 * tile has copied all; or one row, and it lies in b. */
static void in_column(amp_tiled_index2(32, 32) t, int M, float a[M][32], const float b[32][32]) restrict(amp)
{
    tile_static float part_a[32][32], part_b[32][32];
    int row = t.local[0], col = t.local[1];
    float sum = 0;
    part_a[row][col] = a[t.global[0]][col];
    part_b[row][col] = b[row][col];
    amp_tile_barrier_wait(t.barrier);
    for (int k = 0; k < 32; k++)
        sum += part_a[row][k] * part_b[k][col];
    a[t.global[0]][col] = sum;
}

static void in_row(amp_tiled_index2(32, 32) t, int N, const float a[32][32], float b[32][N]) restrict(amp)
{
    tile_static float part_a[32][32], part_b[32][32];
    int row = t.local[0], col = t.local[1];
    float sum = 0;
    for (int i = 0; i < 32; i += 32) {
        part_a[row][col] = a[row][i + col];
        part_b[row][col] = b[i + row][t.global[1]];
        amp_tile_barrier_wait(t.barrier);
        for (int k = 0; k < 32; k++)
            sum += part_a[row][k] * part_b[k][col];
        amp_tile_barrier_wait(t.barrier);
    }
    b[row][t.global[1]] = sum;
}

/* The same with passes. */
static void in_passes(amp_tiled_index2(16, 16) t, int M, int L, float a[M][L], const float b[L][16]) restrict(amp)
{
    tile_static float part_a[16][16], part_b[16][16];
    int row = t.local[0], col = t.local[1];
    float sum = 0;
    for (int i = 0; i < L; i += 16) {
        part_a[row][col] = a[t.global[0]][i + col];
        part_b[row][col] = b[i + row][col];
        amp_tile_barrier_wait(t.barrier);
        for (int k = 0; k < 16; k++)
            sum += part_a[row][k] * part_b[k][col];
        amp_tile_barrier_wait(t.barrier);
    }
    a[t.global[0]][col] = sum;
}

/* The same, where a thread reads a as it goes, and other threads of its tile write there afterwards. */
static void in_steps(amp_tiled_index2(8, 128) t, int M, float a[M][128], const float b[128][128]) restrict(amp)
{
    tile_static float part[8][128];
    int row = t.local[0], col = t.local[1];
    float sum = 0;
    for (int i = 0; i < 128; i += 8) {
        part[row][col] = b[i + row][t.global[1]];
        amp_tile_barrier_wait(t.barrier);
        for (int k = 0; k < 8; k++)
            sum += a[t.global[0]][i + k] * part[k][col];
        amp_tile_barrier_wait(t.barrier);
    }
    a[t.global[0]][t.global[1]] = sum;
}

/* ---- the checks ---- */

static void check_loops(struct size size)
{
    CHECK(byte, bytes, 16, 16, size);
    CHECK(short, shorts, 8, 8, size);
    CHECK(int, ints, 16, 16, size);
    CHECK(wide_int, wide_ints, 8, 8, size);
    CHECK(float, floats, 16, 16, size);
    CHECK(double, doubles, 16, 16, size);
    CHECK(float, tiles_of_4, 4, 4, size);
    CHECK(float, tiles_of_8, 8, 8, size);
    CHECK(float, tiles_of_32, 32, 32, size);
    CHECK(float, padded, 16, 16, size);
    CHECK(float, transposed, 16, 16, size);
    CHECK(float, by_tile, 16, 16, size);
    CHECK(double, by_origin, 8, 8, size);
    CHECK(double, by_pass, 8, 8, size);
    CHECK(float, one_copy, 8, 32, size);
    CHECK(float, one_row, 1, 16, size);
    CHECK(float, other_rows, 16, 16, size);
    CHECK(float, neighbours, 16, 16, size);
    CHECK(float, before, 16, 16, size);
    CHECK(float, bits, 12, 12, size);
    CHECK(float, bits_of_index, 12, 8, size);
    CHECK(float, some, 16, 16, size);
}

/* Computes `to`, a times b, of m x l and l x n numbers. */
static void multiply(int m, int l, int n, const float *a, const float *b, float *to)
{
    for (int row = 0; row < m; row++)
        for (int col = 0; col < n; col++) {
            float sum = 0;
            for (int k = 0; k < l; k++)
                sum += a[row * l + k] * b[k * n + col];
            to[row * n + col] = sum;
        }
}

/* Products that are written over one of their factors. */
static void check_in_place(struct size size)
{
    enum { SIDE = 32 };
    int side = size.down * SIDE, n = side * SIDE, l = size.rounds * 16;
    float *a = check_alloc((size_t)n * sizeof *a), *b = check_alloc((size_t)n * sizeof *b);
    float *square = check_alloc(SIDE * SIDE * sizeof *square), *want = check_alloc((size_t)n * sizeof *want);
    float *high = check_alloc((size_t)(l * 16) * sizeof *high), *wide = check_alloc((size_t)(side * l) * sizeof *wide);
    CHECK_FILL(float, a, n, 3);
    CHECK_FILL(float, b, n, 17);
    CHECK_FILL(float, square, SIDE *SIDE, 5);
    CHECK_FILL(float, high, l * 16, 99);
    CHECK_FILL(float, wide, side *l, 7);
    amp_array_view *views[] = {amp_array_view2(side, SIDE, a), amp_array_view2(SIDE, side, b),
                               amp_array_view2(SIDE, SIDE, (const float *)square), amp_array_view2(side, l, wide),
                               amp_array_view2(l, 16, (const float *)high)};
    multiply(side, SIDE, SIDE, a, square, want);
    CHECK_OK(amp_parallel_for_each(amp_extent2(side, SIDE), in_column, views[0], views[2]));
    CHECK_FLOATS(a, want, n, "in a column, %d", side);
    multiply(SIDE, SIDE, side, square, b, want);
    CHECK_OK(amp_parallel_for_each(amp_extent2(SIDE, side), in_row, views[2], views[1]));
    CHECK_FLOATS(b, want, n, "in a row, %d", side);
    multiply(side, l, 16, wide, high, want);
    CHECK_OK(amp_parallel_for_each(amp_extent2(side, 16), in_passes, views[3], views[4]));
    for (int row = 0; row < side; row++)
        CHECK_FLOATS(wide + row * l, want + row * 16, 16, "in passes, row %d of %d, %d", row, side, l);
    check_release(views, 5);
}

static void check_steps(struct size size)
{
    enum { SIDE = 128 };
    int rows = size.down * 32, n = rows * SIDE;
    float *a = check_alloc((size_t)n * sizeof *a), *want = check_alloc((size_t)n * sizeof *want);
    float *b = check_alloc(SIDE * SIDE * sizeof *b);
    CHECK_FILL(float, a, n, 3);
    CHECK_FILL(float, b, SIDE *SIDE, 5);
    amp_array_view *views[] = {amp_array_view2(rows, SIDE, a), amp_array_view2(SIDE, SIDE, (const float *)b)};
    multiply(rows, SIDE, SIDE, a, b, want);
    CHECK_OK(amp_parallel_for_each(amp_extent2(rows, SIDE), in_steps, views[0], views[1]));
    CHECK_FLOATS(a, want, n, "in steps, %d", rows);
    check_release(views, 2);
}

static void check_size(struct size size)
{
    check_loops(size);
    check_in_place(size);
    check_steps(size);
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) { /* few rows; panels of several columns; more passes than there is room for */
        static const struct size large[] = {{3, 4, 20}, {9, 11, 70}, {4, 2, 530}};
        for (int i = 0; i < 2; i++)
            check_size(large[i]);
        CHECK(double, doubles, 16, 16, large[2]);
        CHECK(float, padded, 16, 16, large[2]);
        return 0;
    }
    for (int down = 1; down <= 3; down++)
        for (int across = 1; across <= 5; across += 2)
            for (int rounds = 1; rounds <= 7; rounds++)
                check_size((struct size){down, across, rounds});
    return 0;
}

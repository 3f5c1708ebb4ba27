/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 -ffp-contract=off --amp-panels=3 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O1 -ffp-contract=off --amp-panels=1 --amp-lanes=4 %s -o %t && %run-native %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=baseline -O2 -ffp-contract=off --amp-panels=40 --amp-lanes=2 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O2 -ffp-contract=off %s -o %t && %run-cpu %t large
 *
 * Tiles that read what all tiles of their column read, bit for bit as plain C: where there is room for copies of all of
 * it, of some, and of nothing; and what must not be copied. */
#include "tiled.h"

/* ---- products of all element types, in tiles of several sizes ---- */

#define PRODUCT(name, R, C, T, S)                                                                                      \
    TILED(name, R, C, T)                                                                                               \
    {                                                                                                                  \
        tile_static T part[R][C];                                                                                      \
        int row = t.local[0], col = t.local[1];                                                                        \
        S sum = 0;                                                                                                     \
        for (int i = 0; i < L; i += R) {                                                                               \
            part[row][col] = (T)(b[i + row][t.global[1]] + 1); /* a computed copy is needed */                         \
            amp_tile_barrier_wait(t.barrier);                                                                          \
            for (int k = 0; k < R; k++)                                                                                \
                sum += a[t.global[0]][i + k] * part[k][col];                                                           \
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
                sum += a[row][k] * (T)(b[k][col] + 1);                                                                 \
            c[row][col] = (T)sum;                                                                                      \
        }                                                                                                              \
    }
typedef unsigned char byte;
PRODUCT(floats, 16, 16, float, float)
PRODUCT(doubles, 16, 16, double, double)
PRODUCT(ints, 16, 16, int, int)
PRODUCT(bytes, 8, 32, byte, unsigned)
PRODUCT(flat_tiles, 4, 64, float, float)
PRODUCT(high_tiles, 32, 8, float, float)
PRODUCT(small_tiles, 4, 4, float, float)
PRODUCT(odd_tiles, 8, 12, float, float)

/* ---- other loops ---- */

/* Matrices both in tile memory, and two rows of b in a round. */
TILED(both, 16, 16, float)
{
    tile_static float part_a[16][16], part_b[16][16];
    int row = t.local[0], col = t.local[1];
    float sum = c[t.global[0]][t.global[1]];
    for (int i = 0; i < L; i += 16) {
        part_a[row][col] = a[t.global[0]][i + col];
        part_b[row][col] = b[i + row][t.global[1]] - 0.5f * b[L - 1 - i - row][t.global[1]];
        amp_tile_barrier_wait(t.barrier);
        for (int k = 0; k < 16; k++)
            sum += part_a[row][k] * part_b[k][col];
        amp_tile_barrier_wait(t.barrier);
    }
    c[t.global[0]][t.global[1]] = sum;
}
PLAIN(both, float)
{
    (void)R;
    EACH_POINT
    {
        for (int k = 0; k < L; k++)
            c[row][col] += a[row][k] * (b[k][col] - 0.5f * b[L - 1 - k][col]);
    }
}

/* In some rounds b is not read, and all threads may leave early. */
TILED(chosen, 8, 16, float)
{
    tile_static float part[8][16];
    int row = t.local[0], col = t.local[1];
    float sum = 0;
    for (int i = 0; i < L; i += 8) {
        if (i == 40)
            break;
        float x = 1;
        if (i % 3 != 0)
            x = b[i + row][t.global[1]];
        part[row][col] = x;
        amp_tile_barrier_wait(t.barrier);
        for (int k = 0; k < 8; k++)
            sum = sum * 0.5f + a[t.global[0]][i + k] * part[k][col];
        amp_tile_barrier_wait(t.barrier);
    }
    c[t.global[0]][t.global[1]] = sum;
}
PLAIN(chosen, float)
{
    (void)R;
    EACH_POINT
    {
        float sum = 0;
        for (int k = 0; k < L && k < 40; k++)
            sum = sum * 0.5f + a[row][k] * (k / 8 * 8 % 3 != 0 ? b[k][col] : 1);
        c[row][col] = sum;
    }
}

/* Two loops, with what is left of the first one in tile memory for the second. */
TILED(two, 16, 16, float)
{
    tile_static float part[16][16];
    int row = t.local[0], col = t.local[1];
    float sum = 0;
    for (int i = 0; i < L; i += 16) {
        part[row][col] = b[i + row][t.global[1]];
        amp_tile_barrier_wait(t.barrier);
        sum = sum * 0.5f + part[15 - row][col];
        amp_tile_barrier_wait(t.barrier);
    }
    for (int i = L - 16; i >= 0; i -= 16) {
        part[row][col] = b[i + row][t.global[1]];
        amp_tile_barrier_wait(t.barrier);
        for (int k = 0; k < 16; k++)
            sum = sum * 0.5f + a[t.global[0]][i + k] * part[k][col];
        amp_tile_barrier_wait(t.barrier);
    }
    c[t.global[0]][t.global[1]] = sum;
}
PLAIN(two, float)
{
    EACH_POINT
    {
        float sum = 0;
        for (int i = 0; i < L; i += R)
            sum = sum * 0.5f + b[i + R - 1 - row % R][col];
        for (int i = L - R; i >= 0; i -= R)
            for (int k = 0; k < R; k++)
                sum = sum * 0.5f + a[row][i + k] * b[i + k][col];
        c[row][col] = sum;
    }
}

/* ---- what must not be copied ---- */

/* The number of rounds differs between rows of tiles; then between columns. */
#define TRIANGLE(name, of_tile, of_thread)                                                                             \
    TILED(name, 16, 16, float)                                                                                         \
    {                                                                                                                  \
        tile_static float part[16][16];                                                                                \
        int row = t.local[0], col = t.local[1];                                                                        \
        float sum = 0;                                                                                                 \
        for (int i = of_tile * 16; i < L; i += 16) {                                                                   \
            part[row][col] = b[i + row][t.global[1]];                                                                  \
            amp_tile_barrier_wait(t.barrier);                                                                          \
            for (int k = 0; k < 16; k++)                                                                               \
                sum += a[t.global[0]][i + k] * part[k][col];                                                           \
            amp_tile_barrier_wait(t.barrier);                                                                          \
        }                                                                                                              \
        c[t.global[0]][t.global[1]] = sum;                                                                             \
    }                                                                                                                  \
    PLAIN(name, float)                                                                                                 \
    {                                                                                                                  \
        EACH_POINT                                                                                                     \
        {                                                                                                              \
            float sum = 0;                                                                                             \
            for (int k = of_thread / R * R; k < L; k++)                                                                \
                sum += a[row][k] * b[k][col];                                                                          \
            c[row][col] = sum;                                                                                         \
        }                                                                                                              \
    }
TRIANGLE(by_row, t.tile[0], row)
TRIANGLE(by_column, t.tile[1], col)

/* Tiles of a row begin at different columns of a. */
TILED(skewed, 16, 16, float)
{
    tile_static float part_a[16][16], part_b[16][16];
    int row = t.local[0], col = t.local[1];
    float sum = 0;
    for (int i = 0; i < L; i += 16) {
        part_a[row][col] = a[t.global[0]][i + t.tile[1] % 3 + col];
        part_b[row][col] = b[i + row][t.global[1]];
        amp_tile_barrier_wait(t.barrier);
        for (int k = 0; k < 16; k++)
            sum += part_a[row][k] * part_b[k][col];
        amp_tile_barrier_wait(t.barrier);
    }
    c[t.global[0]][t.global[1]] = sum;
}
PLAIN(skewed, float)
{
    EACH_POINT
    {
        float sum = 0;
        for (int k = 0; k < L; k++)
            sum += a[row][k + col / R % 3] * b[k][col];
        c[row][col] = sum;
    }
}

/* What a round reads depends on what the last one found, and that on the row. */
TILED(indirect, 16, 16, float)
{
    tile_static float part[16][16];
    int row = t.local[0], col = t.local[1], from = 0;
    float sum = 0;
    for (int i = 0; i < L; i += 16) {
        part[row][col] = b[from + row][t.global[1]] + a[t.global[0]][i];
        amp_tile_barrier_wait(t.barrier);
        sum = sum * 0.5f + part[15 - row][col];
        from = abs((int)part[0][0]) % (L - 15);
        amp_tile_barrier_wait(t.barrier);
    }
    c[t.global[0]][t.global[1]] = sum;
}
PLAIN(indirect, float)
{
    EACH_POINT
    {
        float sum = 0;
        int from = 0, first = row / R * R, last = first + R - 1 - row % R;
        for (int i = 0; i < L; i += R) {
            sum = sum * 0.5f + (b[from + R - 1 - row % R][col] + a[last][i]);
            from = abs((int)(b[from][col / R * R] + a[first][i])) % (L - R + 1);
        }
        c[row][col] = sum;
    }
}

/* Between two barriers, b is read in a loop. */
TILED(nested, 8, 16, float)
{
    tile_static float part[8][16];
    int row = t.local[0], col = t.local[1];
    float sum = 0;
    for (int i = 0; i < L; i += 8) {
        float own = 0;
        for (int k = i; k < L; k += 8)
            own = own * 0.5f + b[k + row][t.global[1]];
        part[row][col] = own;
        amp_tile_barrier_wait(t.barrier);
        sum = sum * 0.5f + part[7 - row][col] * a[t.global[0]][i];
        amp_tile_barrier_wait(t.barrier);
    }
    c[t.global[0]][t.global[1]] = sum;
}
PLAIN(nested, float)
{
    EACH_POINT
    {
        float sum = 0;
        for (int i = 0; i < L; i += R) {
            float own = 0;
            for (int k = i; k < L; k += R)
                own = own * 0.5f + b[k + R - 1 - row % R][col];
            sum = sum * 0.5f + own * a[row][i];
        }
        c[row][col] = sum;
    }
}

/* The loop writes to an array. */
TILED(written, 16, 16, float)
{
    tile_static float part[16][16];
    int row = t.local[0], col = t.local[1];
    c[t.global[0]][t.global[1]] = 1;
    for (int i = 0; i < L; i += 16) {
        part[row][col] = b[i + row][t.global[1]];
        amp_tile_barrier_wait(t.barrier);
        c[t.global[0]][t.global[1]] += part[15 - row][col] * a[t.global[0]][i];
        amp_tile_barrier_wait(t.barrier);
    }
}
PLAIN(written, float)
{
    EACH_POINT
    {
        c[row][col] = 1;
        for (int i = 0; i < L; i += R)
            c[row][col] += b[i + R - 1 - row % R][col] * a[row][i];
    }
}

/* What only one tile reads, its threads may write. There is one row of tiles, and the result lies in b. */
static void in_place(amp_tiled_index2(16, 16) t, int N, int L, float b[L][N]) restrict(amp)
{
    tile_static float part[16][16];
    int row = t.local[0], col = t.local[1];
    float sum = 0;
    for (int i = 0; i < L; i += 16) {
        part[row][col] = b[i + row][t.global[1]];
        amp_tile_barrier_wait(t.barrier);
        sum = sum * 0.5f + part[15 - row][col];
        amp_tile_barrier_wait(t.barrier);
    }
    b[row][t.global[1]] = sum;
}

/* The same for one column of tiles, where the result lies in a. */
static void in_column(amp_tiled_index2(16, 16) t, int M, int L, float a[M][L], const float b[L][16]) restrict(amp)
{
    tile_static float part_a[16][16], part_b[16][16];
    int row = t.local[0], col = t.local[1];
    float sum = 0;
    for (int i = 0; i < L; i += 16) {
        part_a[row][col] = a[t.global[0]][i + col];
        part_b[row][col] = b[i + row][col];
        amp_tile_barrier_wait(t.barrier);
        sum = sum * 0.5f + part_a[row][15 - col] * part_b[15 - row][col];
        amp_tile_barrier_wait(t.barrier);
    }
    a[t.global[0]][col] = sum;
}

/* Planes have their own matrices, except d. */
static void batch(amp_tiled_index3(1, 8, 8) t, int P, int M, int N, int L, const float b[P][L][N], const float d[L][N],
                  float c[P][M][N]) restrict(amp)
{
    tile_static float part[8][8];
    int row = t.local[1], col = t.local[2];
    float sum = 0;
    for (int i = 0; i < L; i += 8) {
        part[row][col] = b[t.global[0]][i + row][t.global[2]] - d[i + row][t.global[2]];
        amp_tile_barrier_wait(t.barrier);
        sum = sum * 0.5f + part[7 - row][col];
        amp_tile_barrier_wait(t.barrier);
    }
    c[t.global[0]][t.global[1]][t.global[2]] = sum;
}

/* ---- the checks ---- */

static void check_loops(struct size size)
{
    CHECK(float, floats, 16, 16, size);
    CHECK(double, doubles, 16, 16, size);
    CHECK(int, ints, 16, 16, size);
    CHECK(byte, bytes, 8, 32, size);
    CHECK(float, flat_tiles, 4, 64, size);
    CHECK(float, high_tiles, 32, 8, size);
    CHECK(float, small_tiles, 4, 4, size);
    CHECK(float, odd_tiles, 8, 12, size);
    CHECK(float, both, 16, 16, size);
    CHECK(float, chosen, 8, 16, size);
    CHECK(float, two, 16, 16, size);
    CHECK(float, by_row, 16, 16, size);
    CHECK(float, by_column, 16, 16, size);
    CHECK(float, skewed, 16, 16, size);
    CHECK(float, indirect, 16, 16, size);
    CHECK(float, nested, 8, 16, size);
    CHECK(float, written, 16, 16, size);
}

static void check_one_row(struct size size)
{
    int n = size.across * 16, l = size.rounds * 16;
    float *b = check_alloc((size_t)(l * n) * sizeof *b), *want = check_alloc((size_t)(l * n) * sizeof *want);
    CHECK_FILL(float, b, l *n, 777);
    CHECK_FILL(float, want, l *n, 777);
    amp_array_view *views[] = {amp_array_view2(l, n, b)};
    CHECK_OK(amp_parallel_for_each(amp_extent2(16, n), in_place, views[0]));
    for (int col = 0; col < n; col++) {
        float sums[16] = {0};
        for (int i = 0; i < l; i++)
            sums[15 - i % 16] = sums[15 - i % 16] * 0.5f + want[i * n + col];
        for (int row = 0; row < 16; row++)
            want[row * n + col] = sums[row];
    }
    CHECK_FLOATS(b, want, l * n, "in place, %d, %d", n, l);
    check_release(views, 1);
}

static void check_one_column(struct size size)
{
    int m = size.down * 16, l = size.rounds * 16;
    float *a = check_alloc((size_t)(m * l) * sizeof *a), *want = check_alloc((size_t)(m * l) * sizeof *want);
    float *b = check_alloc((size_t)(l * 16) * sizeof *b);
    CHECK_FILL(float, a, m *l, 777);
    CHECK_FILL(float, want, m *l, 777);
    CHECK_FILL(float, b, l * 16, 5);
    amp_array_view *views[] = {amp_array_view2(m, l, a), amp_array_view2(l, 16, (const float *)b)};
    CHECK_OK(amp_parallel_for_each(amp_extent2(m, 16), in_column, views[0], views[1]));
    for (int row = 0; row < m; row++) {
        float sums[16] = {0};
        for (int i = 0; i < l; i++)
            sums[15 - i % 16] =
                sums[15 - i % 16] * 0.5f + want[row * l + i] * b[(i / 16 * 16 + 15 - row % 16) * 16 + 15 - i % 16];
        for (int col = 0; col < 16; col++)
            want[row * l + col] = sums[col];
    }
    CHECK_FLOATS(a, want, m * l, "in place, %d, %d", m, l);
    check_release(views, 2);
}

static void check_planes(struct size size)
{
    enum { PLANES = 3 };
    int m = size.down * 8, n = size.across * 8, l = size.rounds * 8, n_b = PLANES * l * n, n_c = PLANES * m * n;
    float *b = check_alloc((size_t)n_b * sizeof *b), *d = check_alloc((size_t)(l * n) * sizeof *d);
    float *c = check_alloc((size_t)n_c * sizeof *c), *want = check_alloc((size_t)n_c * sizeof *want);
    CHECK_FILL(float, b, n_b, 777);
    CHECK_FILL(float, d, l *n, 5);
    amp_array_view *views[] = {amp_array_view3(PLANES, l, n, (const float *)b), amp_array_view2(l, n, (const float *)d),
                               amp_array_view3(PLANES, m, n, c)};
    CHECK_OK(amp_parallel_for_each(amp_extent3(PLANES, m, n), batch, views[0], views[1], views[2]));
    for (int at = 0; at < n_c; at++) {
        int plane = at / (m * n), row = at / n % m, col = at % n;
        float sum = 0;
        for (int i = 7 - row % 8; i < l; i += 8)
            sum = sum * 0.5f + (b[(plane * l + i) * n + col] - d[i * n + col]);
        want[at] = sum;
    }
    CHECK_FLOATS(c, want, n_c, "planes, %d x %d, %d", m, n, l);
    check_release(views, 3);
}

static void check_size(struct size size)
{
    check_loops(size);
    check_one_row(size);
    check_one_column(size);
    check_planes(size);
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) { /* few rows; copies of some columns at once; more rounds than there is room for */
        static const struct size large[] = {{3, 4, 20}, {9, 11, 70}}, larger[] = {{4, 17, 520}, {4, 2, 2100}};
        for (int i = 0; i < 2; i++) {
            check_size(large[i]);
            CHECK(double, doubles, 16, 16, larger[i]);
            CHECK(float, both, 16, 16, larger[i]);
            check_one_column(larger[i]);
        }
        return 0;
    }
    for (int down = 1; down <= 3; down++)
        for (int across = 1; across <= 5; across += 2)
            for (int rounds = 1; rounds <= 7; rounds++)
                check_size((struct size){down, across, rounds});
    return 0;
}

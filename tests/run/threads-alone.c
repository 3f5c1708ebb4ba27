/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -ffp-contract=off -O2 -Wall -Wextra -Werror %s -o %t && %run %t
 * RUN: %ampcc -ffp-contract=off --amp-gpu=none -O1 --amp-lanes=8 %s -o %t && %run-cpu %t
 * RUN: %ampcc -ffp-contract=off --amp-gpu=none -O3 --amp-cpu=native %s -o %t && %run-native %t
 *
 * Rows whose threads at borders run alone, between blocks of many lanes and of few: each thread runs once, wherever the
 * borders are, and reads nothing beyond an array. */
#include "check.h"

typedef unsigned char byte;

#define KERNEL(name)                                                                                                   \
    static void name(amp_index3 idx, int l, int m, int n, int k, const byte a[l][m][n], const short b[m][n],           \
                     int out[l][m][n], int runs[l][m][n]) restrict(cpu, amp)

/* Each cell adds up its neighbours on a torus. */
KERNEL(torus)
{
    int z = idx[0], y = idx[1], x = idx[2];
    int above = y == 0 ? m - 1 : y - 1, below = y == m - 1 ? 0 : y + 1;
    int left = x == 0 ? n - 1 : x - 1, right = x == n - 1 ? 0 : x + 1;
    byte sum = (byte)(a[z][above][left] + a[z][y][left] * 3 + a[z][below][x] + a[z][y][right] * 5 + a[z][y][x] * k);
    out[z][y][x] = sum == 3 || (sum & a[z][y][x]) ? sum : -sum;
    runs[z][y][x]++;
    (void)b;
}

/* Borders that are several threads wide; one of them lies somewhere in the row. */
KERNEL(clamped)
{
    int z = idx[0], y = idx[1], x = idx[2];
    int left = x - 3 < 0 ? 0 : x - 3, right = x + 2 > n - 1 ? n - 1 : x + 2, before = x < k ? x : x - k;
    out[z][y][x] = a[z][y][left] - b[y][right] + 2 * a[z][m - 1 - y][before];
    runs[z][y][x]++;
}

/* Threads leave out what lies beyond the ends, in a loop. */
KERNEL(taps)
{
    int z = idx[0], y = idx[1], x = idx[2];
    unsigned sum = (unsigned)k;
    for (int d = -4; d <= 4; d++)
        for (int e = -1; e <= 1; e++)
            if (x + d >= 0 && x + d < n && y + e >= 0 && y + e < m)
                sum = sum * 3 + (unsigned)(b[y + e][x + d] * d + a[z][y + e][x + d]);
    out[z][y][x] = (int)(sum & 0xffff);
    runs[z][y][x]++;
}

/* The same with floats, in loops that stay loops. */
static void weights(amp_index2 idx, int m, int n, const float a[m][n], const float w[7][9], float out[m][n])
    restrict(cpu, amp)
{
    float sum = 0;
    for (int e = 0; e < 7; e++)
        for (int d = 0; d < 9; d++) {
            int y = idx[0] + e - 3, x = idx[1] + d - 4;
            if (y >= 0 && y < m && x >= 0 && x < n)
                sum += a[y][x] * w[e][d];
        }
    out[idx[0]][idx[1]] += sum;
}

/* Threads of a flat index, which run by rows where these are long; some of a row may be missing. */
static void flat(amp_index1 idx, int n, int width, const byte a[n], int out[n]) restrict(cpu, amp)
{
    int y = idx[0] / width, x = idx[0] % width, left = x == 0 ? width - 1 : x - 1, right = x == width - 1 ? 0 : x + 1;
    out[idx[0]] += a[y * width + left] + 3 * a[idx[0]] - a[y * width + right] * 5 + 1;
}

static void check_cells(int l, int m, int n, int k)
{
    int size = l * m * n, *out[2], *runs[2];
    byte *a = check_alloc((size_t)size);
    short *b = check_alloc((size_t)(m * n) * sizeof *b);
    for (int i = 0; i < size; i++)
        a[i] = (byte)(check_value(i) + 7);
    for (int i = 0; i < m * n; i++)
        b[i] = (short)check_value(i + 3);
    amp_array_view *cells = amp_array_view3(l, m, n, (const byte *)a), *plane = amp_array_view2(m, n, (const short *)b);
    for (int i = 0; i < 2; i++) {
        out[i] = check_alloc((size_t)size * sizeof **out);
        runs[i] = check_alloc((size_t)size * sizeof **runs);
        memset(runs[i], 0, (size_t)size * sizeof **runs);
    }
    amp_array_view *to = amp_array_view3(l, m, n, out[0]), *count = amp_array_view3(l, m, n, runs[0]);
#define CHECK(kernel)                                                                                                  \
    CHECK_OK(amp_parallel_for_each(amp_extent3(l, m, n), kernel, k, cells, plane, to, count));                         \
    CHECK_OK(amp_synchronize(to));                                                                                     \
    CHECK_OK(amp_synchronize(count));                                                                                  \
    for (int i = 0; i < size; i++)                                                                                     \
        kernel((amp_index3){i / n / m, i / n % m, i % n}, l, m, n, k, (void *)a, (void *)b, (void *)out[1],            \
               (void *)runs[1]);                                                                                       \
    CHECK_INTS(out[0], out[1], size, #kernel ", %d x %d x %d, %d", l, m, n, k);                                        \
    CHECK_INTS(runs[0], runs[1], size, #kernel ", %d x %d x %d, %d: runs", l, m, n, k)
    CHECK(torus);
    CHECK(clamped);
    CHECK(taps);
    amp_array_view_release(cells);
    amp_array_view_release(plane);
    amp_array_view_release(to);
    amp_array_view_release(count);
    check_free_all();
}

static void check_weights(int m, int n)
{
    enum { TAPS = 7 * 9 };
    float *a = check_alloc((size_t)(m * n) * sizeof *a), *w = check_alloc(TAPS * sizeof *w), *out[2];
    for (int i = 0; i < 2; i++) {
        out[i] = check_alloc((size_t)(m * n) * sizeof **out);
        memset(out[i], 0, (size_t)(m * n) * sizeof **out);
    }
    for (int i = 0; i < m * n; i++)
        a[i] = (float)check_value(i) * 0.37f;
    for (int i = 0; i < TAPS; i++)
        w[i] = 1.0f / (float)(i + 3);
    amp_array_view *from = amp_array_view2(m, n, (const float *)a), *of = amp_array_view2(7, 9, (const float *)w),
                   *to = amp_array_view2(m, n, out[0]);
    CHECK_OK(amp_parallel_for_each(amp_extent2(m, n), weights, from, of, to));
    CHECK_OK(amp_synchronize(to));
    for (int i = 0; i < m * n; i++)
        weights((amp_index2){i / n, i % n}, m, n, (void *)a, (void *)w, (void *)out[1]);
    CHECK_FLOATS(out[0], out[1], m * n, "weights, %d x %d", m, n);
    amp_array_view_release(from);
    amp_array_view_release(of);
    amp_array_view_release(to);
    check_free_all();
}

static void check_flat(int rows, int width, int count)
{
    int n = rows * width, *out[2];
    byte *a = check_alloc((size_t)n);
    for (int i = 0; i < n; i++)
        a[i] = (byte)check_value(i);
    for (int i = 0; i < 2; i++) {
        out[i] = check_alloc((size_t)n * sizeof **out);
        memset(out[i], 0, (size_t)n * sizeof **out);
    }
    amp_array_view *from = amp_array_view1(n, (const byte *)a), *to = amp_array_view1(n, out[0]);
    CHECK_OK(amp_parallel_for_each(amp_extent1(count), flat, width, from, to));
    CHECK_OK(amp_synchronize(to));
    for (int i = 0; i < count; i++)
        flat((amp_index1){i}, n, width, a, out[1]);
    CHECK_INTS(out[0], out[1], n, "flat, %d rows of %d, %d threads", rows, width, count);
    amp_array_view_release(from);
    amp_array_view_release(to);
    check_free_all();
}

int main(void)
{
    EACH_EXTENT(n) {
        check_cells(1, 1, n, n / 3);
        check_cells(2, 3, n, n - 1);
        check_weights(3, n);
    }
    for (int n = 1; n < 150; n += 7) {
        check_cells(1, 2, n, 16);
        check_weights(2, n);
    }
    check_cells(1, 40, 700, 333);
    for (int cut = 0; cut < 70; cut += 23) {
        check_flat(700, 64, 700 * 64 - cut);
        check_flat(3, 300, 900 - cut);
    }
    return 0;
}

/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 -Wall -Wextra -Werror %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O1 --amp-lanes=8 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O3 --amp-cpu=native %s -o %t && %run-native %t
 *
 * Loads that all threads of a row make from one place, which may lie in an array that they store to: elsewhere, or, if
 * there is one thread, in the same place, before or after the load. */
#include "check.h"

#define ROWS(name)                                                                                                     \
    static void name(amp_index3 idx, int l, int m, int n, int k, int a[l][m][n], const int b[n], int out[l][m][n])     \
        restrict(cpu, amp)

/* Column k is what the others are made of; only they are stored to. */
ROWS(others)
{
    int z = idx[0], y = idx[1], x = idx[2];
    int value = a[z][y][k] * 3 + a[0][0][k] + b[k];
    if (x != k)
        a[z][y][x] = value + x;
    out[z][y][x] = value - x;
}

/* Rows, and the arguments, decide where from. */
ROWS(by_rows)
{
    int z = idx[0], y = idx[1], x = idx[2];
    int value = b[(y * 3 + z) % n] + a[l - 1 - z][m - 1 - y][k];
    out[z][y][x] = value * 2 + b[x] + b[0] + b[n - 1] + b[n / 2] + b[n / 3] + b[n / 4] + b[n / 5] + b[n / 6];
}

/* In a domain of one thread in each row, which has the place to itself. */
ROWS(alone)
{
    int z = idx[0], y = idx[1], before = a[z][y][k];
    a[z][y][k] = before + b[k];
    int after = a[z][y][k];
    out[z][y][k] = before * 100 + after;
    a[z][y][k] = after * 2;
    out[z][y][0] += a[z][y][k];
}

/* What comes after a store is read by each thread itself. */
ROWS(after)
{
    int z = idx[0], y = idx[1], x = idx[2];
    out[z][y][x] = x;
    out[z][y][x] += a[z][y][k] + out[z][y][x];
    (void)b;
}

/* An address that only some threads may read from. */
ROWS(in_branches)
{
    int z = idx[0], y = idx[1], x = idx[2], value = y;
    if (y > 0)
        value += a[z][y - 1][k];
    if (z + 1 < l && x > 2)
        value += a[z + 1][y][k];
    out[z][y][x] = value + b[x];
}

static void check_rows(int l, int m, int n)
{
    int size = l * m * n, k = n / 2;
    int *b = check_alloc(n * sizeof *b), *a[2], *out[2];
    for (int i = 0; i < 2; i++) {
        a[i] = check_alloc(size * sizeof **a);
        out[i] = check_alloc(size * sizeof **out);
    }
    for (int i = 0; i < n; i++)
        b[i] = i * 5 % 17;
    for (int i = 0; i < size; i++) {
        a[0][i] = a[1][i] = i * 7 % 101;
        out[0][i] = out[1][i] = i % 13;
    }
    amp_array_view *from = amp_array_view3(l, m, n, a[0]), *line = amp_array_view1(n, (const int *)b),
                   *to = amp_array_view3(l, m, n, out[0]);
#define CHECK(kernel, columns)                                                                                         \
    CHECK_OK(amp_parallel_for_each(amp_extent3(l, m, columns), kernel, k, from, line, to));                            \
    CHECK_OK(amp_synchronize(from));                                                                                   \
    CHECK_OK(amp_synchronize(to));                                                                                     \
    for (int i = 0; i < l * m * columns; i++)                                                                          \
        kernel((amp_index3){i / columns / m, i / columns % m, i % columns}, l, m, n, k, (void *)a[1], b,               \
               (void *)out[1]);                                                                                        \
    CHECK_INTS(a[0], a[1], size, #kernel ", %d x %d x %d: a", l, m, n);                                                \
    CHECK_INTS(out[0], out[1], size, #kernel ", %d x %d x %d", l, m, n)
    CHECK(others, n);
    CHECK(by_rows, n);
    CHECK(alone, 1);
    CHECK(after, n);
    CHECK(in_branches, n);
    amp_array_view_release(from);
    amp_array_view_release(line);
    amp_array_view_release(to);
    check_free_all();
}

/* A flat index that is a row and a column. There is nothing to read for a row after the last one. */
static void flat(amp_index1 idx, int n, int width, int rows, const int a[rows], int out[n]) restrict(cpu, amp)
{
    out[idx[0]] = a[idx[0] / width] + idx[0] % width;
}

static void check_flat(int rows, int width, int count)
{
    int n = rows * width, *a = check_alloc(rows * sizeof *a), *out[2];
    for (int i = 0; i < 2; i++)
        out[i] = check_alloc(n * sizeof **out);
    for (int i = 0; i < rows; i++)
        a[i] = i * 7 % 101;
    amp_array_view *from = amp_array_view1(rows, (const int *)a), *to = amp_array_view1(n, out[0]);
    CHECK_OK(amp_parallel_for_each(amp_extent1(count), flat, width, from, to));
    CHECK_OK(amp_synchronize(to));
    for (int i = 0; i < count; i++)
        flat((amp_index1){i}, n, width, rows, a, out[1]);
    CHECK_INTS(out[0], out[1], n, "flat, %d rows of %d, %d threads", rows, width, count);
    amp_array_view_release(from);
    amp_array_view_release(to);
    check_free_all();
}

int main(void)
{
    EACH_EXTENT(n) {
        check_rows(1, 1, n);
        check_rows(2, 3, n);
    }
    check_rows(3, 40, 300);
    for (int cut = 0; cut < 70; cut += 23) {
        check_flat(1024, 64, 1024 * 64 - cut);
        check_flat(3, 300, 900 - cut);
    }
    return 0;
}

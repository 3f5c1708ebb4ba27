/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: env AMP_NUM_THREADS=1 AMP_DEFAULT_ACCELERATOR=cpu %t
 *
 * Boxes of many bytes, which have code of their own with AVX-512: one worker alone gets the whole domain, of which it
 * takes 16 MiB, and each of several one MiB. The arrays end where their last element does, whatever is asked for
 * ahead. */
#include "check.h"

static void triad(amp_index1 idx, int n, float s, const float x[n], const float y[n], float z[n]) restrict(cpu, amp)
{
    z[idx[0]] = x[idx[0]] + s * y[idx[0]];
}

/* Narrow and wide elements, one array in place, and what only some threads write. */
static void mixed(amp_index1 idx, int n, const short x[n], const double y[n], float z[n]) restrict(cpu, amp)
{
    int i = idx[0];
    if (x[i] % 3 != 0)
        z[i] += (float)(x[i] + y[n - 1 - i]);
}

static void stencil(amp_index2 idx, int m, int n, const float x[m][n], float z[m][n]) restrict(cpu, amp)
{
    int row = idx[0], col = idx[1];
    if (row > 0 && row < m - 1 && col > 0 && col < n - 1)
        z[row][col] = x[row - 1][col] + x[row][col - 1] + x[row][col + 1] + x[row + 1][col];
    else
        z[row][col] = x[row][col];
}

/* A sum of all threads, and a flat index that is a row and a column. */
static void sums(amp_index1 idx, int width, int n, const int x[n], int z[n], int total[1]) restrict(amp)
{
    int row = idx[0] / width, col = idx[0] % width;
    z[row * width + col] = 3 * x[row * width + col] + row;
    amp_atomic_fetch_add(&total[0], x[idx[0]] & 1);
}

static void check_1d(int n)
{
    float *x = check_alloc((size_t)n * sizeof *x), *y = check_alloc((size_t)n * sizeof *y);
    float *z = check_alloc((size_t)n * sizeof *z), *want = check_alloc((size_t)n * sizeof *want);
    short *narrow = check_alloc((size_t)n * sizeof *narrow);
    double *wide = check_alloc((size_t)n * sizeof *wide);
    for (int i = 0; i < n; i++) {
        x[i] = (float)(check_value(i) % 1000);
        y[i] = (float)(i % 77);
        narrow[i] = (short)(check_value(i) % 100);
        wide[i] = i % 1001;
    }
    amp_array_view *views[] = {amp_array_view1(n, (const float *)x), amp_array_view1(n, (const float *)y),
                               amp_array_view1(n, z), amp_array_view1(n, (const short *)narrow),
                               amp_array_view1(n, (const double *)wide)};
    CHECK_OK(amp_parallel_for_each(amp_extent1(n), triad, 1.5f, views[0], views[1], views[2]));
    CHECK_OK(amp_parallel_for_each(amp_extent1(n), mixed, views[3], views[4], views[2]));
    for (int i = 0; i < n; i++)
        triad((amp_index1){i}, n, 1.5f, x, y, want);
    for (int i = 0; i < n; i++)
        mixed((amp_index1){i}, n, narrow, wide, want);
    CHECK_FLOATS(z, want, n, "one dimension, %d", n);
    check_release(views, LENGTH(views));
}

static void check_2d(int m, int n)
{
    float *x = check_alloc((size_t)(m * n) * sizeof *x), *z = check_alloc((size_t)(m * n) * sizeof *z),
          *want = check_alloc((size_t)(m * n) * sizeof *want);
    for (int i = 0; i < m * n; i++)
        x[i] = (float)(check_value(i) % 1000);
    amp_array_view *views[] = {amp_array_view2(m, n, (const float *)x), amp_array_view2(m, n, z)};
    CHECK_OK(amp_parallel_for_each(amp_extent2(m, n), stencil, views[0], views[1]));
    for (int i = 0; i < m * n; i++)
        stencil((amp_index2){i / n, i % n}, m, n, (const float (*)[n])x, (float (*)[n])want);
    CHECK_FLOATS(z, want, m * n, "two dimensions, %d", n);
    check_release(views, LENGTH(views));
}

static void check_sums(int n, int width)
{
    int *x = check_alloc((size_t)n * sizeof *x), *z = check_alloc((size_t)n * sizeof *z),
        *want = check_alloc((size_t)n * sizeof *want), *total = check_alloc(sizeof *total), expected = 0;
    total[0] = 0;
    for (int i = 0; i < n; i++) {
        x[i] = check_value(i) % 1000;
        want[i] = 3 * x[i] + i / width;
        expected += x[i] & 1;
    }
    amp_array_view *views[] = {amp_array_view1(n, (const int *)x), amp_array_view1(n, z), amp_array_view1(1, total)};
    CHECK_OK(amp_parallel_for_each(amp_extent1(n), sums, width, views[0], views[1], views[2]));
    CHECK_INTS(z, want, n, "sums, %d", n);
    CHECK_INTS(total, &expected, 1, "the sum, %d", n);
    check_release(views, LENGTH(views));
}

int main(void)
{
    static const int lengths[] = {1, 17, 65536, 87382, 262144, 1398095, 1398096, 1398097};
    for (int i = 0; i < LENGTH(lengths); i++)
        check_1d(lengths[i]);
    check_2d(1200, 2800);
    check_2d(40001, 64);
    check_2d(130, 1031);
    check_2d(3, 5);
    check_sums(200003, 7);
    check_sums(3000000, 1000);
    return 0;
}

/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 -ffp-contract=off %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-cpu=x86-64-v3 --amp-report -c %s -o %t.o 2>&1 | FileCheck %s
 * RUN: %ampcc --amp-gpu=none -O2 -fwrapv --amp-cpu=x86-64-v3 --amp-report -c %s -o %t.o 2>&1 | FileCheck --check-prefix=WRAPS %s
 * REQUIRES: x86_64
 *
 * Subscripts with constants that cancel each other, around a value that all threads share, are contiguous. */
#include "check.h"

#include <string.h>

/* CHECK: kernel smooth
 * CHECK-NOT: where a test finds it
 * CHECK: kernel back
 * WRAPS: kernel smooth
 * WRAPS: contiguous where a test finds it
 */
static void smooth(amp_index2 idx, int m, int n, const float a[m][n], float out[m][n], int row, int column)
    restrict(cpu, amp)
{
    int i = idx[0] + 1 + row, j = idx[1] + 1 + column;
    out[i][j] = a[i - 1][j] + a[i][j - 1] * 2 + a[i][j + 1] * 3 + a[i + 1][j];
}

/* CHECK-NOT: where a test finds it
 * CHECK: write out
 */
static void back(amp_index1 idx, int n, const float a[n], float out[n], int first, int length) restrict(cpu, amp)
{
    int end = first + idx[0] + 3;
    float sum = 0;
    for (int k = 0; k < length; k++)
        sum = sum * 0.5f + a[end - k - 3];
    out[end - 2 - 1] = sum + a[end - 4 + 1];
}

enum { M = 37, N = 213, LENGTH_BACK = 3 };

static void check(int row, int column)
{
    static float a[M][N], out[M][N], want[M][N];
    int m = M - 2 - row, n = N - 2 - column, n_back = M * N - column - LENGTH_BACK - 1;
    amp_array_view *from = amp_array_view2(M, N, (const float *)a), *to = amp_array_view2(M, N, &out[0][0]);
    CHECK_FILL(float, &a[0][0], M *N, row);
    memset(out, 0, sizeof out);
    memset(want, 0, sizeof want);
    CHECK_OK(amp_parallel_for_each(amp_extent2(m, n), smooth, from, to, row, column));
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            smooth((amp_index2){i, j}, M, N, (const float (*)[N])a, want, row, column);
    CHECK_FLOATS(&out[0][0], &want[0][0], M * N, "smooth from %d, %d", row, column);
    check_release((amp_array_view *[]){from, to}, 2);

    amp_array_view *line = amp_array_view1(M * N, (const float *)a), *sums = amp_array_view1(M * N, &out[0][0]);
    int first = column + LENGTH_BACK;
    CHECK_OK(amp_parallel_for_each(amp_extent1(n_back), back, line, sums, first, LENGTH_BACK));
    for (int i = 0; i < n_back; i++)
        back((amp_index1){i}, M * N, &a[0][0], &want[0][0], first, LENGTH_BACK);
    CHECK_FLOATS(&out[0][0], &want[0][0], M * N, "back from %d", first);
    check_release((amp_array_view *[]){line, sums}, 2);
}

int main(void)
{
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 20; column += 3)
            check(row, column);
    return 0;
}

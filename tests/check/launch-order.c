// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc --amp-stop-after=check %s
// A launch shows that a kernel subscripts its array in another order than that of the view's dimensions.
#include <amp.h>

enum { M = 4, N = 8 };

static void swapped(amp_index2 idx, int n, int m, float x[n][m]) restrict(amp) // expected-note 2: 'x' is declared here
{
    x[idx[0]][idx[1]] = 1;
}

static void right(amp_index2 idx, int m, int n, float x[m][n], float y[n][m]) restrict(amp)
{
    x[idx[0]][idx[1]] = y[idx[1]][idx[0]];
}

static void tested(amp_index2 idx, int n, int m, float x[n][m]) restrict(amp)
{
    if (idx[0] < n && idx[1] < m)
        x[idx[0]][idx[1]] = 1;
}

static void both(amp_index2 idx, int n, int m, float x[n][m]) restrict(amp)
{
    x[idx[0]][idx[1]] = x[idx[1]][idx[0]];
}

static void deep(amp_tiled_index3(2, 2, 2) t, int a, int b, int c,
                 float x[a][b][c]) restrict(amp) // expected-note: 'x' is declared here
{
    x[t.global[0]][t.global[1]][t.global[2]] = 1;
}

static float data[M * N];

void constants(void)
{
    amp_array_view *wide = amp_array_view2(M, N, data), *high = amp_array_view2(N, M, data);
    amp_parallel_for_each(amp_extent2(M, N), swapped, wide);
    amp_parallel_for_each(amp_extent2(M, N), swapped, high); // expected-warning: the extent has the dimensions of this view in another order: in 'swapped', component 0 of the index subscripts the dimension of length n; did you mean 'x[m][n]'?
    amp_parallel_for_each(amp_extent2(M, N), right, wide, high);
    amp_parallel_for_each(amp_extent2(M, N), tested, high);
    amp_parallel_for_each(amp_extent2(M, N), both, high);
    amp_parallel_for_each(amp_extent2(M, M), swapped, amp_array_view2(M, M, data));
    amp_parallel_for_each(amp_extent2(2, N), swapped, high);
    amp_parallel_for_each(amp_array_view_extent(wide), swapped, wide);
}

void variables(int rows, int columns, int other)
{
    amp_array_view *x = amp_array_view2(columns, rows, data), *y = amp_array_view2(rows, columns, data);
    amp_parallel_for_each(amp_extent2(rows, columns), swapped, x); // expected-warning: the extent has the dimensions of this view in another order...
    amp_parallel_for_each(amp_extent2(rows, columns), swapped, y);
    amp_array_view *z = amp_array_view2(columns, other, data);
    other = rows;
    amp_parallel_for_each(amp_extent2(other, columns), swapped, z);
}

void three(int depth, int height, int width)
{
    amp_array_view *x = amp_array_view3(depth, width, height, data);
    amp_parallel_for_each(amp_extent3(depth, height, width), deep, x); // expected-warning: ...in 'deep', component 1 of the index subscripts the dimension of length b; did you mean 'x[a][c][b]'?
}

// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc --amp-stop-after=check -Wall %s
// RUN: %ampcc --amp-stop-after=check -Wno-amp-subscripts -Werror %S/subscript-order.c
// Subscripts that look alike and are right, or of which not enough is known.
#include <amp.h>

void transpose(amp_index2 idx, int M, int N, const float a[M][N], float x[N][M]) restrict(amp)
{
    x[idx[1]][idx[0]] = a[idx[0]][idx[1]];
}

void image(amp_index2 idx, int width, int height, float x[height][width]) restrict(amp)
{
    x[idx[0]][idx[1]] *= 2;
}

void guarded(amp_index2 idx, int M, int N, const float a[M][N], float x[N][M]) restrict(amp)
{
    if (idx[0] < N && idx[1] < M)
        x[idx[0]][idx[1]] = 1;
    if (idx[0] < M && idx[1] < N)
        x[idx[1]][idx[0]] = a[idx[0]][idx[1]];
}

void corner(amp_index2 idx, int M, int N, int K, const float a[M][N], float x[N][M]) restrict(amp)
{
    if (idx[0] < K && idx[1] < K)
        x[idx[0]][idx[1]] = a[idx[0]][idx[1]];
}

void moved(amp_index2 idx, int M, int N, const float a[M][N], float x[N][M]) restrict(amp)
{
    int row = idx[0], column = idx[1];
    if (M > N) {
        row = idx[1];
        column = idx[0];
    }
    x[row][column] = a[idx[0]][idx[1]];
}

void row(amp_index1 idx, int M, int N, const float a[M][N], float x[N][M]) restrict(amp)
{
    x[idx[0]][0] = a[0][idx[0]];
}

void square(amp_index2 idx, int N, const float a[N][N], float x[N][N]) restrict(amp)
{
    x[idx[0]][idx[1]] = a[idx[1]][idx[0]];
}

// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc --amp-stop-after=check %s
// Subscripts in another order than the bounds of the array.
#include <amp.h>

void transpose(amp_index2 idx, int M, int N, const float a[M][N],
               float x[N][M]) restrict(amp) // expected-note: 'x' is declared here; idx[0] subscripts a dimension of length M in 'a'
{
    x[idx[0]][idx[1]] = a[idx[0]][idx[1]]; // expected-warning: idx[0] subscripts the dimension of length N; did you mean 'x[M][N]'?
}

void guarded(amp_index2 idx, int M, int N, float x[N][M]) restrict(amp) // expected-note: 'x' is declared here; idx[0] is compared with M
{
    int row = idx[0], column = idx[1];
    if (row >= M || column >= N)
        return;
    x[row][column] += 1; // expected-warning: idx[0] subscripts the dimension of length N; did you mean 'x[M][N]'?
}

void product(amp_tiled_index2(8, 8) t, int M, int N, int W, const float a[M][W], const float b[W][N],
             float c[N][M]) restrict(amp) // expected-note: 'c' is declared here; t.global[0] subscripts a dimension of length M in 'a'
{
    float sum = 0;
    for (int k = 0; k < W; k++)
        sum += a[t.global[0]][k] * b[k][t.global[1]];
    c[t.global[0]][t.global[1]] = sum; // expected-warning: t.global[0] subscripts the dimension of length N; did you mean 'c[M][N]'?
}

/* SPDX-License-Identifier: MIT */
#include <stdio.h>

int main(void)
{
    enum { M = 96, N = 160, W = 128 };
    static float a[M][W], b[W][N], c[M][N];
    for (int i = 0; i < M * W; i++)
        a[i / W][i % W] = (float)(i % 7);
    for (int i = 0; i < W * N; i++)
        b[i / N][i % N] = (float)(i % 9);
#pragma omp target teams distribute parallel for collapse(2) map(to : a, b) map(from : c)
    /* kernel */
    for (int row = 0; row < M; row++)
        for (int column = 0; column < N; column++) {
            float sum = 0;
            for (int k = 0; k < W; k++)
                sum += a[row][k] * b[k][column];
            c[row][column] = sum;
        }
    /* host */
    printf("%g %g\n", c[0][0], c[M - 1][N - 1]);
    return 0;
}

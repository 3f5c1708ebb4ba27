/* SPDX-License-Identifier: MIT */
#include <amp.h>

static void multiply_rows(amp_index1 idx, int n, const float a[n][n], const float x[n], float y[n]) restrict(amp)
{
    int row = idx[0];
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row][k] * x[k];
    y[row] = sum;
}

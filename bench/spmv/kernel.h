/* SPDX-License-Identifier: MIT */
#include <amp.h>

static void multiply(amp_index1 idx, int R, int C, int K, const int at[R + 1], const int col[K], const float v[K],
                     const float in[C], float out[R]) restrict(amp)
{
    int row = idx[0];
    float sum = 0;
    for (int k = at[row]; k < at[row + 1]; k++)
        sum += v[k] * in[col[k]];
    out[row] = sum;
}

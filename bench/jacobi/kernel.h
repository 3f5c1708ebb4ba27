/* SPDX-License-Identifier: MIT */
#include <amp.h>

static void sweep(amp_index2 idx, int M, int N, const float from[M][N], float to[M][N]) restrict(amp)
{
    int i = idx[0] + 1, j = idx[1] + 1;
    to[i][j] = 0.25f * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
}

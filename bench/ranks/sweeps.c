/* SPDX-License-Identifier: MIT
 *
 * The sweeps of samples/jacobi.c over plates that no host has, so that they may be larger than its memory.
 *
 * sweeps N SWEEPS: N x N points. */
#include <amp.h>
#include <stdio.h>
#include <stdlib.h>

static void make(amp_index2 idx, int N, float x[N][N]) restrict(amp)
{
    x[idx[0]][idx[1]] = (float)(idx[0] % 7 - idx[1] % 5);
}

static void sweep(amp_index2 idx, int N, const float from[N][N], float to[N][N]) restrict(amp)
{
    int i = idx[0] + 1, j = idx[1] + 1;
    to[i][j] = 0.25f * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
}

int main(int argc, char **argv)
{
    int n = argc > 2 ? atoi(argv[1]) : 256, n_sweeps = argc > 2 ? atoi(argv[2]) : 10;
    {
        amp_auto_array_view *from = amp_array_view_without_source2(float, n, n);
        amp_auto_array_view *to = amp_array_view_without_source2(float, n, n);
        amp_parallel_for_each(amp_extent2(n, n), make, from);
        amp_parallel_for_each(amp_extent2(n, n), make, to);
        for (int s = 0; s < n_sweeps; s++)
            amp_parallel_for_each(amp_extent2(n - 2, n - 2), sweep, s % 2 ? to : from, s % 2 ? from : to);
    }
    if (amp_error_status() != AMP_OK)
        fprintf(stderr, "sweeps: %s\n", amp_error_text());
    return amp_error_status() != AMP_OK;
}

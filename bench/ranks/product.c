/* SPDX-License-Identifier: MIT
 *
 * Products of matrices that ranks have made themselves, each its own part. The right factor of each is the last
 * product, so it moves; the left one is 1, so the numbers stay as they are.
 *
 * product N RUNS: N x N; without runs only the matrices are made. */
#include <amp.h>
#include <stdio.h>
#include <stdlib.h>

static void make(amp_index2 idx, int N, float a[N][N], float b[N][N]) restrict(amp)
{
    a[idx[0]][idx[1]] = (float)(idx[0] == idx[1]);
    b[idx[0]][idx[1]] = (float)(idx[0] % 7 - idx[1] % 5);
}

static void multiply(amp_index2 idx, int N, const float a[N][N], const float b[N][N], float c[N][N]) restrict(amp)
{
    float sum = 0;
    for (int k = 0; k < N; k++)
        sum += a[idx[0]][k] * b[k][idx[1]];
    c[idx[0]][idx[1]] = sum;
}

int main(int argc, char **argv)
{
    int n = argc > 2 ? atoi(argv[1]) : 256, n_runs = argc > 2 ? atoi(argv[2]) : 1;
    {
        amp_auto_array_view *a = amp_array_view_without_source2(float, n, n);
        amp_auto_array_view *b = amp_array_view_without_source2(float, n, n);
        amp_auto_array_view *c = amp_array_view_without_source2(float, n, n);
        amp_parallel_for_each(amp_extent2(n, n), make, a, b);
        for (int run = 0; run < n_runs; run++)
            amp_parallel_for_each(amp_extent2(n, n), multiply, a, run % 2 ? c : b, run % 2 ? b : c);
    }
    if (amp_error_status() != AMP_OK)
        fprintf(stderr, "product: %s\n", amp_error_text());
    return amp_error_status() != AMP_OK;
}

/* SPDX-License-Identifier: MIT */
#include <amp.h>
#include <stdio.h>

/* kernel */
static void product(amp_index2 i, int M, int N, int W, const float a[M][W], const float b[W][N], float c[M][N])
    restrict(amp)
{
    float sum = 0;
    for (int k = 0; k < W; k++)
        sum += a[i[0]][k] * b[k][i[1]];
    c[i[0]][i[1]] = sum;
}
/* host */

int main(void)
{
    enum { M = 96, N = 160, W = 128 };
    static float a[M][W], b[W][N], c[M][N];
    for (int i = 0; i < M * W; i++)
        a[i / W][i % W] = (float)(i % 7);
    for (int i = 0; i < W * N; i++)
        b[i / N][i % N] = (float)(i % 9);
    amp_auto_array_view *as = amp_array_view_whole2(a), *bs = amp_array_view_whole2(b);
    amp_auto_array_view *cs = amp_array_view_whole2(c);
    amp_discard_data(cs);
    amp_parallel_for_each(amp_extent2(M, N), product, as, bs, cs);
    amp_synchronize(cs);
    if (amp_error_status() != AMP_OK) {
        fprintf(stderr, "%s\n", amp_error_text());
        return 1;
    }
    printf("%g %g\n", c[0][0], c[M - 1][N - 1]);
    return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * A convolution in three dimensions: nine of the 27 neighbours of each point, except at the border. */
#include "port.h"

enum { N = 200 };
static float *in, *out;

static void set_up(void)
{
    in = new_array(N * N * N * sizeof *in);
    out = new_array(N * N * N * sizeof *out);
    for (uint32_t i = 0; i < N * N * N; i++)
        in[i] = between(-1, 1, i);
}

#define CONVOLUTION(A)                                                                                                 \
    (2 * A(-1, -1, -1) - 3 * A(1, -1, -1) + 4 * A(-1, 1, 1) + 5 * A(1, -1, 1) - 8 * A(0, 0, 0) + 6 * A(-1, 0, 1) -     \
     9 * A(0, 1, -1) + 2 * A(1, 1, 0) + 10 * A(1, 1, 1))

static void loops(void)
{
#pragma omp parallel for
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
            for (int k = 1; k < N - 1; k++) {
#define AT(x, y, z) in[((i + x) * N + j + y) * N + k + z]
                out[(i * N + j) * N + k] = CONVOLUTION(AT);
#undef AT
            }
}

#ifndef _OPENMP
static void convolve(amp_index3 idx, int n, const float from[n][n][n], float to[n][n][n]) restrict(amp)
{
    int i = idx[0], j = idx[1], k = idx[2];
    if (i > 0 && i < n - 1 && j > 0 && j < n - 1 && k > 0 && k < n - 1) {
#define AT(x, y, z) from[i + x][j + y][k + z]
        to[i][j][k] = CONVOLUTION(AT);
#undef AT
    }
}

static void launch(void)
{
    amp_auto_array_view *from = amp_array_view3(N, N, N, (const float *)in);
    amp_auto_array_view *to = amp_array_view3(N, N, N, out);
    amp_parallel_for_each(amp_extent3(N, N, N), convolve, from, to);
    amp_synchronize(to);
}
#endif

PORT("conv3d", out, N * N * N, 1e-5)

/* SPDX-License-Identifier: MIT
 *
 * Fourier transforms of 512 complex numbers each, after Stockham: one for each tile, in tile memory. */
#include "port.h"

enum { COUNT = 1 << 12, N = 512, HALF = N / 2 };
static float *in_real, *in_imaginary, *out, roots[2][HALF];

static void set_up(void)
{
    in_real = new_array(COUNT * N * sizeof *in_real);
    in_imaginary = new_array(COUNT * N * sizeof *in_imaginary);
    out = new_array(2 * COUNT * N * sizeof *out); /* real parts, then the others */
    for (uint32_t i = 0; i < COUNT * N; i++) {
        in_real[i] = between(-1, 1, i);
        in_imaginary[i] = between(-1, 1, ~i);
    }
    for (int k = 0; k < HALF; k++) {
        roots[0][k] = (float)cos(-2 * 3.141592653589793 * k / N);
        roots[1][k] = (float)sin(-2 * 3.141592653589793 * k / N);
    }
}

static void transform(const float *real, const float *imaginary, float *to_real, float *to_imaginary)
{
    float re[2][N], im[2][N];
    memcpy(re[0], real, sizeof re[0]);
    memcpy(im[0], imaginary, sizeof im[0]);
    int from = 0;
    for (int stride = 1; stride < N; stride *= 2, from = !from)
        for (int k = 0; k < HALF; k++) {
            int root = k & ~(stride - 1), to = 2 * k - (k & (stride - 1));
            float a = re[from][k], b = im[from][k], c = re[from][k + HALF], d = im[from][k + HALF];
            float x = a - c, y = b - d;
            re[!from][to] = a + c;
            im[!from][to] = b + d;
            re[!from][to + stride] = x * roots[0][root] - y * roots[1][root];
            im[!from][to + stride] = x * roots[1][root] + y * roots[0][root];
        }
    memcpy(to_real, re[from], sizeof re[0]);
    memcpy(to_imaginary, im[from], sizeof im[0]);
}

static void loops(void)
{
#pragma omp parallel for
    for (int i = 0; i < COUNT; i++)
        transform(&in_real[i * N], &in_imaginary[i * N], &out[i * N], &out[(COUNT + i) * N]);
}

#ifndef _OPENMP
static void transform_all(amp_tiled_index1(HALF) t, int n, const float real[n][N], const float imaginary[n][N],
                          const float root[2][HALF], float to[2][n][N]) restrict(amp)
{
    tile_static float re[2][N], im[2][N];
    int k = t.local[0], tile = t.tile[0], from = 0;
    re[0][k] = real[tile][k];
    re[0][k + HALF] = real[tile][k + HALF];
    im[0][k] = imaginary[tile][k];
    im[0][k + HALF] = imaginary[tile][k + HALF];
    amp_tile_barrier_wait(t.barrier);
    for (int stride = 1; stride < N; stride *= 2) {
        int turn = k & ~(stride - 1), place = 2 * k - (k & (stride - 1));
        float a = re[from][k], b = im[from][k], c = re[from][k + HALF], d = im[from][k + HALF];
        float x = a - c, y = b - d;
        re[!from][place] = a + c;
        im[!from][place] = b + d;
        re[!from][place + stride] = x * root[0][turn] - y * root[1][turn];
        im[!from][place + stride] = x * root[1][turn] + y * root[0][turn];
        from = !from;
        amp_tile_barrier_wait(t.barrier);
    }
    to[0][tile][k] = re[from][k];
    to[0][tile][k + HALF] = re[from][k + HALF];
    to[1][tile][k] = im[from][k];
    to[1][tile][k + HALF] = im[from][k + HALF];
}

static void launch(void)
{
    amp_auto_array_view *real = amp_array_view2(COUNT, N, (const float *)in_real);
    amp_auto_array_view *imaginary = amp_array_view2(COUNT, N, (const float *)in_imaginary);
    amp_auto_array_view *root = amp_array_view2(2, HALF, (const float *)roots);
    amp_auto_array_view *to = amp_array_view3(2, COUNT, N, out);
    amp_discard_data(to);
    amp_parallel_for_each(amp_extent1(COUNT * HALF), transform_all, real, imaginary, root, to);
    amp_synchronize(to);
}
#endif

PORT("fft", out, 2 * COUNT * N, 1e-4)

/* SPDX-License-Identifier: MIT
 *
 * Matrix multiplication of random matrices: serial, simple and tiled; the latter two are verified against the first. */
#include <amp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { M = 256, N = 256, W = 256, TILE_SIZE = 16 };

static void initialize_array(int n, float array[n])
{
    for (int i = 0; i < n; i++)
        array[i] = (float)rand() / (float)RAND_MAX;
}

static void mxm_single_cpu(const float a[M][W], const float b[W][N], float c[M][N])
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float temp_c = 0;
            for (int k = 0; k < W; k++)
                temp_c += a[i][k] * b[k][j];
            c[i][j] = temp_c;
        }
}

/* One thread per element of c. */
static void simple(amp_index2 idx, const float a[M][W], const float b[W][N], float c[M][N]) restrict(amp)
{
    float temp_c = 0;
    for (int k = 0; k < W; k++)
        temp_c += a[idx[0]][k] * b[k][idx[1]];
    c[idx[0]][idx[1]] = temp_c;
}

/* The threads of a tile read each element of a and b once, together, and share it in tile_static memory. */
static void tiled(amp_tiled_index2(TILE_SIZE, TILE_SIZE) tidx, const float a[M][W], const float b[W][N], float c[M][N])
    restrict(amp)
{
    const int *local = tidx.local;
    const int *global = tidx.global;
    float temp_c = 0;
    for (int i = 0; i < W; i += TILE_SIZE) {
        tile_static float local_b[TILE_SIZE][TILE_SIZE];
        tile_static float local_a[TILE_SIZE][TILE_SIZE];
        local_a[local[0]][local[1]] = a[global[0]][i + local[1]];
        local_b[local[0]][local[1]] = b[i + local[0]][global[1]];
        amp_tile_barrier_wait(tidx.barrier);

        for (int k = 0; k < TILE_SIZE; k++)
            temp_c += local_a[local[0]][k] * local_b[k][local[1]];
        amp_tile_barrier_wait(tidx.barrier);
    }
    c[global[0]][global[1]] = temp_c;
}

/* Runs `kernel` on views that live only as long as this call. Returns the status of the first call that failed. */
static amp_status run(amp_kernel kernel, const float *a, const float *b, float *c)
{
    amp_error_scope scope = amp_error_begin();
    amp_auto_array_view *av_a = amp_array_view2(M, W, a);
    amp_auto_array_view *av_b = amp_array_view2(W, N, b);
    amp_auto_array_view *av_c = amp_array_view2(M, N, c);
    amp_discard_data(av_c);
    amp_parallel_for_each(amp_extent2(M, N), kernel, av_a, av_b, av_c);
    amp_synchronize(av_c);
    return amp_error_end(&scope);
}

/* Runs `kernel` and prints whether `c` is `expected`; the order of additions may differ, and so may the last bits. */
static int verify(const char *name, amp_kernel kernel, const float *a, const float *b, float *c, const float *expected)
{
    if (run(kernel, a, b, c) != AMP_OK) {
        fprintf(stderr, "%s: %s\n", name, amp_error_last_text());
        return 1;
    }
    int wrong = 0;
    for (int i = 0; i < M * N; i++)
        if (!(fabsf(c[i] - expected[i]) <= 1e-5f * (float)W) && wrong++ == 0)
            fprintf(stderr, "%s: c[%d][%d] is %g, expected %g\n", name, i / N, i % N, c[i], expected[i]);
    printf("%s: %s\n", name, wrong ? "data mismatch" : "data matches");
    return wrong != 0;
}

int main(void)
{
    static float a[M][W], b[W][N], c_cpu[M][N], c_simple[M][N], c_tiled[M][N];
    initialize_array(M * W, a[0]);
    initialize_array(W * N, b[0]);

    mxm_single_cpu(a, b, c_cpu);
    int failed = verify("mxm_amp_simple", (amp_kernel)simple, a[0], b[0], c_simple[0], c_cpu[0]);
    failed |= verify("mxm_amp_tiled", (amp_kernel)tiled, a[0], b[0], c_tiled[0], c_cpu[0]);
    return failed;
}

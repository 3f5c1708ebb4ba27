/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t | FileCheck %s
 * RUN: %ampcc -O0 %s -o %t && %run-alone %t | FileCheck %s
 *
 * The first program of the design: two matrix multiplications, and the names that they introduce.
 * CHECK: simple: ok
 * CHECK: tiled: ok
 */
#include <amp.h>
#include <stdio.h>

/* The simple kernel: one thread per element of c. */
void mxm_simple(amp_index2 idx, int M, int N, int W, const float a[M][W], const float b[W][N], float c[M][N])
    restrict(amp)
{
    int row = idx[0], col = idx[1];
    float sum = 0;
    for (int k = 0; k < W; k++)
        sum += a[row][k] * b[k][col];
    c[row][col] = sum;
}

/* The tiled kernel. */
enum { TS = 16 };
void mxm_tiled(amp_tiled_index2(TS, TS) t, int M, int N, int W, const float a[M][W], const float b[W][N], float c[M][N])
    restrict(amp)
{
    int row = t.local[0], col = t.local[1];
    float sum = 0;
    for (int i = 0; i < W; i += TS) {
        tile_static float local_a[TS][TS], local_b[TS][TS];
        local_a[row][col] = a[t.global[0]][i + col];
        local_b[row][col] = b[i + row][t.global[1]];
        amp_tile_barrier_wait(t.barrier);
        for (int k = 0; k < TS; k++)
            sum += local_a[row][k] * local_b[k][col];
        amp_tile_barrier_wait(t.barrier);
    }
    c[t.global[0]][t.global[1]] = sum;
}

enum { M = 32, N = 64, W = 48 };

static void check(const char *name, const float A[M][W], const float B[W][N], const float C[M][N])
{
    int wrong = 0;
    for (int row = 0; row < M; row++)
        for (int col = 0; col < N; col++) {
            float sum = 0;
            for (int k = 0; k < W; k++)
                sum += A[row][k] * B[k][col];
            wrong += sum != C[row][col];
        }
    printf("%s: %s\n", name, wrong ? "wrong" : "ok");
}

int main(void)
{
    static float A[M][W], B[W][N], C[M][N];
    for (int k = 0; k < W; k++) {
        for (int row = 0; row < M; row++)
            A[row][k] = (row * 7 + k) % 13; /* small integers: sums are exact */
        for (int col = 0; col < N; col++)
            B[k][col] = (k * 5 + col) % 11;
    }
    amp_array_view *a = amp_array_view2(M, W, (const float *)A[0]); /* a read-only view */
    amp_array_view *b = amp_array_view2(W, N, (const float *)B[0]);
    amp_array_view *c = amp_array_view2(M, N, C[0]);
    amp_discard_data(c); /* its old contents need not be copied */
    amp_parallel_for_each(amp_extent2(M, N), mxm_simple, a, b, c);
    if (amp_synchronize(c) != AMP_OK)
        fprintf(stderr, "%s\n", amp_error_text());
    check("simple", A, B, C);
    amp_discard_data(c);
    amp_parallel_for_each_on(amp_accelerator_default_view(amp_accelerator_default()), amp_extent2(M, N), mxm_tiled, a,
                             b, c);
    if (amp_synchronize(c) != AMP_OK) /* C now holds the product */
        fprintf(stderr, "%s\n", amp_error_text());
    check("tiled", A, B, C);
    amp_array_view_release(a);
    amp_array_view_release(b);
    amp_array_view_release(c);
    return amp_error_status() != AMP_OK;
}

/* SPDX-License-Identifier: MIT
 *
 * c = a * b in blocks: a tile of 16 x 16 threads computes 128 x 128 elements of c, each thread 8 x 8 of them, held in
 * registers. For every 8 columns of a and rows of b that the tile has copied to its own memory, each thread reads 16
 * numbers there for 64 multiplications and additions; with one thread per element it would read two for one.
 *
 * ./sgemm [N [RUNS]]: N x N, a multiple of 128, on the default accelerator; verified against sums in double
 * precision. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime, also with -std=c11 */

#include <amp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    SIDE = 16, /* threads of a tile along either dimension */
    PER = 8,   /* results of a thread along either dimension */
    BLOCK = SIDE * PER,
    STEP = 8 /* columns of a, rows of b, at a time */
};

/* The position in a block of result number `i` of thread number `thread`, along either dimension. */
static int place(int thread, int i) restrict(amp)
{
    return i / 4 * (BLOCK / 2) + thread * 4 + i % 4;
}

/* The extent counts threads, M / PER x N / PER; M and N are multiples of BLOCK, W of STEP. */
static void sgemm(amp_tiled_index2(SIDE, SIDE) t, int M, int N, int W, const float a[M][W], const float b[W][N],
                  float c[M][N]) restrict(amp)
{
    /* A column of a is stored as a row of tile_a. Both tiles exist twice: one step is computed while the next loads. */
    tile_static float tile_a[2][STEP][BLOCK + 4], tile_b[2][STEP][BLOCK];
    int row = t.local[0], col = t.local[1], first_row = t.tile[0] * BLOCK, first_col = t.tile[1] * BLOCK;

    /* This thread's share of a step: every 32nd row of a column of a, and every 32nd column of a row of b. */
    int a_row = row * 2 + col / 8, a_col = col % 8, b_row = row / 2, b_col = row % 2 * SIDE + col;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        tile_a[0][a_col][a_row + 32 * i] = a[first_row + a_row + 32 * i][a_col];
        tile_b[0][b_row][b_col + 32 * i] = b[b_row][first_col + b_col + 32 * i];
    }
    amp_tile_barrier_wait(t.barrier);

    float sum[PER][PER] = {{0}};
    for (int k = 0; k < W; k += STEP) {
        /* After the last step this loads that step again, needlessly: with a branch here, GPUs' compilers would delay
         * the loads until the multiplications are done. */
        int now = k / STEP % 2, next = k + STEP < W ? k + STEP : k;
        float next_a[4], next_b[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            next_a[i] = a[first_row + a_row + 32 * i][next + a_col];
            next_b[i] = b[next + b_row][first_col + b_col + 32 * i];
        }
#pragma unroll
        for (int step = 0; step < STEP; step++) {
            /* 4 neighbours at once, in two halves: a thread's results are 2 x 2 squares of 4 x 4. */
            float of_a[PER], of_b[PER];
#pragma unroll
            for (int i = 0; i < PER; i++) {
                of_a[i] = tile_a[now][step][place(row, i)];
                of_b[i] = tile_b[now][step][place(col, i)];
            }
#pragma unroll
            for (int i = 0; i < PER; i++)
#pragma unroll
                for (int j = 0; j < PER; j++)
                    sum[i][j] += of_a[i] * of_b[j];
        }
#pragma unroll
        for (int i = 0; i < 4; i++) {
            tile_a[1 - now][a_col][a_row + 32 * i] = next_a[i];
            tile_b[1 - now][b_row][b_col + 32 * i] = next_b[i];
        }
        amp_tile_barrier_wait(t.barrier);
    }
#pragma unroll
    for (int i = 0; i < PER; i++)
#pragma unroll
        for (int j = 0; j < PER; j++)
            c[first_row + place(row, i)][first_col + place(col, j)] = sum[i][j];
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The first element that differs from the sum in double precision by more than rounding, of all rows that are
 * multiples of `every`; -1 if none does. */
static long find_wrong(int n, const float *a, const float *b, const float *c, int every)
{
    for (int i = 0; i < n; i += every)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += (double)a[i * (long)n + k] * (double)b[k * (long)n + j];
            if (!(fabs((double)c[i * (long)n + j] - sum) <= 1e-6 * n))
                return i * (long)n + j;
        }
    return -1;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 256, n_runs = argc > 2 ? atoi(argv[2]) : 1;
    if (n <= 0 || n % BLOCK || n_runs < 1) {
        fprintf(stderr, "usage: sgemm [N [RUNS]]: N is a multiple of %d\n", BLOCK);
        return 2;
    }
    size_t size = (size_t)n * (size_t)n;
    float *a = malloc(size * sizeof *a), *b = malloc(size * sizeof *b), *c = malloc(size * sizeof *c);
    if (!a || !b || !c) {
        fprintf(stderr, "sgemm: no memory for three matrices of %d x %d\n", n, n);
        return 1;
    }
    for (size_t i = 0; i < size; i++) {
        a[i] = (float)rand() / (float)RAND_MAX - 0.5f;
        b[i] = (float)rand() / (float)RAND_MAX - 0.5f;
    }
    amp_array_view *va = amp_array_view2(n, n, a), *vb = amp_array_view2(n, n, b), *vc = amp_array_view2(n, n, c);
    amp_discard_data(vc);
    amp_accelerator_view *on = amp_accelerator_default_view(amp_accelerator_default());
    double seconds = 0;
    for (int run = 0; run < n_runs; run++) {
        double start = now();
        amp_parallel_for_each_on(on, amp_extent2(n / PER, n / PER), sgemm, va, vb, vc);
        amp_accelerator_view_wait(on);
        if (run == 0 || now() - start < seconds)
            seconds = now() - start;
    }
    amp_synchronize(vc);
    amp_array_view_release(va);
    amp_array_view_release(vb);
    amp_array_view_release(vc);
    if (amp_error_status() != AMP_OK) {
        fprintf(stderr, "sgemm: %s\n", amp_error_text());
        return 1;
    }
    long wrong = find_wrong(n, a, b, c, n / 64);
    if (wrong >= 0)
        printf("c[%ld][%ld] is wrong: %g\n", wrong / n, wrong % n, (double)c[wrong]);
    else
        printf("%d x %d: data matches\n", n, n);
    if (argc > 2)
        fprintf(stderr, "%.3f ms, %.0f GFLOP/s\n", seconds * 1e3, 2e-9 * (double)n * (double)size / seconds);
    free(a), free(b), free(c);
    return wrong >= 0;
}

/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=1 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 --amp-lanes=32 %s -o %t && %run-native %t
 * RUN: %ampcc -O0 --amp-lanes=8 %s -o %t && %run-alone %t
 *
 * Data of rank 4 to 8 under indices of rank 1 to 3. */
#include "check.h"

static void rank4(amp_index2 idx, int A, int B, int C, int D, const int in[A][B][C][D], int out[A][D])
    restrict(cpu, amp)
{
    int sum = 0;
    for (int b = 0; b < B; b++)
        for (int c = 0; c < C; c++)
            sum += in[idx[0]][b][c][idx[1]] * (b + 1) + c;
    out[idx[0]][idx[1]] = sum;
}

static void rank5(amp_index3 idx, int A, int B, int C, int D, int E, int x[A][B][C][D][E]) restrict(cpu, amp)
{
    for (int c = 0; c < C; c++)
        for (int d = 0; d < D; d++)
            x[idx[0]][idx[1]][c][d][idx[2]] += idx[0] + 10 * c - 100 * d;
}

/* The lanes lie along the slowest dimension. */
static void rank6(amp_index1 idx, int A, int B, int C, int D, int E, int F, const int in[F][A][B][C][D][E], int out[F])
    restrict(cpu, amp)
{
    out[idx[0]] = in[idx[0]][A - 1][0][C - 1][D / 2][E - 1];
}

static void rank7(amp_index3 idx, int A, int B, int C, int D, int E, int F, int G, int x[A][B][C][D][E][F][G])
    restrict(cpu, amp)
{
    for (int c = 0; c < C; c++)
        for (int d = 0; d < D; d++)
            for (int e = 0; e < E; e++)
                for (int f = 0; f < F; f++)
                    x[idx[0]][idx[1]][c][d][e][f][idx[2]] = c + d * 3 - x[idx[0]][idx[1]][c][d][e][f][idx[2]] * f;
}

static void rank8(amp_index2 idx, int A, int B, int C, int D, int E, int F, int G, int H,
                  const int in[A][B][C][D][E][F][G][H], int out[A][B][C][D][E][F][G][H]) restrict(cpu, amp)
{
    for (int g = 0; g < A * B * C * D * E * F; g++) {
        int a = g % A, b = g / A % B, c = g / A / B % C, d = g / A / B / C % D, e = g / A / B / C / D % E;
        int f = g / A / B / C / D / E;
        out[a][b][c][d][e][f][idx[0]][idx[1]] = in[a][b][c][d][e][f][G - 1 - idx[0]][idx[1]] + f;
    }
}

int main(void)
{
    EACH_EXTENT(n) {
        int size = 128 * n;
        int *in = check_alloc(size * sizeof(int)), *out = check_alloc(size * sizeof(int));
        int *want = check_alloc(size * sizeof(int));
        for (int i = 0; i < size; i++) {
            in[i] = check_value(i);
            out[i] = want[i] = check_value(i + 99);
        }
#define VIEW(rank, p, ...) amp_array_view_n(amp_extent_n(rank, (const int[]){__VA_ARGS__}), p)
#define RELEASE()                                                                                                      \
    amp_array_view_release(x);                                                                                         \
    amp_array_view_release(y)
        amp_array_view *x = VIEW(4, (const int *)in, 3, 2, 5, n), *y = VIEW(2, out, 3, n);
        CHECK_OK(amp_parallel_for_each(amp_extent2(3, n), rank4, x, y));
        for (int i = 0; i < 3 * n; i++)
            rank4((amp_index2){i / n, i % n}, 3, 2, 5, n, (const int (*)[2][5][n])in, (int (*)[n])want);
        CHECK_INTS(out, want, size, "rank4, extent %d", n);
        RELEASE();

        x = VIEW(5, out, 2, 3, 2, 4, n), y = NULL;
        CHECK_OK(amp_parallel_for_each(amp_extent3(2, 3, n), rank5, x));
        for (int i = 0; i < 6 * n; i++)
            rank5((amp_index3){i / n / 3, i / n % 3, i % n}, 2, 3, 2, 4, n, (int (*)[3][2][4][n])want);
        CHECK_INTS(out, want, size, "rank5, extent %d", n);
        RELEASE();

        x = VIEW(6, (const int *)in, n, 2, 3, 2, 2, 3), y = VIEW(1, out, n);
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), rank6, x, y));
        for (int i = 0; i < n; i++)
            rank6((amp_index1){i}, 2, 3, 2, 2, 3, n, (const int (*)[2][3][2][2][3])in, want);
        CHECK_INTS(out, want, size, "rank6, extent %d", n);
        RELEASE();

        x = VIEW(7, out, 2, 2, 3, 1, 2, 2, n), y = NULL;
        CHECK_OK(amp_parallel_for_each(amp_extent3(2, 2, n), rank7, x));
        for (int i = 0; i < 4 * n; i++)
            rank7((amp_index3){i / n / 2, i / n % 2, i % n}, 2, 2, 3, 1, 2, 2, n, (int (*)[2][3][1][2][2][n])want);
        CHECK_INTS(out, want, size, "rank7, extent %d", n);
        RELEASE();

        x = VIEW(8, (const int *)in, 2, 1, 3, 2, 1, 2, 3, n), y = VIEW(8, out, 2, 1, 3, 2, 1, 2, 3, n);
        CHECK_OK(amp_parallel_for_each(amp_extent2(3, n), rank8, x, y));
        for (int i = 0; i < 3 * n; i++)
            rank8((amp_index2){i / n, i % n}, 2, 1, 3, 2, 1, 2, 3, n, (const int (*)[1][3][2][1][2][3][n])in,
                  (int (*)[1][3][2][1][2][3][n])want);
        CHECK_INTS(out, want, size, "rank8, extent %d", n);
        RELEASE();
        check_free_all();
    }
    return 0;
}

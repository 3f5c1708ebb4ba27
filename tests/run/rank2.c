/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=1 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 --amp-lanes=32 %s -o %t && %run-native %t
 * RUN: %ampcc -O0 --amp-lanes=8 %s -o %t && %run-alone %t
 *
 * Kernels of rank 2: values that depend on rows, on columns, on both or on neither, so that blocks of rows form. */
#include "check.h"

static void transpose(amp_index2 idx, int M, int N, const int in[M][N], int out[N][M]) restrict(cpu, amp)
{
    out[idx[1]][idx[0]] = in[idx[0]][idx[1]] + 1;
}

static void outer_product(amp_index2 idx, int M, int N, const int col[M], const int row[N], int out[M][N])
    restrict(cpu, amp)
{
    out[idx[0]][idx[1]] = col[idx[0]] * row[idx[1]] + idx[0] - 2 * idx[1];
}

static void product(amp_index2 idx, int M, int N, int W, const float a[M][W], const float b[W][N], float c[M][N])
    restrict(cpu, amp)
{
    float sum = 0;
    for (int k = 0; k < W; k++)
        sum += a[idx[0]][k] * b[k][idx[1]];
    c[idx[0]][idx[1]] = sum;
}

/* The existing neighbours: conditions on rows, on columns, on both. */
static void stencil(amp_index2 idx, int M, int N, const int in[M][N], int out[M][N]) restrict(cpu, amp)
{
    int r = idx[0], c = idx[1], sum = 4 * in[r][c];
    if (r > 0)
        sum -= in[r - 1][c];
    if (r < M - 1)
        sum -= in[r + 1][c];
    if (c > 0)
        sum -= in[r][c - 1];
    if (c < N - 1)
        sum -= in[r][c + 1];
    out[r][c] = sum;
}

/* Loops whose trip count depends on the row only, or on both. */
static void triangle(amp_index2 idx, int M, int N, const int in[M][N], int out[M][N]) restrict(cpu, amp)
{
    int sum = 0;
    for (int k = 0; k <= idx[0]; k++)
        sum += in[k][idx[1]];
    for (int k = 0; k < (idx[0] + idx[1]) % 7; k++)
        sum += 1000;
    out[idx[0]][idx[1]] = sum;
}

/* The branch is the same for a whole row. */
static void row_branch(amp_index2 idx, int M, int N, const int in[M][N], int out[M][N]) restrict(cpu, amp)
{
    int r = idx[0], c = idx[1];
    if (in[r][0] > 0) {
        out[r][c] = in[r][c];
        if (r & 1)
            return;
    }
    for (int k = 0; k < N; k++) {
        if (in[r][k] > 300)
            break;
        out[r][c] += in[r][k] ^ c;
    }
}

/* Only the sums' first column has a thread per element: the extent is smaller than the array. */
static void sums(amp_index2 idx, int M, int N, const int in[M][N], int out[M][N]) restrict(cpu, amp)
{
    int rows = 0, columns = 0;
    for (int k = 0; k < N; k++)
        rows += in[idx[0]][k];
    for (int k = 0; k < M; k++)
        columns += in[k][idx[1]];
    out[idx[0]][idx[1]] = rows * 3 + columns;
}

static void mix(amp_index2 idx, int M, int N, int S, const float a[M][N], const float b[M][N], float out[M][N])
    restrict(cpu, amp)
{
    float x = 0, y = 1, z = 2, w = 3;
    for (int k = 0; k < S; k++) {
        x += a[idx[0]][k % N] * b[k % M][idx[1]];
        y += a[k % M][idx[1]] - b[idx[0]][k % N];
        z += a[idx[0]][idx[1]];
        w += b[k % M][k % N];
    }
    out[idx[0]][idx[1]] = x + 2 * y + 4 * z + 8 * w;
}

int main(void)
{
    enum { MOST = 17 * 200 };
    EACH_FEW(m)
    EACH_EXTENT(n) {
        int *in = check_alloc(m * n * sizeof(int)), *out = check_alloc(m * n * sizeof(int)), want[MOST];
        float *a = check_alloc(m * n * sizeof(float)), *b = check_alloc(m * n * sizeof(float));
        float *c = check_alloc(m * n * sizeof(float)), result[MOST];
        for (int i = 0; i < m * n; i++) {
            in[i] = check_value(i);
            a[i] = (float)check_value(i + 5) / 8; /* exact products and sums */
            b[i] = (float)check_value(i + 9) / 4;
        }
        amp_array_view *in_view = amp_array_view2(m, n, (const int *)in), *out_view = amp_array_view2(m, n, out);
        amp_array_view *turned = amp_array_view2(n, m, out);
        amp_array_view *a_view = amp_array_view2(m, n, (const float *)a), *c_view = amp_array_view2(m, n, c);
        amp_array_view *b_view = amp_array_view2(m, n, (const float *)b);
#define RUN(T, kernel, got, expected, views, ...)                                                                      \
    CHECK_OK(amp_parallel_for_each(amp_extent2(m, n), kernel, views));                                                 \
    for (int i = 0; i < m; i++)                                                                                        \
        for (int k = 0; k < n; k++)                                                                                    \
            kernel((amp_index2){i, k}, m, n, __VA_ARGS__);                                                             \
    CHECK_##T(got, expected, m * n, "%s, extent %dx%d", #kernel, m, n)
#define VIEWS(...) __VA_ARGS__
#define MATRIX(p) (const int(*)[n])(p)
        RUN(INTS, transpose, out, want, VIEWS(in_view, turned), MATRIX(in), (int (*)[m])want);
        memset(out, 0, m * n * sizeof(int));
        memset(want, 0, m * n * sizeof(int));
        RUN(INTS, stencil, out, want, VIEWS(in_view, out_view), MATRIX(in), (int (*)[n])want);
        RUN(INTS, triangle, out, want, VIEWS(in_view, out_view), MATRIX(in), (int (*)[n])want);
        RUN(INTS, row_branch, out, want, VIEWS(in_view, out_view), MATRIX(in), (int (*)[n])want);
        RUN(INTS, sums, out, want, VIEWS(in_view, out_view), MATRIX(in), (int (*)[n])want);

        amp_array_view *col = amp_array_view1(m, (const int *)in), *row = amp_array_view1(n, (const int *)in);
        RUN(INTS, outer_product, out, want, VIEWS(col, row, out_view), in, in, (int (*)[n])want);

        for (int w = 0; w < 4; w++) {
            int s = w * w * w;
            RUN(FLOATS, mix, c, result, VIEWS(s, a_view, b_view, c_view), s, (const float (*)[n])a,
                (const float (*)[n])b, (float (*)[n])result);
            if (s == 0 || s > m || s > n)
                continue;
            amp_array_view *left = amp_array_view2(m, s, (const float *)a);
            amp_array_view *right = amp_array_view2(s, n, (const float *)b);
            RUN(FLOATS, product, c, result, VIEWS(left, right, c_view), s, (const float (*)[s])a, (const float (*)[n])b,
                (float (*)[n])result);
            amp_array_view_release(left);
            amp_array_view_release(right);
        }
        amp_array_view *views[] = {in_view, out_view, turned, a_view, b_view, c_view, col, row};
        check_release(views, LENGTH(views));
    }
    return 0;
}

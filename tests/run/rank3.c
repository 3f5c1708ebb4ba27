/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=1 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 --amp-lanes=32 %s -o %t && %run-native %t
 * RUN: %ampcc -O0 --amp-lanes=8 %s -o %t && %run-alone %t
 *
 * Kernels of rank 3. */
#include "check.h"

static void linear(amp_index3 idx, int L, int M, int N, int out[L][M][N]) restrict(cpu, amp)
{
    out[idx[0]][idx[1]][idx[2]] = (idx[0] * M + idx[1]) * N + idx[2];
}

static void permute(amp_index3 idx, int L, int M, int N, const int in[L][M][N], int out[N][L][M]) restrict(cpu, amp)
{
    out[idx[2]][idx[0]][idx[1]] = in[L - 1 - idx[0]][idx[1]][idx[2]] * 2;
}

static void neighbours(amp_index3 idx, int L, int M, int N, const int in[L][M][N], int out[L][M][N]) restrict(cpu, amp)
{
    int i = idx[0], j = idx[1], k = idx[2], sum = 0;
    for (int a = -1; a <= 1; a++)
        for (int b = -1; b <= 1; b++)
            for (int c = -1; c <= 1; c++) {
                if (i + a < 0 || i + a >= L || j + b < 0 || j + b >= M || k + c < 0 || k + c >= N)
                    continue;
                sum += in[i + a][j + b][k + c] * (a + 2 * b + 4 * c);
            }
    out[i][j][k] = sum;
}

static void contract(amp_index3 idx, int L, int M, int N, const float in[L][M][N], float out[L][M][N])
    restrict(cpu, amp)
{
    float sum = 0;
    for (int r = 0; r < M; r++)
        sum += in[idx[0]][idx[1]][r % N] * in[0][r][idx[2]];
    out[idx[0]][idx[1]][idx[2]] = sum;
}

int main(void)
{
    static const int planes[] = {1, 2, 3, 5}, rows[] = {1, 2, 3, 4, 7, 8, 9, 17};
    enum { MOST = 5 * 17 * 200 };
    static int want[MOST];
    static float result[MOST];
    for (int p = 0; p < LENGTH(planes); p++)
        for (int r = 0; r < LENGTH(rows); r++)
            EACH_EXTENT(n) {
                int l = planes[p], m = rows[r], size = l * m * n;
                int *in = check_alloc(size * sizeof(int)), *out = check_alloc(size * sizeof(int));
                float *a = check_alloc(size * sizeof(float)), *c = check_alloc(size * sizeof(float));
                for (int i = 0; i < size; i++) {
                    in[i] = check_value(i);
                    a[i] = (float)check_value(i + 3) / 8;
                }
                amp_array_view *in_view = amp_array_view3(l, m, n, (const int *)in);
                amp_array_view *out_view = amp_array_view3(l, m, n, out), *turned = amp_array_view3(n, l, m, out);
                amp_array_view *a_view = amp_array_view3(l, m, n, (const float *)a);
                amp_array_view *c_view = amp_array_view3(l, m, n, c);
#define RUN(T, kernel, got, expected, views, ...)                                                                      \
    CHECK_OK(amp_parallel_for_each(amp_extent3(l, m, n), kernel, views));                                              \
    for (int i = 0; i < l; i++)                                                                                        \
        for (int j = 0; j < m; j++)                                                                                    \
            for (int k = 0; k < n; k++)                                                                                \
                kernel((amp_index3){i, j, k}, l, m, n, __VA_ARGS__);                                                   \
    CHECK_##T(got, expected, size, "%s, extent %dx%dx%d", #kernel, l, m, n)
#define VIEWS(...) __VA_ARGS__
#define BOX(T, p) (T(*)[m][n])(p)
                RUN(INTS, linear, out, want, VIEWS(out_view), BOX(int, want));
                RUN(INTS, permute, out, want, VIEWS(in_view, turned), BOX(const int, in), (int (*)[l][m])want);
                RUN(INTS, neighbours, out, want, VIEWS(in_view, out_view), BOX(const int, in), BOX(int, want));
                RUN(FLOATS, contract, c, result, VIEWS(a_view, c_view), BOX(const float, a), BOX(float, result));
                amp_array_view *views[] = {in_view, out_view, turned, a_view, c_view};
                check_release(views, LENGTH(views));
            }
    return 0;
}

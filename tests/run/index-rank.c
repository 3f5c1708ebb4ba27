/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 -Wall -Wextra -Werror %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=1 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 --amp-lanes=32 %s -o %t && %run-native %t
 * RUN: %ampcc -O0 %s -o %t && %run-alone %t
 * row: launch.extent, index.array
 *
 * Kernels of rank 4 to 8: every thread of the domain runs once, with its own index, in domains with all kinds of
 * borders, with masks, loops, and neighbours in every dimension. The reference is the same function on the host. */
#include "check.h"

enum { N = 1000 };

/* The test of each rank: mixes all components, and counts the threads that reach an element. */
#define KERNEL(R, ...)                                                                                                 \
    static void rank##R(amp_index##R i, int n, int bias, const int x[n], int y[n], int count[n]) restrict(cpu, amp)    \
    {                                                                                                                  \
        static const int e[R] = {__VA_ARGS__};                                                                         \
        int at = 0, value = bias;                                                                                      \
        for (int d = 0; d < R; d++) {                                                                                  \
            at = at * e[d] + i[d];                                                                                     \
            value = value * 7 + i[d];                                                                                  \
        }                                                                                                              \
        if (i[R - 1] > 2 && i[0] + i[1] != 2)                                                                          \
            for (int k = 0; k <= i[R - 2]; k++)                                                                        \
                value += x[(at + k) % n];                                                                              \
        y[at] = value;                                                                                                 \
        count[at]++;                                                                                                   \
    }                                                                                                                  \
    static void test##R(void)                                                                                          \
    {                                                                                                                  \
        static const int e[R] = {__VA_ARGS__};                                                                         \
        static int x[N], y[N], count[N], want_y[N], want_count[N];                                                     \
        int n = (int)amp_extent_size(amp_extent_n(R, e));                                                              \
        for (int i = 0; i < N; i++) {                                                                                  \
            x[i] = check_value(i);                                                                                     \
            y[i] = want_y[i] = -1;                                                                                     \
            count[i] = want_count[i] = 0;                                                                              \
        }                                                                                                              \
        amp_array_view *views[] = {amp_array_view1(n, (const int *)x), amp_array_view1(n, y),                          \
                                   amp_array_view1(n, count)};                                                         \
        CHECK_OK(amp_parallel_for_each(amp_extent_n(R, e), rank##R, 5, views[0], views[1], views[2]));                 \
        for (int at = 0; at < n; at++) {                                                                               \
            int index[R], rest = at;                                                                                   \
            for (int d = R - 1; d >= 0; d--) {                                                                         \
                index[d] = rest % e[d];                                                                                \
                rest /= e[d];                                                                                          \
            }                                                                                                          \
            rank##R(index, n, 5, x, want_y, want_count);                                                               \
        }                                                                                                              \
        CHECK_INTS(y, want_y, N, "rank %d", R);                                                                        \
        CHECK_INTS(count, want_count, N, "times, rank %d", R);                                                         \
        for (int v = 0; v < 3; v++)                                                                                    \
            amp_array_view_release(views[v]);                                                                          \
    }
KERNEL(4, 2, 3, 2, 50)
KERNEL(5, 3, 2, 1, 4, 17)
KERNEL(6, 1, 2, 3, 2, 5, 3)
KERNEL(7, 2, 1, 2, 1, 3, 1, 33)
KERNEL(8, 2, 2, 1, 2, 2, 1, 3, 16)

/* Arrays of the index's rank, read at neighbours: a stencil in four dimensions. */
static void stencil(amp_index4 i, int A, int B, int C, int D, const float x[A][B][C][D], float y[A][B][C][D])
    restrict(cpu, amp)
{
    int a = i[0], b = i[1], c = i[2], d = i[3];
    float sum = x[a][b][c][d] * 2;
    if (a > 0)
        sum += x[a - 1][b][c][d];
    if (b + 1 < B)
        sum -= x[a][b + 1][c][d];
    if (c > 0)
        sum += x[a][b][c - 1][d] * 0.5f;
    if (d > 0 && d + 1 < D)
        sum += x[a][b][c][d - 1] - x[a][b][c][d + 1];
    y[a][b][c][d] = sum;
}

static void nothing_passed(amp_index5 i) restrict(amp)
{
    (void)i;
}

static void test_stencil(int A, int B, int C, int D)
{
    int n = A * B * C * D;
    float *x = check_alloc((size_t)n * sizeof *x), *y = check_alloc((size_t)n * sizeof *y),
          *want = check_alloc((size_t)n * sizeof *want);
    for (int i = 0; i < n; i++)
        x[i] = (float)check_value(i);
    amp_extent e = amp_extent_n(4, (int[]){A, B, C, D});
    amp_array_view *x_view = amp_array_view_n(e, (const float *)x), *y_view = amp_array_view_n(e, y);
    CHECK_OK(amp_parallel_for_each(e, stencil, x_view, y_view));
    for (int at = 0; at < n; at++)
        stencil((amp_index4){at / (B * C * D), at / (C * D) % B, at / D % C, at % D}, A, B, C, D, (const void *)x,
                (void *)want);
    CHECK_FLOATS(y, want, n, "stencil over %dx%dx%dx%d", A, B, C, D);
    amp_array_view_release(x_view);
    amp_array_view_release(y_view);
    check_free_all();
}

int main(void)
{
    test4();
    test5();
    test6();
    test7();
    test8();
    test_stencil(1, 1, 1, 1);
    test_stencil(3, 2, 5, 33);
    test_stencil(2, 7, 1, 16);
    test_stencil(9, 8, 7, 60); /* in parts, by several host threads */
    CHECK_OK(amp_parallel_for_each(amp_extent_n(5, (int[]){2, 2, 2, 2, 2}), nothing_passed));
    return 0;
}

/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=1 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 --amp-lanes=32 %s -o %t && %run-native %t
 * RUN: %ampcc -O0 --amp-lanes=8 %s -o %t && %run-alone %t
 *
 * Array bounds: constants, names, and arithmetic on them; which of them the caller passes. */
#include "check.h"

enum { WIDTH = 4 };
#define HEIGHT (WIDTH / 2 + 1)

static void constants(amp_index1 idx, int N, const int in[N][HEIGHT][WIDTH], int out[N][2 * WIDTH]) restrict(cpu, amp)
{
    for (int k = 0; k < 2 * WIDTH; k++)
        out[idx[0]][k] = in[idx[0]][k % HEIGHT][k % WIDTH] + k;
}

static void arithmetic(amp_index1 idx, int M, const int a[M], const int b[2 * M + 1], const int c[(M + 1) / 2],
                       int d[M - 1 + 2]) restrict(cpu, amp)
{
    int i = idx[0];
    d[i] = a[i] + b[2 * i + 1] - c[i / 2] + M;
    if (i == 0)
        d[M] = b[2 * M] + b[0];
}

static void two_names(amp_index2 idx, int M, int N, const int a[M][N], const int b[N][M], int c[M + N][M * N])
    restrict(cpu, amp)
{
    c[idx[0] + idx[1]][idx[0] * N + idx[1]] = a[idx[0]][idx[1]] - b[idx[1]][idx[0]];
}

/* A bound that is passed, because no bound is this parameter alone; its type need not be int. */
static void passed(amp_index1 idx, short half, unsigned char more, const int a[2 * half], int b[half + more])
    restrict(cpu, amp)
{
    for (int k = 0; k < 2 * half; k++)
        b[idx[0]] += a[k] * (idx[0] + 1);
}

/* Array parameters that are written in other ways. */
typedef int row[WIDTH];
static void spelled(amp_index1 idx, const int N, const int a[2][(N)], int M, int b[restrict static M + 0],
                    const row c[const M], int d[static M]) restrict(cpu, amp)
{
    b[idx[0]] = a[0][idx[0]] + a[1][idx[0]] * N + c[idx[0]][WIDTH - 1] - d[M - 1];
}

int main(void)
{
    EACH_EXTENT(n) {
        int size = (8 * n + 2) * (n + 2);
        int *in = check_alloc(size * sizeof(int)), *out = check_alloc(size * sizeof(int));
        int *want = check_alloc(size * sizeof(int));
        for (int i = 0; i < size; i++) {
            in[i] = check_value(i);
            out[i] = want[i] = 0;
        }
#define VIEW(rank, p, ...) amp_array_view_n(amp_extent_n(rank, (const int[]){__VA_ARGS__}), p)
        const int *const_in = in;
        amp_array_view *v[5] = {VIEW(3, const_in, n, HEIGHT, WIDTH), VIEW(2, out, n, 8)};
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), constants, v[0], v[1]));
        for (int i = 0; i < n; i++)
            constants((amp_index1){i}, n, (const int (*)[HEIGHT][WIDTH])in, (int (*)[8])want);
        CHECK_INTS(out, want, size, "constants, extent %d", n);
        amp_array_view_release(v[0]);
        amp_array_view_release(v[1]);

        v[0] = VIEW(1, const_in, n), v[1] = VIEW(1, const_in, 2 * n + 1), v[2] = VIEW(1, const_in, (n + 1) / 2);
        v[3] = VIEW(1, out, n + 1), v[4] = VIEW(1, out, n + 7);
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), arithmetic, v[0], v[1], v[2], v[3]));
        for (int i = 0; i < n; i++)
            arithmetic((amp_index1){i}, n, in, in, in, want);
        CHECK_INTS(out, want, size, "arithmetic, extent %d", n);
        if (amp_parallel_for_each(amp_extent1(n), arithmetic, v[0], v[1], v[2], v[4]) != AMP_ERROR_SHAPE) {
            fprintf(stderr, "arithmetic, extent %d: %d elements were taken for d\n", n, n + 7);
            return 1;
        }
        amp_error_clear();
        for (int i = 0; i < 5; i++)
            amp_array_view_release(v[i]);

        int *own = check_alloc(n * sizeof(int));
        memcpy(own, in, (size_t)n * sizeof(int));
        v[0] = VIEW(2, const_in, 2, n), v[1] = VIEW(1, out, n), v[2] = VIEW(2, const_in, n, WIDTH),
        v[3] = VIEW(1, own, n);
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), spelled, v[0], v[1], v[2], v[3]));
        for (int i = 0; i < n; i++)
            spelled((amp_index1){i}, n, (const int (*)[n])in, n, want, (const row *)in, in);
        CHECK_INTS(out, want, size, "spelled, extent %d", n);
        for (int i = 0; i < 4; i++)
            amp_array_view_release(v[i]);

        int half = n / 2 + 1;
        int *long_out = check_alloc((half + 200) * sizeof(int));
        memcpy(long_out, want, (size_t)n * sizeof(int));
        v[0] = VIEW(1, const_in, 2 * half), v[1] = VIEW(1, long_out, half + 200);
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), passed, half, 200, v[0], v[1]));
        for (int i = 0; i < n; i++)
            passed((amp_index1){i}, (short)half, 200, in, want);
        CHECK_INTS(long_out, want, n, "passed, extent %d", n);
        amp_array_view_release(v[0]);
        amp_array_view_release(v[1]);
        check_free_all();
    }
    for (int m = 1; m < 5; m++)
        for (int n = 1; n <= 49; n++) {
            int size = (m + n) * m * n;
            int *in = check_alloc(m * n * sizeof(int)), *out = check_alloc(size * sizeof(int));
            int *want = check_alloc(size * sizeof(int));
            for (int i = 0; i < size; i++)
                out[i] = want[i] = 0;
            for (int i = 0; i < m * n; i++)
                in[i] = check_value(i);
            const int *const_in = in;
            amp_array_view *a = VIEW(2, const_in, m, n), *b = VIEW(2, const_in, n, m), *c = VIEW(2, out, m + n, m * n);
            CHECK_OK(amp_parallel_for_each(amp_extent2(m, n), two_names, a, b, c));
            for (int i = 0; i < m * n; i++)
                two_names((amp_index2){i / n, i % n}, m, n, (const int (*)[n])in, (const int (*)[m])in,
                          (int (*)[m * n]) want);
            CHECK_INTS(out, want, size, "two_names, extent %dx%d", m, n);
            amp_array_view *views[] = {a, b, c};
            check_release(views, LENGTH(views));
        }
    return 0;
}

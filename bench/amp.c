/* SPDX-License-Identifier: MIT
 *
 * The kernels with ampcc: amp tiled|simple float|int RUNS, amp launch none RUNS. */
#include "bench.h"
#include <amp.h>

#define MULTIPLY(T)                                                                                                    \
    static void simple_##T(amp_index2 idx, int M, int N, int W, const T a[M][W], const T b[W][N],                      \
                           T c[M][N]) restrict(amp)                                                                    \
    {                                                                                                                  \
        int row = idx[0], col = idx[1];                                                                                \
        T sum = 0;                                                                                                     \
        for (int k = 0; k < W; k++)                                                                                    \
            sum += a[row][k] * b[k][col];                                                                              \
        c[row][col] = sum;                                                                                             \
    }                                                                                                                  \
                                                                                                                       \
    static void tiled_##T(amp_tiled_index2(TS, TS) t, int M, int N, int W, const T a[M][W], const T b[W][N],           \
                          T c[M][N]) restrict(amp)                                                                     \
    {                                                                                                                  \
        int row = t.local[0], col = t.local[1];                                                                        \
        T sum = 0;                                                                                                     \
        for (int i = 0; i < W; i += TS) {                                                                              \
            tile_static T local_a[TS][TS], local_b[TS][TS];                                                            \
            local_a[row][col] = a[t.global[0]][i + col];                                                               \
            local_b[row][col] = b[i + row][t.global[1]];                                                               \
            amp_tile_barrier_wait(t.barrier);                                                                          \
            for (int k = 0; k < TS; k++)                                                                               \
                sum += local_a[row][k] * local_b[k][col];                                                              \
            amp_tile_barrier_wait(t.barrier);                                                                          \
        }                                                                                                              \
        c[t.global[0]][t.global[1]] = sum;                                                                             \
    }

MULTIPLY(int)
MULTIPLY(float)

static void increment(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    x[idx[0]]++;
}

static void check(void)
{
    if (amp_error_status() != AMP_OK)
        die(amp_error_text());
}

static void launch(int runs)
{
    int x = 0;
    amp_array_view *view = amp_array_view1(1, &x);
    for (int i = -100; i < runs; i++) {
        double start = now();
        amp_parallel_for_each(amp_extent1(1), increment, view);
        amp_synchronize(view);
        double seconds = now() - start;
        if (i >= 0)
            printf("%.9f\n", seconds);
    }
    check();
    if (x != runs + 100)
        die("launches are missing");
    amp_array_view_release(view);
}

static void multiply(int is_tiled, int is_float, int runs)
{
    amp_type type = is_float ? AMP_TYPE_F32 : AMP_TYPE_I32;
    amp_kernel kernel = is_tiled ? (is_float ? (amp_kernel)tiled_float : (amp_kernel)tiled_int)
                                 : (is_float ? (amp_kernel)simple_float : (amp_kernel)simple_int);
    void *a_data = new_matrix(), *b_data = new_matrix(), *c_data = new_matrix();
    fill(a_data, is_float, 1);
    fill(b_data, is_float, 7);
    amp_array_view *a = amp_array_view_create(amp_extent2(SIZE, SIZE), a_data, type, 4, true);
    amp_array_view *b = amp_array_view_create(amp_extent2(SIZE, SIZE), b_data, type, 4, true);
    amp_array_view *c = amp_array_view_create(amp_extent2(SIZE, SIZE), c_data, type, 4, false);
    for (int i = -1; i < runs; i++) {
        double start = now();
        amp_discard_data(c);
        amp_parallel_for_each(amp_extent2(SIZE, SIZE), kernel, a, b, c);
        amp_synchronize(c);
        double seconds = now() - start;
        if (i >= 0)
            printf("%.9f\n", seconds);
    }
    check();
    verify(a_data, b_data, c_data, is_float);
    printf("# %s\n", amp_accelerator_info(amp_accelerator_default())->description);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        die("usage: amp tiled|simple|launch float|int|none RUNS");
    int runs = atoi(argv[3]);
    if (strcmp(argv[1], "launch") == 0)
        launch(runs);
    else
        multiply(strcmp(argv[1], "tiled") == 0, strcmp(argv[2], "float") == 0, runs);
    return 0;
}

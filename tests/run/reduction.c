/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=1 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 --amp-lanes=32 %s -o %t && %run-native %t
 * RUN: %ampcc -O0 --amp-lanes=8 %s -o %t && %run-alone %t
 *
 * Tree reductions over a tile, in the forms that people write, for many types and sizes. */
#include "check.h"

/* The tile's sum, minimum and product by halving the threads that work: `if (local < s)` between barriers. */
#define KERNELS(T, S)                                                                                                  \
    static void reduce_##T##_##S(amp_tiled_index1(S) t, int N, const T in[N * S], T out[N]) restrict(amp)              \
    {                                                                                                                  \
        tile_static T part[S];                                                                                         \
        int local = t.local[0];                                                                                        \
        part[local] = in[t.global[0]];                                                                                 \
        amp_tile_barrier_wait(t.barrier);                                                                              \
        for (int s = S / 2; s > 0; s /= 2) {                                                                           \
            if (local < s)                                                                                             \
                part[local] += part[local + s];                                                                        \
            amp_tile_barrier_wait(t.barrier);                                                                          \
        }                                                                                                              \
        if (local == 0)                                                                                                \
            out[t.tile[0]] = part[0];                                                                                  \
    }                                                                                                                  \
    /* With growing strides, and the value kept in a variable. */                                                      \
    static void interleaved_##T##_##S(amp_tiled_index1(S) t, int N, const T in[N * S], T out[N]) restrict(amp)         \
    {                                                                                                                  \
        tile_static T part[S];                                                                                         \
        T mine = part[t.local[0]] = in[t.global[0]];                                                                   \
        for (int s = 1; s < S; s *= 2) {                                                                               \
            amp_tile_barrier_wait(t.barrier);                                                                          \
            if (t.local[0] % (2 * s) == 0)                                                                             \
                part[t.local[0]] = mine = mine + part[t.local[0] + s];                                                 \
        }                                                                                                              \
        if (t.local[0] == 0)                                                                                           \
            out[t.tile[0]] = mine;                                                                                     \
    }                                                                                                                  \
    /* An inclusive scan (Hillis and Steele), which has two barriers per pass. */                                      \
    static void scan_##T##_##S(amp_tiled_index1(S) t, int N, const T in[N], T out[N]) restrict(amp)                    \
    {                                                                                                                  \
        tile_static T part[S];                                                                                         \
        int local = t.local[0];                                                                                        \
        part[local] = in[t.global[0]];                                                                                 \
        for (int s = 1; s < S; s *= 2) {                                                                               \
            amp_tile_barrier_wait(t.barrier);                                                                          \
            T left = 0;                                                                                                \
            if (local >= s)                                                                                            \
                left = part[local - s];                                                                                \
            amp_tile_barrier_wait(t.barrier);                                                                          \
            part[local] += left;                                                                                       \
        }                                                                                                              \
        out[t.global[0]] = part[local];                                                                                \
    }                                                                                                                  \
    static void test_##T##_##S(void)                                                                                   \
    {                                                                                                                  \
        for (int tiles = 1; tiles <= 9; tiles++) {                                                                     \
            int n = tiles * S;                                                                                         \
            T *in = check_alloc(n * sizeof(T)), *out = check_alloc(n * sizeof(T)), want[9], sums[9 * S];               \
            for (int i = 0; i < n; i++) {                                                                              \
                in[i] = (T)(check_value(i) % 50);                                                                      \
                want[i / S] = sums[i] = i % S ? sums[i - 1] + in[i] : in[i];                                           \
            }                                                                                                          \
            amp_array_view *all = amp_array_view1(n, (const T *)in), *one = amp_array_view1(tiles, out);               \
            amp_array_view *each = amp_array_view1(n, out);                                                            \
            CHECK_OK(amp_parallel_for_each(amp_extent1(n), reduce_##T##_##S, all, one));                               \
            CHECK_FLOATS(out, want, tiles, "reduce_" #T ", %d tiles of %d", tiles, S);                                 \
            memset(out, 0xff, tiles * sizeof(T));                                                                      \
            CHECK_OK(amp_parallel_for_each(amp_extent1(n), interleaved_##T##_##S, all, one));                          \
            CHECK_FLOATS(out, want, tiles, "interleaved_" #T ", %d tiles of %d", tiles, S);                            \
            CHECK_OK(amp_parallel_for_each(amp_extent1(n), scan_##T##_##S, all, each));                                \
            CHECK_FLOATS(out, sums, n, "scan_" #T ", %d tiles of %d", tiles, S);                                       \
            amp_array_view_release(all);                                                                               \
            amp_array_view_release(one);                                                                               \
            amp_array_view_release(each);                                                                              \
            check_free_all();                                                                                          \
        }                                                                                                              \
    }
#define TESTS(X)                                                                                                       \
    X(int, 1) X(int, 2) X(int, 8) X(float, 32) X(int, 64) X(double, 64) X(float, 256) X(int, 1024) X(int64_t, 16)
TESTS(KERNELS)
#define RUN(T, S) test_##T##_##S();

/* Rows of a two-dimensional tile, halved along either dimension. */
static void both_ways(amp_tiled_index2(8, 32) t, int M, int N, const int in[M * 8][N * 32], int out[M][N]) restrict(amp)
{
    tile_static int part[8][32];
    int r = t.local[0], c = t.local[1];
    part[r][c] = in[t.global[0]][t.global[1]];
    amp_tile_barrier_wait(t.barrier);
    for (int s = 16; s > 0; s >>= 1) {
        if (c < s)
            part[r][c] += part[r][c + s];
        amp_tile_barrier_wait(t.barrier);
    }
    for (int s = 4; s > 0; s >>= 1) {
        if (r < s && c == 0)
            part[r][0] += part[r + s][0];
        amp_tile_barrier_wait(t.barrier);
    }
    if (r == 0 && c == 0)
        out[t.tile[0]][t.tile[1]] = part[0][0];
}

int main(void)
{
    TESTS(RUN)
    for (int m = 1; m <= 4; m++)
        for (int n = 1; n <= 4; n++) {
            int size = m * n * 256, *in = check_alloc(size * sizeof(int)), *out = check_alloc(m * n * sizeof(int));
            int want[16] = {0};
            for (int i = 0; i < size; i++) {
                in[i] = check_value(i);
                want[i / (n * 32) / 8 * n + i % (n * 32) / 32] += in[i];
            }
            amp_array_view *in_view = amp_array_view2(m * 8, n * 32, (const int *)in);
            amp_array_view *out_view = amp_array_view2(m, n, out);
            CHECK_OK(amp_parallel_for_each(amp_extent2(m * 8, n * 32), both_ways, in_view, out_view));
            CHECK_INTS(out, want, m * n, "both_ways, %dx%d tiles", m, n);
            amp_array_view_release(in_view);
            amp_array_view_release(out_view);
            check_free_all();
        }
    return 0;
}

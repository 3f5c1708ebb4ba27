/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 -Wall -Wextra -Werror %s -lm -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=1 %s -lm -o %t && %run-cpu %t
 * RUN: %ampcc -std=gnu11 -O0 --amp-check %s -lm -o %t && %run-cpu %t && env AMP_DEFAULT_ACCELERATOR=checked %t
 *
 * amp_tile_reduce_sum, _min and _max for all types, in tiles of all ranks and of sizes that are no powers of two,
 * several in one kernel, in a loop, and in a helper. */
#include "check.h"

#include <amp_algorithms.h>

enum { TILES = 5 };
typedef signed char schar;
typedef unsigned char uchar;
typedef unsigned short ushort_t;
typedef unsigned int uint_t;
typedef unsigned long ulong_t;
typedef long long llong;
typedef unsigned long long ullong;
typedef _Float16 half;
typedef __bf16 bfloat;

/* X(T, type of sums that wrap) */
#define EACH_TYPE(X)                                                                                                   \
    X(char, uchar)                                                                                                     \
    X(schar, uchar)                                                                                                    \
    X(uchar, uchar)                                                                                                    \
    X(short, ushort_t)                                                                                                 \
    X(ushort_t, ushort_t)                                                                                              \
    X(int, uint_t)                                                                                                     \
    X(uint_t, uint_t)                                                                                                  \
    X(long, ulong_t)                                                                                                   \
    X(ulong_t, ulong_t)                                                                                                \
    X(llong, ullong)                                                                                                   \
    X(ullong, ullong)                                                                                                  \
    X(half, float)                                                                                                     \
    X(bfloat, float)                                                                                                   \
    X(float, float)                                                                                                    \
    X(double, double)

/* Each thread writes what it gets, so that all of them are checked. */
#define DEFINE_KERNEL(T, name, size, index, place)                                                                     \
    static void T##_##name(index t, int N, const T x[N], T out[3][N]) restrict(amp)                                    \
    {                                                                                                                  \
        int i = t.tile[0] * (size) + (place);                                                                          \
        out[0][i] = amp_tile_reduce_sum(t, x[i]);                                                                      \
        out[1][i] = amp_tile_reduce_min(t, x[i]);                                                                      \
        out[2][i] = amp_tile_reduce_max(t, x[i]);                                                                      \
    }
#define DEFINE(T, Sum)                                                                                                 \
    DEFINE_KERNEL(T, square, 130, amp_tiled_index2(10, 13), t.local[0] * 13 + t.local[1])                              \
    static void T##_check_tile(amp_kernel kernel, amp_extent extent, int size)                                         \
    {                                                                                                                  \
        static T x[TILES * 1024], out[3][TILES * 1024], want[3][TILES * 1024];                                         \
        int n = TILES * size;                                                                                          \
        for (int i = 0; i < n; i++)                                                                                    \
            x[i] = (T)(check_value(i) % 9 * ((T)0.5 ? 1 : 13));                                                        \
        for (int begin = 0; begin < n; begin += size) {                                                                \
            Sum sum = 0;                                                                                               \
            T least = x[begin], greatest = x[begin];                                                                   \
            for (int i = begin; i < begin + size; i++) {                                                               \
                sum = (Sum)(sum + x[i]);                                                                               \
                least = x[i] < least ? x[i] : least;                                                                   \
                greatest = x[i] > greatest ? x[i] : greatest;                                                          \
            }                                                                                                          \
            for (int i = begin; i < begin + size; i++) {                                                               \
                want[0][i] = (T)sum;                                                                                   \
                want[1][i] = least;                                                                                    \
                want[2][i] = greatest;                                                                                 \
            }                                                                                                          \
        }                                                                                                              \
        amp_auto_array_view *view = amp_array_view1(n, (const T *)x);                                                  \
        amp_auto_array_view *results = amp_array_view_without_source2(T, 3, n);                                        \
        CHECK_OK(amp_launch(NULL, extent, kernel, 2, (const amp_arg[]){AMP__ARG(view), AMP__ARG(results)}));           \
        CHECK_OK(amp_copy_to(out[0], results, 3 * n));                                                                 \
        for (int i = 0; i < 3; i++)                                                                                    \
            for (int j = 0; j < n; j++)                                                                                \
                if (out[0][i * n + j] != want[i][j]) {                                                                 \
                    fprintf(stderr, "%d " #T " in a tile of %d: got %g, expected %g\n", i, size,                       \
                            (double)out[0][i * n + j], (double)want[i][j]);                                            \
                    exit(1);                                                                                           \
                }                                                                                                      \
    }
EACH_TYPE(DEFINE)

/* The sizes and ranks of tiles do not depend on the type. */
DEFINE_KERNEL(int, one, 1, amp_tiled_index1(1), t.local[0])
DEFINE_KERNEL(int, seven, 7, amp_tiled_index1(7), t.local[0])
DEFINE_KERNEL(int, line, 64, amp_tiled_index1(64), t.local[0])
DEFINE_KERNEL(float, cube, 1024, amp_tiled_index3(4, 8, 32), (t.local[0] * 8 + t.local[1]) * 32 + t.local[2])

static float mean(amp__tiled_index1 t, float value) restrict(amp)
{
    return amp_tile_reduce_sum(t, value) / (float)t.tile_extent[0];
}

/* The variance of each tile; then repeated sums, each of the previous one's differences. */
static void variance(amp_tiled_index1(32) t, int N, const float x[N], int M, float out[M], int sums[M]) restrict(amp)
{
    float difference = x[t.global[0]] - mean(t, x[t.global[0]]), variance = mean(t, difference * difference);
    int sum = 0;
    for (int i = 0; i < 10; i++)
        sum = amp_tile_reduce_sum(t, sum + t.local[0]) % 1000;
    if (t.local[0] == 0) {
        out[t.tile[0]] = variance;
        sums[t.tile[0]] = sum;
    }
}

static void check_variance(void)
{
    float x[96], out[3];
    int sums[3], want = 0;
    for (int i = 0; i < 96; i++)
        x[i] = (float)(i % 2 * 2 * (1 + i / 32));
    for (int i = 0; i < 10; i++)
        want = (32 * want + 31 * 16) % 1000;
    amp_auto_array_view *a = amp_array_view1(96, (const float *)x), *b = amp_array_view_whole1(out);
    amp_auto_array_view *c = amp_array_view_whole1(sums);
    CHECK_OK(amp_parallel_for_each(amp_extent1(96), variance, a, b, c));
    for (int i = 0; i < 3; i++)
        if (out[i] != (float)((i + 1) * (i + 1)) || sums[i] != want) {
            fprintf(stderr, "tile %d: variance %g, sum %d, expected %d and %d\n", i, out[i], sums[i], (i + 1) * (i + 1),
                    want);
            exit(1);
        }
}

int main(void)
{
#define CHECK_TYPE(T, Sum) T##_check_tile((amp_kernel)T##_square, amp_extent2(TILES * 10, 13), 130);
    EACH_TYPE(CHECK_TYPE)
    int_check_tile((amp_kernel)int_one, amp_extent1(TILES), 1);
    int_check_tile((amp_kernel)int_seven, amp_extent1(TILES * 7), 7);
    int_check_tile((amp_kernel)int_line, amp_extent1(TILES * 64), 64);
    float_check_tile((amp_kernel)float_cube, amp_extent3(TILES * 4, 8, 32), 1024);
    check_variance();
    return 0;
}

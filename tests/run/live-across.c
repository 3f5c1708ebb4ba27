/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=1 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 --amp-lanes=32 %s -o %t && %run-native %t
 * RUN: %ampcc -O0 --amp-lanes=8 %s -o %t && %run-alone %t
 *
 * Values that live across barriers: scalars of every width, uniform or not, structs, private arrays,
 * pointers, conditions, loop counters; in tiles that fit into one block and in those that do not. */
#include "check.h"

#define KERNELS(Y, X)                                                                                                  \
    static void values_##Y##_##X(amp_tiled_index2(Y, X) t, int M, int N, const int in[M][N], int64_t out[M][N])        \
        restrict(amp)                                                                                                  \
    {                                                                                                                  \
        tile_static int part[Y][X];                                                                                    \
        int l = t.local[1], x = in[t.global[0]][t.global[1]];                                                          \
        bool odd = x & 1, uniform = t.tile[1] & 1;                                                                     \
        int8_t small = (int8_t)x;                                                                                      \
        uint16_t medium = (uint16_t)(x * 3);                                                                           \
        int64_t large = (int64_t)x << 33;                                                                              \
        float f = x * 0.5f;                                                                                            \
        double d = x * 0.125;                                                                                          \
        const int *p = &in[t.global[0]][0];                                                                            \
        struct {                                                                                                       \
            short a, b;                                                                                                \
        } s = {(short)x, (short)l};                                                                                    \
        part[t.local[0]][l] = x;                                                                                       \
        amp_tile_barrier_wait(t.barrier);                                                                              \
        int other = part[Y - 1 - t.local[0]][X - 1 - l];                                                               \
        amp_tile_barrier_wait(t.barrier);                                                                              \
        if (odd)                                                                                                       \
            large += small;                                                                                            \
        part[t.local[0]][l] = other;                                                                                   \
        s.b += (short)other;                                                                                           \
        amp_tile_barrier_wait(t.barrier);                                                                              \
        large += medium + (int64_t)(f * 2) + (int64_t)(d * 8) + p[N - 1 - t.global[1]] * 3 + s.a + s.b * 5;            \
        out[t.global[0]][t.global[1]] = large + (uniform ? 1000 : 0) + part[t.local[0]][(l + 1) % X] + N;              \
    }                                                                                                                  \
    static int64_t values_want_##Y##_##X(int n, const int *in, int r, int c)                                           \
    {                                                                                                                  \
        int x = in[r * n + c], next = c / X * X + (c % X + 1) % X;                                                     \
        int other = in[(r / Y * Y + Y - 1 - r % Y) * n + c / X * X + X - 1 - c % X];                                   \
        int beside = in[(r / Y * Y + Y - 1 - r % Y) * n + c / X * X + X - 1 - next % X];                               \
        return ((int64_t)x << 33) + (x & 1 ? (int8_t)x : 0) + (uint16_t)(x * 3) + x + x + in[r * n + n - 1 - c] * 3 +  \
               (short)x + (short)(c % X + other) * 5 + (c / X & 1 ? 1000 : 0) + beside + n;                            \
    }                                                                                                                  \
    static void arrays_##Y##_##X(amp_tiled_index2(Y, X) t, int M, int N, const int in[M][N], int64_t out[M][N])        \
        restrict(amp)                                                                                                  \
    {                                                                                                                  \
        tile_static int part[Y][X];                                                                                    \
        int r = t.local[0], c = t.local[1], mine[4] = {0}, at = in[t.global[0]][t.global[1]] & 3, *p = &mine[at];      \
        for (int k = 0; k < 6; k++) {                                                                                  \
            part[r][c] = in[t.global[0]][t.global[1]] + k;                                                             \
            amp_tile_barrier_wait(t.barrier);                                                                          \
            mine[(at + k) & 3] += part[(r + k) % Y][(c + 3 * k) % X] * (k + 1);                                        \
            *p += k;                                                                                                   \
            amp_tile_barrier_wait(t.barrier);                                                                          \
        }                                                                                                              \
        out[t.global[0]][t.global[1]] = mine[0] + mine[1] * 3 + mine[2] * 5 + mine[3] * 7;                             \
    }                                                                                                                  \
    static int64_t arrays_want_##Y##_##X(int n, const int *in, int r, int c)                                           \
    {                                                                                                                  \
        int mine[4] = {0}, at = in[r * n + c] & 3;                                                                     \
        for (int k = 0; k < 6; k++) {                                                                                  \
            int row = r / Y * Y + (r % Y + k) % Y, column = c / X * X + (c % X + 3 * k) % X;                           \
            mine[(at + k) & 3] += (in[row * n + column] + k) * (k + 1);                                                \
            mine[at] += k;                                                                                             \
        }                                                                                                              \
        return mine[0] + mine[1] * 3 + mine[2] * 5 + mine[3] * 7;                                                      \
    }                                                                                                                  \
    /* Accumulators and two generations of values go round a loop with barriers; trip count from the data's shape. */  \
    static void loops_##Y##_##X(amp_tiled_index2(Y, X) t, int M, int N, const int in[M][N], int64_t out[M][N])         \
        restrict(amp)                                                                                                  \
    {                                                                                                                  \
        tile_static int part[Y][X];                                                                                    \
        int r = t.local[0], c = t.local[1], before = 0, now = 1, count = 0;                                            \
        int64_t sum = 0;                                                                                               \
        for (int i = 0; i < N; i += X) {                                                                               \
            part[r][c] = in[t.global[0]][i + c];                                                                       \
            amp_tile_barrier_wait(t.barrier);                                                                          \
            for (int k = 0; k < X; k++)                                                                                \
                sum += (int64_t)part[r][k] * (k + c);                                                                  \
            int next = before + part[r][(c + now) % X & 1];                                                            \
            before = now;                                                                                              \
            now = next & 1023;                                                                                         \
            if (part[r][c] > 0)                                                                                        \
                count++;                                                                                               \
            amp_tile_barrier_wait(t.barrier);                                                                          \
        }                                                                                                              \
        out[t.global[0]][t.global[1]] = sum + before * 3 + now * 5 + count * 1000000;                                  \
    }                                                                                                                  \
    static int64_t loops_want_##Y##_##X(int n, const int *in, int r, int c)                                            \
    {                                                                                                                  \
        int before = 0, now = 1, count = 0;                                                                            \
        int64_t sum = 0;                                                                                               \
        for (int i = 0; i < n; i += X) {                                                                               \
            const int *part = in + r * n + i;                                                                          \
            for (int k = 0; k < X; k++)                                                                                \
                sum += (int64_t)part[k] * (k + c % X);                                                                 \
            int next = before + part[(c % X + now) % X & 1];                                                           \
            before = now;                                                                                              \
            now = next & 1023;                                                                                         \
            count += part[c % X] > 0;                                                                                  \
        }                                                                                                              \
        return sum + before * 3 + now * 5 + count * 1000000;                                                           \
    }

#define SHAPES(X) X(2, 2) X(16, 16) X(1, 48) X(8, 40) X(32, 32) X(6, 6)
SHAPES(KERNELS)

int main(void)
{
#define ROWS(Y, X)                                                                                                     \
    {"values, tile " #Y "x" #X, Y, X, (amp_kernel)values_##Y##_##X, values_want_##Y##_##X},                            \
        {"arrays, tile " #Y "x" #X, Y, X, (amp_kernel)arrays_##Y##_##X, arrays_want_##Y##_##X},                        \
        {"loops, tile " #Y "x" #X, Y, X, (amp_kernel)loops_##Y##_##X, loops_want_##Y##_##X},
    static const struct {
        const char *name;
        int y, x;
        amp_kernel kernel;
        int64_t (*want)(int n, const int *in, int r, int c);
    } kernels[] = {SHAPES(ROWS)};
    for (int k = 0; k < LENGTH(kernels); k++)
        for (int tiles = 0; tiles < 9; tiles++) {
            int m = (1 + tiles / 3) * kernels[k].y, n = (1 + tiles % 3) * kernels[k].x, size = m * n;
            int *in = check_alloc(size * sizeof(int));
            int64_t *out = check_alloc(size * sizeof *out), *want = check_alloc(size * sizeof *want);
            for (int i = 0; i < size; i++)
                in[i] = check_value(i);
            amp_array_view *in_view = amp_array_view2(m, n, (const int *)in), *out_view = amp_array_view2(m, n, out);
            CHECK_OK(amp_parallel_for_each(amp_extent2(m, n), kernels[k].kernel, in_view, out_view));
            for (int i = 0; i < size; i++)
                want[i] = kernels[k].want(n, in, i / n, i % n);
            CHECK_INTS(out, want, size, "%s, extent %dx%d", kernels[k].name, m, n);
            amp_array_view_release(in_view);
            amp_array_view_release(out_view);
            check_free_all();
        }
    return 0;
}

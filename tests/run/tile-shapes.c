/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=1 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 --amp-lanes=32 %s -o %t && %run-native %t
 * RUN: %ampcc -O0 --amp-lanes=8 %s -o %t && %run-alone %t
 *
 * Tiles of many shapes, over several tiles in each dimension: the index's parts, and an exchange through tile
 * memory. */
#include "check.h"

/* Each thread reports its index, and takes the report of the thread opposite to it in its tile. */
#define SHAPE1(X)                                                                                                      \
    static void tile_##X(amp_tiled_index1(X) t, int N, int global[N], int local[N], int tile[N], int opposite[N])      \
        restrict(amp)                                                                                                  \
    {                                                                                                                  \
        tile_static int all[X];                                                                                        \
        int g = t.global[0];                                                                                           \
        all[t.local[0]] = g * 3 + 1;                                                                                   \
        global[g] = g;                                                                                                 \
        local[g] = t.local[0];                                                                                         \
        tile[g] = t.tile[0] * 10000 + t.tile_origin[0];                                                                \
        amp_tile_barrier_wait(t.barrier);                                                                              \
        opposite[g] = all[X - 1 - t.local[0]];                                                                         \
    }                                                                                                                  \
    static void test_##X(void)                                                                                         \
    {                                                                                                                  \
        for (int tiles = 1; tiles <= 7; tiles++) {                                                                     \
            int n = tiles * X, *got[4], *want[4];                                                                      \
            amp_array_view *v[4];                                                                                      \
            for (int k = 0; k < 4; k++) {                                                                              \
                got[k] = check_alloc(n * sizeof(int));                                                                 \
                want[k] = check_alloc(n * sizeof(int));                                                                \
                v[k] = amp_array_view1(n, got[k]);                                                                     \
            }                                                                                                          \
            CHECK_OK(amp_parallel_for_each(amp_extent1(n), tile_##X, v[0], v[1], v[2], v[3]));                         \
            for (int i = 0; i < n; i++) {                                                                              \
                want[0][i] = i;                                                                                        \
                want[1][i] = i % X;                                                                                    \
                want[2][i] = i / X * 10000 + i / X * X;                                                                \
                want[3][i] = (i / X * X + X - 1 - i % X) * 3 + 1;                                                      \
            }                                                                                                          \
            for (int k = 0; k < 4; k++) {                                                                              \
                CHECK_INTS(got[k], want[k], n, "array %d, tile %d, extent %d", k, X, n);                               \
                amp_array_view_release(v[k]);                                                                          \
            }                                                                                                          \
            check_free_all();                                                                                          \
        }                                                                                                              \
    }

#define SHAPE2(Y, X)                                                                                                   \
    static void tile_##Y##_##X(amp_tiled_index2(Y, X) t, int M, int N, int global[M][N], int local[M][N],              \
                               int tile[M][N], int opposite[M][N]) restrict(amp)                                       \
    {                                                                                                                  \
        tile_static int all[Y][X];                                                                                     \
        int r = t.global[0], c = t.global[1];                                                                          \
        all[t.local[0]][t.local[1]] = r * 5000 + c;                                                                    \
        global[r][c] = r * 5000 + c;                                                                                   \
        local[r][c] = t.local[0] * 5000 + t.local[1];                                                                  \
        tile[r][c] = (t.tile[0] * 20 + t.tile[1]) * 50000 + t.tile_origin[0] * 20 + t.tile_origin[1];                  \
        amp_tile_barrier_wait(t.barrier);                                                                              \
        opposite[r][c] = all[Y - 1 - t.local[0]][X - 1 - t.local[1]];                                                  \
    }                                                                                                                  \
    static void test_##Y##_##X(void)                                                                                   \
    {                                                                                                                  \
        for (int tiles = 0; tiles < 9; tiles++) {                                                                      \
            int m = (1 + tiles / 3) * Y, n = (1 + tiles % 3) * X, size = m * n, *got[4], *want[4];                     \
            amp_array_view *v[4];                                                                                      \
            for (int k = 0; k < 4; k++) {                                                                              \
                got[k] = check_alloc(size * sizeof(int));                                                              \
                want[k] = check_alloc(size * sizeof(int));                                                             \
                v[k] = amp_array_view2(m, n, got[k]);                                                                  \
            }                                                                                                          \
            CHECK_OK(amp_parallel_for_each(amp_extent2(m, n), tile_##Y##_##X, v[0], v[1], v[2], v[3]));                \
            for (int i = 0; i < size; i++) {                                                                           \
                int r = i / n, c = i % n, y = r / Y * Y, x = c / X * X;                                                \
                want[0][i] = r * 5000 + c;                                                                             \
                want[1][i] = r % Y * 5000 + c % X;                                                                     \
                want[2][i] = (r / Y * 20 + c / X) * 50000 + y * 20 + x;                                                \
                want[3][i] = (y + Y - 1 - r % Y) * 5000 + x + X - 1 - c % X;                                           \
            }                                                                                                          \
            for (int k = 0; k < 4; k++) {                                                                              \
                CHECK_INTS(got[k], want[k], size, "array %d, tile %dx%d, extent %dx%d", k, Y, X, m, n);                \
                amp_array_view_release(v[k]);                                                                          \
            }                                                                                                          \
            check_free_all();                                                                                          \
        }                                                                                                              \
    }

#define SHAPE3(Z, Y, X)                                                                                                \
    static void tile_##Z##_##Y##_##X(amp_tiled_index3(Z, Y, X) t, int L, int M, int N, int global[L][M][N],            \
                                     int local[L][M][N], int tile[L][M][N], int opposite[L][M][N]) restrict(amp)       \
    {                                                                                                                  \
        tile_static int all[Z][Y][X];                                                                                  \
        int p = t.global[0], r = t.global[1], c = t.global[2];                                                         \
        all[t.local[0]][t.local[1]][t.local[2]] = (p * 200 + r) * 200 + c;                                             \
        global[p][r][c] = (p * 200 + r) * 200 + c;                                                                     \
        local[p][r][c] = (t.local[0] * 200 + t.local[1]) * 200 + t.local[2];                                           \
        tile[p][r][c] = ((t.tile[0] * 200 + t.tile[1]) * 200 + t.tile[2]) * 7 + t.tile_origin[0] * 5 +                 \
                        t.tile_origin[1] * 3 + t.tile_origin[2];                                                       \
        amp_tile_barrier_wait(t.barrier);                                                                              \
        opposite[p][r][c] = all[Z - 1 - t.local[0]][Y - 1 - t.local[1]][X - 1 - t.local[2]];                           \
    }                                                                                                                  \
    static void test_##Z##_##Y##_##X(void)                                                                             \
    {                                                                                                                  \
        for (int tiles = 0; tiles < 8; tiles++) {                                                                      \
            int l = (1 + tiles / 4) * Z, m = (1 + tiles / 2 % 2) * Y, n = (1 + tiles % 2 * 2) * X, size = l * m * n;   \
            int *got[4], *want[4];                                                                                     \
            amp_array_view *v[4];                                                                                      \
            for (int k = 0; k < 4; k++) {                                                                              \
                got[k] = check_alloc(size * sizeof(int));                                                              \
                want[k] = check_alloc(size * sizeof(int));                                                             \
                v[k] = amp_array_view3(l, m, n, got[k]);                                                               \
            }                                                                                                          \
            CHECK_OK(amp_parallel_for_each(amp_extent3(l, m, n), tile_##Z##_##Y##_##X, v[0], v[1], v[2], v[3]));       \
            for (int i = 0; i < size; i++) {                                                                           \
                int p = i / n / m, r = i / n % m, c = i % n;                                                           \
                want[0][i] = (p * 200 + r) * 200 + c;                                                                  \
                want[1][i] = (p % Z * 200 + r % Y) * 200 + c % X;                                                      \
                want[2][i] = ((p / Z * 200 + r / Y) * 200 + c / X) * 7 + p / Z * Z * 5 + r / Y * Y * 3 + c / X * X;    \
                want[3][i] = ((p / Z * Z + Z - 1 - p % Z) * 200 + r / Y * Y + Y - 1 - r % Y) * 200 + c / X * X +       \
                             X - 1 - c % X;                                                                            \
            }                                                                                                          \
            for (int k = 0; k < 4; k++) {                                                                              \
                CHECK_INTS(got[k], want[k], size, "array %d, tile %dx%dx%d, extent %dx%dx%d", k, Z, Y, X, l, m, n);    \
                amp_array_view_release(v[k]);                                                                          \
            }                                                                                                          \
            check_free_all();                                                                                          \
        }                                                                                                              \
    }

#define SHAPES(ONE, TWO, THREE)                                                                                        \
    ONE(1) ONE(6) ONE(16) ONE(48) ONE(100) ONE(1024)                                                                   \
    TWO(1, 1) TWO(2, 2) TWO(8, 8) TWO(16, 16) TWO(32, 32) TWO(1, 256) TWO(256, 1) TWO(3, 5) TWO(5, 17) TWO(2, 512)     \
    THREE(1, 1, 1) THREE(4, 4, 4) THREE(2, 3, 5) THREE(2, 8, 64) THREE(64, 2, 1)
SHAPES(SHAPE1, SHAPE2, SHAPE3)

#define RUN1(X) test_##X();
#define RUN2(Y, X) test_##Y##_##X();
#define RUN3(Z, Y, X) test_##Z##_##Y##_##X();

int main(void)
{
    SHAPES(RUN1, RUN2, RUN3)
    return 0;
}

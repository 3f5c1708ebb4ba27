/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 -Wall -Wextra -Werror %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O3 --amp-panels=2 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O1 --amp-lanes=4 --amp-panels=0 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-report --amp-cpu=native -c %s -o %t.o 2>&1 | FileCheck %s
 *
 * Guards of single accesses in tiles, which blocks of many rows run under masks: nested ones, with two sides, of
 * stores, of accesses that are the same for all rows, of types of every width, in tiles of several shapes, where the
 * last round and the last tiles are at borders. */
#include "check.h"

/* What stands where nothing is read. */
#define OF_BORDER(T, y, x) ((T)(((y) * 3 + (x)) % 5))

/* CHECK: kernel sum_float_16x16 {{.*}}: {{.*}}blocks of {{[0-9]+}} rows
 * CHECK: lanes part: only what it reads and writes is under masks
 */
#define TILED(T, H, W)                                                                                                 \
    static void sum_##T##_##H##x##W(amp_tiled_index2(H, W) t, int h, int w, int n, bool all, const T a[h][n],          \
                                    const T b[n][w], const T line[w], T c[h][w], T seen[h][w]) restrict(amp)           \
    {                                                                                                                  \
        tile_static T p[H][W], q[(W + H - 1) / H * H][W];                                                              \
        int y = t.global[0], x = t.global[1], ty = t.local[0], tx = t.local[1];                                        \
        T sum = 0;                                                                                                     \
        for (int i = 0; i < (n + W - 1) / W; i++) {                                                                    \
            int k = i * W + tx;                                                                                        \
            if (y < h && k < n)                                                                                        \
                p[ty][tx] = a[y][k];                                                                                   \
            else                                                                                                       \
                p[ty][tx] = 0;                                                                                         \
            for (int first = 0; first < W; first += H) {                                                               \
                int r = first + ty;                                                                                    \
                T v = OF_BORDER(T, i * W + r, x);                                                                      \
                if (i * W + r < n) {                                                                                   \
                    v = 1;                                                                                             \
                    if (x < w && all)                                                                                  \
                        v = b[i * W + r][x];                                                                           \
                }                                                                                                      \
                q[r][tx] = v;                                                                                          \
            }                                                                                                          \
            amp_tile_barrier_wait(t.barrier);                                                                          \
            for (int e = 0; e < W; e++)                                                                                \
                sum += p[ty][e] * q[e][tx];                                                                            \
            amp_tile_barrier_wait(t.barrier);                                                                          \
        }                                                                                                              \
        if (x < w)                                                                                                     \
            sum += line[x];                                                                                            \
        if (y < h)                                                                                                     \
            if (x < w && x != 3)                                                                                       \
                seen[y][x] = (T)(sum + 1);                                                                             \
        if (y < h && x < w)                                                                                            \
            c[y][x] = sum;                                                                                             \
    }                                                                                                                  \
    static void test_##T##_##H##x##W(int h, int w, int n, bool all)                                                    \
    {                                                                                                                  \
        T *a = check_alloc((size_t)(h * n) * sizeof *a), *b = check_alloc((size_t)(n * w) * sizeof *b);                \
        T *line = check_alloc((size_t)w * sizeof *line);                                                               \
        T *c = check_alloc((size_t)(h * w) * sizeof *c), *seen = check_alloc((size_t)(h * w) * sizeof *seen);          \
        for (int i = 0; i < h * n; i++)                                                                                \
            a[i] = (T)(check_value(i) % 8);                                                                            \
        for (int i = 0; i < n * w; i++)                                                                                \
            b[i] = (T)(check_value(i + 7) % 8);                                                                        \
        for (int i = 0; i < w; i++)                                                                                    \
            line[i] = (T)(i % 4);                                                                                      \
        for (int i = 0; i < h * w; i++)                                                                                \
            seen[i] = (T)9;                                                                                            \
        amp_array_view *views[] = {amp_array_view2(h, n, (const T *)a), amp_array_view2(n, w, (const T *)b),           \
                                   amp_array_view1(w, (const T *)line), amp_array_view2(h, w, c),                      \
                                   amp_array_view2(h, w, seen)};                                                       \
        CHECK_OK(amp_parallel_for_each(amp_extent2((h + H - 1) / H * H, (w + W - 1) / W * W), sum_##T##_##H##x##W,     \
                                       all, views[0], views[1], views[2], views[3], views[4]));                  \
        for (int y = 0; y < h; y++)                                                                                    \
            for (int x = 0; x < w; x++) {                                                                              \
                T sum = 0;                                                                                             \
                for (int k = 0; k < n; k++)                                                                            \
                    sum += a[y * n + k] * (all ? b[k * w + x] : 1);                                                    \
                sum += line[x];                                                                                        \
                CHECK_SAME(c[y * w + x], sum, h, w, n);                                                                \
                CHECK_SAME(seen[y * w + x], x == 3 ? (T)9 : (T)(sum + 1), h, w, n);                                    \
            }                                                                                                          \
        check_release(views, LENGTH(views));                                                                           \
    }

#define CHECK_SAME(got, expected, h, w, n)                                                                             \
    if ((got) != (expected)) {                                                                                         \
        fprintf(stderr, "%s:%d: %d x %d, %d: %g instead of %g\n", __FILE__, __LINE__, h, w, n, (double)(got),          \
                (double)(expected));                                                                                   \
        exit(1);                                                                                                       \
    }

TILED(float, 16, 16)
TILED(float, 4, 8)
TILED(float, 3, 13)
TILED(float, 8, 32)
TILED(int, 16, 16)
TILED(short, 8, 16)
TILED(double, 16, 16)
TILED(int64_t, 4, 8)

/* Both sides read, and what one side reads is the same for all rows. A row that is off must not keep it from others. */
static void sides(amp_tiled_index2(8, 16) t, int h, int w, const float a[h][w], const float line[w], float c[h][w])
    restrict(amp)
{
    tile_static float p[8][16];
    int y = t.global[0], x = t.global[1], ty = t.local[0], tx = t.local[1];
    float v = 0;
    if (y % 3 == 0) {
        if (x < w)
            v = line[x];
    } else if (x < w && y < h) {
        v = a[y][x];
    }
    p[ty][tx] = v;
    amp_tile_barrier_wait(t.barrier);
    float sum = 0;
    for (int e = 0; e < 8; e++)
        sum += p[e][tx];
    for (int e = 0; e < 16; e++)
        sum += p[ty][e] * 2;
    if (y < h && x < w)
        c[y][x] = sum;
}

static float of_sides(int y, int x, int h, int w, const float *a, const float *line)
{
    if (y % 3 == 0)
        return x < w ? line[x] : 0;
    return x < w && y < h ? a[y * w + x] : 0;
}

static void test_sides(int h, int w)
{
    float *a = check_alloc((size_t)(h * w) * sizeof *a), *c = check_alloc((size_t)(h * w) * sizeof *c);
    float *line = check_alloc((size_t)w * sizeof *line);
    for (int i = 0; i < h * w; i++)
        a[i] = (float)(check_value(i) % 16);
    for (int i = 0; i < w; i++)
        line[i] = (float)(check_value(i + 3) % 16);
    amp_array_view *views[] = {amp_array_view2(h, w, (const float *)a), amp_array_view1(w, (const float *)line),
                               amp_array_view2(h, w, c)};
    CHECK_OK(
        amp_parallel_for_each(amp_extent2((h + 7) / 8 * 8, (w + 15) / 16 * 16), sides, views[0], views[1], views[2]));
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float sum = 0;
            for (int e = 0; e < 8; e++)
                sum += of_sides(y / 8 * 8 + e, x, h, w, a, line);
            for (int e = 0; e < 16; e++)
                sum += of_sides(y, x / 16 * 16 + e, h, w, a, line) * 2;
            CHECK_SAME(c[y * w + x], sum, h, w, 0);
        }
    check_release(views, LENGTH(views));
}

/* A difference of unsigned subscripts, which wraps around for lanes that are off, the first one among them. */
static void offset(amp_tiled_index2(8, 16) t, int n, int h, int w, size_t k, size_t m, const float a[h][w],
                   float c[h][w]) restrict(amp)
{
    tile_static float p[8][16];
    int y = t.global[0];
    size_t x = (size_t)t.local[1], width = (size_t)w;
    float v = 1;
    if (x >= k && x < width) {
        v = 2;
        if (x - k < m && y < h)
            v = a[y][x - k];
    }
    p[t.local[0]][t.local[1]] = v;
    amp_tile_barrier_wait(t.barrier);
    float sum = 0;
    for (int e = 0; e < n; e++)
        sum += p[e][t.local[1]] * p[t.local[0]][e];
    if (y < h && t.global[1] < w)
        c[y][t.global[1]] = sum;
}

static float of_offset(int y, int x, int h, int w, int k, int m, const float *a)
{
    if (x < k || x >= w)
        return 1;
    return x - k < m && y < h ? a[y * w + x - k] : 2;
}

static void test_offset(int h, int w, int k, int m)
{
    float *a = check_alloc((size_t)(h * w) * sizeof *a), *c = check_alloc((size_t)(h * w) * sizeof *c);
    for (int i = 0; i < h * w; i++)
        a[i] = (float)(check_value(i) % 16);
    amp_array_view *views[] = {amp_array_view2(h, w, (const float *)a), amp_array_view2(h, w, c)};
    CHECK_OK(amp_parallel_for_each(amp_extent2((h + 7) / 8 * 8, (w + 15) / 16 * 16), offset, 8, (size_t)k, (size_t)m,
                                   views[0], views[1]));
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float sum = 0;
            for (int e = 0; e < 8; e++)
                sum += of_offset(y / 8 * 8 + e, x % 16, h, w, k, m, a) * of_offset(y, e, h, w, k, m, a);
            CHECK_SAME(c[y * w + x], sum, h, w, k);
        }
    check_release(views, LENGTH(views));
}

/* In space, under a guard that depends on data and one that all threads take or none, with a sum that goes on across
 * barriers, in blocks of which a tile takes several. */
static void marked(amp_tiled_index3(2, 8, 32) t, int d, int h, int w, int steps, const int a[d][h][w],
                   const int mark[h][w], int c[d][h][w]) restrict(amp)
{
    tile_static int p[2][8][32];
    int z = t.global[0], y = t.global[1], x = t.global[2], lz = t.local[0], ly = t.local[1], lx = t.local[2];
    int sum = lx;
    for (int i = 0; i < steps; i++) {
        int v = i, marks = 0;
        if (y < h && x < w)
            marks = mark[y][x];
        if (steps != 2)
            if (marks > i && z < d)
                v = a[z][y][x] * 3 + marks / 5;
        p[lz][ly][lx] = v;
        amp_tile_barrier_wait(t.barrier);
        for (int e = 0; e < 8; e++)
            sum += p[1 - lz][e][lx] * p[lz][ly][e];
        amp_tile_barrier_wait(t.barrier);
    }
    if (z < d && y < h && x < w)
        c[z][y][x] = sum;
}

static int of_marked(int z, int y, int x, int i, int d, int h, int w, int steps, const int *a, const int *mark)
{
    int marks = y < h && x < w ? mark[y * w + x] : 0;
    return steps != 2 && marks > i && z < d ? a[(z * h + y) * w + x] * 3 + marks / 5 : i;
}

static void test_marked(int d, int h, int w, int steps)
{
    int n = d * h * w, *a = check_alloc((size_t)n * sizeof *a), *c = check_alloc((size_t)n * sizeof *c);
    int *mark = check_alloc((size_t)(h * w) * sizeof *mark);
    for (int i = 0; i < n; i++)
        a[i] = check_value(i) % 16;
    for (int i = 0; i < h * w; i++)
        mark[i] = check_value(i + 5) % 9;
    amp_array_view *views[] = {amp_array_view3(d, h, w, (const int *)a), amp_array_view2(h, w, (const int *)mark),
                               amp_array_view3(d, h, w, c)};
    CHECK_OK(amp_parallel_for_each(amp_extent3((d + 1) / 2 * 2, (h + 7) / 8 * 8, (w + 31) / 32 * 32), marked, steps,
                                   views[0], views[1], views[2]));
    for (int z = 0; z < d; z++)
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++) {
                int sum = x % 32;
                for (int i = 0; i < steps; i++)
                    for (int e = 0; e < 8; e++)
                        sum += of_marked(z ^ 1, y / 8 * 8 + e, x, i, d, h, w, steps, a, mark) *
                               of_marked(z, y, x / 32 * 32 + e, i, d, h, w, steps, a, mark);
                CHECK_SAME(c[(z * h + y) * w + x], sum, d, h, w);
            }
    check_release(views, LENGTH(views));
}

int main(void)
{
    static const int some[] = {1, 5, 16, 31, 40, 64};
    for (int i = 0; i < LENGTH(some); i++)
        for (int k = 0; k < LENGTH(some); k++) {
            int h = some[i], w = some[(i + k) % LENGTH(some)], n = some[k];
            test_sides(h, w);
            test_offset(h, w, i * 3, k * 9 + 1);
            test_marked(i + 1, h, w, k);
            for (int all = 0; all < 2; all++) {
                test_float_16x16(h, w, n, all);
                test_float_4x8(h, w, n, all);
                test_float_3x13(h, w, n, all);
                test_float_8x32(h, w, n, all);
                test_int_16x16(h, w, n, all);
                test_short_8x16(h, w, n, all);
                test_double_16x16(h, w, n, all);
                test_int64_t_4x8(h, w, n, all);
            }
        }
    return 0;
}

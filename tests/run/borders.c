/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 -Wall -Wextra -Werror %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O1 --amp-lanes=4 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-panels=3 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-report --amp-cpu=native -c %s -o %t.o 2>&1 | FileCheck %s
 *
 * Tiles away from the borders of the data run with the results of comparisons that tiles at a border find differently
 * for each thread: with every predicate, types of every width and sign, and factors of either sign, between data that
 * ends in the middle of a tile, or begins there. Without tiles, boxes are cut where such comparisons change. */
#include "check.h"

/* What a thread of the tile that begins at (top, left) finds. */
typedef struct {
    int h, w;
    unsigned size;
    int64_t far;
    int scale, from, to;
} numbers;

static inline int find(int y, int x, int64_t wide, numbers n) restrict(cpu, amp)
{
    int found = 0;
    if (y < n.h && x < n.w)
        found |= 1;
    if (x >= n.from && x <= n.to)
        found |= 2;
    if ((unsigned)x < n.size)
        found |= 4;
    if ((unsigned)(x - n.from) > n.size)
        found |= 8;
    if (wide + 3 < n.far)
        found |= 16;
    if (x * n.scale > n.to)
        found |= 32;
    if (n.scale * y <= n.from - 2 * n.scale)
        found |= 64;
    if (x == n.to || y != n.h)
        found |= 128;
    if (n.w - x > 5)
        found |= 256;
    if (~y < -n.h)
        found |= 512;
    if (x * 8 + 5 >= n.w * 8)
        found |= 1024;
    if ((unsigned)y * 3u >= n.size)
        found |= 2048;
    return found;
}

/* CHECK: kernel rows {{.*}}; away from the borders {{[0-9]+}} block{{s?}} with
 * CHECK: memory line [[#@LINE+9]] write part contiguous
 * CHECK-NEXT: line [[#@LINE+11]] read part contiguous
 * CHECK: masks {{.*}} if masks at the borders of the domain only
 */
static void rows(amp_tiled_index1(64) t, numbers n, int length, int out[length]) restrict(amp)
{
    tile_static int part[64];
    int x = t.global[0], c = t.local[0];
    if (x < n.w)
        part[c] = find(n.h, x, t.global[0] * (int64_t)7, n);
    amp_tile_barrier_wait(t.barrier);
    int left = x > n.from ? c - (x % 64 > 0) : c;
    int value = x < n.w ? part[c] : -1;
    if (x < n.w)
        out[x] = value + 10000 * (left + 1);
}

/* CHECK: kernel plane {{.*}}; away from the borders
 */
static void plane(amp_tiled_index2(4, 16) t, numbers n, int height, int width, int out[height][width]) restrict(amp)
{
    tile_static int part[4][16];
    int y = t.tile[0] * 4 + t.local[0] - 2, x = t.tile_origin[1] + t.local[1] - 3;
    int r = t.local[0], c = t.local[1];
    bool inside = y >= 0 && x >= 0 && y < height && x < width;
    if (inside)
        part[r][c] = find(y, x, (int64_t)x * 5 - y, n);
    else
        part[r][c] = 77;
    amp_tile_barrier_wait(t.barrier);
    int north = y > 0 ? r - (r > 0) : r, east = x < n.w - 1 ? c + (c < 15) : c;
    if (inside)
        out[y][x] = part[r][c] + 5000 * part[north][c] + 3 * part[r][east];
}

/* A guard whose numbers nearly take 64 bits. */
static void far(amp_tiled_index1(16) t, int64_t m, int64_t q, int length, int out[length]) restrict(amp)
{
    tile_static int part[16];
    int x = t.global[0];
    if ((int64_t)x * 2 + ~m < q)
        part[t.local[0]] = 1;
    else
        part[t.local[0]] = 2;
    amp_tile_barrier_wait(t.barrier);
    out[x] = part[t.local[0]];
}

/* CHECK: kernel space {{.*}}; away from the borders
 */
static void space(amp_tiled_index3(2, 2, 8) t, numbers n, int depth, int height, int width,
                  int out[depth][height][width]) restrict(amp)
{
    tile_static int part[2][2][8];
    int z = t.global[0], y = t.global[1], x = t.global[2];
    bool inside = z < depth && y < height && x < width;
    if (inside)
        part[t.local[0]][t.local[1]][t.local[2]] = find(y, x, (int64_t)z * x, n);
    amp_tile_barrier_wait(t.barrier);
    if (inside)
        out[z][y][x] = part[t.local[0]][t.local[1]][t.local[2]] + (z * z > n.to);
}

/* Products in tiles whose guards also depend on the round: for counters of tiles and of elements.
 * CHECK: kernel by_tiles {{.*}}; away from the borders {{[0-9]+}} block{{s?}} without masks
 * CHECK: kernel by_elements {{.*}}; away from the borders {{[0-9]+}} block{{s?}} without masks
 */
enum { TILE = 8 };
static void by_tiles(amp_tiled_index2(TILE, TILE) t, int h, int w, int n, const int a[h][n], const int b[n][w],
                     int c[h][w]) restrict(amp)
{
    tile_static int of_a[TILE][TILE], of_b[TILE][TILE];
    int y = t.global[0], x = t.global[1], row = t.local[0], col = t.local[1], sum = 0;
    for (int i = 0; i < (n + TILE - 1) / TILE; i++) {
        of_a[row][col] = y < h && i * TILE + col < n ? a[y][i * TILE + col] : 0;
        if (x < w && i * TILE + row < n)
            of_b[row][col] = b[i * TILE + row][x];
        else
            of_b[row][col] = 0;
        amp_tile_barrier_wait(t.barrier);
        for (int k = 0; k < TILE; k++)
            sum += of_a[row][k] * of_b[k][col];
        amp_tile_barrier_wait(t.barrier);
    }
    if (y < h && x < w)
        c[y][x] = sum;
}

static void by_elements(amp_tiled_index2(TILE, TILE) t, int h, int w, int64_t n, const int a[h][n], const int b[n][w],
                        int c[h][w]) restrict(amp)
{
    tile_static int of_a[TILE][TILE], of_b[TILE][TILE];
    int y = t.global[0], x = t.global[1], row = t.local[0], col = t.local[1], sum = 0;
    for (int64_t i = 0; i < n; i += TILE) {
        if (y < h && i + col < n)
            of_a[row][col] = a[y][i + col];
        else
            of_a[row][col] = 0;
        of_b[row][col] = w <= x || row + i >= n ? 0 : b[i + row][x];
        amp_tile_barrier_wait(t.barrier);
        for (int k = 0; k < TILE; k++)
            sum += of_a[row][k] * of_b[k][col];
        amp_tile_barrier_wait(t.barrier);
    }
    if (y < h && x < w)
        c[y][x] = sum;
}

/* Products whose guards depend on a row or a column.
 * CHECK: kernel usual {{.*}} rows x {{.*}}; cut where conditions on the index change
 * CHECK: masks none
 * CHECK: kernel ends {{.*}} rows x {{.*}}; cut where conditions on the index change
 * CHECK: kernel holes {{.*}} rows x {{.*}}; cut where conditions on the index change
 */
#define PRODUCT(name, N, condition)                                                                                    \
    static bool is_in_##name(int y, int x, int h, int w, N n) restrict(cpu, amp)                                       \
    {                                                                                                                  \
        (void)h, (void)w, (void)n;                                                                                     \
        return condition;                                                                                              \
    }                                                                                                                  \
    static void name(amp_index2 idx, int h, int w, N n, int length, const int a[h][length], const int b[length][w],    \
                     int c[h][w]) restrict(amp)                                                                        \
    {                                                                                                                  \
        (void)n;                                                                                                       \
        int y = idx[0], x = idx[1];                                                                                    \
        if (condition) {                                                                                               \
            int sum = 0;                                                                                               \
            for (int k = 0; k < length; k++)                                                                           \
                sum += a[y][k] * b[k][x];                                                                              \
            c[y][x] = sum;                                                                                             \
        }                                                                                                              \
    }                                                                                                                  \
    static void test_##name(int h, int w, N n, int length, int more)                                                   \
    {                                                                                                                  \
        int *a = check_alloc((size_t)(h * length) * sizeof *a), *b = check_alloc((size_t)(length * w) * sizeof *b);    \
        int *c = check_alloc((size_t)(h * w) * sizeof *c), *want = check_alloc((size_t)(h * w) * sizeof *c);           \
        CHECK_FILL(int, a, h * length, 1);                                                                             \
        CHECK_FILL(int, b, length * w, 2);                                                                             \
        for (int y = 0; y < h; y++)                                                                                    \
            for (int x = 0; x < w; x++) {                                                                              \
                int *sum = &want[y * w + x];                                                                           \
                c[y * w + x] = *sum = -1;                                                                              \
                for (int k = 0; k < length && is_in_##name(y, x, h, w, n); k++)                                        \
                    *sum = (k ? *sum : 0) + a[y * length + k] * b[k * w + x];                                          \
            }                                                                                                          \
        amp_array_view *views[] = {amp_array_view2(h, length, (const int *)a),                                         \
                                   amp_array_view2(length, w, (const int *)b), amp_array_view2(h, w, c)};              \
        CHECK_OK(amp_parallel_for_each(amp_extent2(h + more, w + more), name, n, views[0], views[1], views[2]));       \
        CHECK_INTS(c, want, h * w, #name " of %d x %d x %d, n %g", h, length, w, (double)n);                           \
        for (int v = 0; v < 3; v++)                                                                                    \
            amp_array_view_release(views[v]);                                                                          \
        check_free_all();                                                                                              \
    }
PRODUCT(usual, int, y >= 0 && x >= 0 && y < h && x < w)
PRODUCT(ends, int64_t, y >= 2 && (int64_t)x * 3 < n && y < h - 1 && x < w)
PRODUCT(holes, uint64_t, (uint64_t)y < n && y < h && (unsigned)x < (unsigned)w && x != 5 && y != 3)
PRODUCT(shifted, unsigned, (unsigned)(x - 4) < n && h > y && w - 1 - x >= 0)
PRODUCT(huge, uint64_t, (uint64_t)x < ~n && (size_t)y + 1 <= (size_t)(int)(h - n))

static int rounded(int n, int tile)
{
    return (n + tile - 1) / tile * tile;
}

static void compare(const char *name, const int *got, int want, int at, numbers n)
{
    if (got[at] == want)
        return;
    printf("%s: element %d is %d, not %d (h %d, w %d, size %u, far %lld, scale %d, from %d, to %d)\n", name, at,
           got[at], want, n.h, n.w, n.size, (long long)n.far, n.scale, n.from, n.to);
    exit(1);
}

static void test_rows(numbers n)
{
    int *out = calloc((size_t)n.w, sizeof *out);
    amp_array_view *view = amp_array_view1(n.w, out);
    CHECK_OK(amp_parallel_for_each(amp_extent1(rounded(n.w, 64)), rows, n, view));
    CHECK_OK(amp_synchronize(view));
    for (int x = 0; x < n.w; x++) {
        int left = x > n.from ? x % 64 - (x % 64 > 0) : x % 64;
        compare("rows", out, find(n.h, x, x * (int64_t)7, n) + 10000 * (left + 1), x, n);
    }
    amp_array_view_release(view);
    free(out);
}

static void test_far(int64_t m, int64_t q)
{
    enum { LENGTH_OF_FAR = 160 };
    int out[LENGTH_OF_FAR];
    amp_array_view *view = amp_array_view1(LENGTH_OF_FAR, out);
    CHECK_OK(amp_parallel_for_each(amp_extent1(LENGTH_OF_FAR), far, m, q, view));
    for (int x = 0; x < LENGTH_OF_FAR; x++)
        compare("far", out, (int64_t)x * 2 + ~m < q ? 1 : 2, x, (numbers){.far = q});
    amp_array_view_release(view);
}

static int part_of_plane(int y, int x, int height, int width, numbers n)
{
    bool inside = y >= 0 && x >= 0 && y < height && x < width;
    return inside ? find(y, x, (int64_t)x * 5 - y, n) : 77;
}

static void test_plane(int height, int width, numbers n)
{
    int *out = calloc((size_t)height * (size_t)width, sizeof *out);
    amp_array_view *view = amp_array_view2(height, width, out);
    CHECK_OK(amp_parallel_for_each(amp_extent2(rounded(height + 2, 4), rounded(width + 3, 16)), plane, n, view));
    CHECK_OK(amp_synchronize(view));
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int r = (y + 2) % 4, c = (x + 3) % 16;
            int north = y > 0 ? y - (r > 0) : y, east = x < n.w - 1 ? x + (c < 15) : x;
            int want = part_of_plane(y, x, height, width, n) + 5000 * part_of_plane(north, x, height, width, n) +
                       3 * part_of_plane(y, east, height, width, n);
            compare("plane", out, want, y * width + x, n);
        }
    amp_array_view_release(view);
    free(out);
}

static void test_space(int depth, int height, int width, numbers n)
{
    int *out = calloc((size_t)(depth * height * width), sizeof *out);
    amp_array_view *view = amp_array_view3(depth, height, width, out);
    amp_extent all = amp_extent3(rounded(depth, 2), rounded(height, 2), rounded(width, 8));
    CHECK_OK(amp_parallel_for_each(all, space, n, view));
    CHECK_OK(amp_synchronize(view));
    for (int z = 0; z < depth; z++)
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++)
                compare("space", out, find(y, x, (int64_t)z * x, n) + (z * z > n.to), (z * height + y) * width + x, n);
    amp_array_view_release(view);
    free(out);
}

static void test_products(int h, int w, int n)
{
    int *a = check_alloc((size_t)(h * n) * sizeof *a), *b = check_alloc((size_t)(n * w) * sizeof *b);
    CHECK_FILL(int, a, h *n, 1);
    CHECK_FILL(int, b, n *w, 2);
    for (int k = 0; k < 2; k++) {
        int *c = check_alloc((size_t)(h * w) * sizeof *c), *want = check_alloc((size_t)(h * w) * sizeof *c);
        memset(c, 0, (size_t)(h * w) * sizeof *c);
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++) {
                want[y * w + x] = 0;
                for (int i = 0; i < n; i++)
                    want[y * w + x] += a[y * n + i] * b[i * w + x];
            }
        amp_array_view *views[] = {amp_array_view2(h, n, (const int *)a), amp_array_view2(n, w, (const int *)b),
                                   amp_array_view2(h, w, c)};
        amp_extent all = amp_extent2(rounded(h, TILE), rounded(w, TILE));
        if (k == 0)
            CHECK_OK(amp_parallel_for_each(all, by_tiles, views[0], views[1], views[2]));
        else
            CHECK_OK(amp_parallel_for_each(all, by_elements, views[0], views[1], views[2]));
        CHECK_INTS(c, want, h * w, "product %d of %d x %d x %d", k, h, n, w);
        for (int v = 0; v < 3; v++)
            amp_array_view_release(views[v]);
    }
    check_free_all();
}

int main(void)
{
    static const numbers all[] = {
        {7, 300, 40, 500, 2, 3, 90},           {0, 64, 4000000000u, INT64_MAX, -3, -20, -7},
        {-5, 129, 0, INT64_MIN, 0, 64, 65},    {20, 256, 128, -1, 5000000, -64, 1 << 30},
        {16, 63, 191, 64 * 7 + 3, -1, 17, 15}, {3, 1000, 2147483648u, 1LL << 40, 1, 0, 512},
    };
    for (int k = 0; k < LENGTH(all); k++) {
        test_rows(all[k]);
        for (int height = 1; height <= 22; height += 7)
            for (int width = 1; width <= 130; width += 43)
                test_plane(height, width, all[k]);
        test_space(3, 5, 41, all[k]);
        test_space(2, 2, 8, all[k]);
    }
    test_far(~((int64_t)1 << 62), ((int64_t)1 << 62) + 100);
    test_far((int64_t)1 << 61, 77 - ((int64_t)1 << 61));
    static const int sizes[] = {1, 7, 8, 15, 16, 40, 64, 129};
    for (int h = 0; h < LENGTH(sizes); h++)
        for (int w = 0; w < LENGTH(sizes); w++)
            for (int n = 0; n < LENGTH(sizes); n++)
                test_products(sizes[h], sizes[w], sizes[n]);
    for (int h = 1; h <= 70; h += h < 10 ? 1 : 20)
        for (int w = 1; w <= 70; w += w < 10 ? 1 : 13)
            for (int more = 0; more <= 9; more += 3) {
                test_usual(h, w, 0, 5, more);
                test_ends(h, w, more ? INT64_MAX : 3 * w - 5, 7, more);
                test_ends(h, w, more ? w : INT64_MIN, 2, more);
                test_holes(h, w, more ? UINT64_MAX : 4, 3, more);
                test_holes(h, w, (uint64_t)h / 2, 1, more);
                test_huge(h, w, more ? 0 : UINT64_MAX, 2, 0);
                test_huge(h, w, (uint64_t)h + 4, 2, 0);
                test_shifted(h, w, more ? 0x80000010u : 20, 4, more);
            }
    test_usual(400, 410, 0, 300, 6);
    return 0;
}

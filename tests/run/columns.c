/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 -ffp-contract=off %s -o %t -lm && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 -ffp-contract=off --amp-convoys=1 %s -o %t -lm && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O2 -ffp-contract=off --amp-convoys=3 --amp-lanes=8 %s -o %t -lm && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O3 -ffp-contract=off --amp-convoys=100 %s -o %t -lm && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O2 -ffp-contract=off --amp-convoys=0 %s -o %t -lm && %run-cpu %t
 *
 * All threads run a loop equally often, and neighbours access neighbouring elements: blocks go through it together, on
 * large arrays or if asked for. */
#include "check.h"

#include <math.h>

enum { TILE = 192, BINS = 64 };

/* ---- without tiles ---- */

#define COLUMNS(name)                                                                                                  \
    static void name(amp_index1 idx, int rows, int n, const int a[rows][n], int out[n]) restrict(cpu, amp)

COLUMNS(sums)
{
    unsigned sum = 5;
    int before = idx[0];
    for (int k = 0; k < rows; k++) {
        sum = sum * 3 + (unsigned)(a[k][idx[0]] ^ before);
        before = a[k][idx[0]] + k;
    }
    out[idx[0]] = (int)sum ^ before;
}

/* What all threads read, and calls, make blocks of several vectors elsewhere; the last block has fewer threads. */
static void weighted(amp_index1 idx, int rows, int n, const float a[rows][n], const float x[rows], float out[n])
    restrict(cpu, amp)
{
    float sum = 0;
    for (int k = 0; k < rows; k++)
        sum += a[k][idx[0]] * x[k];
    out[idx[0]] = sum;
}

static void roots(amp_index1 idx, int rows, int n, const float a[rows][n], const float x[rows], float out[n])
    restrict(cpu, amp)
{
    float sum = x[0];
    for (int k = 0; k < rows; k++)
        sum += sqrtf(a[k][idx[0]]);
    out[idx[0]] = sum;
}

/* Rounds are counted down, and end early for all. */
COLUMNS(backwards)
{
    int most = out[idx[0]];
    for (int k = rows - 1; k >= rows / 3; k -= 2)
        most = a[k][idx[0]] > most ? a[k][idx[0]] - k : most ^ k;
    out[idx[0]] = most;
}

/* Threads part within a round, and what some of them leave behind is seen later. */
COLUMNS(parting)
{
    int local[4] = {1, 2, 3, 4};
    for (int k = 0; k < rows; k++) {
        int value = a[k][idx[0]];
        if (value % 3 == 0)
            continue;
        local[k % 4] += value;
        if (value % 5 == 1)
            amp_atomic_fetch_add(&out[idx[0]], local[value & 3]);
    }
    amp_atomic_fetch_add(&out[idx[0]], local[0] ^ local[3]);
}

/* A round writes what a later one of the same thread reads. */
static void writes(amp_index1 idx, int rows, int n, int a[rows][n]) restrict(cpu, amp)
{
    for (int k = 1; k < rows; k++)
        a[k][idx[0]] += a[k - 1][idx[0]] / 2;
}

/* The loop stands behind another one, and a third reads what it found. */
COLUMNS(several)
{
    int found = 0, sum = 0;
    for (int k = 0; k < rows; k++)
        if (a[k][idx[0]] % 2)
            found++;
    for (int k = 0; k < found; k++)
        sum += a[k][idx[0]];
    for (int k = 0; k < rows; k++)
        sum ^= a[k][(idx[0] + found) % n];
    out[idx[0]] = sum;
}

static int *numbers(int n, int seed)
{
    int *a = check_alloc((size_t)n * sizeof *a);
    for (int i = 0; i < n; i++)
        a[i] = check_value(i + seed) & 0xffff;
    return a;
}

static void check_columns(int rows, int n)
{
    int *a = numbers(rows * n, 1), *written = numbers(rows * n, 1), *out = numbers(n, 2), *want = numbers(n, 2);
    amp_array_view *from = amp_array_view2(rows, n, (const int *)a), *to = amp_array_view1(n, out),
                   *both = amp_array_view2(rows, n, written);
#define CHECK(kernel)                                                                                                  \
    CHECK_OK(amp_parallel_for_each(amp_extent1(n), kernel, from, to));                                                 \
    for (int i = 0; i < n; i++)                                                                                        \
        kernel((amp_index1){i}, rows, n, (const int(*)[n])a, want);                                                    \
    amp_synchronize(to);                                                                                               \
    CHECK_INTS(out, want, n, #kernel ", %d rows of %d", rows, n)
    CHECK(sums)
    CHECK(backwards)
    CHECK(parting)
    CHECK(several)
#undef CHECK
    CHECK_OK(amp_parallel_for_each(amp_extent1(n), writes, both));
    amp_synchronize(both);
    for (int i = 0; i < n; i++)
        writes((amp_index1){i}, rows, n, (int (*)[n])a);
    CHECK_INTS(written, a, rows * n, "writes, %d rows of %d", rows, n)
    amp_array_view *views[] = {from, to, both};
    check_release(views, LENGTH(views));
}

static void check_floats(int rows, int n)
{
    float *a = check_alloc((size_t)(rows * n) * sizeof *a), *x = check_alloc((size_t)rows * sizeof *x);
    float *out = check_alloc((size_t)n * sizeof *out), *want = check_alloc((size_t)n * sizeof *want);
    for (int i = 0; i < rows * n; i++)
        a[i] = (float)(check_value(i) & 0xff);
    for (int k = 0; k < rows; k++)
        x[k] = (float)(check_value(k) & 0xf);
    amp_array_view *views[] = {amp_array_view2(rows, n, (const float *)a), amp_array_view1(rows, (const float *)x),
                               amp_array_view1(n, out)};
#define CHECK(kernel)                                                                                                  \
    CHECK_OK(amp_parallel_for_each(amp_extent1(n), kernel, views[0], views[1], views[2]));                             \
    amp_synchronize(views[2]);                                                                                         \
    for (int i = 0; i < n; i++)                                                                                        \
        kernel((amp_index1){i}, rows, n, (const float(*)[n])a, x, want);                                               \
    for (int i = 0; i < n; i++)                                                                                        \
        if (out[i] < want[i] * 0.9999f || out[i] > want[i] * 1.0001f) {                                                \
            fprintf(stderr, #kernel ", %d rows of %d: %d is %g instead of %g\n", rows, n, i, (double)out[i],           \
                    (double)want[i]);                                                                                  \
            exit(1);                                                                                                   \
        }
    CHECK(weighted)
    CHECK(roots)
#undef CHECK
    check_release(views, LENGTH(views));
}

/* ---- in tiles ---- */

/* Each tile counts a chunk, row by row. */
static void count(amp_tiled_index1(TILE) t, int length, int n, const unsigned char in[n], int out[BINS]) restrict(amp)
{
    tile_static int own[BINS];
    int first = t.tile[0] * TILE * length;
    for (int i = t.local[0]; i < BINS; i += TILE)
        own[i] = 0;
    amp_tile_barrier_wait(t.barrier);
    for (int k = 0; k < length; k++)
        amp_atomic_fetch_add(&own[in[first + k * TILE + t.local[0]] % BINS], k);
    amp_tile_barrier_wait(t.barrier);
    for (int i = t.local[0]; i < BINS; i += TILE)
        amp_atomic_fetch_add(&out[i], own[i]);
}

/* All tiles take every so many elements; what a tile found decides how it goes on. */
static void chunks(amp_tiled_index1(TILE) t, int length, int step, int n, const int in[n], int m, int out[m])
    restrict(amp)
{
    tile_static int found[TILE];
    unsigned own = (unsigned)t.tile[0];
    for (int k = 0; k < length; k++)
        own = own * 5 + (unsigned)in[k * step + t.global[0]];
    found[t.local[0]] = (int)own;
    amp_tile_barrier_wait(t.barrier);
    if (found[0] % 2)
        own += (unsigned)found[(t.local[0] + 1) % TILE];
    out[t.global[0]] = (int)own;
}

static void check_tiles(int tiles, int length)
{
    int threads = tiles * TILE, n = threads * length, sums[BINS] = {0}, want_sums[BINS] = {0};
    int *in = numbers(n, 3), *out = numbers(threads, 4), *want = numbers(threads, 4);
    unsigned char *bytes = check_alloc((size_t)n);
    for (int i = 0; i < n; i++) {
        bytes[i] = (unsigned char)(in[i] >> 3);
        want_sums[bytes[i] % BINS] += i / TILE % length;
    }
    for (int tile = 0; tile < tiles; tile++) {
        int found[TILE];
        for (int i = 0; i < TILE; i++) {
            found[i] = tile;
            for (int k = 0; k < length; k++)
                found[i] = (int)((unsigned)found[i] * 5 + (unsigned)in[k * threads + tile * TILE + i]);
        }
        for (int i = 0; i < TILE; i++)
            want[tile * TILE + i] = (int)((unsigned)found[i] + (found[0] % 2 ? (unsigned)found[(i + 1) % TILE] : 0));
    }
    amp_array_view *views[] = {amp_array_view1(n, (const unsigned char *)bytes), amp_array_view1(BINS, sums),
                               amp_array_view1(n, (const int *)in), amp_array_view1(threads, out)};
    CHECK_OK(amp_parallel_for_each(amp_extent1(threads), count, length, views[0], views[1]));
    CHECK_OK(amp_parallel_for_each(amp_extent1(threads), chunks, length, threads, views[2], views[3]));
    amp_synchronize(views[1]);
    amp_synchronize(views[3]);
    CHECK_INTS(sums, want_sums, BINS, "count, %d tiles, %d rounds", tiles, length)
    CHECK_INTS(out, want, threads, "chunks, %d tiles, %d rounds", tiles, length)
    check_release(views, LENGTH(views));
}

int main(void)
{
    static const int sizes[][2] = {{1, 1}, {2, 33}, {5, 1000}, {40, 4099}, {33, 20000}};
    for (size_t i = 0; i < LENGTH(sizes); i++) {
        check_columns(sizes[i][0], sizes[i][1]);
        check_floats(sizes[i][0], sizes[i][1]);
        check_tiles(1 + sizes[i][1] / 500, sizes[i][0]);
    }
    check_tiles(7, 300);
    check_floats(512, 16564); /* large enough by default */
    return 0;
}

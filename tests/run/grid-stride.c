/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 -ffp-contract=off %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 -ffp-contract=off --amp-convoys=1 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O2 -ffp-contract=off --amp-convoys=2 %s -o %t && env AMP_NUM_THREADS=1 %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O2 -ffp-contract=off --amp-convoys=3 --amp-lanes=8 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O3 -ffp-contract=off --amp-convoys=100 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O2 -ffp-contract=off --amp-convoys=0 %s -o %t && %run-cpu %t
 *
 * All threads together stride over an array. Convoys of neighbours go through the loop together, whose counters may
 * have any type, begin anywhere and come to any limit: some of their threads leave it before others. */
#include "check.h"

#define LOOP(name, type)                                                                                               \
    static void name(amp_index1 idx, type limit, type step, int n, const int a[n], int m, int out[m])                  \
        restrict(cpu, amp)

/* What threads write where they pass. */
LOOP(scale, int)
{
    (void)m;
    for (int i = idx[0]; i < limit; i += step)
        out[i] = a[i] * 3 - i;
}

/* What they carry, of which one value is left by the last iteration alone. */
LOOP(sums, unsigned)
{
    unsigned sum = 7, last = 1;
    (void)m;
    for (unsigned i = (unsigned)idx[0]; i < limit; i += step) {
        sum += (unsigned)a[i % (unsigned)n] ^ last;
        last = (unsigned)a[(i + 1) % (unsigned)n];
    }
    out[idx[0]] = (int)(sum + last);
}

LOOP(far_apart, size_t)
{
    unsigned long before = 7;
    (void)m;
    for (size_t i = (size_t)idx[0] * 2 + 1; limit > i; i += step) {
        before = before * 5 + (unsigned long)a[i % (size_t)n];
        if (a[i % (size_t)n] % 3 == 0)
            continue;
        for (size_t k = 0; k < i % 4; k++)
            before ^= k + i;
    }
    out[idx[0]] = (int)before;
}

/* The loop stands in another one, and what comes before it and after it depends on it. */
LOOP(nested, long)
{
    long from = a[idx[0] % n];
    for (int round = 0; round < 3; round++) {
        long most = from;
        for (long i = idx[0] + 3; i < limit; i += step)
            most = most > a[i % n] + round ? most - i % 7 : a[i % n];
        from += most % 1000;
    }
    out[idx[0] % m] = (int)from;
}

/* Some threads never get there, so no others may wait for them. */
LOOP(after_guard, int)
{
    if (a[idx[0] % n] % 4 == 1)
        return;
    int sum = 0;
    for (int i = idx[0]; i < limit; i += step)
        sum ^= a[i % n] + i;
    out[idx[0] % m] = sum;
}

LOOP(counts, int)
{
    for (int i = idx[0]; i < limit; i += step)
        amp_atomic_fetch_add(&out[(unsigned)a[i % n] % (unsigned)m], i);
}

/* What the loop computes last, whatever that is, and the counter itself. */
LOOP(counters, int)
{
    int i = idx[0], half = 0;
    for (; i < limit; i += step)
        half = a[i % n] / 2;
    out[idx[0] % m] = half ^ i;
}

static int *numbers(int n, int seed)
{
    int *a = check_alloc((size_t)n * sizeof *a);
    for (int i = 0; i < n; i++)
        a[i] = check_value(i + seed);
    return a;
}

/* Threads may write `m` elements; those up to `limit` if that is not more. */
static void check(int threads, int limit, int step)
{
    int n = 700, m = limit > threads && limit < 200000 ? limit : threads;
    int *a = numbers(m > n ? m : n, 1), *out = numbers(m, 2), *want = numbers(m, 2);
    amp_array_view *views[] = {amp_array_view1(m > n ? m : n, (const int *)a), amp_array_view1(m, out),
                               amp_array_view1(n, (const int *)a)};
#define CHECK(kernel, type, of, length)                                                                                \
    CHECK_OK(amp_parallel_for_each(amp_extent1(threads), kernel, (type)limit, (type)step, of, views[1]));              \
    for (int i = 0; i < threads; i++)                                                                                  \
        kernel((amp_index1){i}, (type)limit, (type)step, length, a, m, want);                                          \
    CHECK_INTS(out, want, m, #kernel ", %d threads, up to %d by %d", threads, limit, step)
    if (step >= threads && limit <= m) {
        CHECK(scale, int, views[0], m > n ? m : n)
    }
    CHECK(sums, unsigned, views[2], n)
    CHECK(far_apart, size_t, views[2], n)
    CHECK(nested, long, views[2], n)
    CHECK(after_guard, int, views[2], n)
    CHECK(counts, int, views[2], n)
    if (limit < INT32_MAX - step) {
        CHECK(counters, int, views[2], n)
    }
    check_release(views, LENGTH(views));
}

/* ---- tiles ---- */

enum { TILE = 96, PAIRS = 64 };

/* Sums of a tile, as every textbook has them. */
static void dot(amp_tiled_index1(TILE) t, int limit, int step, int n, const double a[n], int m, double out[m])
    restrict(amp)
{
    tile_static double part[TILE];
    int thread = t.local[0];
    part[thread] = thread;
    for (int i = t.global[0]; i < limit; i += step)
        part[thread] += a[i] * a[n - 1 - i];
    for (int half = TILE / 2; half > 2; half /= 2) {
        amp_tile_barrier_wait(t.barrier);
        if (thread < half)
            part[thread] += part[thread + half];
    }
    amp_tile_barrier_wait(t.barrier);
    if (thread == 0)
        out[t.tile[0]] = part[0] + part[1] + part[2];
}

static void dot_again(int tiles, int limit, int step, int n, const double *a, double *out)
{
    for (int tile = 0; tile < tiles; tile++) {
        double part[TILE];
        for (int thread = 0; thread < TILE; thread++) {
            part[thread] = thread;
            for (int i = tile * TILE + thread; i < limit; i += step)
                part[thread] += a[i] * a[n - 1 - i];
        }
        for (int half = TILE / 2; half > 2; half /= 2)
            for (int thread = 0; thread < half; thread++)
                part[thread] += part[thread + half];
        out[tile] = part[0] + part[1] + part[2];
    }
}

/* Each thread takes two elements of each stride, tiles behave differently, and each goes on with what all of it have
 * found: in another loop of the same kind, and with another number of rounds between barriers. */
static void pairs(amp_tiled_index1(PAIRS) t, int limit, int step, int n, const int a[n], int m, int out[m])
    restrict(amp)
{
    tile_static int found[PAIRS];
    tile_static int all;
    int thread = t.local[0], sum = 0;
    for (int i = t.tile[0] * (2 * PAIRS) + t.local[0]; i < limit; i += step)
        sum += a[i] - (i + PAIRS < limit ? a[i + PAIRS] : t.tile[0]);
    found[thread] = sum;
    if (t.tile[0] % 3 == 1)
        found[thread] += thread;
    amp_tile_barrier_wait(t.barrier);
    if (thread == 0) {
        all = 0;
        for (int i = 0; i < PAIRS; i++)
            all ^= found[i];
    }
    amp_tile_barrier_wait(t.barrier);
    int seen = all;
    for (int i = t.global[0]; i < limit; i += step)
        seen += a[i] > all ? i : a[i];
    found[thread] = seen;
    amp_tile_barrier_wait(t.barrier);
    out[t.global[0]] = found[PAIRS - 1 - thread] + sum;
}

static void pairs_again(int tiles, int limit, int step, const int *a, int *out)
{
    for (int tile = 0; tile < tiles; tile++) {
        int sums[PAIRS], found[PAIRS], all = 0;
        for (int thread = 0; thread < PAIRS; thread++) {
            int sum = 0;
            for (int i = tile * (2 * PAIRS) + thread; i < limit; i += step)
                sum += a[i] - (i + PAIRS < limit ? a[i + PAIRS] : tile);
            sums[thread] = sum;
            all ^= sum + (tile % 3 == 1 ? thread : 0);
        }
        for (int thread = 0; thread < PAIRS; thread++) {
            found[thread] = all;
            for (int i = tile * PAIRS + thread; i < limit; i += step)
                found[thread] += a[i] > all ? i : a[i];
        }
        for (int thread = 0; thread < PAIRS; thread++)
            out[tile * PAIRS + thread] = found[PAIRS - 1 - thread] + sums[thread];
    }
}

/* Tiles of a convoy may come to barriers differently often. */
static void uneven(amp_tiled_index1(PAIRS) t, int limit, int step, int n, const int a[n], int m, int out[m])
    restrict(amp)
{
    tile_static int found[PAIRS];
    int thread = t.local[0], sum = 0;
    for (int i = t.global[0]; i < limit; i += step)
        sum += a[i];
    for (int round = 0; round < t.tile[0] % 4; round++) {
        found[thread] = sum;
        amp_tile_barrier_wait(t.barrier);
        sum += found[(thread + 1) % PAIRS];
        amp_tile_barrier_wait(t.barrier);
    }
    out[t.global[0]] = sum;
}

static void uneven_again(int tiles, int limit, int step, const int *a, int *out)
{
    for (int tile = 0; tile < tiles; tile++) {
        int *sums = out + tile * PAIRS, found[PAIRS];
        for (int thread = 0; thread < PAIRS; thread++) {
            sums[thread] = 0;
            for (int i = tile * PAIRS + thread; i < limit; i += step)
                sums[thread] += a[i];
        }
        for (int round = 0; round < tile % 4; round++) {
            memcpy(found, sums, sizeof found);
            for (int thread = 0; thread < PAIRS; thread++)
                sums[thread] += found[(thread + 1) % PAIRS];
        }
    }
}

/* What the loop shares in a tile can fault where no thread of that tile enters it. */
static void shares(amp_tiled_index1(PAIRS) t, int limit, int step, int last, int k, const int factors[k], int m,
                   int out[m]) restrict(amp)
{
    int sum = 0;
    for (int i = t.global[0]; i < limit; i += step)
        sum += (i ^ factors[t.tile[0]]) * (1000 / (last - t.tile[0]));
    out[t.global[0]] = sum;
}

static void check_shares(int tiles, int entering)
{
    int m = tiles * PAIRS, limit = entering * PAIRS;
    int *factors = numbers(entering, 3), *out = numbers(m, 1), *want = numbers(m, 2);
    amp_array_view *views[] = {amp_array_view1(entering, (const int *)factors), amp_array_view1(m, out)};
    CHECK_OK(amp_parallel_for_each(amp_extent1(m), shares, limit, m / 4, entering, views[0], views[1]));
    for (int thread = 0; thread < m; thread++) {
        want[thread] = 0;
        for (int i = thread, tile = thread / PAIRS; i < limit; i += m / 4)
            want[thread] += (i ^ factors[tile]) * (1000 / (entering - tile));
    }
    CHECK_INTS(out, want, m, "shares, %d tiles, of which %d enter the loop", tiles, entering)
    check_release(views, LENGTH(views));
}

static void check_tiles(int tiles, int limit, int step)
{
    int n = limit > 0 ? limit : 1, m = tiles * PAIRS;
    double *a = check_alloc((size_t)n * sizeof *a), *out = check_alloc((size_t)m * sizeof *out),
           *want = check_alloc((size_t)m * sizeof *want);
    CHECK_FILL(double, a, n, 1);
    amp_array_view *views[] = {amp_array_view1(n, (const double *)a), amp_array_view1(tiles, out)};
    CHECK_OK(amp_parallel_for_each(amp_extent1(tiles * TILE), dot, limit, step, views[0], views[1]));
    dot_again(tiles, limit, step, n, a, want);
    CHECK_FLOATS(out, want, tiles, "dot, %d tiles, up to %d by %d", tiles, limit, step)
    check_release(views, LENGTH(views));
    int *b = numbers(n, 1), *ints = numbers(m, 2), *want_ints = numbers(m, 2);
    amp_array_view *more[] = {amp_array_view1(n, (const int *)b), amp_array_view1(m, ints)};
#define CHECK_TILES(kernel)                                                                                            \
    CHECK_OK(amp_parallel_for_each(amp_extent1(m), kernel, limit, step, more[0], more[1]));   \
    kernel##_again(tiles, limit, step, b, want_ints);                                                                  \
    CHECK_INTS(ints, want_ints, m, #kernel ", %d tiles, up to %d by %d", tiles, limit, step)
    CHECK_TILES(pairs)
    CHECK_TILES(uneven)
    check_release(more, LENGTH(more));
}

int main(void)
{
    static const int threads[] = {1, 31, 500, 4000}, limits[] = {0, 1, 30, 499, 3999, 9000, 70000}, steps[] = {1, 37};
    for (int t = 0; t < LENGTH(threads); t++)
        for (int l = 0; l < LENGTH(limits); l++) {
            check(threads[t], limits[l], threads[t]);
            check(threads[t], limits[l], threads[t] + 100);
            for (int s = 0; s < LENGTH(steps); s++)
                if (threads[t] < 100)
                    check(threads[t], limits[l], steps[s]);
        }
    check(70, INT32_MAX - (1 << 24) - 100, 1 << 24);
    check(70, INT32_MAX - (1 << 25), 1 << 24);
    check(3000, INT32_MAX / 2, 1 << 22);
    check(3000, 1 << 20, INT32_MAX - 3000);
    check(3000, 150000, 3000);
    for (int entering = 1; entering < 9; entering++)
        check_shares(9, entering);
    static const int tiles[] = {1, 2, 7, 50, 500};
    for (int t = 0; t < LENGTH(tiles); t++) {
        check_tiles(tiles[t], 0, tiles[t] * TILE);
        check_tiles(tiles[t], 1000, tiles[t] * TILE);
        check_tiles(tiles[t], 100000, tiles[t] * TILE * 2);
        check_tiles(tiles[t], 80000, 1500);
    }
    /* Turns of which all threads take part in every iteration, and those in which the last ones do not. */
    for (int limit = 9000; limit < 9000 + 4 * 3 * TILE; limit += 31) {
        check(300, limit, 300);
        check_tiles(3, limit, 3 * TILE);
    }
    return 0;
}

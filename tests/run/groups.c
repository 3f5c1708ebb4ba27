/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=4 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 --amp-lanes=32 %s -o %t && %run-native %t
 *
 * Places that follow from the row or group of a thread and its place in it, by division, shifts and masks: lanes load
 * and store side by side, or at one place, where they do, and element by element where a group ends among them. */
#include "check.h"

/* A flat index of a matrix whose rows are longer than those of the domain. */
static void flat(amp_index1 idx, int n, int width, int pitch, const int a[n], int out[n]) restrict(cpu, amp)
{
    int row = idx[0] / width, col = idx[0] % width;
    out[row * pitch + col] = a[row * pitch + (width - 1 - col)] + 3 * a[row * pitch + col] - a[row];
}

/* The same of narrow and of wide elements, under a mask. */
#define MASKED(name, T)                                                                                                \
    static void name(amp_index1 idx, int n, int width, const T a[n], T out[n]) restrict(cpu, amp)                      \
    {                                                                                                                  \
        unsigned i = (unsigned)idx[0], row = i / (unsigned)width, col = i % (unsigned)width;                           \
        if (a[i] > 0)                                                                                                  \
            out[row * (unsigned)width + col] = (T)(a[row] + a[(row + col) % (unsigned)n]);                             \
        else if (col > 2)                                                                                              \
            out[i] = (T)(a[col - 2] * 3);                                                                              \
    }
MASKED(masked_bytes, int8_t)
MASKED(masked_shorts, int16_t)
MASKED(masked_floats, float)
MASKED(masked_doubles, double)

/* Powers of two, as a mask, a shift, and as in a transformation by halves. */
static void halves(amp_index1 idx, int n, int half, int shift, const int a[n], int out[n]) restrict(cpu, amp)
{
    int i = idx[0], place = 2 * i - (i & (half - 1)), group = i & -half, other = i & ~(half - 1);
    out[place] = a[i] + a[group];
    out[place + half] = a[i >> shift] - 2 * a[other] + a[(unsigned)i >> shift];
}

/* Constants, of which some are shorter than a vector, and groups that overlap the ends of the lanes. */
static void constants(amp_index1 idx, int n, const int a[n], int out[n]) restrict(cpu, amp)
{
    int i = idx[0];
    out[(i & ~15) + (i & 15)] = a[i / 3] + a[i % 3] + a[i >> 1] + a[i & 7] + a[i / 16] + a[i % 16] + a[i & -32] +
                                a[(i & 63) | (i & 64)] + a[i / 100 * 100 + i % 100] + a[i * 5 / 17];
}

/* Distances that come from memory: nothing is certain about them. */
static void unknown(amp_index1 idx, int n, const int by[n], const int a[n], int out[n]) restrict(cpu, amp)
{
    int i = idx[0], each = by[i] & 7;
    out[i / 20 * 20 + i % 20] = a[i / (each + 1)] + a[i % (each + 1)] + a[i & each];
}

enum { TILE = 64 };
/* In tile memory, in a loop, with as many steps as halves. */
static void exchange(amp_tiled_index1(TILE) t, int n, const int a[n], int out[n]) restrict(amp)
{
    tile_static int parts[2][2 * TILE];
    int k = t.local[0], from = 0;
    parts[0][k] = a[t.global[0]];
    parts[0][k + TILE] = -a[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    for (int half = 1; half <= TILE; half *= 2) {
        int place = 2 * k - (k & (half - 1));
        parts[!from][place] = parts[from][k] + 3 * parts[from][k + TILE];
        parts[!from][place + half] = parts[from][k] - 5 * parts[from][k & ~(half - 1)];
        from = !from;
        amp_tile_barrier_wait(t.barrier);
    }
    out[t.global[0]] = parts[from][k] + parts[from][k + TILE];
}

static void exchange_on_host(int n, const int *a, int *out)
{
    for (int tile = 0; tile < n; tile += TILE) {
        int parts[2][2 * TILE], from = 0;
        for (int k = 0; k < TILE; k++) {
            parts[0][k] = a[tile + k];
            parts[0][k + TILE] = -a[tile + k];
        }
        for (int half = 1; half <= TILE; half *= 2, from = !from)
            for (int k = 0; k < TILE; k++) {
                int place = 2 * k - (k & (half - 1));
                parts[!from][place] = parts[from][k] + 3 * parts[from][k + TILE];
                parts[!from][place + half] = parts[from][k] - 5 * parts[from][k & ~(half - 1)];
            }
        for (int k = 0; k < TILE; k++)
            out[tile + k] = parts[from][k] + parts[from][k + TILE];
    }
}

static int *fill(int n, int seed)
{
    int *a = check_alloc((size_t)n * sizeof *a);
    for (int i = 0; i < n; i++)
        a[i] = check_value(i + seed);
    return a;
}

static void check_flat(int rows, int width)
{
    int pitch = width + 3, n = rows * pitch;
    int *a = fill(n, 1), *out = fill(n, 2), *want = fill(n, 2);
    amp_array_view *views[] = {amp_array_view1(n, (const int *)a), amp_array_view1(n, out)};
    CHECK_OK(amp_parallel_for_each(amp_extent1(rows * width), flat, width, pitch, views[0], views[1]));
    for (int i = 0; i < rows * width; i++)
        flat((amp_index1){i}, n, width, pitch, a, want);
    CHECK_INTS(out, want, n, "flat, %d rows of %d", rows, width)
    check_release(views, LENGTH(views));
}

#define CHECK_MASKED(kernel, T)                                                                                        \
    static void check_##kernel(int n, int width)                                                                       \
    {                                                                                                                  \
        T *a = check_alloc((size_t)n * sizeof *a), *out = check_alloc((size_t)n * sizeof *a);                          \
        T *want = check_alloc((size_t)n * sizeof *a);                                                                  \
        for (int i = 0; i < n; i++) {                                                                                  \
            a[i] = (T)(check_value(i) % 30);                                                                           \
            out[i] = want[i] = 0;                                                                                      \
        }                                                                                                              \
        amp_array_view *views[] = {amp_array_view1(n, (const T *)a), amp_array_view1(n, out)};                         \
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), kernel, width, views[0], views[1]));                            \
        for (int i = 0; i < n; i++)                                                                                    \
            kernel((amp_index1){i}, n, width, a, want);                                                                \
        for (int i = 0; i < n; i++)                                                                                    \
            if (out[i] != want[i]) {                                                                                   \
                fprintf(stderr, #kernel ", %d in rows of %d: [%d] is %g, expected %g\n", n, width, i, (double)out[i],  \
                        (double)want[i]);                                                                              \
                exit(1);                                                                                               \
            }                                                                                                          \
        check_release(views, LENGTH(views));                                                                           \
    }
CHECK_MASKED(masked_bytes, int8_t)
CHECK_MASKED(masked_shorts, int16_t)
CHECK_MASKED(masked_floats, float)
CHECK_MASKED(masked_doubles, double)

static void check_halves(int groups, int shift)
{
    int half = 1 << shift, threads = groups * half, n = 2 * threads;
    int *a = fill(n, 3), *out = fill(n, 4), *want = fill(n, 4);
    amp_array_view *views[] = {amp_array_view1(n, (const int *)a), amp_array_view1(n, out)};
    CHECK_OK(amp_parallel_for_each(amp_extent1(threads), halves, half, shift, views[0], views[1]));
    for (int i = 0; i < threads; i++)
        halves((amp_index1){i}, n, half, shift, a, want);
    CHECK_INTS(out, want, n, "halves, %d groups of %d", groups, half)
    check_release(views, LENGTH(views));
}

static void check_others(int n)
{
    int *a = fill(n + 64, 5), *by = fill(n, 6), *out = fill(n, 7), *want = fill(n, 7);
    amp_array_view *views[] = {amp_array_view1(n + 64, (const int *)a), amp_array_view1(n, (const int *)by),
                               amp_array_view1(n, out), amp_array_view1(n, (const int *)a)};
    if (n > 15) {
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), constants, views[3], views[2]));
        for (int i = 0; i < n; i++)
            constants((amp_index1){i}, n, a, want);
        CHECK_INTS(out, want, n, "constants, %d", n)
    }
    CHECK_OK(amp_parallel_for_each(amp_extent1(n), unknown, views[1], views[3], views[2]));
    for (int i = 0; i < n; i++)
        unknown((amp_index1){i}, n, by, a, want);
    CHECK_INTS(out, want, n, "unknown, %d", n)
    check_release(views, LENGTH(views));
}

static void check_exchange(int n)
{
    int *a = fill(n, 8), *out = fill(n, 9), *want = fill(n, 9);
    amp_array_view *views[] = {amp_array_view1(n, (const int *)a), amp_array_view1(n, out)};
    CHECK_OK(amp_parallel_for_each(amp_extent1(n), exchange, views[0], views[1]));
    exchange_on_host(n, a, want);
    CHECK_INTS(out, want, n, "exchange, %d", n)
    check_release(views, LENGTH(views));
}

int main(void)
{
    EACH_EXTENT(width) {
        check_flat(1, width);
        check_flat(7, width);
        check_masked_bytes(3 * width + 1, width);
        check_masked_shorts(3 * width + 1, width);
        check_masked_floats(5 * width + 2, width);
        check_masked_doubles(5 * width + 2, width);
        check_others(width);
    }
    for (int shift = 0; shift < 8; shift++) {
        check_halves(1, shift);
        check_halves(5, shift);
    }
    check_exchange(TILE);
    check_exchange(3 * TILE);
    return 0;
}

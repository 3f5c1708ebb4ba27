/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=4 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 --amp-lanes=32 %s -o %t && %run-native %t
 *
 * Subscripts that are a choice by the index, such as clamps at a border: lanes load side by side where they lie side by
 * side, whatever the compiler guesses, and nothing beyond the ends of an array. */
#include "check.h"

static int least(int a, int b) restrict(cpu, amp)
{
    return a < b ? a : b;
}

static int most(int a, int b) restrict(cpu, amp)
{
    return a > b ? a : b;
}

static void stencil(amp_index1 idx, int n, const int a[n], const int b[n], int out[n]) restrict(cpu, amp)
{
    int i = idx[0], left = i > 0 ? i - 1 : 0, right = i < n - 1 ? i + 1 : n - 1;
    out[i] = a[left] - 3 * a[i] + 5 * a[right] + b[least(i + 3, n - 1)] * b[most(i - 7, 0)];
}

static void wide_stencil(amp_index1 idx, int n, const wide a[n], const wide b[n], wide out[n]) restrict(cpu, amp)
{
    wide sum = 0;
    for (int k = -5; k <= 5; k++)
        sum = sum * 3 + a[least(most(idx[0] + k, 0), n - 1)] - b[most(least(idx[0] - k, n - 1), 0)];
    out[idx[0]] = sum;
}

static void wraps_around(amp_index1 idx, int n, const float a[n], const float b[n], float out[n]) restrict(cpu, amp)
{
    int i = idx[0], left = i == 0 ? n - 1 : i - 1, right = i == n - 1 ? 0 : i + 1;
    out[i] = a[left] * 0.5f + a[right] + b[(unsigned)left < (unsigned)n / 2 ? left : i];
}

static void under_mask(amp_index1 idx, int n, const double a[n], const double b[n], double out[n]) restrict(cpu, amp)
{
    int i = idx[0];
    if (a[i] > b[i])
        out[i] = a[most(i - 1, 0)] + b[least(i + 1, n - 1)];
    else if (i % 3 == 1)
        out[i] = a[i > n / 2 ? i - 1 : i];
}

/* Guesses that are wrong: lanes take turns, or meet in the middle of a vector. */
static void wrong(amp_index1 idx, int n, const int a[n], const int b[n], int out[n]) restrict(cpu, amp)
{
    int i = idx[0], middle = i > n / 2 ? i - n / 2 : i;
    out[i] = a[i % 2 && i > 0 ? i - 1 : i] + b[i < 13 ? i : n - 1] + a[middle] + b[i == n / 3 ? 0 : i];
}

/* Conditions alone decide whether lanes lie side by side: they may be the same for all lanes, differ only in lanes that
 * are off, or part lanes that are on. Some sides of a choice count otherwise than others. */
static void by_conditions(amp_index1 idx, int n, const int a[n], const int b[n], int out[n]) restrict(cpu, amp)
{
    int i = idx[0], middle = n / 2, third = n / 3;
    unsigned u = (unsigned)i;
    int sum = a[i - (i > middle)] + 3 * b[i + (i < n - 1 && i != third)];
    sum += 5 * a[u - (u > (unsigned)third)] - b[(i > third ? i - (i > middle) : i) - (i > n - 5 && i > 0)];
    if (i != middle)
        out[i - (i > middle)] = sum;
    if (i > middle + 1)
        sum += a[i - (i > middle)] + b[i - (i > middle + 1 ? 2 : 0)];
    if (i % 4 == 0 && i < n - 1)
        sum += a[i + (i < middle)] + b[i + (i % 2 == 0)];
    if (i < third)
        sum += a[i > 2 * third ? 7 : i + (i < middle)] + b[i < middle ? i : 0];
    if (i == n - 1)
        out[i] = sum;
}

/* Of two arrays, one ends where the other begins to count. */
static void of_two(amp_index1 idx, int n, const float a[n], const float b[n], float out[n]) restrict(cpu, amp)
{
    int i = idx[0], half = n / 2;
    out[i] = *(i < half ? &a[i] : &b[i - half]);
}

static void narrow(amp_index1 idx, int n, const short a[n], const unsigned char b[n], int out[n]) restrict(cpu, amp)
{
    int i = idx[0];
    out[i] = a[most(i - 1, 0)] * 3 + b[least(i + 2, n - 1)];
}

static void check_narrow(int n)
{
    short *a = check_alloc((size_t)n * sizeof *a);
    unsigned char *b = check_alloc((size_t)n);
    int *out = check_alloc((size_t)n * sizeof *out), *want = check_alloc((size_t)n * sizeof *want);
    for (int i = 0; i < n; i++) {
        a[i] = (short)check_value(i);
        b[i] = (unsigned char)check_value(i + 5);
    }
    amp_array_view *left = amp_array_view1(n, (const short *)a), *right = amp_array_view1(n, (const unsigned char *)b);
    amp_array_view *to = amp_array_view1(n, out);
    CHECK_OK(amp_parallel_for_each(amp_extent1(n), narrow, left, right, to));
    for (int i = 0; i < n; i++)
        narrow((amp_index1){i}, n, a, b, want);
    CHECK_INTS(out, want, n, "narrow, %d", n)
    amp_array_view_release(left);
    amp_array_view_release(right);
    amp_array_view_release(to);
    check_free_all();
}

/* ---- subscripts that wrap around where their type ends ---- */

enum { BYTES = 256, WORDS = 65536 };

static void wraps(amp_index1 idx, int n, const int table[BYTES], const int large[WORDS], int out[n]) restrict(cpu, amp)
{
    int i = idx[0];
    unsigned char byte = (unsigned char)(i + 3);
    signed char distance = (signed char)(i - 100);
    unsigned short word = (unsigned short)(i - 9);
    const int *middle = &table[BYTES / 2];
    out[i] = table[byte] + 3 * middle[distance] - 5 * large[word];
    if (i >= 8)
        out[i] += large[(unsigned)i - 8u] + large[(unsigned)i - (unsigned)(i >= 8 ? 8 : 9)];
}

static void check_wraps(int n)
{
    static int table[BYTES], large[WORDS];
    int *out = check_alloc((size_t)n * sizeof *out), *want = check_alloc((size_t)n * sizeof *want);
    for (int i = 0; i < WORDS; i++)
        large[i] = table[i % BYTES] = check_value(i);
    amp_array_view *bytes = amp_array_view1(BYTES, (const int *)table);
    amp_array_view *words = amp_array_view1(WORDS, (const int *)large), *to = amp_array_view1(n, out);
    CHECK_OK(amp_parallel_for_each(amp_extent1(n), wraps, bytes, words, to));
    for (int i = 0; i < n; i++)
        wraps((amp_index1){i}, n, table, large, want);
    CHECK_INTS(out, want, n, "wraps, %d", n)
    amp_array_view_release(bytes);
    amp_array_view_release(words);
    amp_array_view_release(to);
    check_free_all();
}

/* ---- tiles: the places are in tile memory, and in loops ---- */

enum { TILE = 72, TILES = 3, STEPS = 7, N = TILE * TILES };

static void smooth(amp_tiled_index1(TILE) t, int steps, const int from[N], int to[N]) restrict(amp)
{
    tile_static int now[TILE], next[TILE];
    int i = t.local[0], left = i > 0 ? i - 1 : i, right = i < TILE - 1 ? i + 1 : i;
    now[i] = from[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    for (int step = 0; step < steps; step++) {
        if (i >= step)
            next[i] = now[left] / 2 + now[i] - now[right] / 3;
        else
            next[i] = now[i];
        amp_tile_barrier_wait(t.barrier);
        now[i] = next[i];
        amp_tile_barrier_wait(t.barrier);
    }
    to[t.global[0]] = now[i];
}

static void check_tiles(void)
{
    static int from[N], to[N], want[N], next[N];
    for (int i = 0; i < N; i++)
        from[i] = want[i] = check_value(i);
    amp_array_view *from_view = amp_array_view1(N, (const int *)from), *to_view = amp_array_view1(N, to);
    CHECK_OK(amp_parallel_for_each(amp_extent1(N), smooth, STEPS, from_view, to_view));
    for (int step = 0; step < STEPS; step++) {
        for (int g = 0; g < N; g++) {
            int i = g % TILE, left = i > 0 ? g - 1 : g, right = i < TILE - 1 ? g + 1 : g;
            next[g] = i >= step ? want[left] / 2 + want[g] - want[right] / 3 : want[g];
        }
        memcpy(want, next, sizeof want);
    }
    CHECK_INTS(to, want, N, "smooth")
    amp_array_view_release(from_view);
    amp_array_view_release(to_view);
}

/* A condition that has no value in lanes for which another one makes it irrelevant. */
enum { LARGE = 128, SHIFTED = 32 };

static void irrelevant(amp_tiled_index1(LARGE) t, unsigned bits, int n, const int from[n], int to[n]) restrict(amp)
{
    tile_static int now[LARGE + 1];
    int i = t.local[0];
    now[i] = from[t.global[0]];
    if (i == 0)
        now[LARGE] = 5;
    amp_tile_barrier_wait(t.barrier);
    to[t.global[0]] = now[i < SHIFTED ? i - (bits >> i == 1) : i + 1];
}

static void check_irrelevant(unsigned bits)
{
    static int from[LARGE], to[LARGE], want[LARGE];
    for (int i = 0; i < LARGE; i++) {
        from[i] = check_value(i);
        to[i] = -1;
    }
    amp_array_view *from_view = amp_array_view1(LARGE, (const int *)from), *to_view = amp_array_view1(LARGE, to);
    CHECK_OK(amp_parallel_for_each(amp_extent1(LARGE), irrelevant, bits, from_view, to_view));
    for (int i = 0; i < LARGE; i++)
        want[i] = i < SHIFTED ? from[i - (bits >> i == 1)] : i + 1 < LARGE ? from[i + 1] : 5;
    CHECK_INTS(to, want, LARGE, "irrelevant, %u", bits)
    amp_array_view_release(from_view);
    amp_array_view_release(to_view);
}

int main(void)
{
    CHECK_KERNEL(int, stencil);
    CHECK_KERNEL(wide, wide_stencil);
    CHECK_KERNEL(float, wraps_around);
    CHECK_KERNEL(double, under_mask);
    CHECK_KERNEL(int, wrong);
    CHECK_KERNEL(int, by_conditions);
    CHECK_KERNEL(float, of_two);
    EACH_EXTENT(n) {
        check_narrow(n);
        check_wraps(n);
    }
    check_wraps(1000);
    check_tiles();
    check_irrelevant(0);
    check_irrelevant(48);
    return 0;
}

/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=4 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 --amp-lanes=32 %s -o %t && %run-native %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=64 %s -o %t && %run-cpu %t
 *
 * Comparisons of what grows from thread to thread with what is the same for all, near the ends of the types' ranges:
 * lanes that have nothing to do there must not matter. */
#include "check.h"
#include <limits.h>

enum { TILE = 128 };

/* One bit for each comparison, in as many lanes as one vector of bytes may stand for. */
static void all(amp_index1 idx, int n, int limit, int64_t far, int out[n]) restrict(cpu, amp)
{
    int i = idx[0], result = 0;
    if (i < limit)
        result |= 1;
    if (i <= limit)
        result |= 2;
    if (limit < 2 * i)
        result |= 4;
    if (limit <= -i)
        result |= 8;
    if (i == limit)
        result |= 16;
    if (i - 70 != limit)
        result |= 32;
    if (far > i)
        result |= 64;
    if (far - 1 >= (int64_t)3 - i)
        result |= 128;
    if ((int64_t)i * 2 - 100 == far)
        result |= 256;
    if (i + 5u < (unsigned)limit)
        result |= 512;
    if ((short)limit > i)
        result |= 1024;
    out[i] = result;
}

/* Loops whose counters begin at the thread's index, and that end near the range's end. */
static void strides(amp_tiled_index1(TILE) t, int n, int first, int limit, int64_t far, int out[n]) restrict(amp)
{
    int count = 0;
    for (int64_t i = first + (int64_t)t.local[0]; i < limit; i += 300)
        count++;
    for (int64_t i = far - t.local[0]; i > far - 1000; i -= 100)
        count += 1000;
    amp_tile_barrier_wait(t.barrier);
    out[t.global[0]] = count;
}

/* The sums of the threads that are off would wrap around. */
static void ends(amp_tiled_index1(TILE) t, int n, int first, int limit, const int base[n], int out[n]) restrict(amp)
{
    int result = base[t.global[0]];
    if (t.local[0] >= first) {
        int i = t.local[0] - first + (INT_MAX - TILE + 1);
        result += i > limit ? 1 : 2;
        int j = INT_MIN + (t.local[0] - first);
        result += j < limit ? 10 : 20;
    }
    amp_tile_barrier_wait(t.barrier);
    out[t.global[0]] = result;
}

/* Away from its borders a block needs no masks. */
static void border(amp_index1 idx, int n, int64_t width, const int a[n], int out[n]) restrict(cpu, amp)
{
    int64_t i = idx[0];
    if (i < 3 || i >= width - 3)
        out[i] = a[i];
    else
        out[i] = a[i - 3] + a[i + 3];
}

static const int limits[] = {INT_MIN, INT_MIN + 1, -130,  -70,   -1,           0,           1,
                             7,       31,          32,    63,    64,           65,          127,
                             128,     200,         32767, 32768, INT_MAX - 70, INT_MAX - 1, INT_MAX};
static const int64_t distances[] = {INT64_MIN + 2000, INT_MIN - 5ll, INT_MIN,       -100,     -1, 0, 5, 64, 300,
                                    INT_MAX,          INT_MAX + 5ll, INT64_MAX - 5, INT64_MAX};

static void check_limits(int n, const int *in, int *got, int *want, int limit)
{
    amp_auto_array_view *from = amp_array_view1(n, in), *out = amp_array_view1(n, got);
    for (int d = 0; d < LENGTH(distances); d++) {
        amp_parallel_for_each(amp_extent1(n), all, limit, distances[d], out);
        for (int i = 0; i < n; i++)
            all((amp_index1){i}, n, limit, distances[d], want);
        CHECK_INTS(got, want, n, "all, n = %d, limit = %d, far = %" PRId64, n, limit, distances[d]);
    }
    if (n % TILE)
        return;
    for (int first = 0; first < TILE; first += 9) {
        amp_parallel_for_each(amp_extent1(n), ends, first, limit, from, out);
        for (int i = 0; i < n; i++) {
            int local = i % TILE, high = local - first + (INT_MAX - TILE + 1);
            want[i] = in[i];
            if (local >= first)
                want[i] += (high > limit ? 1 : 2) + (INT_MIN + (local - first) < limit ? 10 : 20);
        }
        CHECK_INTS(got, want, n, "ends, first = %d, limit = %d", first, limit);
    }
}

static void check_strides(int n, int *got, int *want, int first, int limit, int64_t far)
{
    amp_auto_array_view *out = amp_array_view1(n, got);
    amp_parallel_for_each(amp_extent1(n), strides, first, limit, far, out);
    for (int g = 0; g < n; g++) {
        want[g] = 0;
        for (int64_t i = first + (int64_t)(g % TILE); i < limit; i += 300)
            want[g]++;
        for (int64_t i = far - g % TILE; i > far - 1000; i -= 100)
            want[g] += 1000;
    }
    CHECK_INTS(got, want, n, "strides, first = %d, limit = %d, far = %" PRId64, first, limit, far);
}

int main(void)
{
    static const int sizes[] = {1, 17, 63, 65, 128, 200, 256};
    for (int s = 0; s < LENGTH(sizes); s++) {
        int n = sizes[s];
        int *in = check_alloc((size_t)n * sizeof *in), *got = check_alloc((size_t)n * sizeof *got);
        int *want = check_alloc((size_t)n * sizeof *want);
        for (int i = 0; i < n; i++)
            in[i] = check_value(i);
        for (int l = 0; l < LENGTH(limits); l++)
            check_limits(n, in, got, want, limits[l]);
        amp_auto_array_view *from = amp_array_view1(n, (const int *)in), *out = amp_array_view1(n, got);
        amp_parallel_for_each(amp_extent1(n), border, (int64_t)n, from, out);
        for (int i = 0; i < n; i++)
            border((amp_index1){i}, n, n, in, want);
        CHECK_INTS(got, want, n, "border, n = %d", n);
        if (n % TILE == 0) {
            check_strides(n, got, want, 0, 5000, 0);
            check_strides(n, got, want, INT_MAX - 2000, INT_MAX, INT64_MAX);
            check_strides(n, got, want, INT_MIN, INT_MIN + 2000, INT64_MIN + 2000);
            check_strides(n, got, want, 100, INT_MIN, INT_MAX);
        }
        check_free_all();
    }
    return 0;
}

/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=4 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 --amp-lanes=32 %s -o %t && %run-native %t
 *
 * Loops that lanes leave at different times, each of which adds up what it reads along a row of its own: vectors of
 * successive iterations run as far as all lanes do. Nothing is read that the thread would not read. */
#include "check.h"

enum { LONGEST = 150, MOST_ROWS = 77 };

/* A row goes from first(i) to last(i), which lie in it, though the first may be behind the last. */
struct bounds {
    int first, each_first, last, each_last;
};

static int first_of(struct bounds s, int i) restrict(cpu, amp)
{
    int first = s.first + s.each_first * i;
    return first < 0 ? 0 : first;
}

static int last_of(struct bounds s, int i) restrict(cpu, amp)
{
    int last = s.last + s.each_last * i;
    return last > LONGEST ? LONGEST : last;
}

#define FORM(NAME)                                                                                                     \
    static void NAME(amp_index1 idx, int n, struct bounds s, const int a[n][LONGEST], const int b[LONGEST],            \
                     int out[n]) restrict(cpu, amp)

FORM(lower)
{
    int sum = 1;
    for (int k = 0; k < last_of(s, idx[0]); k++)
        sum += a[idx[0]][k] * b[k];
    out[idx[0]] = sum;
}

FORM(upper)
{
    int sum = 0, k = first_of(s, idx[0]);
    for (; k < LONGEST; k++)
        sum -= a[idx[0]][k] ^ b[k];
    out[idx[0]] = sum + k;
}

FORM(band)
{
    unsigned sum = 3, first = (unsigned)first_of(s, idx[0]), last = (unsigned)last_of(s, idx[0]);
    for (unsigned k = first < last ? first : last; k != last; k++)
        sum |= (unsigned)a[idx[0]][k] & 0x55;
    out[idx[0]] = (int)sum;
}

FORM(inclusive)
{
    int sum = 0, most = -9999;
    for (int k = first_of(s, idx[0]); k <= last_of(s, idx[0]) - 1; k++) {
        int value = a[idx[0]][k];
        sum += value;
        most = value > most ? value : most;
    }
    out[idx[0]] = sum * 31 + most;
}

/* Lanes that are off have other rows, and other ends. */
FORM(under_if)
{
    int sum = 5;
    if (b[idx[0]] % 3 == 0)
        for (int k = 0; k < last_of(s, idx[0]); k++)
            sum += a[idx[0]][k];
    out[idx[0]] = sum;
}

/* The loop begins again, for other lanes. */
FORM(nested)
{
    int sum = 0;
    for (int round = 0; round < b[idx[0]] % 5; round++) {
        int inner = round;
        for (int k = round; k < last_of(s, idx[0]) - round; k++)
            inner += a[idx[0]][k] & round;
        sum = sum * 3 + inner;
    }
    out[idx[0]] = sum;
}

/* What a lane has when it leaves the loop is not what others go on with. */
FORM(kept)
{
    int sum = 0, k = 0;
    for (int round = 0; round < 3; round++) {
        for (k = round; k < last_of(s, idx[0] + round); k++)
            sum += a[idx[0]][k];
        sum = sum * 5 + k;
    }
    out[idx[0]] = sum + k;
}

FORM(by_two)
{
    int sum = 0;
    for (int k = 0, l = 0; l < last_of(s, idx[0]) * 2; k++, l += 2)
        sum += a[idx[0]][k] + l;
    out[idx[0]] = sum;
}

FORM(by_pointer)
{
    const int *from = &a[idx[0]][first_of(s, idx[0])];
    int sum = 0;
    for (int left = last_of(s, idx[0]) - first_of(s, idx[0]); left > 0; left--)
        sum += *from++;
    out[idx[0]] = sum;
}

/* The loop also writes, in one iteration. */
FORM(written)
{
    int sum = 0;
    for (int k = 0; k < last_of(s, idx[0]); k++) {
        sum += a[idx[0]][k];
        if (k == 3)
            out[idx[0]] = sum;
    }
    out[idx[0]] = sum;
}

static void short_sums(amp_index1 idx, int n, struct bounds s, const short a[n][LONGEST], short out[n])
    restrict(cpu, amp)
{
    short sum = 0;
    for (long long k = 0; k < last_of(s, idx[0]); k++)
        sum += a[idx[0]][k];
    out[idx[0]] = sum;
}

static void wide_sums(amp_index1 idx, int n, struct bounds s, const long long a[n][LONGEST], long long out[n])
    restrict(cpu, amp)
{
    long long sum = 0;
    for (int k = first_of(s, idx[0]); k < last_of(s, idx[0]); k++)
        sum ^= a[idx[0]][k] * 3;
    out[idx[0]] = sum;
}

static void check_rows(int n, struct bounds s)
{
    int *a = check_alloc((size_t)n * LONGEST * sizeof(int)), *b = check_alloc(LONGEST * sizeof(int));
    int *out = check_alloc((size_t)n * sizeof(int)), *want = check_alloc((size_t)n * sizeof(int));
    for (int i = 0; i < n * LONGEST; i++)
        a[i] = check_value(i) - 100;
    for (int i = 0; i < LONGEST; i++)
        b[i] = check_value(i + 7);
    amp_array_view *from = amp_array_view2(n, LONGEST, (const int *)a),
                   *with = amp_array_view1(LONGEST, (const int *)b), *to = amp_array_view1(n, out);
#define CHECK_ROWS(NAME)                                                                                               \
    CHECK_OK(amp_parallel_for_each(amp_extent1(n), NAME, s, from, with, to));                                          \
    CHECK_OK(amp_synchronize(to));                                                                                     \
    for (int i = 0; i < n; i++)                                                                                        \
        NAME((amp_index1){i}, n, s, (const int(*)[LONGEST])a, b, want);                                                \
    CHECK_BYTES(out, want, n, #NAME ", %d rows, %d %d %d %d", n, s.first, s.each_first, s.last, s.each_last)
    CHECK_ROWS(lower)
    CHECK_ROWS(upper)
    CHECK_ROWS(band)
    CHECK_ROWS(inclusive)
    CHECK_ROWS(under_if)
    CHECK_ROWS(nested)
    CHECK_ROWS(kept)
    CHECK_ROWS(by_two)
    CHECK_ROWS(by_pointer)
    CHECK_ROWS(written)
    amp_array_view_release(from);
    amp_array_view_release(with);
    amp_array_view_release(to);
    check_free_all();
}

#define OTHER_TYPE(T, NAME)                                                                                            \
    static void NAME##_check(int n, struct bounds s)                                                                   \
    {                                                                                                                  \
        T *a = check_alloc((size_t)n * LONGEST * sizeof(T)), *out = check_alloc((size_t)n * sizeof(T));                \
        T *want = check_alloc((size_t)n * sizeof(T));                                                                  \
        for (int i = 0; i < n * LONGEST; i++)                                                                          \
            a[i] = (T)(check_value(i) * 5);                                                                            \
        amp_array_view *from = amp_array_view2(n, LONGEST, (const T *)a), *to = amp_array_view1(n, out);               \
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), NAME, s, from, to));                                            \
        CHECK_OK(amp_synchronize(to));                                                                                 \
        for (int i = 0; i < n; i++)                                                                                    \
            NAME((amp_index1){i}, n, s, (const T(*)[LONGEST])a, want);                                                 \
        CHECK_BYTES(out, want, n, #NAME ", %d rows, %d %d %d %d", n, s.first, s.each_first, s.last, s.each_last)       \
        amp_array_view_release(from);                                                                                  \
        amp_array_view_release(to);                                                                                    \
        check_free_all();                                                                                              \
    }
OTHER_TYPE(short, short_sums)
OTHER_TYPE(long long, wide_sums)

/* ---- tiles ---- */

enum { TILE = 32, TILES = 3, THREADS = TILE * TILES };

static void in_tiles(amp_tiled_index1(TILE) t, const int a[THREADS][LONGEST], int out[THREADS]) restrict(amp)
{
    tile_static int part[TILE];
    int i = t.global[0], sum = 0, again = 0;
    for (int k = 0; k <= i; k++)
        sum += a[i][k];
    part[t.local[0]] = sum;
    amp_tile_barrier_wait(t.barrier);
    for (int k = t.local[0]; k < TILE; k++)
        again ^= a[i][k];
    out[i] = part[TILE - 1 - t.local[0]] + 3 * again;
}

static void check_tiles(void)
{
    int *a = check_alloc(THREADS * LONGEST * sizeof(int)), *out = check_alloc(THREADS * sizeof(int));
    int sums[THREADS] = {0}, want[THREADS];
    for (int i = 0; i < THREADS * LONGEST; i++)
        a[i] = check_value(i) - 50;
    amp_array_view *from = amp_array_view2(THREADS, LONGEST, (const int *)a), *to = amp_array_view1(THREADS, out);
    CHECK_OK(amp_parallel_for_each(amp_extent1(THREADS), in_tiles, from, to));
    CHECK_OK(amp_synchronize(to));
    for (int i = 0; i < THREADS; i++)
        for (int k = 0; k <= i; k++)
            sums[i] += a[i * LONGEST + k];
    for (int i = 0; i < THREADS; i++) {
        int local = i % TILE, again = 0;
        for (int k = local; k < TILE; k++)
            again ^= a[i * LONGEST + k];
        want[i] = sums[i - local + TILE - 1 - local] + 3 * again;
    }
    CHECK_BYTES(out, want, THREADS, "in_tiles")
    amp_array_view_release(from);
    amp_array_view_release(to);
    check_free_all();
}

int main(void)
{
    check_tiles();
    static const struct bounds all[] = {{0, 1, 0, 1},       {0, 1, 1, 1},           {0, 1, LONGEST - MOST_ROWS, 1},
                                        {-9, 1, 10, 1},     {-40, 1, 41, 1},        {3, 0, 3, 0},
                                        {5, 0, 149, 0},     {70, -1, 100, 1},       {0, 2, LONGEST, -1},
                                        {-50, 3, 8, 2},     {0, 0, 0, 7},           {60, 1, 40, 1},
                                        {130, -5, 200, -1}, {1, 0, LONGEST + 9, -2}};
    for (int k = 0; k < LENGTH(all); k++)
        for (int n = 1; n <= MOST_ROWS; n += 19) {
            struct bounds s = all[k];
            if (first_of(s, n - 1) > LONGEST || last_of(s, n + 1) < 0)
                continue; /* the row ends before that */
            check_rows(n, s);
            short_sums_check(n, s);
            wide_sums_check(n, s);
        }
    return 0;
}

/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=2 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 --amp-lanes=32 %s -o %t && %run-native %t
 *
 * Loops in which each lane goes through elements of its own: several of them are loaded at once, for several
 * iterations. Sums are added in the order of the source, nothing is read that the thread would not read, and what the
 * loop itself writes is seen. */
#include "check.h"

enum { MOST_ROWS = 37, MOST = 71, LONG = 601 };

/* ---- types and lengths ---- */

#define ROWS(T, NAME)                                                                                                  \
    static void NAME(amp_index1 idx, int width, int n, int pitch, int size, const T a[size], T out[n])                 \
        restrict(cpu, amp)                                                                                             \
    {                                                                                                                  \
        T sum = (T)1;                                                                                                  \
        for (int k = 0; k < width; k++)                                                                                \
            sum = (T)(sum / (T)2 + a[idx[0] * pitch + k]); \
        out[idx[0]] = sum;                                                                                             \
    }                                                                                                                  \
    static void NAME##_check(void)                                                                                     \
    {                                                                                                                  \
        for (int n = 1; n <= MOST_ROWS; n += 18)                                                                   \
            for (int width = 0; width <= LONG; width += width < 36 ? 1 : width < MOST ? 7 : LONG - MOST)               \
                for (int more = 0; more < 3; more += 2) {                                                              \
                    int pitch = width + more, size = (n - 1) * pitch + width;                                          \
                    if (size == 0)                                                                                     \
                        continue;                                                                                      \
                    T *a = check_alloc((size_t)size * sizeof(T)), *out = check_alloc((size_t)n * sizeof(T));           \
                    T *want = check_alloc((size_t)n * sizeof(T));                                                      \
                    for (int i = 0; i < size; i++)                                                                     \
                        a[i] = (T)(check_value(i) / (T)4);                                                             \
                    amp_array_view *from = amp_array_view1(size, (const T *)a), *to = amp_array_view1(n, out);         \
                    CHECK_OK(amp_parallel_for_each(amp_extent1(n), NAME, width, pitch, from, to));                     \
                    for (int i = 0; i < n; i++)                                                                        \
                        NAME((amp_index1){i}, width, n, pitch, size, a, want);                                         \
                    CHECK_BYTES(out, want, n, #NAME ", %d rows of %d, %d apart", n, width, pitch)                      \
                    amp_array_view_release(from);                                                                      \
                    amp_array_view_release(to);                                                                        \
                    check_free_all();                                                                                  \
                }                                                                                                      \
    }
ROWS(float, of_float)
ROWS(double, of_double)
ROWS(int, of_int)
ROWS(short, of_short)
ROWS(unsigned char, of_char)
ROWS(long long, of_long)

/* ---- forms of loops ---- */

/* Depends on the order in which values are mixed in. */
static int mix(int sum, int value) restrict(cpu, amp)
{
    return (int)((unsigned)sum * 3 + (unsigned)value);
}

#define FORM(NAME)                                                                                                     \
    static void NAME(amp_index1 idx, int n, int from, int to, const int a[n][MOST], const int b[n][MOST], int out[n])  \
        restrict(cpu, amp)

FORM(backwards)
{
    int sum = 7;
    for (int k = to - 1; k >= from; k--)
        sum = mix(sum, a[idx[0]][k]);
    out[idx[0]] = sum;
}

FORM(is_unsigned)
{
    int sum = 7;
    for (unsigned k = (unsigned)from; k < (unsigned)to; k++)
        sum = mix(sum, a[idx[0]][k] * b[idx[0]][k]);
    out[idx[0]] = sum;
}

FORM(narrow)
{
    int sum = 7;
    for (unsigned char k = (unsigned char)from; k != (unsigned char)to; k++)
        sum = mix(sum, a[idx[0]][k]);
    out[idx[0]] = sum;
}

FORM(do_while)
{
    int sum = 7, k = from;
    if (from < to)
        do
            sum = mix(sum, a[idx[0]][k]);
        while (++k < to);
    out[idx[0]] = sum;
}

FORM(compares_first)
{
    int sum = 7, k = from;
    if (from < to)
        do
            sum = mix(sum, a[idx[0]][k]);
        while (k++ != to - 1);
    out[idx[0]] = sum;
}

FORM(leaves_in_the_middle)
{
    int sum = 7;
    for (int k = from; from < to; k++) {
        sum = mix(sum, b[idx[0]][k]);
        if (k == to - 1)
            break;
        sum = mix(sum, a[idx[0]][k + 1]);
    }
    out[idx[0]] = sum;
}

FORM(includes_last)
{
    int sum = 7;
    for (long k = from; k <= to - 1; k++)
        sum = mix(sum, a[idx[0]][k]);
    out[idx[0]] = sum;
}

FORM(in_steps)
{
    int sum = 7, at = from;
    for (int k = 3 * from; k < 3 * to - 1; k += 3)
        sum = mix(sum, a[idx[0]][at++]);
    out[idx[0]] = sum;
}

FORM(every_second)
{
    int sum = 7;
    for (int k = from; k < to; k += 2)
        sum = mix(sum, a[idx[0]][k]);
    out[idx[0]] = sum;
}

FORM(pointers)
{
    int sum = 7;
    for (const int *p = &a[idx[0]][from], *end = &a[idx[0]][from] + (to > from ? to - from : 0); p < end; p++)
        sum = mix(sum, *p);
    out[idx[0]] = sum;
}

FORM(both_ways)
{
    int sum = 7;
    for (int k = from; k < to; k++)
        sum = mix(sum, a[idx[0]][k] * b[n - 1 - idx[0]][to - 1 - (k - from)]);
    out[idx[0]] = sum;
}

FORM(again)
{
    int sum = 7;
    for (int times = 0; times < 3; times++)
        for (int k = from + times; k < to; k++)
            sum = mix(sum, a[idx[0]][k] + times);
    out[idx[0]] = sum;
}

FORM(indirect)
{
    int row = (int)((unsigned)b[idx[0]][0] % (unsigned)n), sum = 7;
    for (int k = from; k < to; k++)
        sum = mix(sum, a[row][k]);
    out[idx[0]] = sum;
}

FORM(leaves_early)
{
    int sum = 7;
    for (int k = from; k < to; k++) {
        if (a[idx[0]][k] > 490)
            break;
        sum = mix(sum, a[idx[0]][k]);
    }
    out[idx[0]] = sum;
}

FORM(all_leave_early)
{
    int sum = 7;
    for (int k = from; k < to; k++) {
        if (b[0][k] > 400)
            break;
        sum = mix(sum, a[idx[0]][k]);
    }
    out[idx[0]] = sum;
}

FORM(own_length)
{
    int sum = 7;
    for (int k = from; k < to - idx[0] % 5; k++)
        sum = mix(sum, a[idx[0]][k]);
    out[idx[0]] = sum;
}

FORM(under_mask)
{
    int sum = 7;
    if (b[idx[0]][1] > 0)
        for (int k = from; k < to; k++)
            sum = mix(sum, a[idx[0]][k]);
    out[idx[0]] = sum;
}

FORM(mask_inside)
{
    int sum = 7;
    for (int k = from; k < to; k++) {
        if (b[idx[0]][k] > 0)
            sum = mix(sum, a[idx[0]][k]);
        sum += b[idx[0]][k];
    }
    out[idx[0]] = sum;
}

FORM(skips)
{
    int sum = 7;
    for (int k = from; k < to; k++) {
        if (k % 3 == 1)
            continue;
        sum = mix(sum, a[idx[0]][k]);
    }
    out[idx[0]] = sum;
}

FORM(through_private)
{
    int last[4] = {0}, sum = 7;
    for (int k = from; k < to; k++) {
        last[a[idx[0]][k] & 3] += k;
        sum = mix(sum, last[b[idx[0]][k] & 3]);
    }
    out[idx[0]] = sum;
}

/* The load comes after a branch, and the loop counts apart from the place. */
FORM(after_branch)
{
    int sum = 7, at = from, count = from;
    out[idx[0]] = sum;
    if (from >= to)
        return;
    do {
        count += 3;
        if (b[0][at] > 0)
            sum = mix(sum, b[idx[0]][from]);
        sum = mix(sum, a[idx[0]][at]);
        at++;
    } while (count < to);
    out[idx[0]] = sum;
}

typedef void form_kernel(amp_index1 idx, int n, int from, int to, const int a[][MOST], const int b[][MOST], int out[]);

static void check_form(const char *name, form_kernel *kernel, int n, int from, int to)
{
    int (*a)[MOST] = check_alloc((size_t)n * sizeof *a), (*b)[MOST] = check_alloc((size_t)n * sizeof *b);
    int *out = check_alloc((size_t)n * sizeof *out), *want = check_alloc((size_t)n * sizeof *want);
    for (int i = 0; i < n * MOST; i++) {
        a[0][i] = check_value(i);
        b[0][i] = check_value(i + 999);
    }
    amp_array_view *left = amp_array_view2(n, MOST, (const int *)a), *right = amp_array_view2(n, MOST, (const int *)b);
    amp_array_view *to_view = amp_array_view1(n, out);
    CHECK_OK(amp_parallel_for_each(amp_extent1(n), kernel, from, to, left, right, to_view));
    for (int i = 0; i < n; i++)
        kernel((amp_index1){i}, n, from, to, (const int (*)[MOST])a, (const int (*)[MOST])b, want);
    CHECK_INTS(out, want, n, "%s, %d rows from %d to %d", name, n, from, to)
    amp_array_view_release(left);
    amp_array_view_release(right);
    amp_array_view_release(to_view);
    check_free_all();
}

#define CHECK_ROWS(NAME)                                                                                               \
    for (int n = 1; n <= MOST_ROWS; n += 18)                                                                           \
        for (int from = 0; from <= 20; from += 1 + 9 * from)                                                           \
            for (int to = from; to <= MOST; to += to < from + 18 ? 1 : 5)                                              \
    check_form(#NAME, NAME, n, from, to)

/* ---- what the loop writes ---- */

/* Each thread computes its row from left to right, in place: an element needs the one before it. */
static void in_place(amp_index1 idx, int n, int width, int a[n][width]) restrict(cpu, amp)
{
    for (int k = 1; k < width; k++)
        a[idx[0]][k] = mix(a[idx[0]][k - 1], a[idx[0]][k]);
}

/* `to` may be a part of the same array. */
static void copies(amp_index1 idx, int width, int m, int n, const int a[n], int to[m]) restrict(cpu, amp)
{
    for (int k = 0; k < width - 1; k++)
        to[idx[0] * width + k] = a[idx[0] * width + k] / 2 + 1;
}

/* It adds up what it has just counted. */
static void counts(amp_index1 idx, int n, int width, int a[n][width], int out[n]) restrict(cpu, amp)
{
    int sum = 0;
    for (int k = 0; k < width - 1; k++) {
        amp_atomic_fetch_add(&a[idx[0]][k + 1], 2);
        sum = mix(sum, a[idx[0]][k]);
    }
    out[idx[0]] = sum;
}

static void check_writes(int n, int width)
{
    size_t bytes = (size_t)(n * width) * sizeof(int);
    int *a = check_alloc(bytes), *want = check_alloc(bytes);
    int *out = check_alloc((size_t)n * sizeof *out), *sums = check_alloc((size_t)n * sizeof *sums);
    for (int i = 0; i < n * width; i++)
        a[i] = want[i] = check_value(i);
    amp_array_view *view = amp_array_view2(n, width, a), *out_view = amp_array_view1(n, out);
    CHECK_OK(amp_parallel_for_each(amp_extent1(n), in_place, view));
    for (int i = 0; i < n; i++)
        in_place((amp_index1){i}, n, width, (int (*)[width])want);
    CHECK_INTS(a, want, n * width, "in place, %d rows of %d", n, width)
    CHECK_OK(amp_parallel_for_each(amp_extent1(n), counts, view, out_view));
    for (int i = 0; i < n; i++) {
        int sum = 0;
        for (int k = 0; k < width - 1; k++) {
            want[i * width + k + 1] += 2;
            sum = mix(sum, want[i * width + k]);
        }
        sums[i] = sum;
    }
    CHECK_INTS(out, sums, n, "counts, %d rows of %d", n, width)
    amp_array_view_release(view);
    if (width > 1) {
        amp_array_view *all = amp_array_view1(n * width, a), *shifted = amp_array_view_section1(all, 1, n * width - 1);
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), copies, width, all, shifted));
        for (int i = 0; i < n; i++)
            copies((amp_index1){i}, width, n * width - 1, n * width, want, want + 1);
        CHECK_INTS(a, want, n * width, "copies, %d rows of %d", n, width)
        amp_array_view_release(shifted);
        amp_array_view_release(all);
    }
    amp_array_view_release(out_view);
    check_free_all();
}

/* ---- more dimensions, and tiles ---- */

static void transposed(amp_index2 idx, int n, int m, int width, const float a[n][width], const float b[m][width],
                       float c[n][m]) restrict(cpu, amp)
{
    float sum = 0;
    for (int k = 0; k < width; k++)
        sum += a[idx[0]][k] * b[idx[1]][k];
    c[idx[0]][idx[1]] = sum;
}

static void deep(amp_index2 idx, int n, int m, int width, const float a[n][m][width], float c[n][m]) restrict(cpu, amp)
{
    float sum = 0;
    for (int k = 0; k < width; k++)
        sum = sum * 0.5f + a[idx[0]][idx[1]][k];
    c[idx[0]][idx[1]] = sum;
}

static void check_dimensions(int n, int m, int width)
{
    float *a = check_alloc((size_t)(n * width) * sizeof *a), *b = check_alloc((size_t)(m * width) * sizeof *b);
    float *d = check_alloc((size_t)(n * m * width) * sizeof *d);
    float *c = check_alloc((size_t)(n * m) * sizeof *c), *want = check_alloc((size_t)(n * m) * sizeof *want);
    for (int i = 0; i < n * m * width; i++) {
        d[i] = (float)check_value(i + 5);
        if (i < n * width)
            a[i] = (float)check_value(i);
        if (i < m * width)
            b[i] = (float)check_value(i + 77);
    }
    amp_array_view *left = amp_array_view2(n, width, (const float *)a);
    amp_array_view *right = amp_array_view2(m, width, (const float *)b), *to = amp_array_view2(n, m, c);
    amp_array_view *all = amp_array_view3(n, m, width, (const float *)d);
    CHECK_OK(amp_parallel_for_each(amp_extent2(n, m), transposed, left, right, to));
    for (int i = 0; i < n * m; i++)
        transposed((amp_index2){i / m, i % m}, n, m, width, (const float (*)[width])a, (const float (*)[width])b,
                   (float (*)[m])want);
    CHECK_FLOATS(c, want, n * m, "transposed, %d x %d, rows of %d", n, m, width)
    CHECK_OK(amp_parallel_for_each(amp_extent2(n, m), deep, all, to));
    for (int i = 0; i < n * m; i++)
        deep((amp_index2){i / m, i % m}, n, m, width, (const float (*)[m][width])d, (float (*)[m])want);
    CHECK_FLOATS(c, want, n * m, "deep, %d x %d, rows of %d", n, m, width)
    amp_array_view_release(left);
    amp_array_view_release(right);
    amp_array_view_release(to);
    amp_array_view_release(all);
    check_free_all();
}

enum { TILE = 24, TILES = 3, N = TILE * TILES };

/* Between two rounds, the threads of a tile write what the others read, so after a barrier it must be read again. */
static void rounds(amp_tiled_index1(TILE) t, int times, int a[N][N], int out[N]) restrict(amp)
{
    tile_static int sums[TILE];
    int i = t.global[0], first = t.tile[0] * TILE;
    for (int time = 0; time < times; time++) {
        int sum = time;
        for (int k = 0; k < N; k++)
            sum = mix(sum, a[first + (t.local[0] + time) % TILE][k]);
        sums[t.local[0]] = sum;
        amp_tile_barrier_wait(t.barrier);
        for (int k = 0; k < N; k += 5)
            a[i][k] = mix(a[i][k], sums[(t.local[0] + k) % TILE]);
        amp_tile_barrier_wait(t.barrier);
    }
    out[i] = sums[t.local[0]];
}

/* A loop with a barrier in it, that goes along a row which another thread of the tile extends. */
static void follows(amp_tiled_index1(TILE) t, int a[N][N], int out[N]) restrict(amp)
{
    int i = t.global[0], other = t.tile[0] * TILE + (t.local[0] + 1) % TILE, sum = 0;
    for (int k = 0; k < N - 1; k++) {
        sum = mix(sum, a[other][k]);
        a[i][k + 1] = sum;
        amp_tile_barrier_wait(t.barrier);
    }
    out[i] = sum;
}

static int a[N][N], want[N][N], out[N], want_out[N];

static void expect_rounds(int times)
{
    for (int tile = 0; tile < TILES; tile++) {
        int first = tile * TILE, sums[TILE];
        for (int time = 0; time < times; time++) {
            for (int i = 0; i < TILE; i++) {
                sums[i] = time;
                for (int k = 0; k < N; k++)
                    sums[i] = mix(sums[i], want[first + (i + time) % TILE][k]);
            }
            for (int i = 0; i < TILE; i++)
                for (int k = 0; k < N; k += 5)
                    want[first + i][k] = mix(want[first + i][k], sums[(i + k) % TILE]);
        }
        memcpy(want_out + first, sums, sizeof sums);
    }
}

static void expect_follows(void)
{
    memset(want_out, 0, sizeof want_out);
    for (int k = 0; k < N - 1; k++) {
        for (int i = 0; i < N; i++)
            want_out[i] = mix(want_out[i], want[i / TILE * TILE + (i % TILE + 1) % TILE][k]);
        for (int i = 0; i < N; i++)
            want[i][k + 1] = want_out[i];
    }
}

static void check_tiles(void)
{
    for (int i = 0; i < N * N; i++)
        a[i / N][i % N] = want[i / N][i % N] = check_value(i);
    amp_array_view *view = amp_array_view2(N, N, (int *)a), *out_view = amp_array_view1(N, out);
    CHECK_OK(amp_parallel_for_each(amp_extent1(N), rounds, 3, view, out_view));
    expect_rounds(3);
    CHECK_INTS(out, want_out, N, "rounds")
    CHECK_INTS(&a[0][0], &want[0][0], N * N, "rounds")
    CHECK_OK(amp_parallel_for_each(amp_extent1(N), follows, view, out_view));
    expect_follows();
    CHECK_INTS(out, want_out, N, "follows")
    amp_array_view_release(view);
    amp_array_view_release(out_view);
}

int main(void)
{
    of_float_check();
    of_double_check();
    of_int_check();
    of_short_check();
    of_char_check();
    of_long_check();
    CHECK_ROWS(backwards);
    CHECK_ROWS(is_unsigned);
    CHECK_ROWS(narrow);
    CHECK_ROWS(do_while);
    CHECK_ROWS(compares_first);
    CHECK_ROWS(leaves_in_the_middle);
    CHECK_ROWS(includes_last);
    CHECK_ROWS(in_steps);
    CHECK_ROWS(every_second);
    CHECK_ROWS(pointers);
    CHECK_ROWS(both_ways);
    CHECK_ROWS(again);
    CHECK_ROWS(indirect);
    CHECK_ROWS(leaves_early);
    CHECK_ROWS(all_leave_early);
    CHECK_ROWS(own_length);
    CHECK_ROWS(under_mask);
    CHECK_ROWS(mask_inside);
    CHECK_ROWS(skips);
    CHECK_ROWS(through_private);
    CHECK_ROWS(after_branch);
    for (int n = 1; n <= MOST_ROWS; n += 12)
        for (int width = 1; width <= MOST; width += width < 36 ? 2 : 5)
            check_writes(n, width);
    for (int n = 1; n < 10; n += 4)
        for (int m = 1; m <= MOST_ROWS; m += 6)
            for (int width = 1; width < 40; width += 3)
                check_dimensions(n, m, width);
    check_tiles();
    return 0;
}

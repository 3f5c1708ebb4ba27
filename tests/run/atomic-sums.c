/* SPDX-License-Identifier: MIT
 *
 * Atomic operations whose results nobody uses, on elements that the arguments name: they wait for the end of the box
 * where no thread can notice. The later kernels are those where one could.
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=1 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 --amp-lanes=32 %s -o %t && %run-native %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 -fno-strict-aliasing %s -o %t && %run-native %t
 * RUN: %ampcc -O0 %s -o %t && %run-alone %t */
#include "check.h"

enum { MOST = 20000, TILE = 64, SUMS = 8 };

/* Every kernel has the same arguments; `same` is `s`, seen through another parameter, and `other` is `f`. */
#define PARAMS                                                                                                         \
    int n, const float x[n], const int v[n], float f[SUMS], float other[SUMS], double d[SUMS], int s[SUMS],            \
        int same[SUMS], long w[SUMS], unsigned u[SUMS], float y[n], int z[n]

static void statistics(amp_index1 i, PARAMS) restrict(cpu, amp)
{
    float value = x[i[0]];
    amp_atomic_fetch_add(&f[0], value);
    amp_atomic_fetch_add(&d[0], (double)value * value);
    amp_atomic_fetch_min(&f[1], value);
    y[i[0]] = value + 1;
    amp_atomic_fetch_max(&f[2], x[i[0]]);
    if (value > 16)
        amp_atomic_fetch_inc(&s[0]);
    if (value > 16 && i[0] % 3 == 0)
        amp_atomic_fetch_sub(&f[3], value);
    amp_atomic_fetch_dec(&s[3]);
    amp_atomic_fetch_sub(&d[1], x[i[0]]);
}

static void sum(amp_index1 i, PARAMS) restrict(cpu, amp)
{
    amp_atomic_fetch_add(&f[0], x[i[0]]);
}

/* An array that is written later has other elements, or is written by one thread only. */
static void count(amp_index1 i, PARAMS) restrict(cpu, amp)
{
    if (x[i[0]] > 9)
        amp_atomic_fetch_inc(&s[0]);
    y[i[0]] = x[i[0]];
    if (i[0] == 3)
        s[1] = n;
}

static void bits(amp_index1 i, PARAMS) restrict(cpu, amp)
{
    int value = v[i[0]];
    amp_atomic_fetch_or(&s[0], 1 << (value & 15));
    amp_atomic_fetch_and(&s[1], ~(1 << (value & 7)));
    amp_atomic_fetch_xor(&s[2], value);
    amp_atomic_fetch_min(&s[3], value - 7);
    amp_atomic_fetch_max(&s[4], value - 40);
    amp_atomic_fetch_sub(&w[0], (long)value << 33);
    if (i[0] & 4)
        amp_atomic_fetch_max(&w[1], (long)value);
    amp_atomic_fetch_max(&u[0], (unsigned)-value);
    amp_atomic_fetch_min(&u[1], (unsigned)value);
}

/* In loops, which lanes leave one by one, and at places that arguments compute. */
static void loops(amp_index1 i, PARAMS) restrict(cpu, amp)
{
    for (int k = 0; k < v[i[0]] % 7; k++)
        amp_atomic_fetch_add(&s[2 * (n & 1) + 1], k + i[0]);
    for (int k = 0; k < 3; k++)
        amp_atomic_fetch_max(&s[n & 1], k * i[0] + same[5]);
}

static void never(amp_index1 i, PARAMS) restrict(cpu, amp)
{
    if (n == MOST + 1)
        amp_atomic_fetch_add(&s[0], v[i[0]]);
    if (x[i[0]] > 1000)
        amp_atomic_fetch_add(&f[1], x[i[0]]);
}

/* A flat index that is a row and a column. */
static void flat(amp_index1 i, PARAMS) restrict(cpu, amp)
{
    int columns = n / 3 + 1, row = i[0] / columns, column = i[0] % columns;
    if (row > 0 && column > 0 && x[i[0]] > x[i[0] - columns])
        amp_atomic_fetch_inc(&s[0]);
    amp_atomic_fetch_add(&f[0], x[i[0]]);
    y[i[0]] = (float)(row + column);
}

/* Other elements depend on data. */
static void histogram(amp_index1 i, PARAMS) restrict(cpu, amp)
{
    amp_atomic_fetch_inc(&s[v[i[0]] % 7]);
    if (v[i[0]] % 7 > 2)
        amp_atomic_fetch_add(&same[3], 10);
}

/* Elements apart, so that lanes are scattered. */
static void scattered(amp_index1 i, PARAMS) restrict(cpu, amp)
{
    y[n % 3 ? (long)i[0] * 3 % n : i[0]] = 1;
    z[n - 1 - i[0]] = v[i[0]];
    amp_atomic_fetch_add(&w[2], 1L);
}

/* ---- where threads could notice ---- */

static void read_back(amp_index1 i, PARAMS) restrict(cpu, amp)
{
    if (i[0] == n / 2) {
        amp_atomic_fetch_add(&s[0], 5);
        z[i[0]] = same[0];
    }
}
static void overwritten(amp_index1 i, PARAMS) restrict(cpu, amp)
{
    if (i[0] == n / 2) {
        amp_atomic_fetch_add(&s[0], 5);
        same[0] = 100 + n;
    }
}
/* With one thread, this is no race. */
static void of_one(amp_index1 i, PARAMS) restrict(cpu, amp)
{
    if (n > 1)
        return;
    amp_atomic_fetch_add(&s[0], 5);
    z[i[0]] = same[0];
}
static void of_all(amp_index1 i, PARAMS) restrict(cpu, amp)
{
    amp_atomic_fetch_add(&s[n == 1 ? 0 : 1], 5);
    z[i[0]] = same[0];
}
/* The order of two kinds matters, and so does that of rounds. */
static void two_kinds(amp_index1 i, PARAMS) restrict(cpu, amp)
{
    if (i[0] == n - 1) {
        amp_atomic_fetch_add(&s[0], 5);
        amp_atomic_fetch_max(&same[0], 12);
        amp_atomic_fetch_add(&s[0], 1);
    }
}
static void rounds(amp_index1 i, PARAMS) restrict(cpu, amp)
{
    for (int k = 0; k < n && i[0] == 0; k++) {
        amp_atomic_fetch_add(&s[0], 5);
        amp_atomic_fetch_min(&same[0], 12 + k);
    }
}
/* The read may be of one element, and not of the other. */
static void of_one_apart(amp_index1 i, PARAMS) restrict(cpu, amp)
{
    if (n > 1)
        return;
    amp_atomic_fetch_add(&s[0], 5);
    amp_atomic_fetch_max(&same[0], 12);
    y[i[0]] = (float)s[1];
}
/* The bits of a float are read and written as those of an integer. */
static void bits_read(amp_index1 i, PARAMS) restrict(cpu, amp)
{
    if (i[0] == n / 2) {
        amp_atomic_fetch_add(&f[0], 5);
        float value = other[0];
        memcpy(&z[i[0]], &value, sizeof value);
    }
}
static void bits_written(amp_index1 i, PARAMS) restrict(cpu, amp)
{
    if (i[0] == n / 2) {
        amp_atomic_fetch_add(&f[0], 5);
        int of_one = v[i[0]] % 1000 | 0x3f800000;
        float value;
        memcpy(&value, &of_one, sizeof value);
        other[0] = value;
    }
}
static void zeros(amp_index1 i, PARAMS) restrict(cpu, amp)
{
    amp_atomic_fetch_sub(&f[4], 0.0f);
    amp_atomic_fetch_sub(&f[5], -0.0f);
    if (i[0] & 1)
        amp_atomic_fetch_add(&f[6], -0.0f);
}
/* The last of them cannot wait. */
static void late(amp_index1 i, PARAMS) restrict(cpu, amp)
{
    if (i[0] == 0) {
        amp_atomic_fetch_add(&s[0], 5);
        amp_atomic_fetch_max(&same[0], 12);
        z[0] = s[0];
    }
}
/* A place that data decides keeps another kind from waiting. */
static void any_place(amp_index1 i, PARAMS) restrict(cpu, amp)
{
    if (i[0] == 0) {
        amp_atomic_fetch_add(&s[0], 5);
        amp_atomic_fetch_max(&same[v[0] < 0 ? 1 : 0], 12);
        amp_atomic_fetch_add(&s[0], 5);
    }
}
static void used(amp_index1 i, PARAMS) restrict(cpu, amp)
{
    if (i[0] == n - 1) {
        amp_atomic_fetch_add(&s[0], 2);
        z[i[0]] = amp_atomic_fetch_add(&same[0], -1);
    }
}
static void exchanged(amp_index1 i, PARAMS) restrict(cpu, amp)
{
    if (i[0] == n - 1) {
        amp_atomic_fetch_add(&s[0], 2);
        int expected = 3;
        z[i[0]] = amp_atomic_compare_exchange(&same[0], &expected, 50);
    }
}

/* ---- elements that a block has in common ---- */

static void rows(amp_index2 i, int m, int n, const int x[m][n], const int which[3], int s[m], int same[m], long w[m],
                 int z[m]) restrict(cpu, amp)
{
    int value = x[i[0]][i[1]];
    amp_atomic_fetch_add(&w[i[0]], (long)value);
    if (value & 1)
        amp_atomic_fetch_add(&w[which[i[0] % 3]], 1L);
    amp_atomic_fetch_max(&s[i[0]], value);
    if (i[0] != 3 && value > 400)
        amp_atomic_fetch_max(&s[i[0] / 2], value + 1);
}
/* Where no lane comes, nothing has said which element it is. */
static void rows_in_data(amp_index2 i, int m, int n, const int x[m][n], const int which[3], int s[m], int same[m],
                         long w[m], int z[m]) restrict(cpu, amp)
{
    int value = x[i[0]][i[1]];
    if (value > 480) {
        int row = which[i[0] % 3];
        if (value & 1)
            amp_atomic_fetch_add(&w[row], (long)value);
    }
}
/* The order of two kinds, and of rows that a thread goes through. */
static void rows_in_order(amp_index2 i, int m, int n, const int x[m][n], const int which[3], int s[m], int same[m],
                          long w[m], int z[m]) restrict(cpu, amp)
{
    if (i[1] == n - 1 && i[0] == 0)
        for (int k = 0; k < m; k++) {
            amp_atomic_fetch_add(&s[k], 1000);
            amp_atomic_fetch_min(&same[m - 1 - k], x[0][k % n]);
        }
}
static void rows_and_first(amp_index2 i, int m, int n, const int x[m][n], const int which[3], int s[m], int same[m],
                           long w[m], int z[m]) restrict(cpu, amp)
{
    if (i[0] == 0 && i[1] == n - 1) {
        amp_atomic_fetch_add(&s[0], 1000);
        amp_atomic_fetch_min(&same[i[0]], 5);
        amp_atomic_fetch_add(&s[0], 1000);
    }
}
static void rows_read(amp_index2 i, int m, int n, const int x[m][n], const int which[3], int s[m], int same[m],
                      long w[m], int z[m]) restrict(cpu, amp)
{
    if (i[1] == 0) {
        amp_atomic_fetch_add(&s[i[0]], 7);
        z[i[0]] = same[i[0]];
    }
}

static void check_rows(int m, int n)
{
    int *x = check_alloc((size_t)(m * n) * sizeof *x), which[3] = {0, m / 2, m - 1};
    for (int i = 0; i < m * n; i++)
        x[i] = check_value(i);
#define CHECK_ROWS(kernel)                                                                                             \
    {                                                                                                                  \
        int *s[2], *z[2];                                                                                              \
        long *w[2];                                                                                                    \
        for (int k = 0; k < 2; k++) {                                                                                  \
            s[k] = check_alloc((size_t)m * sizeof *s[k]), z[k] = check_alloc((size_t)m * sizeof *z[k]);                \
            w[k] = check_alloc((size_t)m * sizeof *w[k]);                                                              \
            for (int i = 0; i < m; i++)                                                                                \
                s[k][i] = i, z[k][i] = 0, w[k][i] = 1L << 40;                                                          \
        }                                                                                                              \
        amp_array_view *views[] = {amp_array_view2(m, n, (const int *)x), amp_array_view1(3, (const int *)which),      \
                                   amp_array_view1(m, s[0]), amp_array_view1(m, w[0]), amp_array_view1(m, z[0])};      \
        CHECK_OK(amp_parallel_for_each(amp_extent2(m, n), kernel, views[0], views[1], views[2], views[2], views[3],    \
                                       views[4]));                                                                     \
        for (int k = 2; k < LENGTH(views); k++)                                                                        \
            CHECK_OK(amp_synchronize(views[k]));                                                                       \
        for (int i = 0; i < m; i++)                                                                                    \
            for (int j = 0; j < n; j++)                                                                                \
                kernel((amp_index2){i, j}, m, n, (const int(*)[n])x, which, s[1], s[1], w[1], z[1]);                   \
        CHECK_INTS(s[0], s[1], m, #kernel " of %d x %d threads", m, n);                                                \
        CHECK_INTS(w[0], w[1], m, #kernel " of %d x %d threads", m, n);                                                \
        CHECK_INTS(z[0], z[1], m, #kernel " of %d x %d threads", m, n);                                                \
        for (int k = 0; k < LENGTH(views); k++)                                                                        \
            amp_array_view_release(views[k]);                                                                          \
    }
    CHECK_ROWS(rows)
    CHECK_ROWS(rows_in_data)
    CHECK_ROWS(rows_in_order)
    CHECK_ROWS(rows_and_first)
    CHECK_ROWS(rows_read)
    check_free_all();
}

/* ---- in tiles ---- */

static void tiles(amp_tiled_index1(TILE) t, int n, const int x[n], int s[SUMS], const int same[SUMS], float f[SUMS],
                  int z[n]) restrict(amp)
{
    tile_static int part[TILE];
    part[t.local[0]] = x[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    for (int half = TILE / 2; half > 0; half /= 2) {
        if (t.local[0] < half)
            part[t.local[0]] += part[t.local[0] + half];
        amp_tile_barrier_wait(t.barrier);
    }
    if (t.local[0] == 0)
        amp_atomic_fetch_add(&s[0], part[0]);
    amp_atomic_fetch_add(&f[0], (float)(t.local[0] & 3));
}
/* Other threads of the tile read after a barrier. */
static void barrier(amp_tiled_index1(TILE) t, int n, const int x[n], int s[SUMS], const int same[SUMS], float f[SUMS],
                    int z[n]) restrict(amp)
{
    amp_atomic_fetch_add(&s[t.tile[0] == 0 ? 0 : 1], x[t.global[0]]);
    amp_tile_barrier_wait_with_all_memory_fence(t.barrier);
    z[t.global[0]] = t.tile[0] == 0 ? same[0] : 0;
}

static void check_tiles(void)
{
    static int x[4 * TILE], z[4 * TILE];
    for (int tiles_ = 1; tiles_ <= 4; tiles_ += 3) {
        int n = tiles_ * TILE, s[SUMS] = {1, 2}, all = 0, first = 0;
        float f[SUMS] = {3};
        for (int i = 0; i < n; i++) {
            all += x[i] = check_value(i) + 40;
            first += i < TILE ? x[i] : 0;
        }
        amp_array_view *views[] = {amp_array_view1(n, (const int *)x), amp_array_view1(SUMS, s),
                                   amp_array_view1(SUMS, f), amp_array_view1(n, z)};
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), tiles, views[0], views[1], views[1], views[2], views[3]));
        CHECK_OK(amp_synchronize(views[1]));
        CHECK_OK(amp_synchronize(views[2]));
        int want_s[SUMS] = {1 + all, 2};
        float want_f[SUMS] = {3 + 1.5f * (float)n};
        CHECK_INTS(s, want_s, SUMS, "%d threads", n);
        CHECK_FLOATS(f, want_f, SUMS, "%d threads", n);
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), barrier, views[0], views[1], views[1], views[2], views[3]));
        CHECK_OK(amp_synchronize(views[1]));
        CHECK_OK(amp_synchronize(views[3]));
        int want_z[4 * TILE] = {0};
        for (int i = 0; i < TILE; i++)
            want_z[i] = want_s[0] + first;
        CHECK_INTS(z, want_z, n, "%d threads", n);
        check_release(views, LENGTH(views));
    }
}

/* ---- what a launch and plain C make of the same values ---- */

struct values {
    float f[SUMS], *y;
    double d[SUMS];
    int s[SUMS], *z;
    long w[SUMS];
    unsigned u[SUMS];
};

static struct values values_new(int n)
{
    struct values values = {.y = check_alloc((size_t)n * sizeof(float)), .z = check_alloc((size_t)n * sizeof(int))};
    for (int i = 0; i < SUMS; i++) {
        values.f[i] = i < 4 ? (float)i + 0.25f : -0.0f;
        values.d[i] = i - 0.5;
        values.s[i] = i + 3;
        values.w[i] = 1L << 40;
        values.u[i] = 1000u + (unsigned)i;
    }
    for (int i = 0; i < n; i++) {
        values.y[i] = 0;
        values.z[i] = 0;
    }
    return values;
}

typedef void plain(amp_index1 i, PARAMS);

#define KERNELS(_)                                                                                                     \
    _(statistics) _(sum) _(count) _(bits) _(loops) _(never) _(flat) _(histogram) _(scattered) _(zeros)                 \
    _(read_back) _(overwritten) _(of_one) _(of_all) _(of_one_apart) _(bits_read) _(bits_written)                       \
    _(two_kinds) _(rounds) _(late) _(any_place) _(used) _(exchanged)

static void check(const char *name, plain *plain, int number, int n)
{
    float *x = check_alloc((size_t)n * sizeof *x);
    int *v = check_alloc((size_t)n * sizeof *v), k = 0;
    for (int i = 0; i < n; i++) {
        x[i] = (float)(check_value(i) % 80) / 4; /* sums are exact */
        v[i] = (int)((unsigned)check_value(i) % 1000);
    }
    struct values got = values_new(n), want = values_new(n);
    amp_array_view *views[] = {
        amp_array_view1(n, (const float *)x), amp_array_view1(n, (const int *)v), amp_array_view1(SUMS, got.f),
        amp_array_view1(SUMS, got.d),         amp_array_view1(SUMS, got.s),       amp_array_view1(SUMS, got.w),
        amp_array_view1(SUMS, got.u),         amp_array_view1(n, got.y),          amp_array_view1(n, got.z)};
#define LAUNCH(kernel)                                                                                                 \
    if (k++ == number)                                                                                                 \
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), kernel, views[0], views[1], views[2], views[2], views[3],       \
                                       views[4], views[4], views[5], views[6], views[7], views[8]));
    KERNELS(LAUNCH)
    for (int i = 2; i < LENGTH(views); i++)
        CHECK_OK(amp_synchronize(views[i]));
    for (int i = 0; i < n; i++)
        plain((amp_index1){i}, n, x, v, want.f, want.f, want.d, want.s, want.s, want.w, want.u, want.y, want.z);
    CHECK_BYTES(got.f, want.f, SUMS, "%s of %d threads", name, n);
    CHECK_FLOATS(got.d, want.d, SUMS, "%s of %d threads", name, n);
    CHECK_INTS(got.s, want.s, SUMS, "%s of %d threads", name, n);
    CHECK_INTS(got.w, want.w, SUMS, "%s of %d threads", name, n);
    CHECK_INTS(got.u, want.u, SUMS, "%s of %d threads", name, n);
    CHECK_FLOATS(got.y, want.y, n, "%s of %d threads", name, n);
    CHECK_INTS(got.z, want.z, n, "%s of %d threads", name, n);
    check_release(views, LENGTH(views));
}

int main(void)
{
#define NAME(kernel)  #kernel,
#define PLAIN(kernel) kernel,
    static const char *const names[] = {KERNELS(NAME)};
    static plain *const plains[] = {KERNELS(PLAIN)};
    for (int k = 0; k < LENGTH(plains); k++) {
        EACH_EXTENT(n)
            check(names[k], plains[k], k, n);
        check(names[k], plains[k], k, MOST);
    }
    check_tiles();
    EACH_FEW(m)
    EACH_EXTENT(n)
        check_rows(m, n);
    check_rows(3, MOST);
}

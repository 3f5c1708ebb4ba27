/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=2 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 --amp-lanes=32 %s -o %t && %run-native %t
 * RUN: %ampcc --amp-gpu=none -O2 -ffast-math %s -o %t && %run-cpu %t
 *
 * Loops in which each lane adds up what it reads along a row of its own, in an order that does not matter: vectors hold
 * successive iterations of one lane. With -ffast-math that goes for floating-point numbers, too, which are small
 * integers here, so that every order gives the same sum. */
#include "check.h"

enum { MOST_ROWS = 37, MOST = 71, LONG = 601 };

/* ---- the sums ---- */

/* A kernel that makes `sum` of the rows, by the statement; `a` is an element of the thread's row, `x` one of a vector
 * that all threads read, `k` the column, `own` a value of the thread. */
#define SUMS(T, S, NAME, FIRST, STATEMENT)                                                                             \
    static void NAME(amp_index1 idx, int width, int n, int pitch, int size, const T as[size], const T xs[LONG],        \
                     S out[n]) restrict(cpu, amp)                                                                      \
    {                                                                                                                  \
        S sum = FIRST, own = (S)(idx[0] % 5);                                                                          \
        for (int k = 0; k < width; k++) {                                                                              \
            T a = as[idx[0] * pitch + k], x = xs[k];                                                                   \
            (void)x, (void)own;                                                                                        \
            STATEMENT;                                                                                                 \
        }                                                                                                              \
        out[idx[0]] = sum;                                                                                             \
    }                                                                                                                  \
    static void NAME##_check(void)                                                                                     \
    {                                                                                                                  \
        for (int n = 3; n <= MOST_ROWS; n += 34) \
            for (int width = 0; width <= LONG; width += width < 36 ? 1 : width < MOST ? 7 : LONG - MOST) { \
                int pitch = width + width % 2 * 2, size = (n - 1) * pitch + width; \
                if (size == 0)                                                                                     \
                    continue;                                                                                      \
                T *as = check_alloc((size_t)size * sizeof(T)), *xs = check_alloc(LONG * sizeof(T));                \
                S *out = check_alloc((size_t)n * sizeof(S)), *want = check_alloc((size_t)n * sizeof(S));           \
                for (int i = 0; i < size; i++)                                                                     \
                    as[i] = (T)((i * 7 + i / 11) % 100);                                                           \
                for (int i = 0; i < LONG; i++)                                                                     \
                    xs[i] = (T)(i % 9 + 1);                                                                        \
                amp_array_view *from = amp_array_view1(size, (const T *)as),                                       \
                               *all = amp_array_view1(LONG, (const T *)xs), *to = amp_array_view1(n, out);         \
                CHECK_OK(amp_parallel_for_each(amp_extent1(n), NAME, width, pitch, from, all, to));                \
                for (int i = 0; i < n; i++)                                                                        \
                    NAME((amp_index1){i}, width, n, pitch, size, as, xs, want);                                    \
                CHECK_BYTES(out, want, n, #NAME ", %d rows of %d, %d apart", n, width, pitch)                      \
                amp_array_view_release(from);                                                                      \
                amp_array_view_release(all);                                                                       \
                amp_array_view_release(to);                                                                        \
                check_free_all();                                                                                  \
                }                                                                                                      \
    }
SUMS(int, int, sum_int, 3, sum += a)
SUMS(int, int, dot_int, 0, sum += a * x)
SUMS(int, int, minus_int, 5, sum -= a * own + x)
SUMS(unsigned char, int, dot_char, 0, sum += a * x)
SUMS(short, long long, dot_short, 0, sum += (long long)a * x)
SUMS(long long, long long, dot_long, 1, sum += a * x)
SUMS(unsigned, unsigned, and_unsigned, ~0u, sum &= a | ~64u)
SUMS(unsigned, unsigned, or_unsigned, 0, sum |= a & x)
SUMS(unsigned, unsigned, xor_unsigned, 0, sum ^= a << (x & 7))
SUMS(int, int, most_int, -1, sum = a * own + x > sum ? a * own + x : sum)
SUMS(int, int, least_int, 1 << 20, sum = a + x < sum ? a + x : sum)
SUMS(unsigned char, unsigned char, most_char, 0, sum = a > sum ? a : sum)
SUMS(int, int, by_column, 0, sum += a * (k + 2))
SUMS(int, int, if_odd, 0, sum += k % 2 == 1 ? a : x)
SUMS(int, int, above, 0, sum += a > own)
SUMS(float, float, sum_float, 1, sum += a)
SUMS(float, float, dot_float, 0, sum += a * x)
SUMS(float, float, minus_float, 2, sum -= a * own)
SUMS(float, float, most_float, -3, sum = a - x > sum ? a - x : sum)
SUMS(float, float, fused_float, 0, sum = fmaf(a, x, sum))
SUMS(float, double, dot_wide, 0, sum += (double)a * x)
SUMS(double, double, dot_double, 0, sum += a * x)
SUMS(double, double, distance, 0, sum += (a - x) * (a - x) + fabs(a - own))
SUMS(float, int, to_int, 0, sum += (int)(a * x))

/* ---- forms of loops ---- */

/* Several sums of one loop, and a pointer that goes along the row. */
static void several(amp_index1 idx, int width, int n, int size, const int a[size], int out[4][n]) restrict(cpu, amp)
{
    const int *at = &a[idx[0] * width];
    int sum = 0, squares = 0, least = 1 << 30, bits = 0;
    for (const int *end = at + width; at < end; at++) {
        sum += *at;
        squares += *at * *at;
        least = *at < least ? *at : least;
        bits ^= *at;
    }
    out[0][idx[0]] = sum;
    out[1][idx[0]] = squares;
    out[2][idx[0]] = least;
    out[3][idx[0]] = bits;
}

/* One sum more than vectors are made for, and sums that the loop looks at: these are transposed. */
static void looked_at(amp_index1 idx, int width, int n, int size, const int a[size], int out[4][n]) restrict(cpu, amp)
{
    int sum = 0, larger = 0, a0 = 0, a1 = 0, a2 = 0, a3 = 0, a4 = 0;
    for (int k = 0; k < width; k++) {
        int value = a[idx[0] * width + k];
        larger += value > sum;
        sum += value - 40;
    }
    for (int k = 0; k < width; k++) {
        int value = a[idx[0] * width + k];
        a0 += value, a1 ^= value, a2 |= value, a3 -= value * 3, a4 += value & 12;
    }
    out[0][idx[0]] = sum;
    out[1][idx[0]] = larger;
    out[2][idx[0]] = a0 + a1 * 3;
    out[3][idx[0]] = a2 + a3 * 5 + a4 * 7;
}

/* Steps other than 1 of the counter, and one that comes down while the places go up. */
static void counted(amp_index1 idx, int width, int n, int size, const int a[size], int out[4][n]) restrict(cpu, amp)
{
    int by3 = 0, down = 0, twice = 0;
    for (int k = 0; k < 3 * width; k += 3)
        by3 += a[idx[0] * width + k / 3];
    for (int k = width; k != 0; k--)
        down += a[idx[0] * width + (width - k)] * k;
    for (int round = 0; round < 2; round++)
        for (int k = round; k < width; k++)
            twice += a[idx[0] * width + k];
    out[0][idx[0]] = by3;
    out[1][idx[0]] = down;
    out[2][idx[0]] = twice;
    out[3][idx[0]] = 0;
}

/* Loops under conditions, after which lanes meet again. */
static void under(amp_index1 idx, int width, int n, int size, const int a[size], int out[4][n]) restrict(cpu, amp)
{
    int sum = idx[0], other = 0;
    if (width > 20)
        for (int k = 0; k < width; k++)
            sum += a[idx[0] * width + k];
    if (idx[0] % 3)
        for (int k = 0; k < width; k++)
            other += a[idx[0] * width + k];
    out[0][idx[0]] = sum;
    out[1][idx[0]] = other;
    out[2][idx[0]] = out[3][idx[0]] = 0;
}

/* Comparisons with what grows from thread to thread, which lanes compare as distances or in a wider type. */
static void compared(amp_index1 idx, int width, int n, int size, const int a[size], int out[4][n]) restrict(cpu, amp)
{
    int sum = 0;
    long long limit = idx[0] + 5ll;
    for (int k = 0; k < width; k++)
        sum += a[k] < limit ? a[idx[0] * width + k] : 1;
    out[0][idx[0]] = sum;
    out[1][idx[0]] = out[2][idx[0]] = out[3][idx[0]] = 0;
}

/* Loads that no sum needs, from places that depend on what the row has. */
static void unneeded(amp_index1 idx, int width, int n, int size, const int a[size], int out[4][n]) restrict(cpu, amp)
{
    int sum = 0, other = 0;
    for (int k = 0; k < width; k++) {
        int value = a[idx[0] * width + k];
        if (a[value % size] >= 2000)
            __builtin_unreachable();
        sum += value;
    }
    for (int k = 0; k < width; k++) {
        int value = a[idx[0] * width + k];
        (void)*(const volatile int *)&a[value % size];
        other += value;
    }
    out[0][idx[0]] = sum;
    out[1][idx[0]] = other;
    out[2][idx[0]] = out[3][idx[0]] = 0;
}

#define FORM_CHECK(NAME)                                                                                               \
    for (int width = 0; width <= MOST; width++) {                                                                      \
        enum { N = 29 };                                                                                               \
        int size = N * width + 1;                                                                                      \
        int *a = check_alloc((size_t)size * sizeof(int)), *out = check_alloc(4 * N * sizeof(int));                     \
        int *want = check_alloc(4 * N * sizeof(int));                                                                  \
        for (int i = 0; i < size; i++)                                                                                 \
            a[i] = (i * 7 + i / 11) % 100;                                                                             \
        amp_array_view *from = amp_array_view1(size, (const int *)a), *to = amp_array_view2(4, N, out);                \
        CHECK_OK(amp_parallel_for_each(amp_extent1(N), NAME, width, from, to));                                        \
        for (int i = 0; i < N; i++)                                                                                    \
            NAME((amp_index1){i}, width, N, size, a, (int(*)[N])want);                                                 \
        CHECK_BYTES(out, want, 4 * N, #NAME ", rows of %d", width)                                                     \
        amp_array_view_release(from);                                                                                  \
        amp_array_view_release(to);                                                                                    \
        check_free_all();                                                                                              \
    }

/* ---- several rows of threads ---- */

/* Each thread has a row of `a` and one of `b`: blocks have several rows of threads, and tiles end at borders. */
static void product(amp_index2 idx, int n, int m, int width, const int a[n][width], const int b[m][width],
                    int out[n][m]) restrict(cpu, amp)
{
    int sum = 0;
    for (int k = 0; k < width; k++)
        sum += a[idx[0]][k] * b[idx[1]][k];
    out[idx[0]][idx[1]] = sum;
}

static void product_tiled(amp_tiled_index2(4, 8) idx, int n, int m, int width, const int a[n][width],
                          const int b[m][width], int out[n][m]) restrict(amp)
{
    tile_static int part[4][8];
    int sum = 0;
    for (int k = 0; k < width; k++)
        sum += a[idx.global[0]][k] * b[idx.global[1]][k];
    part[idx.local[0]][idx.local[1]] = sum;
    amp_tile_barrier_wait(idx.barrier);
    out[idx.global[0]][idx.global[1]] = part[idx.local[0]][7 - idx.local[1]];
}

static void check_products(void)
{
    enum { MOST_N = 20, MOST_M = 40 };
    for (int width = 1; width <= MOST; width += 5) {
        int n = 20 - width / 10, m = 40 - width / 3;
        int *a = check_alloc((size_t)(MOST_N * width) * sizeof(int)),
            *b = check_alloc((size_t)(MOST_M * width) * sizeof(int));
        int *out = check_alloc(MOST_N * MOST_M * sizeof(int)), *want = check_alloc(MOST_N * MOST_M * sizeof(int));
        for (int i = 0; i < MOST_N * width; i++)
            a[i] = (i * 7 + i / 11) % 100;
        for (int i = 0; i < MOST_M * width; i++)
            b[i] = (i * 5 + i / 13) % 100;
        for (int tiled = 0; tiled < 2; tiled++) {
            if (tiled)
                n = n / 4 * 4, m = m / 8 * 8;
            amp_array_view *left = amp_array_view2(n, width, (const int *)a),
                           *right = amp_array_view2(m, width, (const int *)b), *to = amp_array_view2(n, m, out);
            if (tiled)
                CHECK_OK(amp_parallel_for_each(amp_extent2(n, m), product_tiled, left, right, to));
            else
                CHECK_OK(amp_parallel_for_each(amp_extent2(n, m), product, left, right, to));
            for (int i = 0; i < n; i++)
                for (int j = 0; j < m; j++) {
                    int from = tiled ? j / 8 * 8 + 7 - j % 8 : j, sum = 0;
                    for (int k = 0; k < width; k++)
                        sum += a[i * width + k] * b[from * width + k];
                    want[i * m + j] = sum;
                }
            CHECK_BYTES(out, want, n * m, "products of %d elements, tiled: %d", width, tiled)
            amp_array_view_release(left);
            amp_array_view_release(right);
            amp_array_view_release(to);
        }
        check_free_all();
    }
}

int main(void)
{
    sum_int_check(), dot_int_check(), minus_int_check(), dot_char_check(), dot_short_check(), dot_long_check();
    and_unsigned_check(), or_unsigned_check(), xor_unsigned_check(), most_int_check(), least_int_check();
    most_char_check(), by_column_check(), if_odd_check(), above_check(), sum_float_check(), dot_float_check();
    minus_float_check(), most_float_check(), fused_float_check(), dot_wide_check(), dot_double_check();
    distance_check(), to_int_check();
    FORM_CHECK(several)
    FORM_CHECK(looked_at)
    FORM_CHECK(counted)
    FORM_CHECK(under)
    FORM_CHECK(compared)
    FORM_CHECK(unneeded)
    check_products();
    return 0;
}

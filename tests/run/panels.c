/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 -ffp-contract=off --amp-panels=3 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 -ffp-contract=off --amp-panels=1 --amp-lanes=2 %s -o %t && %run-native %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=baseline -O1 -ffp-contract=off --amp-panels=8 --amp-lanes=4 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O2 -ffp-contract=off %s -o %t && %run-cpu %t large
 *
 * Loops that read what all rows share: products and the like, bit for bit as plain C, where panels are full, half full
 * and empty, and what must not be copied. */
#include "check.h"

/* ---- products of all element types ---- */

#define PRODUCT(T, S)                                                                                                  \
    static void product_##T(amp_index2 idx, int M, int N, int W, int L, const T a[M][W], const T b[W][N], T c[M][N])   \
        restrict(cpu, amp)                                                                                             \
    {                                                                                                                  \
        S sum = 0;                                                                                                     \
        for (int k = 0; k < L; k++)                                                                                    \
            sum += a[idx[0]][k] * b[k][idx[1]];                                                                        \
        c[idx[0]][idx[1]] = (T)sum;                                                                                    \
    }
typedef unsigned char byte;
PRODUCT(float, float)
PRODUCT(double, double)
PRODUCT(int, int)
PRODUCT(wide, wide)
PRODUCT(short, int)
PRODUCT(byte, unsigned)
PRODUCT(_Float16, _Float16)

/* ---- other loops ---- */

#define KERNEL(name)                                                                                                   \
    static void name(amp_index2 idx, int M, int N, int W, int L, const float a[M][W], const float b[W][N],             \
                     float c[M][N]) restrict(cpu, amp)

/* The sum begins with what the thread has in c. */
KERNEL(add)
{
    float sum = c[idx[0]][idx[1]];
    for (int k = 0; k < L; k++)
        sum += a[idx[0]][k] * b[k][idx[1]];
    c[idx[0]][idx[1]] = sum;
}

/* Numbers that are computed for a row: from what it reads, from each other, from the number of the row or iteration, and
 * from what the loop carries. */
KERNEL(scaled)
{
    float sum = 0;
    for (int k = 0; k < L; k++)
        sum += (float)M * a[idx[0]][k] * b[k][idx[1]];
    c[idx[0]][idx[1]] = sum;
}

KERNEL(of_rows)
{
    float sum = 0, most = -9, weight = 1;
    double wide = 0;
    for (int k = 0; k < L; k++) {
        float x = b[k][idx[1]], own = a[idx[0]][k] + (float)(idx[0] + k);
        sum += own * x + (a[idx[0]][k] - own) / (x + 10);
        wide += ((double)own - 0.5) * (double)x;
        weight = weight * 0.75f + own;
        most = most < weight * x ? weight * x : most;
    }
    c[idx[0]][idx[1]] = sum + most + (float)wide + weight;
}

/* Not for a row only: the column, too, or an iteration before in it, decides. */
KERNEL(of_columns)
{
    float sum = 0, last = 1;
    for (int k = 0; k < L; k++) {
        float x = b[k][idx[1]];
        sum += ((float)(idx[1] / 7) + a[idx[0]][k]) * x + (last + 1) * a[idx[0]][k];
        last = x;
    }
    c[idx[0]][idx[1]] = sum;
}

/* A sum, others that are the same for all lanes or rows, the largest value, and a number. */
KERNEL(several)
{
    float sum = 0, own = 1, shared = 2, most = -1e9f;
    int n = idx[0];
    for (int k = 0; k < L; k++) {
        float x = b[k][idx[1]];
        sum += a[idx[0]][k] * x;
        own = own * 0.5f + a[idx[0]][k];
        shared = shared * 0.25f + x;
        most = most < x + sum ? x + sum : most;
        n += most > 0 ? 2 : 1;
    }
    c[idx[0]][idx[1]] = sum + 2 * own + 3 * shared + most + (float)n;
}

KERNEL(backwards)
{
    float sum = 0;
    for (int k = L - 1; k >= 0; k--)
        sum = sum * 0.75f + a[idx[0]][k] * b[k][idx[1]];
    c[idx[0]][idx[1]] = sum;
}

KERNEL(second_ones)
{
    float sum = 0;
    for (int k = 0; k < L; k += 2)
        sum = sum * 0.75f + a[idx[0]][k] * b[k][idx[1]] - b[L - 1 - k][idx[1]];
    c[idx[0]][idx[1]] = sum;
}

/* Other counters, and bounds that belong to the loop. */
KERNEL(thirds)
{
    float sum = 0;
    int number = L < 0 ? 0 : L;
    for (unsigned k = 1; k <= (unsigned)number; k += 3)
        sum = sum * 0.75f + a[idx[0]][k - 1] * b[k - 1][idx[1]];
    for (long k = 0; k != number; k++)
        sum = sum * 0.75f - a[idx[0]][k] * b[k][idx[1]];
    c[idx[0]][idx[1]] = sum;
}

KERNEL(odd_ones)
{
    float sum = 0;
    for (unsigned short k = 1; k < L; k += 2)
        sum = sum * 0.75f - a[idx[0]][k] * b[k][idx[1]];
    c[idx[0]][idx[1]] = sum;
}

/* The loops compare the counter's value before the step, and another multiple of it. */
KERNEL(after)
{
    float sum = 0;
    int k = 0, l = 0;
    do
        sum = sum * 0.5f + a[idx[0]][k] * b[k][idx[1]];
    while (k++ < L - 1);
    do {
        sum = sum * 0.5f - a[idx[0]][l] * b[l][idx[1]];
        l += 2;
    } while (2 * l < L);
    c[idx[0]][idx[1]] = sum;
}

/* The counter wraps with its first step. */
KERNEL(wraps)
{
    float sum = 0;
    unsigned k = -3u;
    unsigned char l = 254;
    if (L < 4)
        return;
    do {
        k += 3;
        sum = sum * 0.5f + a[idx[0]][k] * b[k][idx[1]];
    } while (k < (unsigned)L - 3);
    do {
        l += 2;
        sum = sum * 0.5f + a[idx[0]][l] * b[l][idx[1]];
    } while (l < L - 2);
    c[idx[0]][idx[1]] = sum;
}

/* What is stored is the same for all, or comes from before the loop, and is stored twice. */
KERNEL(stored_twice)
{
    float sum = 0, early = a[idx[0]][0] * b[0][idx[1]], same = (float)(L * W);
    float *own = &c[idx[0]][idx[1]];
    for (int k = 0; k < L; k++)
        sum += a[idx[0]][k] * b[k][idx[1]];
    *own = same;
    if (L > 2)
        *own = sum;
    if (L > 3)
        *own = early;
    if (W > 16)
        *own = same;
}

/* Three values are carried for each point, and three arrays are read, one of them twice. */
KERNEL(three)
{
    float sum = 0, other = 1, third = 2;
    for (int k = 0; k < L; k++) {
        sum += a[idx[0]][k] * b[k][idx[1]];
        other = other * 0.5f + a[idx[0]][L - 1 - k] * b[k][idx[1]];
        third = third * 0.25f - a[k % M][k] + b[k][idx[1]];
    }
    c[idx[0]][idx[1]] = sum + 2 * other - third;
}

/* The loop is entered several times, with other elements. */
KERNEL(again)
{
    float sum = 0;
    for (int l = 0; l < 3; l++)
        for (int k = 0; k < L; k++)
            sum = sum * 0.5f + a[idx[0]][k] * b[k][idx[1]] * (float)(l + 1) - b[L - 1 - k][idx[1]] + a[idx[0]][l];
    c[idx[0]][idx[1]] = sum;
}

KERNEL(mirrored)
{
    float sum = 0;
    for (int k = 0; k < L; k++)
        sum = sum * 0.75f + a[idx[0]][k] * b[k][N - 1 - idx[1]];
    c[idx[0]][idx[1]] = sum;
}

/* Some iterations do not read b, and all threads may leave early. */
KERNEL(chosen)
{
    float sum = 0;
    for (int k = 0; k < L; k++) {
        if (b[k][0] > 450)
            break;
        if (b[k][0] > 0)
            sum += a[idx[0]][k] * b[k][idx[1]];
        else
            sum -= a[idx[0]][k];
    }
    c[idx[0]][idx[1]] = sum;
}

/* The thread returns before the loop, and a second loop follows the first. */
KERNEL(early)
{
    float sum = 0;
    if (L < 3) {
        c[idx[0]][idx[1]] += 7;
        return;
    }
    for (int k = 1; k < L; k++)
        sum += a[idx[0]][k] * b[k][idx[1]];
    for (int k = 0; k < L; k++)
        sum = sum * 0.5f + b[k][idx[1]];
    c[idx[0]][idx[1]] += sum;
}

/* Something is written before the loop and in it. */
KERNEL(written)
{
    float sum = 0;
    c[idx[0]][idx[1]] = 1;
    for (int k = 0; k < L; k++) {
        sum += a[idx[0]][k] * b[k][idx[1]];
        c[idx[0]][idx[1]] += sum * b[k][idx[1]];
    }
}

/* A loop in the loop, and one that depends on the row. */
KERNEL(nested)
{
    float sum = 0;
    for (int k = 0; k < L; k++)
        for (int l = k; l < L; l += 3)
            sum = sum * 0.5f + a[idx[0]][k] * b[l][idx[1]];
    for (int k = 0; k < L && k < idx[0]; k++)
        sum = sum * 0.5f + b[k][idx[1]];
    c[idx[0]][idx[1]] = sum;
}

/* Subscripts of b that are loaded from a, and from b itself. */
KERNEL(indirect)
{
    float sum = 0;
    int column = abs((int)b[0][idx[1]]) % N;
    for (int k = 0; k < L; k++) {
        int row = abs((int)a[0][k]) % W;
        sum = sum * 0.5f + a[idx[0]][k] * b[row][idx[1]] + b[k][column];
    }
    c[idx[0]][idx[1]] = sum;
}

static void flat(amp_index2 idx, int M, int N, int W, int L, const float a[M * W], const float b[W * N], float c[M * N])
    restrict(cpu, amp)
{
    float sum = 0;
    for (int k = 0; k < L; k++)
        sum += a[idx[0] * W + k] * b[k * N + idx[1]];
    c[idx[0] * N + idx[1]] = sum;
}

static void transposed(amp_index2 idx, int M, int N, int W, int L, const float a[M][W], const float b[N][W],
                       float c[M][N]) restrict(cpu, amp)
{
    float sum = 0;
    for (int k = 0; k < L; k++)
        sum += a[idx[0]][k] * b[idx[1]][k];
    c[idx[0]][idx[1]] = sum;
}

/* What only one thread reads it may write. There is one row, and c lies in b. */
static void in_place(amp_index2 idx, int M, int N, int W, int L, const float a[M][W], float b[W][N]) restrict(cpu, amp)
{
    float sum = 0;
    for (int k = 0; k < L; k++)
        sum = sum * 0.5f + a[idx[0]][k] * b[k][idx[1]];
    b[idx[0]][idx[1]] = sum;
}

/* The thread reads what it has written, and no other one does. */
static void own_first(amp_index2 idx, int M, int N, int W, int L, const float a[M][W], float b[W][N]) restrict(cpu, amp)
{
    float sum = 0;
    b[idx[0]][idx[1]] += 3;
    for (int k = 0; k < L; k++)
        sum = sum * 0.5f + a[idx[0]][k] * b[k][idx[1]];
    b[idx[0]][idx[1]] = sum;
}

/* Rows are those of the second dimension; planes have their own matrices, except d. */
static void batch(amp_index3 idx, int P, int M, int N, int W, int L, const float a[P][M][W], const float b[P][W][N],
                  const float d[W][N], float c[P][M][N]) restrict(cpu, amp)
{
    float sum = 0;
    for (int k = 0; k < L; k++)
        sum = sum * 0.5f + a[idx[0]][idx[1]][k] * b[idx[0]][k][idx[2]] - d[k][idx[2]];
    c[idx[0]][idx[1]][idx[2]] = sum;
}

/* ---- the checks ---- */

struct size {
    int m, n, w, l;
};

/* Compares a kernel of matrices with itself as plain C. */
#define CHECK(T, kernel, size)                                                                                         \
    do {                                                                                                               \
        int m = (size).m, n = (size).n, w = (size).w, l = (size).l;                                                    \
        T *a = check_alloc((size_t)(m * w) * sizeof(T)), *b = check_alloc((size_t)(w * n) * sizeof(T));                \
        T *c = check_alloc((size_t)(m * n) * sizeof(T)), *want = check_alloc((size_t)(m * n) * sizeof(T));             \
        CHECK_FILL(T, a, m *w, 0);                                                                                     \
        CHECK_FILL(T, b, w *n, 777);                                                                                   \
        CHECK_FILL(T, c, m *n, 99);                                                                                    \
        CHECK_FILL(T, want, m *n, 99);                                                                                 \
        amp_array_view *views[] = {amp_array_view2(m, w, (const T *)a), amp_array_view2(w, n, (const T *)b),           \
                                   amp_array_view2(m, n, c)};                                                          \
        CHECK_OK(amp_parallel_for_each(amp_extent2(m, n), kernel, l, views[0], views[1], views[2]));                   \
        for (int i = 0; i < m * n; i++)                                                                                \
            kernel((amp_index2){i / n, i % n}, m, n, w, l, (void *)a, (void *)b, (void *)want);                        \
        CHECK_BYTES(c, want, m *n, #kernel " of " #T ", %d x %d, %d of %d", m, n, l, w);                               \
        check_release(views, 3);                                                                                       \
    } while (0)

static void check_types(struct size size)
{
    CHECK(float, product_float, size);
    CHECK(double, product_double, size);
    CHECK(int, product_int, size);
    CHECK(wide, product_wide, size);
    CHECK(short, product_short, size);
    CHECK(byte, product_byte, size);
    CHECK(_Float16, product__Float16, size);
}

static void check_loops(struct size size)
{
    CHECK(float, add, size);
    CHECK(float, several, size);
    CHECK(float, scaled, size);
    CHECK(float, of_rows, size);
    CHECK(float, of_columns, size);
    CHECK(float, backwards, size);
    CHECK(float, second_ones, size);
    CHECK(float, thirds, size);
    CHECK(float, odd_ones, size);
    CHECK(float, after, size);
    CHECK(float, wraps, size);
    CHECK(float, three, size);
    CHECK(float, stored_twice, size);
    if (size.w >= 3)
        CHECK(float, again, size);
    CHECK(float, mirrored, size);
    CHECK(float, chosen, size);
    CHECK(float, early, size);
    CHECK(float, written, size);
    CHECK(float, nested, size);
    CHECK(float, indirect, size);
}

/* Other forms of arrays: of one dimension, transposed, of three dimensions, one that is read and written. */
static void check_arrays(struct size size)
{
    enum { PLANES = 3 };
    int m = size.m, n = size.n, w = size.w, l = size.l, n_a = PLANES * m * w, n_b = PLANES * w * n,
        n_c = PLANES * m * n;
    float *a = check_alloc((size_t)n_a * sizeof *a), *b = check_alloc((size_t)n_b * sizeof *b);
    float *c = check_alloc((size_t)n_c * sizeof *c), *want = check_alloc((size_t)n_c * sizeof *want);
    CHECK_FILL(float, a, n_a, 0);
    CHECK_FILL(float, b, n_b, 777);
#define COMPARE(name) CHECK_FLOATS(c, want, m *n, "%s, %d x %d, %d of %d", name, m, n, l, w)
    amp_array_view *views[] = {amp_array_view1(m * w, (const float *)a),
                               amp_array_view1(w * n, (const float *)b),
                               amp_array_view1(m * n, c),
                               amp_array_view2(m, w, (const float *)a),
                               amp_array_view2(n, w, (const float *)b),
                               amp_array_view2(m, n, c),
                               amp_array_view3(PLANES, m, w, (const float *)a),
                               amp_array_view3(PLANES, w, n, (const float *)b),
                               amp_array_view2(w, n, (const float *)b),
                               amp_array_view3(PLANES, m, n, c)};
    CHECK_OK(amp_parallel_for_each(amp_extent2(m, n), flat, m, n, w, l, views[0], views[1], views[2]));
    for (int i = 0; i < m * n; i++)
        flat((amp_index2){i / n, i % n}, m, n, w, l, a, b, want);
    COMPARE("flat");
    CHECK_OK(amp_parallel_for_each(amp_extent2(m, n), transposed, l, views[3], views[4], views[5]));
    for (int i = 0; i < m * n; i++)
        transposed((amp_index2){i / n, i % n}, m, n, w, l, (void *)a, (void *)b, (void *)want);
    COMPARE("transposed");
    CHECK_OK(amp_parallel_for_each(amp_extent3(PLANES, m, n), batch, l, views[6], views[7], views[8], views[9]));
    for (int i = 0; i < PLANES * m * n; i++)
        batch((amp_index3){i / (m * n), i / n % m, i % n}, PLANES, m, n, w, l, (void *)a, (void *)b, (void *)b,
              (void *)want);
    CHECK_FLOATS(c, want, n_c, "batch, %d x %d, %d of %d", m, n, l, w);
    check_release(views, LENGTH(views));
}

/* With one row nothing is shared, and the array that the loop reads may be the one that is written. */
static void check_one_row(int n, int w)
{
    float *a = check_alloc((size_t)w * sizeof *a), *b = check_alloc((size_t)(w * n) * sizeof *b);
    float *want = check_alloc((size_t)(w * n) * sizeof *want);
    CHECK_FILL(float, a, w, 0);
    CHECK_FILL(float, b, w *n, 777);
    CHECK_FILL(float, want, w *n, 777);
    amp_array_view *views[] = {amp_array_view2(1, w, (const float *)a), amp_array_view2(w, n, b)};
    CHECK_OK(amp_parallel_for_each(amp_extent2(1, n), in_place, w, views[0], views[1]));
    for (int i = 0; i < n; i++)
        in_place((amp_index2){0, i}, 1, n, w, w, (void *)a, (void *)want);
    CHECK_FLOATS(b, want, w * n, "in place, %d, %d", n, w);
    CHECK_OK(amp_parallel_for_each(amp_extent2(1, n), own_first, w, views[0], views[1]));
    for (int i = 0; i < n; i++)
        own_first((amp_index2){0, i}, 1, n, w, w, (void *)a, (void *)want);
    CHECK_FLOATS(b, want, w * n, "own first, %d, %d", n, w);
    check_release(views, 2);
}

/* The matrices are parts of larger ones. */
static void check_sections(struct size size)
{
    int m = size.m, n = size.n, w = size.w, across = n + w + 5, all = (m + w + 3) * across;
    float *from = check_alloc((size_t)all * sizeof *from), *to = check_alloc((size_t)all * sizeof *to);
    float *want = check_alloc((size_t)all * sizeof *want);
    CHECK_FILL(float, from, all, 0);
    CHECK_FILL(float, to, all, 55);
    CHECK_FILL(float, want, all, 55);
    amp_array_view *whole = amp_array_view2(m + w + 3, across, (const float *)from);
    amp_array_view *result = amp_array_view2(m + w + 3, across, to);
    amp_array_view *views[] = {amp_array_view_section2(whole, 1, 3, m, w), amp_array_view_section2(whole, 3, 1, w, n),
                               amp_array_view_section2(result, 2, 3, m, n), whole, result};
    CHECK_OK(amp_parallel_for_each(amp_extent2(m, n), product_float, size.l, views[0], views[1], views[2]));
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int k = 0; k < size.l; k++)
                sum += from[(1 + i) * across + 3 + k] * from[(3 + k) * across + 1 + j];
            want[(2 + i) * across + 3 + j] = sum;
        }
    CHECK_FLOATS(to, want, all, "sections, %d x %d, %d of %d", m, n, size.l, w);
    check_release(views, LENGTH(views));
}

static void check_size(struct size size)
{
    check_types(size);
    check_loops(size);
    check_arrays(size);
    check_sections(size);
}

int main(int argc, char **argv)
{
    static const int rows[] = {1, 2, 8, 9, 17, 40}, columns[] = {1, 8, 32, 77}, depths[] = {1, 2, 3, 4, 17};
    (void)argv;
    for (int r = 0; r < LENGTH(rows); r++)
        for (int c = 0; c < LENGTH(columns); c++)
            for (int d = 0; d < LENGTH(depths); d++)
                check_size((struct size){rows[r], columns[c], depths[d], depths[d]});
    check_size((struct size){40, 66, 5, 0});
    check_size((struct size){40, 66, 5, -2});
    check_size((struct size){40, 66, 9, 6});
    for (int w = 1; w < 20; w++)
        check_one_row(70, w);
    if (argc > 1) { /* more iterations, and more rows, than a panel is made for */
        CHECK(float, several, ((struct size){67, 40, 4099, 4099}));
        CHECK(float, scaled, ((struct size){67, 400, 4099, 4099}));
        CHECK(float, of_rows, ((struct size){67, 400, 1999, 1999}));
        CHECK(float, indirect, ((struct size){67, 40, 4099, 4099}));
        CHECK(double, product_double, ((struct size){70, 40, 8195, 8195}));
        CHECK(byte, product_byte, ((struct size){8300, 70, 30, 30}));
    }
    return 0;
}

/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 -ffp-contract=off %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 -ffp-contract=off --amp-lanes=8 %s -o %t && %run-cpu %t
 *
 * A flat index that threads divide into a row and a column: rows that are long or short, whole or not, in any number of
 * boxes, with divisors of every kind. */
#include "check.h"

#define KERNEL(name)                                                                                                   \
    static void name(amp_index1 idx, int width, int n, const int a[n], int out[n]) restrict(cpu, amp)

KERNEL(mirror)
{
    int i = idx[0], row = i / width, col = i % width;
    out[i] = a[row * width + (width - 1 - col)] + 3 * row - col;
}

/* Sums that all rows share, in panels if the box is large. */
static void multiply(amp_index1 idx, int width, int n, const float a[n], const float b[n], float c[n])
    restrict(cpu, amp)
{
    int row = idx[0] / width, col = idx[0] % width;
    float sum = 0;
    for (int k = 0; k < width; k++)
        sum += a[row * width + k] * b[k * width + col];
    c[idx[0]] = sum;
}

/* Other words for a remainder, and other types. */
KERNEL(differences)
{
    int row = idx[0] / width, col = idx[0] - row * width;
    unsigned i = (unsigned)idx[0], wide = (unsigned)width, last = i - i / wide * wide;
    size_t far = (size_t)idx[0] % (size_t)width, high = (size_t)idx[0] / (size_t)width;
    long line = (long)idx[0] / width;
    out[idx[0]] = a[row * width + col] * 3 + a[last] - a[high] + (int)(far + (size_t)line);
}

KERNEL(branches)
{
    int i = idx[0], row = i / width, col = i % width, values[5] = {0};
    if (row % 3 == 2)
        return;
    for (int k = 0; k <= col % 5; k++)
        values[k] = a[i] * k;
    if (a[i] > 0)
        out[i] = a[(unsigned)(col * 7 + row) % (unsigned)n] + values[col % 5];
    else
        while (out[i] < col)
            out[i] += row > 0 ? row : 1;
}

/* Three dimensions, of which the fastest is a column. */
static void planes(amp_index1 idx, int width, int height, int n, const int a[n], int out[n]) restrict(cpu, amp)
{
    int i = idx[0], x = i % width, y = i / width % height, z = i / (width * height);
    int left = x > 0 ? i - 1 : i, above = y > 0 ? i - width : i;
    out[i] = a[left] * 2 - a[above] + x * 100 + y * 10 + z;
}

static void three(amp_index1 idx, int half, int n, const int a[n], int out[n]) restrict(cpu, amp)
{
    int width = 2 * half + 1, i = idx[0];
    out[i] = a[i / width] * 5 + i % width + i / 100 - a[i % 100 % n] + i / 7;
}

/* A remainder may be all that is wanted, or a quotient. */
KERNEL(remainders)
{
    out[idx[0]] = a[idx[0] % width] + idx[0];
}

KERNEL(quotients)
{
    out[idx[0]] = a[idx[0] / width] - idx[0];
}

/* A narrow number means another length as an unsigned one, and a product may be none at all. */
static void narrow(amp_index1 idx, short width, int n, const int a[n], int out[n]) restrict(cpu, amp)
{
    int i = idx[0], wide = (unsigned short)width, other = (signed char)width;
    out[i] = a[i] + i % wide * 3 + i / width + i / (other ? other : 1);
    out[i] -= i - i / wide * width;
}

static void guarded_by(amp_index1 idx, int is_right, int height, int width, int n, const int a[n], int out[n])
    restrict(cpu, amp)
{
    out[idx[0]] = is_right ? a[idx[0] / (height * width)] : a[idx[0]];
}

/* Divisions by powers of two become shifts and masks, at once if they are unsigned, otherwise where the index is known
 * not to be negative. Other bits of the index mean something else. */
enum { POWER = 128 };

KERNEL(powers)
{
    int i = idx[0], row = i / POWER, col = i % POWER;
    if (row > 0 && (row + 1) * POWER + col < n && col > 0 && col < POWER - 1)
        out[i] = a[(row - 1) * POWER + col] - a[(row + 1) * POWER + col] * 3 + a[row * POWER + col - 1] * (width & 7) -
                 a[row * POWER + col + 1];
    else if (i >= 0)
        out[i] = i / POWER * 5 + i % POWER + (i & 31) - (i & ~31) + (i >> 3) + (i & 0x155) + i / 2048;
}

KERNEL(unsigned_powers)
{
    unsigned i = (unsigned)idx[0], row = i / POWER, col = i % POWER;
    size_t j = (size_t)idx[0], far = j / POWER * POWER, at = j % POWER;
    out[i] =
        a[row * POWER + (POWER - 1 - col) < (unsigned)n ? row * POWER + (POWER - 1 - col) : i] + (int)(row + 2 * col);
    if (row > 1 && col > 3)
        out[i] += a[far - POWER + at] * (width & 7) - a[(i & ~511u) | (i & 127)] + (int)(i >> 9) + (int)(i & 0x7f00);
}

KERNEL(bits)
{
    out[idx[0]] = a[(idx[0] & 127) % n] + (width & 7) * (idx[0] >> 7) - (idx[0] & ~127);
}

/* An array of which the stack could not hold those of two forms. */
KERNEL(large)
{
    int many[1200], row = idx[0] / width, col = idx[0] % width;
    for (int k = 0; k < 1200; k++)
        many[k] = row + k;
    out[idx[0]] = many[(unsigned)a[idx[0]] % 1200u] - col;
}

KERNEL(sums)
{
    (void)a;
    amp_atomic_fetch_add(&out[idx[0] / width], idx[0] % width + 1);
}

static int *numbers(int n, int seed)
{
    int *a = check_alloc((size_t)n * sizeof *a);
    for (int i = 0; i < n; i++)
        a[i] = check_value(i + seed);
    return a;
}

/* `width` may be anything but 0: for the host, too, remainders of a negative one are positive. */
static void check(int width, int n)
{
    int *a = numbers(n, 1), *out = numbers(n, 2), *want = numbers(n, 2);
    amp_array_view *views[] = {amp_array_view1(n, (const int *)a), amp_array_view1(n, out)};
#define CHECK(kernel, width)                                                                                           \
    CHECK_OK(amp_parallel_for_each(amp_extent1(n), kernel, width, views[0], views[1]));                                \
    for (int i = 0; i < n; i++)                                                                                        \
        kernel((amp_index1){i}, width, n, a, want);                                                                    \
    CHECK_INTS(out, want, n, #kernel ", %d in rows of %d", n, width)
    if (width > 0 && n % width == 0) {
        CHECK(mirror, width)
    }
    if (width > 0 && width < 30000) {
        CHECK(differences, width)
        CHECK(three, width)
    }
    if (width > 0 && width <= n) {
        CHECK(remainders, width)
    }
    CHECK(branches, width)
    CHECK(powers, width)
    CHECK(unsigned_powers, width)
    CHECK(bits, width)
    if (width > 0) {
        CHECK(quotients, width)
        CHECK(sums, width)
        CHECK(large, width)
    }
    if (width > -30000 && width < 30000) {
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), narrow, (short)width, views[0], views[1]));
        for (int i = 0; i < n; i++)
            narrow((amp_index1){i}, (short)width, n, a, want);
        CHECK_INTS(out, want, n, "narrow, %d in rows of %d", n, width)
    }
    CHECK_OK(amp_parallel_for_each(amp_extent1(n), guarded_by, 0, 65537, 65537, views[0], views[1]));
    for (int i = 0; i < n; i++)
        guarded_by((amp_index1){i}, 0, 65537, 65537, n, a, want);
    CHECK_INTS(out, want, n, "guarded_by, %d", n)
    for (int height = 1; height < 20 && width > 0 && width < 1000; height += 6) {
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), planes, width, height, views[0], views[1]));
        for (int i = 0; i < n; i++)
            planes((amp_index1){i}, width, height, n, a, want);
        CHECK_INTS(out, want, n, "planes, %d in %d rows of %d", n, height, width)
    }
    check_release(views, LENGTH(views));
}

static void check_product(int n)
{
    int all = n * n;
    float *a = check_alloc((size_t)all * sizeof *a), *b = check_alloc((size_t)all * sizeof *b);
    float *c = check_alloc((size_t)all * sizeof *c), *want = check_alloc((size_t)all * sizeof *want);
    CHECK_FILL(float, a, all, 1);
    CHECK_FILL(float, b, all, 2);
    amp_array_view *views[] = {amp_array_view1(all, (const float *)a), amp_array_view1(all, (const float *)b),
                               amp_array_view1(all, c)};
    CHECK_OK(amp_parallel_for_each(amp_extent1(all), multiply, n, views[0], views[1], views[2]));
    for (int i = 0; i < all; i++)
        multiply((amp_index1){i}, n, all, a, b, want);
    CHECK_FLOATS(c, want, all, "product of %d^2", n)
    check_release(views, LENGTH(views));
}

int main(void)
{
    static const int widths[] = {1,   2,   7,    31,    63,      64,        65, 80,  97,  128,
                                 200, 333, 1000, 29999, 1 << 20, INT32_MAX, -1, -64, -100};
    for (int i = 0; i < LENGTH(widths); i++) {
        check(widths[i], 1);
        check(widths[i], 50);
        check(widths[i], 777);
        check(widths[i], 2000);
    }
    check(100, 10000);
    check(97, 97 * 200);
    check_product(20);
    check_product(64);
    check_product(100);
    check_product(163);
    return 0;
}

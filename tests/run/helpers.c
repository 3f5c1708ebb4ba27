/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=1 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 --amp-lanes=32 %s -o %t && %run-native %t
 * RUN: %ampcc -O0 --amp-lanes=8 %s -o %t && %run-alone %t
 * row: language.calls
 *
 * Functions that kernels call: several levels, structs in and out, pointers to locals, to elements and to rows, arrays
 * as parameters with their bounds, several returns, called from several kernels and from the host. */
#include "check.h"

#define KERNEL(name)                                                                                                   \
    static void name(amp_index1 idx, int N, const int a[N], const int b[N], int out[N]) restrict(cpu, amp)

static int later(int x) restrict(cpu, amp);

static int square(int x) restrict(cpu, amp)
{
    return x * x;
}

static int absolute(int x) restrict(cpu, amp)
{
    if (x < 0)
        return -x;
    return x;
}

static int level3(int x, int y) restrict(cpu, amp)
{
    return absolute(x) > y ? square(y) : later(x);
}

static int level2(int x, int y) restrict(cpu, amp)
{
    int sum = 0;
    for (int k = 0; k < (x & 3); k++)
        sum += level3(x + k, y);
    return sum;
}

static int later(int x) restrict(cpu, amp)
{
    return absolute(x) / 3 + 1;
}

KERNEL(levels)
{
    int i = idx[0];
    out[i] = level2(a[i], b[i]) + level3(b[i], a[i]) + square(i);
}

KERNEL(levels_under_if)
{
    int i = idx[0];
    if (a[i] > 0)
        out[i] = level2(a[i], b[i]);
    else if (absolute(b[i]) > 100)
        out[i] = later(b[i]);
}

struct pair {
    float x, y;
};
struct triple {
    int x, y, z;
};
struct big {
    int v[9];
};

static struct pair turn(struct pair p) restrict(cpu, amp)
{
    return (struct pair){-p.y, p.x};
}

static struct triple order(struct triple t) restrict(cpu, amp)
{
    if (t.x > t.y) {
        int x = t.x;
        t.x = t.y;
        t.y = x;
    }
    if (t.y > t.z)
        return (struct triple){t.x, t.z, t.y};
    return t;
}

static struct big fill(struct big b, int x) restrict(cpu, amp)
{
    for (int k = 0; k < 9; k++)
        b.v[k] = b.v[(k + 1) % 9] + x;
    return b;
}

KERNEL(structs)
{
    int i = idx[0];
    struct pair p = turn(turn(turn((struct pair){(float)a[i], (float)b[i]})));
    struct triple t = order(order((struct triple){a[i], b[i], i}));
    struct big big = {{a[i], b[i], i, 4, 5}};
    for (int k = 0; k < (i & 3); k++)
        big = fill(big, k + t.y);
    out[i] = (int)p.x * 3 + (int)p.y + t.x * 5 + t.y * 7 + t.z * 11 + big.v[i % 9] + big.v[8];
}

static void two_results(int x, int *half, int *rest) restrict(cpu, amp)
{
    *half = x / 2;
    if (x % 2)
        *rest = x % 2;
}

static void swap(int *x, int *y) restrict(cpu, amp)
{
    int z = *x;
    *x = *y;
    *y = z;
}

KERNEL(pointers_to_locals)
{
    int i = idx[0], half, rest = 5, both[4] = {a[i], b[i], 3, 4};
    two_results(a[i], &half, &rest);
    if (b[i] > 0)
        swap(&half, &rest);
    swap(&both[i & 3], &both[1]);
    struct triple t = {1, 2, 3};
    swap(&t.x, &t.z);
    swap(&t.y, both + 2);
    out[i] = half * 1000 + rest + both[0] * 3 + both[1] * 5 + both[2] * 7 + both[3] * 11 + t.x * 13 + t.y * 17;
}

static int sum_of(int n, const int x[n]) restrict(cpu, amp)
{
    int sum = 0;
    for (int k = 0; k < n; k++)
        sum += x[k];
    return sum;
}

static const int *larger(const int *x, const int *y) restrict(cpu, amp)
{
    return *x > *y ? x : y;
}

static int find(int n, const int *x, int value) restrict(cpu, amp)
{
    const int *p = x, *end = x + n;
    while (p < end && *p != value)
        p++;
    return (int)(p - x);
}

KERNEL(pointers_to_elements)
{
    int i = idx[0];
    int *o = &out[i];
    *o = *larger(&a[i], &b[i]);
    *o += sum_of(i < 7 ? i : 7, a) - sum_of(N - i < 5 ? N - i : 5, &b[i]);
    *o = *o * 3 + find(N, a, b[i]);
    const int *p = a[i] > 0 ? a : b;
    *o += p[N - 1 - i] + *larger(larger(p, p + i), p + N / 2);
}

static void first_difference(int rows, int columns, const float x[rows][columns], int column, float *y)
    restrict(cpu, amp)
{
    for (int r = 0; r + 1 < rows; r++)
        y[r] = x[r + 1][column] - x[r][column];
}

static float dot(int n, const float x[static n], const float *y, int stride) restrict(cpu, amp)
{
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += x[k] * y[k * stride];
    return sum;
}

static void rows(amp_index2 idx, int M, int N, const float a[M][N], const float b[N][N], float out[M][N])
    restrict(cpu, amp)
{
    float differences[8];
    first_difference(M < 9 ? M : 9, N, a, idx[1], differences);
    out[idx[0]][idx[1]] =
        dot(N, a[idx[0]], &b[0][idx[1]], N) + (idx[0] < 8 && idx[0] + 1 < M ? differences[idx[0]] : 0);
}

/* Four returns inside loops, and nothing after them. */
static int search(int n, const int x[n], int from) restrict(cpu, amp)
{
    for (int k = 0; k < n; k++) {
        if (x[k] == from)
            return k;
        for (int m = k; m < n && m < k + 3; m++) {
            if (x[m] + x[k] == from)
                return 1000 + m;
            if (x[m] > 400)
                return -m;
        }
    }
    return -1000;
}

KERNEL(searches)
{
    out[idx[0]] = search(N, a, b[idx[0]]) + 3 * search(N < 3 ? N : 3, b, a[idx[0]]);
}

/* The index is passed on. */
static int of_index(const int *idx, int n) restrict(cpu, amp)
{
    return idx[0] * 2 < n ? idx[0] : n - idx[0];
}

KERNEL(passes_the_index)
{
    out[idx[0]] = of_index(idx, N) + a[idx[0]];
}

static inline int in_line(int x) restrict(cpu, amp)
{
    return x + 1;
}

__attribute__((noinline)) static int out_of_line(int x) restrict(cpu, amp)
{
    return in_line(x) * 2;
}

int external(int x) restrict(cpu, amp)
{
    return out_of_line(x) - 7;
}

KERNEL(linkage)
{
    out[idx[0]] = external(a[idx[0]]) + in_line(b[idx[0]]);
}

int main(void)
{
    CHECK_KERNEL(int, levels);
    CHECK_KERNEL(int, levels_under_if);
    CHECK_KERNEL(int, structs);
    CHECK_KERNEL(int, pointers_to_locals);
    CHECK_KERNEL(int, pointers_to_elements);
    CHECK_KERNEL(int, searches);
    CHECK_KERNEL(int, passes_the_index);
    CHECK_KERNEL(int, linkage);
    EACH_FEW(m)
    EACH_EXTENT(n) {
        float *a = check_alloc(m * n * sizeof *a), *b = check_alloc(n * n * sizeof *b);
        float *out = check_alloc(m * n * sizeof *out), *want = check_alloc(m * n * sizeof *want);
        for (int i = 0; i < m * n; i++)
            a[i] = (float)check_value(i) / 8;
        for (int i = 0; i < n * n; i++)
            b[i] = (float)check_value(i + 3) / 4;
        amp_array_view *v[] = {amp_array_view2(m, n, (const float *)a), amp_array_view2(n, n, (const float *)b),
                               amp_array_view2(m, n, out)};
        CHECK_OK(amp_parallel_for_each(amp_extent2(m, n), rows, v[0], v[1], v[2]));
        for (int i = 0; i < m * n; i++)
            rows((amp_index2){i / n, i % n}, m, n, (const float (*)[n])a, (const float (*)[n])b, (float (*)[n])want);
        CHECK_FLOATS(out, want, m * n, "rows, extent %dx%d", m, n);
        for (int i = 0; i < 3; i++)
            amp_array_view_release(v[i]);
        check_free_all();
    }
    return 0;
}

/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 -ffp-contract=off %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-cpu=x86-64-v3 --amp-report -c %s -o %t.o 2>&1 | FileCheck %s
 * REQUIRES: x86_64
 *
 * Threads that part run in two vectors, and in four where each result waits for the one before. Rows that end among
 * these lanes, or are shorter, end with single vectors. */
#include "check.h"

/* CHECK: kernel part {{.*}}: 16 lanes
 */
static void part(amp_index2 idx, int m, int n, const float a[m][n], float out[m][n]) restrict(cpu, amp)
{
    float x = a[idx[0]][idx[1]];
    if (x > 0)
        out[idx[0]][idx[1]] = x * x + 1;
    else if (x < -100)
        out[idx[0]][idx[1]] = x / 3;
}

/* CHECK: kernel wait {{.*}}: 32 lanes
 */
static void wait(amp_index2 idx, int m, int n, const float a[m][n], float out[m][n]) restrict(cpu, amp)
{
    float x = a[idx[0]][idx[1]], y = 1;
    for (int step = 0; step < 30; step++)
        if (x > y) {
            y = 1 / (1 + x / (2 + y));
            y = sqrtf(sqrtf(y) + 1) / (3 + y);
            y = sqrtf(sqrtf(y) + 2) / (4 + y);
            y = sqrtf(sqrtf(y) + 3) / (5 + y);
            y = sqrtf(sqrtf(y) + 4) / (6 + y);
        } else {
            x = y / (1 + x * x);
        }
    out[idx[0]][idx[1]] = x + y;
}

/* A struct's members lie apart: more lanes than a vector has would gather them.
 * CHECK: kernel apart {{.*}}: 8 lanes
 */
struct point {
    float x, y, z;
};
static void apart(amp_index2 idx, int m, int n, const struct point a[m][n], struct point out[m][n]) restrict(cpu, amp)
{
    struct point p = a[idx[0]][idx[1]];
    if (p.x > 0)
        p.y += p.z;
    out[idx[0]][idx[1]] = p;
}

static void check(int m, int n)
{
    int all = m * n;
    float *a = check_alloc(3 * (size_t)all * sizeof *a), *out = check_alloc(3 * (size_t)all * sizeof *a);
    float *want = check_alloc(3 * (size_t)all * sizeof *a);
    CHECK_FILL(float, a, 3 * all, m);
    amp_array_view *views[] = {amp_array_view2(m, n, (const float *)a), amp_array_view2(m, n, out),
                               amp_array_view2(m, n, (const struct point *)a),
                               amp_array_view2(m, n, (struct point *)out)};
#define CHECK(kernel, T, from, to, count)                                                                              \
    for (int i = 0; i < (count); i++)                                                                                  \
        out[i] = want[i] = 1;                                                                                          \
    CHECK_OK(amp_parallel_for_each(amp_extent2(m, n), kernel, views[from], views[to]));                                \
    for (int row = 0; row < m; row++)                                                                                  \
        for (int col = 0; col < n; col++)                                                                              \
            kernel((amp_index2){row, col}, m, n, (const T(*)[n])a, (T(*)[n])want);                                     \
    CHECK_FLOATS(out, want, count, #kernel ", %d rows of %d", m, n)
    CHECK(part, float, 0, 1, all)
    CHECK(wait, float, 0, 1, all)
    CHECK(apart, struct point, 2, 3, 3 * all)
    check_release(views, LENGTH(views));
}

int main(void)
{
    EACH_EXTENT(n) {
        check(1, n);
        check(5, n);
    }
    return 0;
}

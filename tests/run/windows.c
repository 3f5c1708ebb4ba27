/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 -ffp-contract=off %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-cpu=x86-64-v3 --amp-report -c %s -o %t.o 2>&1 | FileCheck %s
 * REQUIRES: x86_64
 *
 * Loops over windows that lie equally far from each thread run equally often, so that no lane is ever off. */
#include "check.h"

#include <limits.h>

/* CHECK: kernel around
 * CHECK-NEXT: read x {{ *}}contiguous{{$}}
 * CHECK: masks none
 */
static void around(amp_index1 idx, int n, const float x[n], float y[n], int radius) restrict(cpu, amp)
{
    int i = idx[0] + radius;
    float sum = 0;
    for (int k = i - radius; k <= i + radius; k++)
        sum = sum * 0.5f + x[k];
    y[i] = sum;
}

/* CHECK: kernel behind
 * CHECK-NEXT: read x {{ *}}contiguous{{$}}
 * CHECK: masks none
 */
static void behind(amp_index1 idx, int n, const float x[n], float y[n], int radius) restrict(cpu, amp)
{
    int i = idx[0] + radius;
    float sum = 0;
    for (int k = i; k > i - radius; k -= 2)
        sum = sum * 0.5f + x[k];
    y[i] = sum;
}

/* CHECK: kernel box
 * CHECK-NEXT: read x {{ *}}contiguous{{$}}
 * CHECK: masks none
 */
static void box(amp_index2 idx, int m, int n, const float x[m][n], float y[m][n], int radius) restrict(cpu, amp)
{
    int i = idx[0] + radius, j = idx[1] + radius;
    float sum = 0;
    for (int a = i - radius; a <= i + radius; a++)
        for (int b = j - radius; b <= j + radius; b++)
            sum = sum * 0.5f + x[a][b];
    y[i][j] = sum;
}

/* With pointers, it is not known. */
static void until(amp_index1 idx, int n, const float x[n], float y[n], int radius) restrict(cpu, amp)
{
    const float *at = &x[idx[0]], *end = at + radius;
    float sum = 0;
    while (at != end)
        sum = sum * 0.5f + *at++;
    y[idx[0] + radius] = sum;
}

/* Also where lanes are off.
 * CHECK: kernel beside
 * CHECK-NOT: lanes leave it
 * CHECK: kernel beyond
 */
static void beside(amp_index1 idx, int n, const float x[n], float y[n], int radius, int far) restrict(cpu, amp)
{
    int i = idx[0];
    float sum = 1;
    if (i >= radius) {
        int low = i + far, high = low + radius;
        for (int k = low; k <= high; k++)
            sum = sum * 0.5f + x[i - radius + (k - low)];
    }
    y[i] = sum;
}

/* In the lanes that are off, such as thread 0, 32 bits may wrap. */
static void beyond(amp_index1 idx, int n, const float x[n], float y[n], int radius, int far) restrict(cpu, amp)
{
    int i = idx[0], first = i - radius;
    float sum = 1;
    if (first >= 0) {
        int low = first + far, high = low + radius / 2;
        for (int k = low; k <= high; k++)
            sum = sum * 0.5f + x[first + (k - low)];
    }
    y[i] = sum;
}

/* Not where 32 bits are compared: LLVM chooses between two values here, and only the threads that take the second one
 * add without wrapping around. */
static void order(amp_index1 idx, int n, const float x[n], float y[n], int radius, int far) restrict(cpu, amp)
{
    int i = idx[0], end = i + far;
    y[i] = (radius & far & 1) + (end & 1) + (i >= radius ? i + far - radius < end : x[0]);
}

static void order_unsigned(amp_index1 idx, int n, const float x[n], float y[n], int radius, int far) restrict(cpu, amp)
{
    int i = idx[0];
    long long end = (long long)i + (unsigned)far;
    y[i] = (radius & 1) + (end & 1) + (i >= radius ? (unsigned)(i - radius) * 1ull < (unsigned long long)end : x[0]);
}

/* A window that begins and ends with the array runs for different times.
 * CHECK: kernel clamped
 * CHECK: lanes leave it at different times
 */
static void clamped(amp_index1 idx, int n, const float x[n], float y[n], int radius) restrict(cpu, amp)
{
    int i = idx[0], low = i - radius < 0 ? 0 : i - radius, high = i + radius > n - 1 ? n - 1 : i + radius;
    float sum = 0;
    for (int k = low; k <= high; k++)
        sum = sum * 0.5f + x[k];
    y[i] = sum;
}

enum { M = 23, N = 211 };
static float x[M * N], y[M * N], want[M * N];

static void begin(void)
{
    for (int i = 0; i < M * N; i++)
        y[i] = want[i] = -1;
}

static void check(int radius)
{
    amp_array_view *from = amp_array_view1(M * N, (const float *)x), *to = amp_array_view1(M * N, y);
    amp_array_view *from2 = amp_array_view2(M, N, (const float *)x), *to2 = amp_array_view2(M, N, y);
#define CHECK(kernel, n_threads, ...)                                                                                  \
    begin();                                                                                                           \
    amp_refresh(to);                                                                                                   \
    CHECK_OK(amp_parallel_for_each(amp_extent1(n_threads), kernel, from, to, __VA_ARGS__));                            \
    for (int i = 0; i < (n_threads); i++)                                                                              \
        kernel((amp_index1){i}, M * N, x, want, __VA_ARGS__);                                                          \
    CHECK_FLOATS(y, want, M * N, #kernel ", radius %d", radius)
    CHECK(around, M * N - 2 * radius, radius)
    CHECK(behind, M * N - radius, radius)
    CHECK(until, M * N - radius, radius)
    CHECK(beside, M * N, radius, INT_MAX - M * N - radius)
    CHECK(beyond, M * N, radius, INT_MAX - M * N)
    CHECK(beyond, M * N, radius, INT_MIN)
    CHECK(order, M * N, radius, INT_MIN)
    CHECK(order_unsigned, M * N, radius, 3)
    CHECK(clamped, M * N, radius)
    begin();
    amp_refresh(to2);
    CHECK_OK(amp_parallel_for_each(amp_extent2(M - 2 * radius, N - 2 * radius), box, from2, to2, radius));
    for (int i = 0; i < M - 2 * radius; i++)
        for (int j = 0; j < N - 2 * radius; j++)
            box((amp_index2){i, j}, M, N, (const float (*)[N])x, (float (*)[N])want, radius);
    CHECK_FLOATS(y, want, M * N, "box, radius %d", radius);
    check_release((amp_array_view *[]){from, to, from2, to2}, 4);
}

int main(void)
{
    CHECK_FILL(float, x, M *N, 1);
    for (int radius = 0; radius < 11; radius++)
        check(radius);
    return 0;
}

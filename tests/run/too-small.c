// SPDX-License-Identifier: MIT
// A launch whose kernel certainly touches what its arrays do not have fails before it runs, with a text that names the
// box. Where that is not certain, it runs.
// RUN: %ampcc -O2 %s -o %t && %run %t | FileCheck %s
// RUN: %ampcc -O1 %s -o %t && %t | FileCheck %s
#include <amp.h>
#include <stdio.h>
#include <string.h>

static void fill(amp_index1 idx, int N, float x[N]) restrict(amp)
{
    x[idx[0]] = 1;
}

static void multiply(amp_index2 idx, int M, int N, int W, const float a[M][W], const float b[W][N], float c[M][N])
    restrict(amp)
{
    float sum = 0;
    for (int k = 0; k < W; k++)
        sum += a[idx[0]][k] * b[k][idx[1]];
    c[idx[0]][idx[1]] = sum;
}

static void by_rows(amp_index2 idx, int width, int N, float x[N]) restrict(amp)
{
    x[idx[0] * width + idx[1]] = 1;
}

static void blur(amp_index1 idx, int n, int N, const float x[N], float y[N]) restrict(amp)
{
    int i = idx[0];
    if (i < 1 || i >= n - 1)
        return;
    y[i] = x[i - 1] + x[i + 1];
}

static void clamped(amp_index1 idx, int n, int N, const float x[N], float y[N]) restrict(amp)
{
    int left = idx[0] - 1, right = idx[0] + 1;
    left = left > 0 ? left : 0;
    right = right < n - 1 ? right : n - 1;
    y[idx[0]] = x[left] + x[right];
}

static void tiled(amp_tiled_index1(4) t, int N, const float x[N], float y[2]) restrict(amp)
{
    y[t.tile[0]] = x[t.tile_origin[0] + t.local[0] * 2];
}

static void strided(amp_index1 idx, int count, int N, float x[N]) restrict(amp)
{
    for (int k = 1; k < count; k += 3)
        x[idx[0] + k] = 1;
}

struct point {
    int at[3];
};
static void points(amp_index1 idx, int N, struct point p[N]) restrict(amp)
{
    p[idx[0] + 1].at[2] = 7;
}

/* None of these is certain. */
static void uncertain(amp_index1 idx, int n, int N, float x[N]) restrict(amp)
{
    int i = idx[0];
    if (i >= N)
        return;
    if (x[i] > 0)
        x[i + 100] = 1;
    for (int k = 0; k < n; k++) {
        if (x[k % N] > 0)
            break;
        x[k] = 0;
    }
    if (i * i > 100)
        x[i + 100] = 1;
}

/* Arguments that are negative if they are taken for signed. */
static void large(amp_index1 idx, unsigned a, unsigned b, float x[a - b]) restrict(amp)
{
    x[idx[0]] = 1;
}

static void widened(amp_index1 idx, unsigned a, float x[(int64_t)a - 2147483640]) restrict(amp)
{
    x[idx[0]] = 1;
}

static float memory[64];
static struct point some[8];

static void say(amp_status status)
{
    printf("%s\n", status == AMP_OK ? "runs" : strchr(amp_error_text(), ')') + 3);
    amp_error_clear();
}

/* A view of rank 1 of the next elements of memory. */
static amp_array_view *some_of(int n)
{
    static int used;
    float *at = memory + used % 32;
    used += 16;
    return amp_array_view1(n, at);
}

int main(void)
{
    amp_array_view *x8 = some_of(8), *y8 = some_of(8);
    amp_array_view *a = amp_array_view2(4, 2, memory), *b = amp_array_view2(2, 5, memory + 8);
    amp_array_view *c = amp_array_view2(4, 4, memory + 32), *d = amp_array_view2(4, 5, memory + 32);
    amp_array_view *y2 = amp_array_view1(2, memory + 40), *p = amp_array_view1(8, some);

    // CHECK: touches x[0..19] for this extent (20), but x has 8 (written at {{.*}}too-small.c:[[#@LINE-105]]:{{[0-9]+}})
    say(amp_parallel_for_each(amp_extent1(20), fill, x8));
    // CHECK-NEXT: runs
    say(amp_parallel_for_each(amp_extent1(8), fill, x8));
    // CHECK-NEXT: touches a[0..4][0..1] for this extent (5x5), but a has 4x2 (read at
    say(amp_parallel_for_each(amp_extent2(5, 5), multiply, a, b, d));
    // CHECK-NEXT: touches b[0..1][0..5] for this extent (4x6), but b has 2x5 (read at
    say(amp_parallel_for_each(amp_extent2(4, 6), multiply, a, b, d));
    // CHECK-NEXT: runs
    say(amp_parallel_for_each(amp_extent2(4, 5), multiply, a, b, d));
    // CHECK-NEXT: touches x[0..8] for this extent (3x3), but x has 8 (written at
    say(amp_parallel_for_each(amp_extent2(3, 3), by_rows, 3, x8));
    // CHECK-NEXT: touches x[-3..2] for this extent (2x3), but x has 8 (written at
    say(amp_parallel_for_each(amp_extent2(2, 3), by_rows, -3, x8));
    // CHECK-NEXT: runs
    say(amp_parallel_for_each(amp_extent2(2, 4), by_rows, 4, x8));
    // CHECK-NEXT: runs
    say(amp_parallel_for_each(amp_extent1(30), blur, 8, x8, y8));
    // CHECK-NEXT: touches x[2..9] for this extent (30), but x has 8 (read at
    say(amp_parallel_for_each(amp_extent1(30), blur, 10, x8, y8));
    // CHECK-NEXT: runs
    say(amp_parallel_for_each(amp_extent1(8), clamped, 8, x8, y8));
    // CHECK-NEXT: touches x[1..8] for this extent (8), but x has 8 (read at
    say(amp_parallel_for_each(amp_extent1(8), clamped, 10, x8, y8));
    // CHECK-NEXT: touches x[0..10] for this extent (8), but x has 8 (read at
    say(amp_parallel_for_each(amp_extent1(8), tiled, x8, y2));
    // CHECK-NEXT: runs
    say(amp_parallel_for_each(amp_extent1(4), tiled, x8, y2));
    // CHECK-NEXT: touches x[1..8] for this extent (2), but x has 8 (written at
    say(amp_parallel_for_each(amp_extent1(2), strided, 8, x8));
    // CHECK-NEXT: runs
    say(amp_parallel_for_each(amp_extent1(2), strided, 7, x8));
    // CHECK-NEXT: runs
    say(amp_parallel_for_each(amp_extent1(100), strided, 1, x8));
    // CHECK-NEXT: touches p[1..8] for this extent (8), but p has 8 (written at
    say(amp_parallel_for_each(amp_extent1(8), points, p));
    // CHECK-NEXT: runs
    memset(memory, 0, sizeof memory);
    amp_refresh(x8);
    say(amp_parallel_for_each(amp_extent1(30), uncertain, 8, x8));

    // CHECK-NEXT: runs
    // CHECK-NEXT: runs
    say(amp_parallel_for_each(amp_extent1(8), large, 2147483650u, 2147483642u, x8));
    say(amp_parallel_for_each(amp_extent1(8), widened, 2147483648u, x8));
    // CHECK-NEXT: touches x[0..8] for this extent (9), but x has 8 (written at
    say(amp_parallel_for_each(amp_extent1(9), large, 18u, 10u, x8));

    amp_array_view *views[] = {x8, y8, a, b, c, d, y2, p};
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        amp_array_view_release(views[i]);
    return 0;
}

// What mends a race or a read of nothing depends on what the statements do.
// RUN: %ampcc -O2 -w --amp-check --amp-gpu=none %s -o %t && env AMP_DEFAULT_ACCELERATOR=checked %t | FileCheck %s
// RUN: %ampcc -O0 -w --amp-check --amp-gpu=none %s -o %t && env AMP_DEFAULT_ACCELERATOR=checked %t | FileCheck %s
#include "Inputs/seed.h"

#include <math.h>

enum { N = 8, T = 8, W = 4 };

/* ---- updates of one element ---- */

static void count(amp_tiled_index1(T) t, int N, const int a[N], int x[N]) restrict(amp)
{
    tile_static int own[T];
    own[t.local[0]] = 0;
    amp_tile_barrier_wait(t.barrier);
    own[a[t.global[0]] / 4]++; // CHECK: {{.*}}remedies.c:[[@LINE]]:{{[0-9]+}}: count, thread (1): reads own[0], which thread (0) writes in line [[@LINE]], and no barrier is between them; both threads update it: use amp_atomic_fetch_add
    amp_tile_barrier_wait(t.barrier);
    x[t.global[0]] = own[t.local[0]];
}

static void sum(amp_index1 idx, int N, const int a[N], int x[N]) restrict(amp)
{
    x[0] = x[0] + a[idx[0]]; // CHECK-NEXT: {{.*}}thread (1): reads x[0], which thread (0) writes in line [[@LINE]]; both threads update it: use amp_atomic_fetch_add or a reduction
}

static void take(amp_index1 idx, int N, const int a[N], int x[N]) restrict(amp)
{
    x[a[idx[0]] / 4] -= a[idx[0]] - 1; // CHECK-NEXT: {{.*}}both threads update it: use amp_atomic_fetch_sub or
}

static void bits(amp_index1 idx, int N, const int a[N], int x[N]) restrict(amp)
{
    x[1] |= 1 << a[idx[0]]; // CHECK-NEXT: {{.*}}both threads update it: use amp_atomic_fetch_or or
}

static void product(amp_index1 idx, int N, const int a[N], int x[N]) restrict(amp)
{
    x[0] *= a[idx[0]] - 1; // CHECK-NEXT: {{.*}}both threads update it: use an atomic operation, such as
}

static void largest(amp_index1 idx, int N, const int a[N], int x[N]) restrict(amp)
{
    int d = 1 + a[idx[0]];
    if (d > x[0])
        x[0] = d; // CHECK-NEXT: {{.*}}remedies.c:[[@LINE-1]]:{{[0-9]+}}: largest, thread (1): reads x[0], which thread (0) writes in line [[@LINE]]; both threads update it: use amp_atomic_fetch_max or
}

static void largest_of_next(amp_index1 idx, int N, const int a[N], int x[N]) restrict(amp)
{
    int i = idx[0];
    if (i + 1 < N && x[0] <= a[i + 1])
        x[0] = a[i + 1]; // CHECK-NEXT: {{.*}}both threads update it: use amp_atomic_fetch_max or
}

static void smallest(amp_index1 idx, int N, const int a[N], int x[N]) restrict(amp)
{
    x[0] = x[0] < -a[idx[0]] ? x[0] : -a[idx[0]]; // CHECK-NEXT: {{.*}}both threads update it: use amp_atomic_fetch_min or
}

static void smallest_unless(amp_index1 idx, int N, const int a[N], int x[N]) restrict(amp)
{
    int d = -1 - a[idx[0]];
    if (!(x[0] < d))
        x[0] = d; // CHECK-NEXT: {{.*}}both threads update it: use amp_atomic_fetch_min or
}

static void some_extreme(amp_index1 idx, int N, const int a[N], int x[N]) restrict(amp)
{
    if (2 * a[idx[0]] > x[0])
        x[0] = a[idx[0]]; // CHECK-NEXT: {{.*}}both threads update it: use an atomic operation, such as amp_atomic_fetch_min, amp_atomic_fetch_max
}

static void taken(amp_index1 idx, int N, const int a[N], int x[N]) restrict(amp)
{
    if (x[0] == 0)
        x[0] = 1 + idx[0]; // CHECK-NEXT: {{.*}}both threads update it: use amp_atomic_compare_exchange
}

static void longest(amp_index1 idx, int N, float f[N]) restrict(amp)
{
    f[0] = fmaxf(f[0], (float)idx[0]); // CHECK-NEXT: {{.*}}both threads update it: use amp_atomic_fetch_max or
}

static void scaled(amp_index1 idx, int N, float f[N]) restrict(amp)
{
    f[0] += 2 * (float)idx[0]; // CHECK-NEXT: {{.*}}both threads update it: use amp_atomic_fetch_add or
}

static void add_to(int *p, int by) restrict(amp)
{
    *p += by; // CHECK-NEXT: {{.*}}both threads update it: use amp_atomic_fetch_add or
}

static void in_helper(amp_index1 idx, int N, const int a[N], int x[N]) restrict(amp)
{
    add_to(&x[0], a[idx[0]]);
}

static void narrow(amp_index1 idx, int N, short s[N]) restrict(amp)
{
    s[0] += 1; // CHECK-NEXT: {{.*}}both threads update it: use elements of 32 bits and an atomic operation
}

/* ---- others ---- */

static void stencil(amp_index2 idx, int M, int W, float u[M][W]) restrict(amp)
{
    int i = idx[0], j = idx[1];
    if (j > 0)
        u[i][j] = 0.5f * (u[i][j] + u[i][j - 1]); // CHECK-NEXT: {{.*}}remedies.c:[[@LINE]]:{{[0-9]+}}: stencil, thread (0, 2): reads u[0][1], which thread (0, 1) writes in line [[@LINE]]; write to another array, and swap the two after the launch
}

static void stencil_sum(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    if (idx[0] > 0)
        x[idx[0]] += x[idx[0] - 1]; // CHECK-NEXT: {{.*}}thread (2): reads x[1], which thread (1) writes in line [[@LINE]]; write to another array, and swap the two after the launch
}

static void shift(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    if (idx[0] + 1 < N)
        x[idx[0]] = x[idx[0] + 1]; // CHECK-NEXT: {{.*}}thread (1): writes x[1], which thread (0) reads in line [[@LINE]]; write to another array, and swap
}

static void too_early(amp_index1 idx, int N, const int a[N], int x[N]) restrict(amp)
{
    x[idx[0]] = a[idx[0]];
    if (idx[0] == N - 1)
        x[idx[0]] = x[0]; // CHECK-NEXT: {{.*}}thread (7): reads x[0], which thread (0) writes in line [[@LINE-2]]; read it in a later launch
}

static void same_value(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    x[1] = 1; // CHECK-NEXT: {{.*}}thread (1): writes x[1], which thread (0) writes in line [[@LINE]]; let one thread write it, use amp_atomic_exchange, or give each thread an element of its own
}

static void same_value_in_tile(amp_tiled_index1(T) t, int N, int x[N]) restrict(amp)
{
    tile_static int s;
    s = t.tile[0]; // CHECK-NEXT: {{.*}}and no barrier is between them; let one thread write it, or call amp_tile_barrier_wait between the writes
    amp_tile_barrier_wait(t.barrier);
    x[t.global[0]] = s;
}

/* ---- reads of nothing ---- */

static void no_first_barrier(amp_tiled_index1(T) t, int N, const int a[N], int x[N]) restrict(amp)
{
    tile_static int own[T];
    int me = t.local[0];
    own[me] = 0;
    amp_atomic_fetch_add(&own[T - 1 - me], 1); // CHECK-NEXT: {{.*}}remedies.c:[[@LINE-1]]:{{[0-9]+}}: no_first_barrier, thread (4): writes own[4], which thread (3) updates in line [[@LINE]], and no barrier is between them; call amp_tile_barrier_wait
    amp_tile_barrier_wait(t.barrier);
    x[t.global[0]] = own[me];
}

static void reads_other(amp_tiled_index1(T) t, int N, int x[N]) restrict(amp)
{
    tile_static int own[T];
    if (t.local[0] > 0)
        own[t.local[0] - 1] = 0;
    amp_tile_barrier_wait(t.barrier);
    x[t.global[0]] = own[t.local[0]]; // CHECK-NEXT: {{.*}}thread (7): reads own[7], which nothing has written; write it first; if another thread of the tile writes it, wait with amp_tile_barrier_wait before
}

static void not_shared(amp_tiled_index1(T) t, int N, int x[N]) restrict(amp)
{
    int own[T];
    own[t.local[0]] = x[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    x[t.global[0]] = own[T - 1 - t.local[0]]; // CHECK-NEXT: {{.*}}thread (0): reads own[7], which nothing has written; write it first (each thread has its own 'own'; tile_static is shared)
}

static void without_tiles(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    int own[T];
    own[idx[0]] = 1;
    x[idx[0]] = own[T - 1 - idx[0]]; // CHECK-NEXT: {{.*}}reads own[7], which nothing has written; write it first{{$}}
}

int main(void)
{
    static int a[N], x[N];
    static short s[N];
    static float f[N], u[W][W];
    for (int i = 0; i < N; i++)
        a[i] = i;
    amp_array_view *va = amp_array_view1(N, (const int *)a), *vx = amp_array_view1(N, x), *vf = amp_array_view1(N, f);
    amp_array_view *vs = amp_array_view1(N, s), *vu = amp_array_view2(W, W, u[0]);
    amp_extent n = amp_extent1(N);
    MISTAKE(amp_parallel_for_each(n, count, va, vx));
    MISTAKE(amp_parallel_for_each(n, sum, va, vx));
    MISTAKE(amp_parallel_for_each(n, take, va, vx));
    MISTAKE(amp_parallel_for_each(n, bits, va, vx));
    MISTAKE(amp_parallel_for_each(n, product, va, vx));
    MISTAKE(amp_parallel_for_each(n, largest, va, vx));
    MISTAKE(amp_parallel_for_each(n, largest_of_next, va, vx));
    MISTAKE(amp_parallel_for_each(n, smallest, va, vx));
    MISTAKE(amp_parallel_for_each(n, smallest_unless, va, vx));
    MISTAKE(amp_parallel_for_each(n, some_extreme, va, vx));
    MISTAKE(amp_parallel_for_each(n, taken, va, vx));
    MISTAKE(amp_parallel_for_each(n, longest, vf));
    MISTAKE(amp_parallel_for_each(n, scaled, vf));
    MISTAKE(amp_parallel_for_each(n, in_helper, va, vx));
    MISTAKE(amp_parallel_for_each(n, narrow, vs));
    MISTAKE(amp_parallel_for_each(amp_extent2(W, W), stencil, vu));
    MISTAKE(amp_parallel_for_each(n, stencil_sum, vx));
    MISTAKE(amp_parallel_for_each(n, shift, vx));
    MISTAKE(amp_parallel_for_each(n, too_early, va, vx));
    MISTAKE(amp_parallel_for_each(n, same_value, vx));
    MISTAKE(amp_parallel_for_each(n, same_value_in_tile, vx));
    MISTAKE(amp_parallel_for_each(n, no_first_barrier, va, vx));
    MISTAKE(amp_parallel_for_each(n, reads_other, vx));
    MISTAKE(amp_parallel_for_each(n, not_shared, vx));
    MISTAKE(amp_parallel_for_each(n, without_tiles, vx));
    return 0;
}

// An atomic operation of one thread and a plain access of another, in both orders, in tile memory and in arrays.
// RUN: %ampcc -O2 -w --amp-check --amp-gpu=none %s -o %t && env AMP_DEFAULT_ACCELERATOR=checked %t | FileCheck %s
// RUN: %ampcc -O0 -w --amp-check --amp-gpu=none %s -o %t && env AMP_DEFAULT_ACCELERATOR=checked %t | FileCheck %s
#include "Inputs/seed.h"

enum { N = 64, T = 16, BINS = 16 };

static void histogram(amp_tiled_index1(N) t, int N, const int x[N], int h[BINS]) restrict(amp)
{
    tile_static int own[BINS];
    int me = t.local[0];
    if (me < BINS)
        own[me] = 0;
    amp_tile_barrier_wait(t.barrier);
    amp_atomic_fetch_add(&own[x[me]], 1);
    amp_tile_barrier_wait(t.barrier);
    if (me < BINS)
        h[me] += own[me];
}

static void no_second_barrier(amp_tiled_index1(N) t, int N, const int x[N], int h[BINS]) restrict(amp)
{
    tile_static int own[BINS];
    int me = t.local[0];
    if (me < BINS)
        own[me] = 0;
    amp_tile_barrier_wait(t.barrier);
    amp_atomic_fetch_add(&own[x[me]], 1);
    if (me < BINS)
        h[me] += own[me]; // CHECK: AMP_OK
                          // CHECK-NEXT: {{.*}}atomics.c:[[@LINE-1]]:18: no_second_barrier, thread (5): reads own[5], which thread (0) updates in line [[@LINE-3]], and no barrier is between them; call amp_tile_barrier_wait, or use atomic operations in both lines
}

/* The thread that reads comes before those that update. */
static void reads_first(amp_tiled_index1(T) t, int N, int x[N]) restrict(amp)
{
    tile_static int sum;
    int me = t.local[0];
    if (me == 0)
        sum = 0;
    amp_tile_barrier_wait(t.barrier);
    if (me == 0)
        x[t.tile_origin[0]] = sum;
    else
        amp_atomic_fetch_add(&sum, 1); // CHECK-NEXT: {{.*}}atomics.c:[[@LINE]]:9: reads_first, thread (1): updates sum, which thread (0) reads in line [[@LINE-2]], and no barrier is between them; call amp_tile_barrier_wait
}

static void updates_first(amp_tiled_index1(T) t, int N, int x[N]) restrict(amp)
{
    tile_static int sum;
    int me = t.local[0];
    if (me == 0)
        sum = 0;
    amp_tile_barrier_wait(t.barrier);
    if (me == T - 1)
        x[t.tile_origin[0]] = sum; // CHECK-NEXT: {{.*}}atomics.c:[[@LINE]]:31: updates_first, thread (15): reads sum, which thread (0) updates in line [[@LINE+2]], and no barrier
    else
        amp_atomic_fetch_add(&sum, 1);
}

static void flag(amp_index1 idx, int K, int x[K]) restrict(amp)
{
    if (idx[0] == 3)
        amp_atomic_exchange(&x[0], 1);
    else if (x[0]) // CHECK-NEXT: {{.*}}atomics.c:[[@LINE-1]]:9: flag, thread (3): updates x[0], which thread (0) reads in line [[@LINE]]; use an atomic operation there, too
        x[idx[0]] = 1;
}

static void late_flag(amp_index1 idx, int K, int x[K]) restrict(amp)
{
    if (idx[0] == 3)
        amp_atomic_exchange(&x[0], 1);
    else if (idx[0] > 3 && x[0]) // CHECK-NEXT: {{.*}}atomics.c:[[@LINE]]:28: late_flag, thread (4): reads x[0], which thread (3) updates in line [[@LINE-1]]; use an atomic operation here, too, such as amp_atomic_fetch_add of 0, or read it in a later launch
        x[idx[0]] = 1;
}

/* A barrier does not order what other tiles do. */
static void between_tiles(amp_tiled_index1(T) t, int K, int x[K]) restrict(amp)
{
    amp_atomic_fetch_max(&x[0], t.global[0]);
    amp_tile_barrier_wait(t.barrier);
    if (t.global[0] > 0)
        x[t.global[0]] = x[0]; // CHECK-NEXT: {{.*}}atomics.c:[[@LINE-3]]:5: between_tiles, thread (16): updates x[0], which thread (1) reads in line [[@LINE]];
}

/* A thread's plain write before its own atomic operation, and a barrier that orders arrays within the tile. */
static void written_before(amp_tiled_index1(T) t, int K, int x[K]) restrict(amp)
{
    if (t.global[0] == 0)
        x[0] = 0;
    amp_tile_barrier_wait(t.barrier);
    amp_atomic_fetch_add(&x[0], 1); // CHECK-NEXT: {{.*}}atomics.c:[[@LINE]]:5: written_before, thread (16): updates x[0], which thread (0) writes in line [[@LINE-2]]; use an atomic operation there, too
}

static void wrong_fence(amp_tiled_index1(T) t, int N, int x[N]) restrict(amp)
{
    tile_static int sum;
    if (t.local[0] == 0)
        sum = 0;
    amp_tile_barrier_wait(t.barrier);
    amp_atomic_fetch_add(&sum, 1);
    amp_tile_barrier_wait_with_global_memory_fence(t.barrier);
    x[t.global[0]] = sum; // CHECK-NEXT: {{.*}}atomics.c:[[@LINE]]:22: wrong_fence, thread (0): reads sum, which another thread updates in line [[@LINE-2]], and no barrier
}

static void one_of_two(amp_tiled_index1(T) t, int N, int x[N]) restrict(amp)
{
    tile_static int s[T], u[T];
    int me = t.local[0], *p = x[t.global[0]] >= 0 ? u : s;
    s[me] = u[me] = 0;
    amp_tile_barrier_wait(t.barrier);
    amp_atomic_fetch_add(&p[0], 1); // CHECK-NEXT: {{.*}}atomics.c:[[@LINE]]:5: one_of_two, thread (1): updates u[0], which thread (0) reads in line [[@LINE+1]], and no barrier
    x[t.global[0]] = u[me];
}

/* What others expect is an atomic operation, so a plain write is in their way. */
static void swapped(amp_index1 idx, int K, int x[K]) restrict(amp)
{
    int old = x[0];
    if (idx[0] < 2)
        while (!amp_atomic_compare_exchange(&x[0], &old, old + 1))
            ;
    else
        x[0] = 1; // CHECK-NEXT: {{.*}}atomics.c:[[@LINE]]:14: swapped, thread (2): writes x[0], which thread (0) updates in line {{[0-9]+}}; use an atomic operation here, too
}

/* Nothing is wrong: a thread reads alone what it updates alone, before and after; others update with it. */
static void right(amp_tiled_index1(T) t, int N, int x[N], int sums[2]) restrict(amp)
{
    tile_static int own[T], all;
    int me = t.local[0];
    own[me] = me;
    if (me == 0)
        all = 0;
    amp_atomic_fetch_add(&own[me], 1);
    own[me]++;
    amp_tile_barrier_wait(t.barrier);
    amp_atomic_fetch_add(&all, own[T - 1 - me]);
    amp_atomic_fetch_add(&sums[amp_atomic_fetch_add(&sums[0], 0) < 0], 1);
    amp_tile_barrier_wait(t.barrier);
    x[t.global[0]] = all;
    amp_atomic_fetch_add(&x[t.global[0]], 1);
    x[t.global[0]]++;
}

static void add_by_swaps(double *sum, double by) restrict(amp)
{
    double old = *sum, assumed;
    do
        assumed = old;
    while (!amp_atomic_compare_exchange(sum, &old, assumed + by));
}

static void swaps(amp_tiled_index1(T) t, int K, double x[K]) restrict(amp)
{
    tile_static float most;
    if (t.local[0] == 0)
        most = 0;
    amp_tile_barrier_wait(t.barrier);
    float guess = most, own = (float)t.global[0];
    while (guess < own && !amp_atomic_compare_exchange(&most, &guess, own))
        ;
    add_by_swaps(&x[0], 0.5);
    amp_tile_barrier_wait(t.barrier);
    x[1 + t.global[0]] = most;
}

/* The same, where what is expected comes and goes through pointers of helpers, and in a struct. */
static bool set(int *at, int *expected, int value) restrict(amp)
{
    return amp_atomic_compare_exchange(at, expected, value);
}

static void get(const int *at, int *value) restrict(amp)
{
    *value = *at;
}

static void swaps_in_helpers(amp_index1 idx, int K, int x[K]) restrict(amp)
{
    struct {
        int old, new;
    } pair;
    int old = x[0];
    while (!set(&x[0], &old, old + 1))
        ;
    get(&x[1], &old);
    while (!amp_atomic_compare_exchange(&x[1], &old, 2 * old))
        ;
    pair.old = x[2];
    do
        pair.new = pair.old + 1;
    while (!set(&x[2], &pair.old, pair.new));
}

/* What guesses for another element is a plain read. */
static void swapped_elsewhere(amp_index1 idx, int K, int x[K]) restrict(amp)
{
    int old = x[0];
    while (!set(&x[1], &old, old + 1))
        ;
    amp_atomic_fetch_add(&x[0], 1); // CHECK-NEXT: {{.*}}atomics.c:[[@LINE-3]]:15: swapped_elsewhere, thread (1): reads x[0], which thread (0) updates in line [[@LINE]]
}

int main(void)
{
    static int x[N], h[BINS];
    for (int i = 0; i < N; i++)
        x[i] = (i + 5) % BINS;
    amp_array_view *vx = amp_array_view1(N, (const int *)x), *vh = amp_array_view1(BINS, h);
    static int data[N], sums[2];
    amp_array_view *v = amp_array_view1(N, data), *vs = amp_array_view1(2, sums);
    amp_extent n = amp_extent1(N), tile = amp_extent1(T);
    MISTAKE(amp_parallel_for_each(n, histogram, vx, vh));
    MISTAKE(amp_parallel_for_each(n, no_second_barrier, vx, vh));
    MISTAKE(amp_parallel_for_each(tile, reads_first, v));
    MISTAKE(amp_parallel_for_each(tile, updates_first, v));
    MISTAKE(amp_parallel_for_each(tile, flag, v));
    MISTAKE(amp_parallel_for_each(tile, late_flag, v));
    MISTAKE(amp_parallel_for_each(n, between_tiles, v));
    MISTAKE(amp_parallel_for_each(n, written_before, v));
    MISTAKE(amp_parallel_for_each(tile, wrong_fence, v));
    MISTAKE(amp_parallel_for_each(n, one_of_two, v));
    MISTAKE(amp_parallel_for_each(tile, swapped, v));
    MISTAKE(amp_parallel_for_each(tile, swapped_elsewhere, v));
    MISTAKE(amp_parallel_for_each(n, right, v, vs));
    // CHECK-NEXT: AMP_OK
    static double sum[N + 1];
    MISTAKE(amp_parallel_for_each(n, swaps, amp_array_view1(N + 1, sum)));
    // CHECK-NEXT: AMP_OK
    MISTAKE(amp_parallel_for_each(tile, swaps_in_helpers, v));
    // CHECK-NEXT: AMP_OK
    return 0;
}

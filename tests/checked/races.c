// Races: accesses of two threads to one object that nothing orders, one of which writes.
// RUN: %ampcc -O2 -w --amp-check --amp-gpu=none %s -o %t && env AMP_DEFAULT_ACCELERATOR=checked %t | FileCheck %s
// RUN: %ampcc -O0 -w --amp-check --amp-gpu=none %s -o %t && env AMP_DEFAULT_ACCELERATOR=checked %t | FileCheck %s
#include "Inputs/seed.h"

enum { N = 8, T = 4 };

static void sum(amp_index1 idx, int N, const int a[N], int K, int s[K]) restrict(amp)
{
    s[0] += a[idx[0]]; // CHECK: {{.*}}races.c:[[@LINE]]:10: sum, thread (1): reads s[0], which thread (0) writes in line [[@LINE]]; both threads update it: use amp_atomic_fetch_add or a reduction
}

static void same_value(amp_index1 idx, int K, int s[K]) restrict(amp)
{
    s[1] = 1; // CHECK: {{.*}}races.c:[[@LINE]]:10: same_value, thread (1): writes s[1], which thread (0) writes in line [[@LINE]];
}

static void shift(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    if (idx[0] + 1 < N)
        x[idx[0]] = x[idx[0] + 1]; // CHECK: {{.*}}races.c:[[@LINE]]:19: shift, thread (1): writes x[1], which thread (0) reads in line [[@LINE]];
}

static void transpose(amp_index2 idx, int M, int x[M][M]) restrict(amp)
{
    int y = x[idx[1]][idx[0]]; // CHECK: {{.*}}races.c:[[@LINE]]:13: transpose, thread (1, 0): reads x[0][1], which thread (0, 1) writes in line [[@LINE+1]];
    x[idx[0]][idx[1]] = y;
}

static void mixed(amp_index1 idx, int K, int s[K]) restrict(amp)
{
    if (idx[0] == 2)
        s[0] = 0; // CHECK: {{.*}}races.c:[[@LINE]]:14: mixed, thread (2): writes s[0], which thread (0) updates in line [[@LINE+2]]; use an atomic operation here, too
    else
        amp_atomic_fetch_add(&s[0], 1);
}

static void overlapping(amp_index1 idx, int K, const int a[K], int b[K]) restrict(amp)
{
    b[idx[0]] = a[idx[0]]; // CHECK: {{.*}}races.c:[[@LINE]]:17: overlapping, thread (1): reads a[1], which thread (0) writes in line [[@LINE]];
}

static void no_barrier(amp_tiled_index1(T) t, int N, int x[N]) restrict(amp)
{
    tile_static int s[T];
    s[t.local[0]] = x[t.global[0]]; // CHECK: {{.*}}races.c:[[@LINE]]:19: no_barrier, thread (2): writes s[2], which thread (1) reads in line [[@LINE+1]], and no barrier is between them; call amp_tile_barrier_wait
    x[t.global[0]] = s[T - 1 - t.local[0]];
}

static void one_barrier(amp_tiled_index1(T) t, int N, int x[N]) restrict(amp)
{
    tile_static int s[T];
    int me = t.local[0];
    s[me] = x[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    s[me] += s[(me + 1) % T]; // CHECK: {{.*}}races.c:[[@LINE]]:11: one_barrier, thread (1): writes s[1], which thread (0) reads in line [[@LINE]], and no barrier is between them;
    amp_tile_barrier_wait(t.barrier);
    x[t.global[0]] = s[me];
}

static void between_tiles(amp_tiled_index1(T) t, int N, int x[N]) restrict(amp)
{
    x[t.global[0]] = 1;
    amp_tile_barrier_wait(t.barrier);
    x[(t.global[0] + T) % N] = 2; // CHECK: {{.*}}races.c:[[@LINE-2]]:20: between_tiles, thread (4): writes x[4], which thread (0) writes in line [[@LINE]];
}

static void wrong_fence(amp_tiled_index1(T) t, int N, int x[N]) restrict(amp)
{
    x[t.global[0]] = 1;
    amp_tile_barrier_wait_with_tile_static_memory_fence(t.barrier);
    x[t.tile_origin[0] + (t.local[0] + 1) % T] += 1; // CHECK: {{.*}}races.c:[[@LINE]]:48: wrong_fence, thread (0): reads x[1], which thread (1) writes in line [[@LINE-2]], and no barrier
}

static void other_fence(amp_tiled_index1(T) t, int N, int x[N]) restrict(amp)
{
    tile_static int s[T];
    s[t.local[0]] = 1;
    amp_tile_barrier_wait_with_global_memory_fence(t.barrier);
    x[t.global[0]] = s[(t.local[0] + 1) % T]; // CHECK: {{.*}}races.c:[[@LINE]]:22: other_fence, thread (0): reads s[1], which thread (1) writes in line [[@LINE-2]], and no barrier
}

static void next_turn(amp_tiled_index1(T) t, int N, int x[N]) restrict(amp)
{
    tile_static int s[T];
    int me = t.local[0], sum = 0;
    for (int turn = 0; turn < 2; turn++) {
        s[me] = turn; // CHECK: {{.*}}races.c:[[@LINE]]:15: next_turn, thread (1): writes s[1], which thread (0) reads in line [[@LINE+2]], and no barrier
        amp_tile_barrier_wait(t.barrier);
        sum += s[(me + 1) % T];
    }
    x[t.global[0]] = sum;
}

static void one_sees(amp_tiled_index1(T) t, int N, int x[N]) restrict(amp)
{
    tile_static int arrived;
    int me = t.local[0], *first = &x[t.tile_origin[0]];
    if (me == 0)
        arrived = 0;
    amp_tile_barrier_wait(t.barrier);
    if (me == 0) {
        *first = 1;
        amp_all_memory_fence(t.barrier);
    }
    if (me < 3 && amp_atomic_fetch_add(&arrived, 1) > 0)
        x[t.global[0]] = *first; // the atomic operation orders that
    if (me == 3)
        x[t.global[0]] = *first; // CHECK: {{.*}}races.c:[[@LINE]]:26: one_sees, thread (3): reads x[0], which thread (0) writes in line [[@LINE-6]], and no barrier
}

static void one_of_two(amp_tiled_index1(T) t, int N, int x[N]) restrict(amp)
{
    tile_static int s[T], u[T];
    int me = t.local[0], *p = x[t.global[0]] >= 0 ? u : s;
    s[me] = u[me] = 0;
    amp_tile_barrier_wait(t.barrier);
    p[me] = 1; // CHECK: {{.*}}races.c:[[@LINE]]:11: one_of_two, thread (1): writes u[1], which thread (0) reads in line [[@LINE+1]], and no barrier
    x[t.global[0]] = u[(me + 1) % T];
}

int main(void)
{
    static int a[N], s[2], x[N], m[T * T];
    amp_array_view *va = amp_array_view1(N, a), *vs = amp_array_view1(2, s), *vx = amp_array_view1(N, x),
                   *vm = amp_array_view2(T, T, m);
    amp_array_view *left = amp_array_view_section1(va, 0, N - 1), *right = amp_array_view_section1(va, 1, N - 1);
    amp_extent n = amp_extent1(N);
    MISTAKE(amp_parallel_for_each(n, sum, va, vs));
    MISTAKE(amp_parallel_for_each(n, same_value, vs));
    MISTAKE(amp_parallel_for_each(n, shift, vx));
    MISTAKE(amp_parallel_for_each(amp_extent2(T, T), transpose, vm));
    MISTAKE(amp_parallel_for_each(n, mixed, vs));
    MISTAKE(amp_parallel_for_each(amp_extent1(N - 1), overlapping, left, right));
    MISTAKE(amp_parallel_for_each(n, no_barrier, vx));
    MISTAKE(amp_parallel_for_each(n, one_barrier, vx));
    MISTAKE(amp_parallel_for_each(n, between_tiles, vx));
    MISTAKE(amp_parallel_for_each(n, wrong_fence, vx));
    MISTAKE(amp_parallel_for_each(n, other_fence, vx));
    MISTAKE(amp_parallel_for_each(n, next_turn, vx));
    MISTAKE(amp_parallel_for_each(n, one_sees, vx));
    MISTAKE(amp_parallel_for_each(n, one_of_two, vx));
    return 0;
}

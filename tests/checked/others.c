// What was not written, barriers, arithmetic, loops that wait.
// RUN: %ampcc -O2 -w --amp-check --amp-gpu=none %s -o %t
// RUN: env AMP_DEFAULT_ACCELERATOR=checked AMP_CHECK_TIMEOUT=0.2 %t | FileCheck %s
// RUN: %ampcc -O0 -w --amp-check --amp-gpu=none %s -o %t
// RUN: env AMP_DEFAULT_ACCELERATOR=checked AMP_CHECK_TIMEOUT=0.2 %t | FileCheck %s
#include "Inputs/seed.h"

enum { N = 8, T = 4 };

static void local(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    int y;
    if (x[idx[0]] > 0)
        y = 1;
    x[idx[0]] = y; // CHECK: {{.*}}others.c:[[@LINE]]:17: local, thread (0): reads y, which nothing has written
}

static void in_loop(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    for (int i = 0; i < 3; i++) {
        int y;
        if (i == idx[0])
            y = 1;
        x[idx[0]] += y; // CHECK: {{.*}}others.c:[[@LINE]]:22: in_loop, thread (0): reads y, which nothing has written
    }
}

static void in_array(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    int y[3];
    y[0] = y[1] = 2;
    x[idx[0]] = y[idx[0] % 3]; // CHECK: {{.*}}others.c:[[@LINE]]:17: in_array, thread (2): reads y[2], which nothing has written
}

static void in_tile(amp_tiled_index1(T) t, int N, int x[N]) restrict(amp)
{
    tile_static int s[T];
    if (t.local[0] > 0)
        s[t.local[0]] = 1;
    amp_tile_barrier_wait(t.barrier);
    x[t.global[0]] = s[t.local[0]]; // CHECK: {{.*}}others.c:[[@LINE]]:22: in_tile, thread (0): reads s[0], which nothing has written
}

static void next_tile(amp_tiled_index1(T) t, int N, int x[N]) restrict(amp)
{
    tile_static int s;
    if (t.global[0] == 0)
        s = 1;
    amp_tile_barrier_wait(t.barrier);
    x[t.global[0]] = s; // CHECK: {{.*}}others.c:[[@LINE]]:22: next_tile, thread (4): reads s, which nothing has written
}

static void add(amp_index1 idx, int N, const int x[N], int y[N]) restrict(amp)
{
    y[idx[0]] += x[idx[0]]; // CHECK: {{.*}}others.c:[[@LINE]]:15: add, thread (0): reads y[0], which nothing has written
}

static void returns(amp_tiled_index1(T) t, int N, const int x[N], int y[N]) restrict(amp)
{
    if (x[t.global[0]] == 1)
        return;
    amp_tile_barrier_wait(t.barrier); // CHECK: {{.*}}others.c:[[@LINE]]:5: returns, thread (0): only 3 of the tile's 4 threads reach this barrier; thread (1) returned in line [[@LINE-1]]
    y[t.global[0]] = 1;
}

static void two_barriers(amp_tiled_index1(T) t, int N, const int x[N]) restrict(amp)
{
    if (x[t.global[0]] == 1)
        amp_tile_barrier_wait(t.barrier);
    else
        amp_tile_barrier_wait(t.barrier); // CHECK: {{.*}}others.c:[[@LINE]]:9: two_barriers, thread (0): only 3 of the tile's 4 threads reach this barrier; thread (1) waits in line [[@LINE-2]]
}

static void loops(amp_tiled_index1(T) t, int N, const int x[N]) restrict(amp)
{
    for (int i = 0; i < x[t.global[0]]; i++)
        amp_tile_barrier_wait(t.barrier); // CHECK: {{.*}}others.c:[[@LINE]]:9: loops, thread (1): only 3 of the tile's 4 threads reach this barrier; thread (0) returned in line [[@LINE+1]]
}

static void divide(amp_index1 idx, int N, const int x[N], int y[N]) restrict(amp)
{
    y[idx[0]] = 7 / x[idx[0]]; // CHECK: {{.*}}others.c:[[@LINE]]:19: divide, thread (0): division by zero
}

static void least(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    x[idx[0]] = (-2147483647 - 1) % (idx[0] - 4); // CHECK: {{.*}}others.c:[[@LINE]]:35: least, thread (3): division of -2147483648 by -1 cannot be represented in type 'int'
}

static void shift(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    x[idx[0]] = 1 << (idx[0] + 28); // CHECK: {{.*}}others.c:[[@LINE]]:19: shift, thread (4): shift exponent 32 is too large for 32-bit type 'int'
}

static void back(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    x[idx[0]] = 64 >> (2 - idx[0]); // CHECK: {{.*}}others.c:[[@LINE]]:20: back, thread (3): shift exponent -1 is negative
}

static void convert(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    x[idx[0]] = (int)(idx[0] * 1e9f); // CHECK: {{.*}}others.c:[[@LINE]]:17: convert, thread (3): 3e+09 is outside the range of representable values of type 'int'
}

static void overflow(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    x[idx[0]] = 2147483640 + 2 * idx[0]; // CHECK: {{.*}}others.c:[[@LINE]]:28: overflow, thread (4): signed integer overflow: 2147483640 + 8 cannot be represented in type 'int'
}

static void wait(amp_index1 idx, int K, int s[K]) restrict(amp)
{
    while (amp_atomic_fetch_add(&s[0], 0) < 5) // CHECK: {{.*}}others.c:[[@LINE]]:5: wait, thread (0): this loop still runs after
        ;
}

int main(void)
{
    static int x[N], y[N], ones[N] = {0, 1, 2, 2, 1, 1, 1, 1};
    amp_array_view *vx = amp_array_view1(N, x), *vy = amp_array_view1(N, y), *vo = amp_array_view1(N, ones);
    amp_extent n = amp_extent1(N);
    MISTAKE(amp_parallel_for_each(n, local, vx));
    MISTAKE(amp_parallel_for_each(n, in_loop, vx));
    MISTAKE(amp_parallel_for_each(n, in_array, vx));
    MISTAKE(amp_parallel_for_each(n, in_tile, vx));
    MISTAKE(amp_parallel_for_each(n, next_tile, vx));
    amp_discard_data(vy);
    MISTAKE(amp_parallel_for_each(n, add, vo, vy));
    MISTAKE(amp_parallel_for_each(n, returns, vo, vx));
    MISTAKE(amp_parallel_for_each(n, two_barriers, vo));
    MISTAKE(amp_parallel_for_each(n, loops, vo));
    MISTAKE(amp_parallel_for_each(n, divide, vo, vx));
    MISTAKE(amp_parallel_for_each(n, least, vx));
    MISTAKE(amp_parallel_for_each(n, shift, vx));
    MISTAKE(amp_parallel_for_each(n, back, vx));
    MISTAKE(amp_parallel_for_each(n, convert, vx));
    MISTAKE(amp_parallel_for_each(n, overflow, vx));
    MISTAKE(amp_parallel_for_each(n, wait, vx));
    return 0;
}

// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -c -O0 -o %t.o %s
// RUN: python3 %root/tests/expect.py %ampcc -c -O2 -o %t.o %s
// row: c2, c3, c4, c5, C3561
// All threads of a tile come to a barrier: what decides about that may not depend on the thread's index.
#include <amp.h>

void branch(amp_tiled_index1(16) t, int N, float x[N]) restrict(amp)
{
    if (t.local[0] < 4) // expected-note: this condition depends on the thread's index; move the barrier out of what it controls
        amp_tile_barrier_wait(t.barrier); // expected-error: barrier in control flow that differs between the threads of a tile: all of them must reach it
    x[t.global[0]] = 1;
}

void early_return(amp_tiled_index1(16) t, int N, int n, float x[N]) restrict(amp)
{
    if (t.global[0] >= n) // expected-note: this condition depends on the thread's index; move the barrier out of what it controls
        return;
    amp_tile_barrier_wait(t.barrier); // expected-error: barrier in control flow that differs between the threads of a tile: all of them must reach it
    x[t.global[0]] = 1;
}

void jump(amp_tiled_index1(16) t, int N, int n, float x[N]) restrict(amp)
{
    if (t.global[0] >= n) // expected-note: this condition depends on the thread's index; move the barrier out of what it controls
        goto out;
    amp_tile_barrier_wait(t.barrier); // expected-error: barrier in control flow that differs between the threads of a tile: all of them must reach it
    x[t.global[0]] = 1;
out:
    x[0] = 1;
}

void trip_count(amp_tiled_index2(4, 4) t, int N, float x[N]) restrict(amp)
{
    for (int i = 0; i < t.local[1]; i++) { // expected-note: this condition depends on the thread's index; move the barrier out of what it controls
        amp_tile_barrier_wait_with_tile_static_memory_fence(t.barrier); // expected-error: barrier in control flow that differs between the threads of a tile: all of them must reach it
        x[t.global[0]] += 1;
    }
}

void leave_loop(amp_tiled_index1(16) t, int N, float x[N]) restrict(amp)
{
    for (int i = 0; i < N; i++) {
        amp_tile_barrier_wait(t.barrier); // expected-error: barrier in control flow that differs between the threads of a tile: all of them must reach it
        if (i == t.local[0]) // expected-note: this condition depends on the thread's index; move the barrier out of what it controls
            break;
        x[t.global[0]] += 1;
    }
}

static float step(amp_tile_barrier barrier, float x) restrict(amp)
{
    amp_tile_barrier_wait(barrier); // expected-error: barrier in control flow that differs between the threads of a tile: all of them must reach it expected-error: barrier in control flow that differs between the threads of a tile: all of them must reach it
    return x / 2;
}

static int is_first(int me) restrict(amp)
{
    return me == 0;
}

void helper(amp_tiled_index1(16) t, int N, float x[N]) restrict(amp)
{
    if (is_first(t.local[0])) // expected-note: this condition depends on the thread's index; move the barrier out of what it controls
        x[t.global[0]] = step(t.barrier, x[t.global[0]]); // expected-note: the barrier is reached by the call here
}

void operators(amp_tiled_index1(16) t, int N, float x[N]) restrict(amp)
{
    x[t.global[0]] = t.local[0] > 3 && step(t.barrier, 1) > 0; // expected-note: the barrier is reached by the call here expected-note: this condition depends on the thread's index; move the barrier out of what it controls
}

void beside_memory(amp_tiled_index1(16) t, int N, float x[N]) restrict(amp)
{
    if ((float)t.local[0] < x[0]) // expected-note: this condition depends on the thread's index; move the barrier out of what it controls
        amp_tile_barrier_wait(t.barrier); // expected-error: barrier in control flow that differs between the threads of a tile: all of them must reach it
    x[t.global[0]] = 1;
}

void flag(amp_tiled_index1(16) t, int N, float x[N]) restrict(amp)
{
    int here = 0;
    if (t.local[0] < 4)
        here = 1;
    x[t.global[0]] = 2;
    if (here) // expected-note: this condition depends on the thread's index; move the barrier out of what it controls
        amp_tile_barrier_wait(t.barrier); // expected-error: barrier in control flow that differs between the threads of a tile: all of them must reach it
    x[t.global[0]] = 1;
}

void counted(amp_tiled_index1(16) t, int N, float x[N]) restrict(amp)
{
    int n = 0;
    while (n * n < t.local[0])
        n++;
    if (n > 2) // expected-note: this condition depends on the thread's index; move the barrier out of what it controls
        amp_tile_barrier_wait(t.barrier); // expected-error: barrier in control flow that differs between the threads of a tile: all of them must reach it
    x[t.global[0]] = 1;
}

void chosen_count(amp_tiled_index1(16) t, int N, float x[N]) restrict(amp)
{
    int n = t.local[0] > 2 ? N : 3;
    for (int i = 0; i < n; i++) { // expected-note: this condition depends on the thread's index; move the barrier out of what it controls
        amp_tile_barrier_wait(t.barrier); // expected-error: barrier in control flow that differs between the threads of a tile: all of them must reach it
        x[t.global[0]] += 1;
    }
}

void skipped(amp_tiled_index1(16) t, int N, float x[N]) restrict(amp)
{
    for (int i = 0; i < N; i++) {
        if (i == t.local[0]) // expected-note: this condition depends on the thread's index; move the barrier out of what it controls
            continue;
        amp_tile_barrier_wait(t.barrier); // expected-error: barrier in control flow that differs between the threads of a tile: all of them must reach it
        x[t.global[0]] += 1;
    }
}

void one_for_each(amp_tiled_index1(16) t, int N, float x[N]) restrict(amp)
{
    if (t.local[0] < 4) { // expected-note 2: this condition depends on the thread's index; move the barrier out of what it controls
        amp_tile_barrier_wait(t.barrier); // expected-error: barrier in control flow that differs between the threads of a tile: all of them must reach it
        x[t.global[0]] = 1;
    } else {
        amp_tile_barrier_wait(t.barrier); // expected-error: barrier in control flow that differs between the threads of a tile: all of them must reach it
        x[t.global[0]] = 2;
    }
}

static void wait_if(amp_tile_barrier barrier, int me, float *x) restrict(amp)
{
    if (me > 3) // expected-note: this condition depends on the thread's index; move the barrier out of what it controls
        return;
    *x = 1;
    amp_tile_barrier_wait(barrier); // expected-error: barrier in control flow that differs between the threads of a tile: all of them must reach it
}

static void middle(amp_tile_barrier barrier, int me, float *x) restrict(amp)
{
    wait_if(barrier, me + 1, x); // expected-note: the barrier is reached by the call here
}

void through_calls(amp_tiled_index1(16) t, int N, float x[N]) restrict(amp)
{
    middle(t.barrier, t.local[0], &x[t.global[0]]); // expected-note: the barrier is reached by the call here
}

// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -c -O0 -o %t.o %s
// RUN: python3 %root/tests/expect.py %ampcc -c -O2 -o %t.o %s
// row: c4
// Barriers under conditions that are the same for all threads of a tile, or that came through memory, of which nothing
// can be proven.
#include <amp.h>

void tile_index(amp_tiled_index2(4, 4) t, int M, int N, float x[M][N]) restrict(amp)
{
    if (t.tile[0] > 0 && t.tile_origin[1] < N)
        amp_tile_barrier_wait(t.barrier);
    x[t.global[0]][t.global[1]] = 1;
}

void scalar(amp_tiled_index1(16) t, int n_steps, int N, float x[N]) restrict(amp)
{
    if (n_steps < 0)
        return;
    for (int i = 0; i < n_steps; i++) {
        amp_tile_barrier_wait(t.barrier);
        if (2 * i > N)
            break;
        x[t.global[0]] += 1;
    }
}

void shared(amp_tiled_index1(16) t, int N, float x[N]) restrict(amp)
{
    tile_static int n_steps;
    if (t.local[0] == 0)
        n_steps = (int)x[t.tile_origin[0]];
    amp_tile_barrier_wait(t.barrier);
    for (int i = 0; i < n_steps; i++) {
        amp_tile_barrier_wait(t.barrier);
        x[t.global[0]] += 1;
    }
}

void own_element(amp_tiled_index1(16) t, int N, float x[N]) restrict(amp)
{
    while (x[t.global[0]] > 0) {
        amp_tile_barrier_wait(t.barrier);
        x[t.global[0]] -= 1;
    }
}

static float step(amp_tile_barrier barrier, float x) restrict(amp)
{
    amp_tile_barrier_wait(barrier);
    return x / 2;
}

void helper(amp_tiled_index1(16) t, int N, float x[N]) restrict(amp)
{
    float mine = x[t.global[0]];
    for (int i = 0; i < 4; i++)
        mine = step(t.barrier, mine);
    if (t.local[0] < 4)
        x[t.global[0]] = mine;
}

/* The end of `value`'s life makes one path out of the `continue` and the end of the loop's body. */
void leaves_a_scope(amp_tiled_index1(16) t, int n_steps, int N, float x[N]) restrict(amp)
{
    tile_static float last;
    for (int i = 0; i < n_steps; i++) {
        {
            float value = x[t.global[0]] + (float)i;
            if (N < 100)
                continue;
            if (t.local[0] == 0)
                last = value;
        }
        amp_tile_barrier_wait(t.barrier);
        x[t.global[0]] = last;
        amp_tile_barrier_wait(t.barrier);
    }
}

/* A condition on the thread's index that repeats itself, around one that is the same for all. */
void repeats(amp_tiled_index1(16) t, int N, float x[N]) restrict(amp)
{
    for (int k = 0; k < 7; k++) {
        tile_static float first;
        if (t.local[0] == 0)
            first = x[0];
        if (k == t.tile[0])
            return;
        if (t.local[0] == 0)
            first += 1;
        amp_tile_barrier_wait(t.barrier);
        x[t.global[0]] = first;
        amp_tile_barrier_wait(t.barrier);
    }
}

static float leave_early(int me, float *x) restrict(amp)
{
    if (me > 3)
        return 1;
    for (int i = 0; i < me; i++)
        if (*x > (float)i)
            return 2;
    return 3;
}

/* Threads that part in a helper are together again behind it. */
void helper_returns(amp_tiled_index1(16) t, int N, float x[N]) restrict(amp)
{
    x[t.global[0]] = leave_early(t.local[0], &x[t.global[0]]);
    amp_tile_barrier_wait(t.barrier);
    x[t.global[0]] += 1;
}

void leave_in_the_middle(amp_tiled_index1(16) t, int n, int N, float x[N]) restrict(amp)
{
    for (int i = 0;; i++) {
        for (int k = 0; k < n; k++)
            if (k == t.local[0])
                break;
        amp_tile_barrier_wait(t.barrier);
        if (i == n)
            break;
        if (t.local[0] == i)
            continue;
        x[t.global[0]] += 1;
    }
}

void by_case(amp_tiled_index1(16) t, int which, int N, float x[N]) restrict(amp)
{
    switch (which) {
    case 1:
        amp_tile_barrier_wait(t.barrier);
        break;
    case 2:
        x[t.global[0]] = 1;
        amp_tile_barrier_wait(t.barrier);
        /* fall through */
    default:
        amp_tile_barrier_wait(t.barrier);
        x[t.global[0]] += 4;
    }
}

/* A tile of one row has one thread in each column: what depends on the row does not differ in the tile. */
void one_row(amp_tiled_index2(1, 16) t, int M, int N, float x[M][N]) restrict(amp)
{
    if (t.local[0] == 0 && t.global[0] < M / 2)
        amp_tile_barrier_wait(t.barrier);
    x[t.global[0]][t.global[1]] = 1;
}

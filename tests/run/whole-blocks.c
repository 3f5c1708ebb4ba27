/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=4 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=32 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O2 -g %s -o %t && %run-cpu %t
 *
 * Conditions on the thread's place, which are true for all lanes of some blocks, for none of others, and for a part of
 * those between: what both sides write, leave in variables, and hand on to what follows. */
#include "check.h"

enum { TILE = 128, TILES = 3, N = TILE * TILES, STEPS = 70 };

/* The tile's middle shrinks from step to step, as in a stencil that takes several steps at once. */
static void shrink(amp_tiled_index1(TILE) t, int n, const int a[n], int out[n]) restrict(amp)
{
    tile_static int now[TILE], next[TILE];
    int thread = t.local[0], left = thread > 0 ? thread - 1 : 0, steps_taken = 0;
    now[thread] = a[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    for (int step = 0; step < STEPS; step++) {
        bool is_valid = thread > step && thread < TILE - 1 - step;
        if (is_valid) {
            next[thread] = now[left] % 1000 + 3 * (now[thread] % 1000) + now[thread + 1] % 5 + step;
            steps_taken += step;
        }
        amp_tile_barrier_wait(t.barrier);
        if (is_valid)
            now[thread] = next[thread];
        amp_tile_barrier_wait(t.barrier);
    }
    out[t.global[0]] = now[thread] + steps_taken;
}

static void shrink_expected(const int a[N], int out[N])
{
    for (int tile = 0; tile < TILES; tile++) {
        int now[TILE], next[TILE], steps_taken[TILE] = {0};
        for (int i = 0; i < TILE; i++)
            now[i] = a[tile * TILE + i];
        for (int step = 0; step < STEPS; step++) {
            for (int i = step + 1; i < TILE - 1 - step; i++) {
                next[i] = now[i - 1] % 1000 + 3 * (now[i] % 1000) + now[i + 1] % 5 + step;
                steps_taken[i] += step;
            }
            for (int i = step + 1; i < TILE - 1 - step; i++)
                now[i] = next[i];
        }
        for (int i = 0; i < TILE; i++)
            out[tile * TILE + i] = now[i] + steps_taken[i];
    }
}

/* Branches in one another, with loops, an early end, data that parts lanes inside, and sums that all change. */
static int nested_at(int i, int n, int low, int high, const int a[n], int *counter, int *extra) restrict(cpu, amp)
{
    int result = -i;
    if (i >= low && i < high) {
        result = a[i] + a[n - 1 - i];
        if (i > low + 20) {
            for (int k = 0; k < 7; k++)
                result += a[(i + k) % n] << k;
            if (a[i] % 3 == 0)
                return result - 1;
            *counter = 1;
        } else
            result ^= a[i / 2];
        *extra += result;
    } else if (i < low)
        *extra = a[i] * 5;
    else
        result = a[i] - 7;
    return result + *extra;
}

static void nested(amp_tiled_index1(TILE) t, int n, int low, int high, const int a[n], int out[n], int counters[1])
    restrict(amp)
{
    tile_static int sum[1];
    int i = t.global[0], counter = 0, extra = i % 3;
    if (t.local[0] == 0)
        sum[0] = 0;
    amp_tile_barrier_wait(t.barrier);
    out[i] = nested_at(i, n, low, high, a, &counter, &extra);
    if (t.local[0] >= 40)
        amp_atomic_fetch_add(&sum[0], a[i] + counter);
    amp_tile_barrier_wait(t.barrier);
    if (t.local[0] < 90)
        out[i] += sum[0];
    if (t.local[0] == 0)
        amp_atomic_fetch_add(&counters[0], sum[0]);
}

static int *a, *out, expected[N];

static void check_nested(int low, int high)
{
    int *counters = check_alloc(sizeof *counters), sums[TILES] = {0}, total = 0;
    for (int i = 0; i < N; i++) {
        int counter = 0, extra = i % 3;
        expected[i] = nested_at(i, N, low, high, a, &counter, &extra);
        if (i % TILE >= 40)
            sums[i / TILE] += a[i] + counter;
    }
    for (int i = 0; i < N; i++)
        expected[i] += i % TILE < 90 ? sums[i / TILE] : 0;
    for (int tile = 0; tile < TILES; tile++)
        total += sums[tile];
    counters[0] = 0;
    amp_auto_array_view *from = amp_array_view1(N, (const int *)a), *to = amp_array_view1(N, out),
                        *sum = amp_array_view1(1, counters);
    amp_parallel_for_each(amp_extent1(N), nested, low, high, from, to, sum);
    CHECK_INTS(out, expected, N, "nested %d to %d", low, high);
    CHECK_INTS(counters, &total, 1, "nested %d to %d, sum", low, high);
}

int main(void)
{
    a = check_alloc(N * sizeof *a);
    out = check_alloc(N * sizeof *out);
    for (int i = 0; i < N; i++)
        a[i] = (int)((unsigned)i * 2654435u >> 3) % 1000;
    amp_auto_array_view *from = amp_array_view1(N, (const int *)a), *to = amp_array_view1(N, out);
    amp_parallel_for_each(amp_extent1(N), shrink, from, to);
    shrink_expected(a, expected);
    CHECK_INTS(out, expected, N, "shrink");
    static const int places[][2] = {{0, N}, {1, N - 1}, {32, 96}, {33, 97}, {100, 300}, {17, 17}, {N, N}, {128, 256}};
    for (int p = 0; p < LENGTH(places); p++)
        check_nested(places[p][0], places[p][1]);
    puts("right");
    return 0;
}

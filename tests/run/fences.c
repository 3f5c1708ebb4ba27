/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=1 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=4 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 --amp-lanes=32 %s -o %t && %run-native %t
 * RUN: %ampcc -O0 %s -o %t && %run-alone %t
 * row: tile_barrier.fences, c7, atomic.inc
 *
 * Fences in uniform and divergent code, in helpers and loops; atomic increments and decrements of all integers. */
#include "check.h"

enum { TILE = 64 };

/* The last thread of the tile to come here, whichever it is, sees what the others wrote before the fence. */
static void sum_by_last(amp_tiled_index1(TILE) t, int N, int T, const int x[N], int sums[T], int parts[N]) restrict(amp)
{
    tile_static int own[TILE], arrived;
    if (t.local[0] == 0)
        arrived = 0;
    amp_tile_barrier_wait(t.barrier);
    int me = t.local[0], at = t.global[0];
    if (me % 3 != 1) {
        own[me] = x[at];
        parts[at] = 2 * x[at];
        amp_all_memory_fence(t.barrier);
    } else {
        own[me] = -x[at];
        amp_tile_static_memory_fence(t.barrier);
        parts[at] = 3 * x[at];
        amp_global_memory_fence(t.barrier);
    }
    if (amp_atomic_fetch_inc(&arrived) == TILE - 1) {
        amp_all_memory_fence(t.barrier);
        int sum = 0;
        for (int i = 0; i < TILE; i++)
            sum += own[i] + parts[t.tile_origin[0] + i];
        sums[t.tile[0]] = sum;
    }
}

/* Without the fences a value that was read could be used again. */
static void rotate(amp_tile_barrier barrier, int *own, int me) restrict(amp)
{
    int next = own[(me + 1) % TILE];
    amp_tile_barrier_wait(barrier);
    own[me] = next;
    amp_tile_static_memory_fence(barrier);
    own[me] += 1;
    amp_all_memory_fence(barrier);
    amp_tile_barrier_wait(barrier);
}

static void rotate_all(amp_tiled_index1(TILE) t, int N, int rounds, int x[N]) restrict(amp)
{
    tile_static int own[TILE];
    own[t.local[0]] = x[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    for (int i = 0; i < rounds; i++)
        rotate(t.barrier, own, t.local[0]);
    x[t.global[0]] = own[t.local[0]];
}

static void count(amp_index1 idx, int N, const int x[N], int i[2], unsigned u[2], long long l[2],
                  unsigned long long k[2]) restrict(amp)
{
    if (x[idx[0]] % 2) {
        amp_atomic_fetch_inc(&i[0]);
        amp_atomic_fetch_dec(&u[0]);
        amp_atomic_fetch_inc(&l[0]);
        amp_atomic_fetch_dec(&k[0]);
    }
    int before = amp_atomic_fetch_dec(&i[1]);
    amp_atomic_fetch_inc(&u[1]);
    amp_atomic_fetch_dec(&l[1]);
    if (before > 0)
        amp_atomic_fetch_inc(&k[1]);
}

int main(void)
{
    enum { TILES = 9, N = TILES * TILE };
    static int x[N], sums[TILES], parts[N], y[N];
    for (int i = 0; i < N; i++)
        x[i] = y[i] = check_value(i);
    amp_array_view *x_view = amp_array_view1(N, (const int *)x), *sums_view = amp_array_view1(TILES, sums),
                   *parts_view = amp_array_view1(N, parts), *y_view = amp_array_view1(N, y);
    CHECK_OK(amp_parallel_for_each(amp_extent1(N), sum_by_last, x_view, sums_view, parts_view));
    CHECK_OK(amp_parallel_for_each(amp_extent1(N), rotate_all, 70, y_view));
    static int want_sums[TILES], want_y[N];
    for (int i = 0; i < N; i++) {
        int me = i % TILE, tile = i / TILE;
        want_sums[tile] += me % 3 != 1 ? 3 * x[i] : 2 * x[i];
        want_y[i] = x[tile * TILE + (me + 70) % TILE] + 70;
    }
    CHECK_INTS(sums, want_sums, TILES, "sums by the last thread");
    CHECK_INTS(y, want_y, N, "rotated");

    int i[2] = {0, 100}, n_odd = 0;
    unsigned u[2] = {3, ~0u};
    long long l[2] = {-1, 1LL << 40};
    unsigned long long k[2] = {0, 0};
    for (int j = 0; j < N; j++)
        n_odd += x[j] % 2 != 0;
    amp_array_view *views[] = {amp_array_view1(2, i), amp_array_view1(2, u), amp_array_view1(2, l),
                               amp_array_view1(2, k)};
    CHECK_OK(amp_parallel_for_each(amp_extent1(N), count, x_view, views[0], views[1], views[2], views[3]));
    int64_t got[] = {i[0], i[1], u[0], u[1], l[0], l[1], (int64_t)k[0], (int64_t)k[1]};
    int64_t want[] = {n_odd, 100 - N, (unsigned)(3 - n_odd), N - 1, n_odd - 1, (1LL << 40) - N, -n_odd, 100};
    CHECK_INTS(got, want, 8, "counters");
    for (int v = 0; v < 4; v++)
        amp_array_view_release(views[v]);
    amp_array_view_release(x_view);
    amp_array_view_release(sums_view);
    amp_array_view_release(parts_view);
    amp_array_view_release(y_view);
    return 0;
}

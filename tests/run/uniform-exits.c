/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=1 %s -o %t && %run-cpu %t
 * RUN: %ampcc -O1 %s -o %t && %run-alone %t
 * RUN: %ampcc -O0 %s -o %t && %run-alone %t
 *
 * All threads of a tile leave a loop together, or skip a barrier, next to a divergent branch. An optimiser that merges
 * the two branches leaves a barrier that seems to depend on the thread's index. */
#include "check.h"

enum { TILE = 64, N = 5 * TILE, STEPS = 7 };

/* A variable's lifetime ends where threads return. */
static void returns(amp_tiled_index1(TILE) t, int from, int n, int out[n]) restrict(amp)
{
    tile_static int sum[TILE];
    sum[t.local[0]] = 0;
    for (int step = 0; step < STEPS; step++) {
        int next = step + 1;
        if (next > from || t.tile[0] & 1)
            return;
        if (t.local[0] < 3)
            sum[t.local[0]] += next;
    }
    amp_tile_barrier_wait(t.barrier);
    out[t.global[0]] = sum[t.local[0] & 3];
}

/* The way out is a variable. */
static void skips(amp_tiled_index1(TILE) t, int from, int n, int out[n]) restrict(amp)
{
    tile_static int sum[TILE];
    sum[t.local[0]] = 0;
    bool done = false;
    for (int step = 0; step < n; step++) {
        if (step == from + t.tile[0])
            done = true;
        else if (t.local[0] < 3)
            sum[t.local[0]] += step;
        if (done)
            continue;
        amp_tile_barrier_wait(t.barrier);
        out[t.global[0]] = sum[t.local[0] & 3];
        amp_tile_barrier_wait(t.barrier);
    }
}

static void stops(amp_tiled_index1(TILE) t, int from, int n, int out[n]) restrict(amp)
{
    tile_static int sum[TILE];
    sum[t.local[0]] = 0;
    int done = 0;
    for (int step = 0; step < n && !done; step++) {
        if (step == from + t.tile[0])
            done = 1;
        else if (t.local[0] < 3)
            sum[t.local[0]] += step;
        amp_tile_barrier_wait(t.barrier);
        out[t.global[0]] = sum[t.local[0] & 3];
        amp_tile_barrier_wait(t.barrier);
    }
}

static void jumps(amp_tiled_index1(TILE) t, int from, int n, int out[n]) restrict(amp)
{
    tile_static int sum[TILE];
    sum[t.local[0]] = 0;
    for (int step = 0; step < STEPS; step++) {
        int next = step + 1;
        {
            int twice = 2 * next;
            if (twice == from)
                return;
            if (t.local[0] < 3)
                sum[t.local[0]] += twice;
            if (next == from)
                goto out;
            if (t.tile[0] & 1) {
                if (t.local[0] < 3)
                    sum[t.local[0]] += next;
                continue;
            }
        }
        amp_tile_barrier_wait(t.barrier);
    }
out:
    amp_tile_barrier_wait(t.barrier);
    out[t.global[0]] = sum[t.local[0] & 3];
}

/* What decides is the same in a loop that threads leave at different times. */
static void repeats(amp_tiled_index1(TILE) t, int from, int n, int out[n]) restrict(amp)
{
    tile_static int sum[TILE];
    int step = 0, own = 0;
    do
        own += from >= t.tile[0] ? 1 : 2;
    while (++step < t.local[0] % 4);
    sum[t.local[0]] = own;
    if (from >= t.tile[0]) {
        if (from == 2 * t.tile[0])
            return;
        amp_tile_barrier_wait(t.barrier);
        own = sum[t.local[0] ^ 4];
    }
    out[t.global[0]] = t.local[0] % 4 < 3 ? own / step : 0;
}

/* What decides was loaded in such a loop, too. */
static void rereads(amp_tiled_index1(TILE) t, const int from[1], int n, int out[n]) restrict(amp)
{
    tile_static int sum[TILE];
    int step = 0, own = 0;
    do {
        out[t.global[0]] = own;
        own += from[0] + 1;
    } while (++step < t.local[0] % 4);
    sum[t.local[0]] = own;
    if (from[0] > 2) {
        amp_tile_barrier_wait(t.barrier);
        own = sum[t.local[0] ^ 4];
    }
    out[t.global[0]] = t.local[0] % 4 < 3 ? own / step : 0;
}

/* What a loop hands out was loaded from a variable that ends in each iteration. */
static void forgets(amp_tiled_index1(TILE) t, int from, int n, int out[n]) restrict(amp)
{
    int last = 0;
    for (int step = 0; step < 7; step++) {
        int turn = 0;
        do {
            int parts[4] = {from + 6, from + 4, from + out[t.global[0]], from + 16};
            last = parts[t.tile[0] & 1] - 1;
        } while (++turn < 2);
    }
    out[t.global[0]] = t.local[0] % 4 < 3 ? last : 0;
}

/* clang lets the ways out of a scope with a variable pass a switch, here with one case. */
static void leaves(amp_tiled_index2(8, 8) t, int n, int out[8][n]) restrict(amp)
{
    int outer = 1;
    (void)outer;
    if (1) {
        {
            int inner = 1;
            (void)inner;
            for (int turn = t.local[0]; turn > 0; turn--)
                if (1)
                    goto end;
            for (int step = 0; step < 4; step++) {
                if (t.tile_origin[1] == step - t.global[1] || t.local[1] > t.global[1])
                    break;
                if (1)
                    goto end;
            }
        }
    end:;
    }
    amp_tile_barrier_wait(t.barrier);
    switch (t.local[0] * t.tile[1] & 3) {
    case 0:
        if (1)
            return;
        break;
    }
    out[t.global[0]][t.global[1]] = t.local[0];
}

/* What the first three threads of a tile write; -1 for nothing. */
static int returns_sum(int tile, int from)
{
    return from < STEPS || tile & 1 ? -1 : STEPS * (STEPS + 1) / 2;
}

static int stops_sum(int tile, int from)
{
    int end = from + tile;
    return end * (end - 1) / 2;
}

static int skips_sum(int tile, int from)
{
    return from + tile == 0 ? -1 : stops_sum(tile, from);
}

static int jumps_sum(int tile, int from)
{
    int sum = 0;
    for (int next = 1; next <= STEPS; next++) {
        if (2 * next == from)
            return -1;
        sum += 2 * next;
        if (next == from)
            break;
        if (tile & 1)
            sum += next;
    }
    return sum;
}

static int repeats_sum(int tile, int from)
{
    return from < tile ? 2 : from == 2 * tile ? -1 : 1;
}

static int rereads_sum(int tile, int from)
{
    (void)tile;
    return from + 1;
}

static int forgets_sum(int tile, int from)
{
    return from + (tile & 1 ? 3 : 5);
}

#define CHECK_EXITS(kernel, decides, expected)                                                                         \
    for (from = 0; from < 12; from++) {                                                                                \
        memset(out, 255, N * sizeof *out);                                                                             \
        amp_refresh(limits);                                                                                           \
        CHECK_OK(amp_parallel_for_each(amp_extent1(N), kernel, decides, view));                                        \
        for (int i = 0; i < N; i++) {                                                                                  \
            int sum = expected(i / TILE, from);                                                                        \
            want[i] = sum < 0 || i % 4 < 3 ? sum : 0;                                                                  \
        }                                                                                                              \
        CHECK_INTS(out, want, N, #kernel " from %d", from);                                                            \
    }

int main(void)
{
    int *out = check_alloc(N * sizeof *out), *want = check_alloc(N * sizeof *out);
    int from = 0;
    amp_array_view *view = amp_array_view1(N, out), *limits = amp_array_view1(1, &from);
    CHECK_EXITS(returns, from, returns_sum)
    CHECK_EXITS(jumps, from, jumps_sum)
    CHECK_EXITS(skips, from, skips_sum)
    CHECK_EXITS(stops, from, stops_sum)
    CHECK_EXITS(repeats, from, repeats_sum)
    CHECK_EXITS(rereads, limits, rereads_sum)
    CHECK_EXITS(forgets, from, forgets_sum)
    memset(out, 255, N * sizeof *out);
    amp_array_view *square = amp_array_view2(8, N / 8, out);
    CHECK_OK(amp_parallel_for_each(amp_extent2(8, N / 8), leaves, square));
    amp_array_view_release(square);
    for (int i = 0; i < N; i++) {
        int row = i / (N / 8), tile = i % (N / 8) / 8;
        want[i] = row * tile & 3 ? row : -1;
    }
    CHECK_INTS(out, want, N, "leaves");
    amp_array_view_release(limits);
    amp_array_view_release(view);
    check_free_all();
    return 0;
}

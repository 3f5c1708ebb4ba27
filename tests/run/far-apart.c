/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 -ffp-contract=off %s -o %t && env AMP_TEST_SCATTERS=slow %run %t
 * RUN: env AMP_TEST_SCATTERS=fast %run-cpu %t
 *
 * Lanes access elements that lie a known distance apart, forwards and backwards, of several sizes, and where data or a
 * tile's end decides which lanes are on. Some stores lie side by side for some values of an argument only. */
#include "check.h"

enum { MEMBERS = 11, TILE = 48 };

struct cell {
    unsigned char bytes[MEMBERS];
    short shorts[MEMBERS];
    float floats[MEMBERS];
    double doubles[MEMBERS];
};

amp_lanes(8) static void copy_all(amp_index1 idx, int n, const struct cell from[n], struct cell to[n])
    restrict(cpu, amp)
{
    int i = idx[0], back = n - 1 - i;
    for (int q = 0; q < MEMBERS; q++) {
        to[back].bytes[q] = from[i].bytes[q] + q;
        to[i].shorts[q] = from[back].shorts[MEMBERS - 1 - q] * 3;
        to[back].floats[q] = from[i].floats[q] * from[back].floats[q];
        to[i].doubles[q] = from[i].doubles[q] + from[back].floats[q];
    }
}

amp_lanes(16) static void copy_some(amp_index1 idx, int n, const struct cell from[n], struct cell to[n])
    restrict(cpu, amp)
{
    int i = idx[0];
    float sum = 0;
    if (from[i].bytes[0] % 8) {
        for (int q = 0; q < MEMBERS; q++)
            sum += from[i].floats[q];
        for (int q = 0; q < MEMBERS; q++)
            to[i].floats[q] = from[i].floats[q] - sum;
    } else
        sum = from[i].floats[0];
    to[i].doubles[0] = sum;
}

/* Moves the elements of pairs of runs of `step` as a pass of a Fourier transform does; `step` divides n. */
static void spread(amp_index1 idx, int step, int n, const int from[2 * n], int to[2 * n]) restrict(cpu, amp)
{
    int i = idx[0], place = 2 * i - (i & (step - 1));
    to[place] = from[i];
    to[place + step] = from[i + n];
}

static void spread_in_tile(amp_tiled_index1(TILE) t, int step, int n, const int from[n], int to[2 * n]) restrict(amp)
{
    tile_static int part[2 * TILE];
    int i = t.local[0], place = 2 * i - (i & (step - 1));
    part[place] = from[t.global[0]];
    part[place + step] = -from[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    to[t.tile[0] * 2 * TILE + i] = part[i];
    to[t.tile[0] * 2 * TILE + TILE + i] = part[TILE + i];
}

static void fill(struct cell *cells, int n, int seed)
{
    for (int i = 0; i < n; i++)
        for (int q = 0; q < MEMBERS; q++) {
            int value = check_value(seed + i * MEMBERS + q);
            cells[i].bytes[q] = (unsigned char)value;
            cells[i].shorts[q] = (short)value;
            cells[i].floats[q] = (float)value - 50;
            cells[i].doubles[q] = value / 3.0;
        }
}

static void check_cells(int n, bool all)
{
    size_t bytes = (size_t)n * sizeof(struct cell);
    struct cell *in = check_alloc(bytes), *out = check_alloc(bytes), *want = check_alloc(bytes);
    memset(in, 0, bytes);
    memset(out, 0, bytes);
    fill(in, n, 5);
    fill(out, n, 777);
    memcpy(want, out, bytes);
    amp_array_view *from = amp_array_view1(n, (const struct cell *)in), *to = amp_array_view1(n, out);
    if (all)
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), copy_all, from, to));
    else
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), copy_some, from, to));
    for (int i = 0; i < n; i++)
        (all ? copy_all : copy_some)((amp_index1){i}, n, in, want);
    CHECK_BYTES((const char *)out, (const char *)want, (int)bytes, "%s, extent %d", all ? "copy_all" : "copy_some", n)
    amp_array_view_release(from);
    amp_array_view_release(to);
    check_free_all();
}

static void check_spread(int n, int step)
{
    size_t bytes = 2 * (size_t)n * sizeof(int);
    int *in = check_alloc(bytes), *out = check_alloc(bytes), *want = check_alloc(bytes);
    for (int i = 0; i < 2 * n; i++)
        in[i] = check_value(i);
    amp_array_view *from = amp_array_view1(2 * n, (const int *)in), *to = amp_array_view1(2 * n, out);
    CHECK_OK(amp_parallel_for_each(amp_extent1(n), spread, step, n, from, to));
    for (int i = 0; i < n; i++)
        spread((amp_index1){i}, step, n, in, want);
    CHECK_INTS(out, want, 2 * n, "spread, extent %d, step %d", n, step)
    amp_array_view_release(from);
    if (n % TILE == 0) {
        from = amp_array_view1(n, (const int *)in);
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), spread_in_tile, step, from, to));
        for (int i = 0; i < n; i++) {
            int k = i % TILE, place = i / TILE * 2 * TILE + 2 * k - (k & (step - 1));
            want[place] = in[i];
            want[place + step] = -in[i];
        }
        CHECK_INTS(out, want, 2 * n, "spread_in_tile, extent %d, step %d", n, step)
        amp_array_view_release(from);
    }
    amp_array_view_release(to);
    check_free_all();
}

int main(void)
{
    EACH_EXTENT(n) {
        check_cells(n, true);
        check_cells(n, false);
    }
    for (int n = TILE; n <= 4 * TILE; n += TILE / 3)
        for (int step = 1; step <= 16; step *= 2)
            check_spread(n, step);
    return 0;
}

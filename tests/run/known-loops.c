/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 *
 * Loops of a constant number of iterations that multiply, divide or mask a thread's place by a counter: they are
 * unrolled, so that lanes know how far apart they are. Beside them, loops that are not. */
#include "check.h"

enum { TILE = 64, BLOCK = 2 * TILE };

#define KERNEL(name)                                                                                                   \
    static void name(amp_tiled_index1(TILE) t, int n, const int a[n], int out[n]) restrict(amp)

/* Sums of all elements of a block before each, up and down a tree. */
KERNEL(scan)
{
    tile_static int part[BLOCK];
    int thread = t.local[0], from = t.tile[0] * BLOCK, distance = 1;
    part[2 * thread] = a[from + 2 * thread];
    part[2 * thread + 1] = a[from + 2 * thread + 1];
    for (int active = TILE; active > 0; active /= 2, distance *= 2) {
        amp_tile_barrier_wait(t.barrier);
        if (thread < active)
            part[distance * (2 * thread + 2) - 1] += part[distance * (2 * thread + 1) - 1];
    }
    if (thread == 0)
        part[BLOCK - 1] = 0;
    for (int active = 1; active < BLOCK; active *= 2) {
        distance /= 2;
        amp_tile_barrier_wait(t.barrier);
        if (thread < active) {
            int left = distance * (2 * thread + 1) - 1, right = distance * (2 * thread + 2) - 1, kept = part[left];
            part[left] = part[right];
            part[right] += kept;
        }
    }
    amp_tile_barrier_wait(t.barrier);
    out[from + 2 * thread] = part[2 * thread];
    out[from + 2 * thread + 1] = part[2 * thread + 1];
}

/* The same with shifts, of a number that has no sign. */
KERNEL(scan_by_shifts)
{
    tile_static int part[BLOCK];
    int thread = t.local[0], from = t.tile[0] * BLOCK;
    part[thread] = a[from + thread];
    part[thread + TILE] = a[from + thread + TILE];
    unsigned level = 0;
    for (unsigned active = TILE; active; active >>= 1, level++) {
        amp_tile_barrier_wait(t.barrier);
        if ((unsigned)thread < active)
            part[((thread + 1) << (level + 1)) - 1] += part[((2 * thread + 1) << level) - 1];
    }
    amp_tile_barrier_wait(t.barrier);
    if (thread == 0)
        part[BLOCK - 1] = 0;
    for (unsigned active = 1; active < BLOCK; active <<= 1) {
        level--;
        amp_tile_barrier_wait(t.barrier);
        if ((unsigned)thread < active) {
            int left = ((2 * thread + 1) << level) - 1, right = ((thread + 1) << (level + 1)) - 1, kept = part[left];
            part[left] = part[right];
            part[right] += kept;
        }
    }
    amp_tile_barrier_wait(t.barrier);
    out[from + thread] = part[thread];
    out[from + thread + TILE] = part[thread + TILE];
}

/* The sum of a tile in all of its elements: every second thread, every fourth, and so on, adds its neighbour's; then
 * each finds that of the group that it belongs to by division. */
KERNEL(groups)
{
    tile_static int part[TILE];
    int thread = t.local[0], sum = 0;
    part[thread] = a[t.global[0]];
    for (int distance = 1; distance < TILE; distance *= 2) {
        amp_tile_barrier_wait(t.barrier);
        sum += part[thread / distance * distance];
        amp_tile_barrier_wait(t.barrier);
        if (thread % (2 * distance) == 0)
            part[thread] += part[thread + distance];
    }
    amp_tile_barrier_wait(t.barrier);
    out[t.global[0]] = sum * 31 + part[0];
}

static void expect_groups(const int *a, int *out)
{
    int part[TILE], sum[TILE] = {0};
    memcpy(part, a, sizeof part);
    for (int distance = 1; distance < TILE; distance *= 2) {
        for (int i = 0; i < TILE; i++)
            sum[i] += part[i / distance * distance];
        for (int i = 0; i < TILE; i += 2 * distance)
            part[i] += part[i + distance];
    }
    for (int i = 0; i < TILE; i++)
        out[i] = sum[i] * 31 + part[0];
}

/* A transform whose places are masked by the step. */
KERNEL(transform)
{
    tile_static int part[2][BLOCK];
    int k = t.local[0], from = 0, first = t.tile[0] * BLOCK;
    part[0][k] = a[first + k];
    part[0][k + TILE] = a[first + k + TILE];
    for (int stride = 1; stride < BLOCK; stride *= 2) {
        amp_tile_barrier_wait(t.barrier);
        int turn = k & ~(stride - 1), place = 2 * k - (k & (stride - 1));
        unsigned left = (unsigned)part[from][k], right = (unsigned)part[from][k + TILE];
        part[!from][place] = (int)(left + right);
        part[!from][place + stride] = (int)((left - right) * (unsigned)(turn + 1));
        from = !from;
    }
    amp_tile_barrier_wait(t.barrier);
    out[first + k] = part[from][k];
    out[first + k + TILE] = part[from][k + TILE];
}

static void expect_transform(const int *a, int *out)
{
    unsigned part[2][BLOCK];
    int from = 0;
    for (int k = 0; k < BLOCK; k++)
        part[0][k] = (unsigned)a[k];
    for (int stride = 1; stride < BLOCK; stride *= 2, from = !from)
        for (int k = 0; k < TILE; k++) {
            int place = k / stride * 2 * stride + k % stride;
            part[!from][place] = part[from][k] + part[from][k + TILE];
            part[!from][place + stride] = (part[from][k] - part[from][k + TILE]) * (unsigned)(k / stride * stride + 1);
        }
    for (int k = 0; k < BLOCK; k++)
        out[k] = (int)part[from][k];
}

#define PLAIN(name) static void name(amp_index1 idx, int n, const int a[n], int out[n]) restrict(cpu, amp)

/* Powers of three, an unsigned char that counts to its end, and one that counts down below zero. */
PLAIN(powers)
{
    int i = idx[0];
    unsigned sum = 0;
    for (int by = 1; by < 700; by *= 3)
        sum += (unsigned)(a[i * by % n] - i / by);
    for (unsigned char by = 1; by; by = (unsigned char)(by << 1))
        sum = sum * 3 + (unsigned)(a[i / by] + i % by);
    for (int by = 5; by > -8; by -= 3)
        sum = sum * 5 + (unsigned)(i * by);
    out[i] = (int)sum;
}

/* Numbers of iterations that are not constant, or not known to the compiler; a loop that is asked to stay, and one in
 * another. */
PLAIN(unknown)
{
    int i = idx[0];
    unsigned sum = 0;
    for (int by = 1; by < n; by *= 2)
        sum += (unsigned)(i / by);
    for (int by = n; by > 0; by /= 2)
        sum += (unsigned)(i * by);
    for (int by = 1; by * by < 1000; by = by * 2 + 1)
        sum ^= (unsigned)(i * by);
#pragma clang loop unroll(disable)
    for (int by = 1; by < 64; by *= 2)
        sum += (unsigned)(i % by);
    for (int by = 1; by < 9; by += 2)
        for (int other = 1; other < by; other *= 2)
            sum += (unsigned)(i % (by + other));
    out[i] = (int)sum;
}

int main(void)
{
    EACH_FEW(blocks)
    {
        int n = blocks * BLOCK, *a = check_alloc((size_t)n * sizeof *a);
        int *out = check_alloc((size_t)n * sizeof *out), *want = check_alloc((size_t)n * sizeof *want);
        for (int i = 0; i < n; i++)
            a[i] = check_value(i);
        for (int i = 0; i < n; i++)
            want[i] = i % BLOCK == 0 ? 0 : want[i - 1] + a[i - 1];
        amp_array_view *views[] = {amp_array_view1(n, (const int *)a), amp_array_view1(n, out)};
        CHECK_OK(amp_parallel_for_each(amp_extent1(n / 2), scan, views[0], views[1]));
        CHECK_INTS(out, want, n, "scan, %d", n);
        memset(out, 0, (size_t)n * sizeof *out);
        CHECK_OK(amp_parallel_for_each(amp_extent1(n / 2), scan_by_shifts, views[0], views[1]));
        CHECK_INTS(out, want, n, "scan by shifts, %d", n);
        for (int i = 0; i < n; i += TILE)
            expect_groups(a + i, want + i);
        CHECK_OK(amp_parallel_for_each(amp_extent1(n), groups, views[0], views[1]));
        CHECK_INTS(out, want, n, "groups, %d", n);
        for (int i = 0; i < n; i += BLOCK)
            expect_transform(a + i, want + i);
        CHECK_OK(amp_parallel_for_each(amp_extent1(n / 2), transform, views[0], views[1]));
        CHECK_INTS(out, want, n, "transform, %d", n);
        check_release(views, LENGTH(views));
    }
    EACH_EXTENT(n) {
        int *a = check_alloc((size_t)n * sizeof *a);
        int *out = check_alloc((size_t)n * sizeof *out), *want = check_alloc((size_t)n * sizeof *want);
        for (int i = 0; i < n; i++)
            a[i] = check_value(i);
        amp_array_view *views[] = {amp_array_view1(n, (const int *)a), amp_array_view1(n, out)};
#define CHECK(kernel)                                                                                                  \
    CHECK_OK(amp_parallel_for_each(amp_extent1(n), kernel, views[0], views[1]));                                       \
    for (int i = 0; i < n; i++)                                                                                        \
        kernel((amp_index1){i}, n, a, want);                                                                           \
    CHECK_INTS(out, want, n, #kernel ", %d", n)
        CHECK(powers)
        CHECK(unknown)
        check_release(views, LENGTH(views));
    }
    return 0;
}

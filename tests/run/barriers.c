/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 %s -o %t && %run %t
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=1 %s -o %t && %run-cpu %t
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 --amp-lanes=32 %s -o %t && %run-native %t
 * RUN: %ampcc -O0 --amp-lanes=8 %s -o %t && %run-alone %t
 * RUN: %ampcc -O0 -g %s -o %t && %run-alone %t
 * row: tile_barrier.wait, tile_barrier.wait_global, tile_barrier.wait_tile_static, c1
 *
 * Barriers wherever control flow is uniform: loops, nested loops, conditions, functions, two in a row, first and
 * last. */
#include "check.h"

enum { S = 24 };

/* What all these kernels have in common: a tile of S threads, S * N elements in, as many out. The references run the
 * same phases one after the other over the whole tile. */
#define KERNEL(name)                                                                                                   \
    static void name(amp_tiled_index1(S) t, int N, int scalar, const int in[N * S], int out[N * S]) restrict(amp)

static int from_left(const int *part, int local) restrict(cpu, amp)
{
    return part[(local + S - 1) % S];
}

KERNEL(first_and_last)
{
    amp_tile_barrier_wait(t.barrier);
    out[t.global[0]] = in[t.global[0]] + scalar;
    amp_tile_barrier_wait(t.barrier);
}
static void first_and_last_reference(int n, int scalar, const int *in, int *out)
{
    for (int i = 0; i < n * S; i++)
        out[i] = in[i] + scalar;
}

KERNEL(two_in_a_row)
{
    tile_static int part[S];
    part[t.local[0]] = in[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    amp_tile_barrier_wait(t.barrier);
    out[t.global[0]] = from_left(part, t.local[0]);
    amp_tile_barrier_wait(t.barrier);
    amp_tile_barrier_wait(t.barrier);
    amp_tile_barrier_wait(t.barrier);
}
static void two_in_a_row_reference(int n, int scalar, const int *in, int *out)
{
    for (int i = 0; i < n * S; i++)
        out[i] = from_left(in + i / S * S, i % S);
}

/* A step: every element takes its left neighbour's value into account. */
static void step(int *part, int by)
{
    int old[S];
    memcpy(old, part, sizeof old);
    for (int l = 0; l < S; l++)
        part[l] = old[l] * 3 + from_left(old, l) + by;
}

KERNEL(in_loop)
{
    tile_static int part[S];
    part[t.local[0]] = in[t.global[0]];
    for (int k = 0; k < 5; k++) {
        amp_tile_barrier_wait(t.barrier);
        int left = from_left(part, t.local[0]);
        amp_tile_barrier_wait(t.barrier);
        part[t.local[0]] = part[t.local[0]] * 3 + left + k;
    }
    out[t.global[0]] = part[t.local[0]];
}
static void in_loop_reference(int n, int scalar, const int *in, int *out)
{
    memcpy(out, in, n * S * sizeof(int));
    for (int i = 0; i < n * S; i += S)
        for (int k = 0; k < 5; k++)
            step(out + i, k);
}

KERNEL(in_nested_loops)
{
    tile_static int part[S];
    part[t.local[0]] = in[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    for (int k = 0; k < 3; k++) {
        for (int m = k; m < 3; m++) {
            int left = from_left(part, t.local[0]);
            amp_tile_barrier_wait(t.barrier);
            part[t.local[0]] = part[t.local[0]] * 3 + left + k * m;
            amp_tile_barrier_wait(t.barrier);
        }
        for (int m = 0; m < (t.local[0] & 3); m++) /* differs by thread, and has no barrier */
            part[t.local[0]] += m;
        amp_tile_barrier_wait(t.barrier);
    }
    out[t.global[0]] = part[t.local[0]];
}
static void in_nested_loops_reference(int n, int scalar, const int *in, int *out)
{
    memcpy(out, in, n * S * sizeof(int));
    for (int i = 0; i < n * S; i += S)
        for (int k = 0; k < 3; k++) {
            for (int m = k; m < 3; m++)
                step(out + i, k * m);
            for (int l = 0; l < S; l++)
                for (int m = 0; m < (l & 3); m++)
                    out[i + l] += m;
        }
}

KERNEL(under_scalar)
{
    tile_static int part[S];
    part[t.local[0]] = in[t.global[0]];
    int x = part[t.local[0]];
    if (scalar > 2) {
        amp_tile_barrier_wait(t.barrier);
        x = from_left(part, t.local[0]);
        if (scalar & 1) {
            amp_tile_barrier_wait(t.barrier);
            part[t.local[0]] = x + 1;
            amp_tile_barrier_wait(t.barrier);
            x = from_left(part, t.local[0]) * 2;
        }
    } else {
        amp_tile_barrier_wait(t.barrier);
        x += part[S - 1 - t.local[0]];
    }
    out[t.global[0]] = x;
}
static void under_scalar_reference(int n, int scalar, const int *in, int *out)
{
    for (int i = 0; i < n * S; i++) {
        const int *part = in + i / S * S;
        if (scalar <= 2)
            out[i] = in[i] + part[S - 1 - i % S];
        else if (scalar & 1)
            out[i] = (from_left(part, (i % S + S - 1) % S) + 1) * 2;
        else
            out[i] = from_left(part, i % S);
    }
}

KERNEL(under_tile)
{
    tile_static int part[S];
    part[t.local[0]] = in[t.global[0]];
    for (int k = 0; k < t.tile[0] % 4; k++) {
        amp_tile_barrier_wait(t.barrier);
        int left = from_left(part, t.local[0]);
        amp_tile_barrier_wait(t.barrier);
        part[t.local[0]] = part[t.local[0]] * 3 + left + k;
    }
    if (t.tile_origin[0] % 2 == 0) {
        amp_tile_barrier_wait(t.barrier);
        out[t.global[0]] = from_left(part, t.local[0]);
    } else {
        out[t.global[0]] = part[t.local[0]];
    }
}
static void under_tile_reference(int n, int scalar, const int *in, int *out)
{
    for (int i = 0; i < n * S; i += S) {
        int part[S];
        memcpy(part, in + i, sizeof part);
        for (int k = 0; k < i / S % 4; k++)
            step(part, k);
        for (int l = 0; l < S; l++)
            out[i + l] = i % 2 == 0 ? from_left(part, l) : part[l];
    }
}

/* Loops until no thread has anything left: the flag is read from tile memory after a barrier. */
KERNEL(until_done)
{
    tile_static int busy, rounds;
    int x = in[t.global[0]] & 15;
    if (t.local[0] == 0)
        rounds = 0;
    while (true) {
        amp_tile_barrier_wait(t.barrier);
        if (t.local[0] == 0)
            busy = 0;
        amp_tile_barrier_wait(t.barrier);
        if (x > 0) {
            x--;
            amp_atomic_exchange(&busy, 1);
        }
        amp_tile_barrier_wait(t.barrier);
        if (!busy)
            break;
        if (t.local[0] == 0)
            rounds++;
    }
    out[t.global[0]] = rounds * 100 + x;
}
static void until_done_reference(int n, int scalar, const int *in, int *out)
{
    for (int i = 0; i < n * S; i += S) {
        int most = 0;
        for (int l = 0; l < S; l++)
            most = (in[i + l] & 15) > most ? in[i + l] & 15 : most;
        for (int l = 0; l < S; l++)
            out[i + l] = most * 100;
    }
}

KERNEL(breaks_and_continues)
{
    tile_static int part[S];
    part[t.local[0]] = in[t.global[0]];
    for (int k = 0; k < 9; k++) {
        if (k == scalar)
            break;
        amp_tile_barrier_wait(t.barrier);
        int left = from_left(part, t.local[0]);
        amp_tile_barrier_wait(t.barrier);
        if ((k + t.tile[0]) % 3 == 0)
            continue;
        part[t.local[0]] = part[t.local[0]] * 3 + left + k;
        if (k > 4 && scalar == 8)
            return;
    }
    amp_tile_barrier_wait(t.barrier);
    out[t.global[0]] = from_left(part, t.local[0]);
}
static void breaks_and_continues_reference(int n, int scalar, const int *in, int *out)
{
    for (int i = 0; i < n * S; i += S) {
        int part[S], k;
        memcpy(part, in + i, sizeof part);
        for (k = 0; k < 9 && k != scalar; k++) {
            if ((k + i / S) % 3 == 0)
                continue;
            step(part, k);
            if (k > 4 && scalar == 8)
                break;
        }
        for (int l = 0; l < S && !(scalar == 8 && k > 4 && k < 8); l++)
            out[i + l] = from_left(part, l);
    }
}

/* Barriers in functions: with tile memory of the caller, with their own, under conditions, in loops. */
static int rotate(amp_tile_barrier barrier, int *part, int local, int value) restrict(amp)
{
    part[local] = value;
    amp_tile_barrier_wait(barrier);
    value = from_left(part, local);
    amp_tile_barrier_wait(barrier);
    return value;
}

static int sum_of_tile(amp_tile_barrier barrier, int local, int value) restrict(amp)
{
    tile_static int part[S], sum;
    part[local] = value;
    amp_tile_barrier_wait(barrier);
    if (local == 0) {
        sum = 0;
        for (int k = 0; k < S; k++)
            sum += part[k];
    }
    amp_tile_barrier_wait(barrier);
    int result = sum;
    amp_tile_barrier_wait(barrier);
    return result;
}

static int several(amp_tile_barrier barrier, int *part, int local, int value, int times) restrict(amp)
{
    if (times == 0)
        return value;
    for (int k = 0; k < times; k++)
        value = rotate(barrier, part, local, value) + k;
    return value;
}

KERNEL(in_functions)
{
    tile_static int part[S];
    int x = rotate(t.barrier, part, t.local[0], in[t.global[0]]);
    x = several(t.barrier, part, t.local[0], x, scalar);
    int sum = sum_of_tile(t.barrier, t.local[0], x);
    out[t.global[0]] = x + sum * 3 + sum_of_tile(t.barrier, t.local[0], t.local[0] & 1);
}
static void in_functions_reference(int n, int scalar, const int *in, int *out)
{
    for (int i = 0; i < n * S; i += S) {
        int sum = 0;
        for (int l = 0; l < S; l++)
            sum += out[i + l] = in[i + (l + S * 100 - 1 - scalar) % S] + scalar * (scalar - 1) / 2;
        for (int l = 0; l < S; l++)
            out[i + l] += sum * 3 + S / 2;
    }
}

KERNEL(fences)
{
    tile_static int part[S], turned[S];
    part[t.local[0]] = in[t.global[0]];
    amp_tile_barrier_wait_with_tile_static_memory_fence(t.barrier);
    out[t.global[0]] = from_left(part, t.local[0]);
    amp_tile_barrier_wait_with_global_memory_fence(t.barrier);
    turned[t.local[0]] = out[t.tile_origin[0] + S - 1 - t.local[0]];
    amp_tile_barrier_wait_with_all_memory_fence(t.barrier);
    out[t.global[0]] += turned[(t.local[0] + 5) % S];
}
static void fences_reference(int n, int scalar, const int *in, int *out)
{
    for (int i = 0; i < n * S; i++) {
        const int *part = in + i / S * S;
        int turned = S - 1 - (i % S + 5) % S;
        out[i] = from_left(part, i % S) + from_left(part, turned);
    }
}

/* A switch, ?: and && that all threads decide alike. */
KERNEL(under_switch)
{
    tile_static int part[S];
    part[t.local[0]] = in[t.global[0]];
    int x = 0;
    switch (scalar) {
    case 0:
        amp_tile_barrier_wait(t.barrier);
        x = from_left(part, t.local[0]);
    case 1:
        x += 5;
        break;
    default:
        if (scalar > 2 && t.tile[0] > 0) {
            amp_tile_barrier_wait(t.barrier);
            x = part[0];
        }
        x += scalar == 3 ? sum_of_tile(t.barrier, t.local[0], 1) : 0;
    }
    out[t.global[0]] = x;
}
static void under_switch_reference(int n, int scalar, const int *in, int *out)
{
    for (int i = 0; i < n * S; i++) {
        const int *part = in + i / S * S;
        if (scalar == 0)
            out[i] = from_left(part, i % S) + 5;
        else if (scalar == 1)
            out[i] = 5;
        else
            out[i] = (scalar > 2 && i / S > 0 ? part[0] : 0) + (scalar == 3 ? S : 0);
    }
}

/* Threads that differ between the barriers, but not about them. */
KERNEL(divergent_between)
{
    tile_static int part[S];
    int x = in[t.global[0]];
    part[t.local[0]] = 0;
    for (int k = 0; k < 4; k++) {
        int y = x;
        if (x % 2) {
            for (int m = 0; m < (x & 7); m++)
                y += m;
            if (x > 100)
                y -= k;
        } else if (t.local[0] > k) {
            y = x / 2;
        }
        amp_tile_barrier_wait(t.barrier);
        part[t.local[0]] = y;
        amp_tile_barrier_wait(t.barrier);
        x = part[S - 1 - t.local[0]] + k;
        if (t.local[0] == k)
            continue;
        x++;
    }
    out[t.global[0]] = x;
}
static void divergent_between_reference(int n, int scalar, const int *in, int *out)
{
    for (int i = 0; i < n * S; i += S) {
        int x[S], y[S];
        memcpy(x, in + i, sizeof x);
        for (int k = 0; k < 4; k++) {
            for (int l = 0; l < S; l++) {
                y[l] = x[l];
                for (int m = 0; x[l] % 2 && m < (x[l] & 7); m++)
                    y[l] += m;
                y[l] -= x[l] % 2 && x[l] > 100 ? k : 0;
                if (x[l] % 2 == 0 && l > k)
                    y[l] = x[l] / 2;
            }
            for (int l = 0; l < S; l++)
                x[l] = y[S - 1 - l] + k + (l != k);
        }
        memcpy(out + i, x, sizeof x);
    }
}

#define KERNELS(X)                                                                                                     \
    X(first_and_last) X(two_in_a_row) X(in_loop) X(in_nested_loops) X(under_scalar) X(under_tile) X(until_done)        \
    X(breaks_and_continues) X(in_functions) X(fences) X(under_switch) X(divergent_between)

int main(void)
{
#define ROW(name) {#name, (amp_kernel)name, name##_reference},
    static const struct {
        const char *name;
        amp_kernel kernel;
        void (*reference)(int n, int scalar, const int *in, int *out);
    } kernels[] = {KERNELS(ROW)};
    for (int n = 1; n <= 9; n++) {
        int size = n * S, *in = check_alloc(size * sizeof(int)), *out = check_alloc(size * sizeof(int));
        int *want = check_alloc(size * sizeof(int));
        for (int i = 0; i < size; i++)
            in[i] = check_value(i);
        amp_array_view *in_view = amp_array_view1(size, (const int *)in), *out_view = amp_array_view1(size, out);
        for (int k = 0; k < LENGTH(kernels); k++)
            for (int scalar = 0; scalar < 10; scalar++) {
                memset(out, 0, size * sizeof(int));
                memset(want, 0, size * sizeof(int));
                /* N stands nowhere alone, so it is passed. */
                CHECK_OK(amp_parallel_for_each(amp_extent1(size), kernels[k].kernel, n, scalar, in_view, out_view));
                kernels[k].reference(n, scalar, in, want);
                CHECK_INTS(out, want, size, "%s, %d tiles, scalar %d", kernels[k].name, n, scalar);
            }
        amp_array_view_release(in_view);
        amp_array_view_release(out_view);
        check_free_all();
    }
    return 0;
}

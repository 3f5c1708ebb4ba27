// SPDX-License-Identifier: MIT
// Forward jumps in kernels: out of nested loops, over statements, into branches, to a common exit, past barriers; under
// conditions that differ between threads, and others. The host runs the same functions as a reference.
// RUN: %ampcc -O2 %s -o %t && %run %t | FileCheck %s
// RUN: %ampcc -O0 %s -o %t.plain && %run-alone %t.plain | FileCheck %s
// RUN: %ampcc --amp-gpu=none -O1 -g --amp-lanes=8 %s -o %t.few && %run-cpu %t.few | FileCheck %s
// CHECK: 0 wrong
#include "check.h"

enum { N = 1000, W = 12, TS = 16 };

static int search(const int *row, int wanted) restrict(cpu, amp)
{
    int a, b;
    for (a = 0; a < W; a++)
        for (b = a + 1; b < W; b++)
            if (row[a] + row[b] == wanted)
                goto found;
    if (wanted & 1)
        goto odd;
    return -1;
found:
    return a * W + b;
odd:
    return -2;
}

void jumps(amp_index1 idx, int n, int limit, const int a[n][W], int b[n]) restrict(cpu, amp)
{
    int i = idx[0], result = search(a[i], i % 40), step = 0;
    if (limit > W)
        goto out;
    for (int k = 0; k < W; k++) {
        int local = a[i][k] + k;
        if (local % 3 == 0)
            goto next;
        for (int j = 0; j < local % 7; j++) {
            step++;
            if ((step ^ i) % 11 == 0)
                goto next;
            if (step > limit + 20)
                goto out;
            switch (step % 5) {
            case 0:
                goto skip;
            case 1:
                result += 3;
            case 2:
                continue;
            default:
                break;
            }
            result -= local;
        skip:
            result ^= j;
        }
        if (local & 4)
            goto half;
        if (local & 2) {
            result += 100;
        half:
            result += 50;
        } else {
            result += 7;
        }
    next:
        result += step;
    }
    result *= 3;
out:
    b[i] = result;
}

void past_barriers(amp_tiled_index1(TS) t, int n, int what, const int a[n], int b[n]) restrict(amp)
{
    tile_static int s[TS];
    int g = t.global[0], l = t.local[0], mine = a[g];
    s[l] = mine;
    if (what == 0)
        goto out;
    for (int round = 0; round < 3; round++) {
        amp_tile_barrier_wait(t.barrier);
        int other = s[TS - 1 - l];
        amp_tile_barrier_wait(t.barrier);
        if (round == what)
            goto out;
        if (other & 1)
            goto keep;
        mine += other;
    keep:
        s[l] = mine;
    }
    mine = -mine;
out:
    b[g] = mine;
}

static void expect_past_barriers(int what, const int *a, int *b)
{
    for (int first = 0; first < N / TS * TS; first += TS) {
        int s[TS], mine[TS];
        for (int l = 0; l < TS; l++)
            s[l] = mine[l] = a[first + l];
        for (int round = 0; round < 3 && what != 0 && round != what; round++) {
            for (int l = 0; l < TS; l++)
                mine[l] += s[TS - 1 - l] & 1 ? 0 : s[TS - 1 - l];
            memcpy(s, mine, sizeof s);
        }
        for (int l = 0; l < TS; l++)
            b[first + l] = what > 2 ? -mine[l] : mine[l];
    }
}

int main(void)
{
    static int a[N][W], b[N], expected[N], n_wrong;
    for (int i = 0; i < N * W; i++)
        a[i / W][i % W] = i * i % 23 + i / 7 % 5;
    amp_array_view *va = amp_array_view2(N, W, (const int *)a[0]), *vb = amp_array_view1(N, b);
    for (int limit = 0; limit < 15; limit += 7) {
        CHECK_OK(amp_parallel_for_each(amp_extent1(N), jumps, limit, va, vb));
        for (int i = 0; i < N; i++) {
            jumps((amp_index1){i}, N, limit, (const int (*)[W])a, expected);
            n_wrong += b[i] != expected[i];
        }
    }
    amp_array_view *flat = amp_array_view1(N, (const int *)a[0]);
    for (int what = 0; what < 4; what++) {
        CHECK_OK(amp_parallel_for_each(amp_extent1(N / TS * TS), past_barriers, what, flat, vb));
        expect_past_barriers(what, a[0], expected);
        for (int i = 0; i < N / TS * TS; i++)
            n_wrong += b[i] != expected[i];
    }
    printf("%d wrong\n", n_wrong);
    amp_array_view_release(flat);
    amp_array_view_release(vb);
    amp_array_view_release(va);
    return n_wrong > 0;
}

// SPDX-License-Identifier: MIT
// Volatile objects in kernels: private, in tile memory, in arrays and in structs. Each thread reads and writes them
// itself: a thread that reads again finds what it wrote, or what was written last, and no access is left out.
// RUN: %ampcc -O2 -w %s -o %t && %run %t | FileCheck %s
// RUN: %ampcc -O0 -w %s -o %t.plain && %run-alone %t.plain | FileCheck %s
// RUN: %ampcc -O2 -w -S --amp-cpu=x86-64-v3 --amp-gpu=none %s -o - | FileCheck --check-prefix=CODE %s
// CHECK: 0 wrong
#include "check.h"

enum { N = 300, TS = 16 };

struct cell {
    volatile int count;
    int plain[3];
};

/* Three stores of constants: each is there, in the order of the source. */
void stores(amp_index1 idx, int n, volatile int x[n]) restrict(cpu, amp)
{
    if (idx[0] == 0) {
        x[0] = 0x111111; // CODE: movl $1118481,
        x[0] = 0x222222; // CODE: movl $2236962,
        x[0] = 0x333333; // CODE: movl $3355443,
    }
}

void mix(amp_index1 idx, int n, int x[n], volatile float y[n], struct cell c[n]) restrict(cpu, amp)
{
    volatile int v = idx[0], w[3] = {1, v, v + 1};
    for (int k = 0; k < v % 5; k++)
        w[k % 3] += v;
    if (v & 1)
        v = w[1] - w[2];
    struct cell cell = c[idx[0]], copy;
    cell.count = cell.count + v;
    copy = cell;
    c[idx[0]].plain[1] = copy.count;
    y[idx[0]] += (float)v;
    y[idx[0]] *= 2;
    *(volatile int *)&x[idx[0]] += w[0] + copy.plain[0];
}

void tiles(amp_tiled_index1(TS) t, int n, int x[n]) restrict(amp)
{
    tile_static volatile int s[TS];
    s[t.local[0]] = x[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    int sum = 0;
    for (int i = 0; i < TS; i++)
        sum += s[i];
    amp_tile_barrier_wait(t.barrier);
    s[t.local[0]] = sum + t.local[0];
    x[t.global[0]] = s[t.local[0]];
}

int main(void)
{
    static int x[N], expected_x[N], n_wrong;
    static float y[N], expected_y[N];
    static struct cell c[N], expected_c[N];
    for (int i = 0; i < N; i++) {
        x[i] = expected_x[i] = i;
        y[i] = expected_y[i] = (float)i / 2;
        c[i].count = expected_c[i].count = 3 * i;
        c[i].plain[0] = expected_c[i].plain[0] = i ^ 5;
    }
    amp_array_view *vx = amp_array_view1(N, x), *vy = amp_array_view1(N, y), *vc = amp_array_view1(N, c);
    CHECK_OK(amp_parallel_for_each(amp_extent1(N), mix, vx, vy, vc));
    for (int i = 0; i < N; i++)
        mix((amp_index1){i}, N, expected_x, expected_y, expected_c);
    for (int i = 0; i < N; i++)
        n_wrong += x[i] != expected_x[i] || y[i] != expected_y[i] || c[i].plain[1] != expected_c[i].plain[1];
    CHECK_OK(amp_parallel_for_each(amp_extent1(N / TS * TS), tiles, vx));
    for (int i = 0; i < N / TS * TS; i++) {
        int sum = 0;
        for (int k = 0; k < TS; k++)
            sum += expected_x[i / TS * TS + k];
        n_wrong += x[i] != sum + i % TS;
    }
    CHECK_OK(amp_parallel_for_each(amp_extent1(N), stores, vx));
    n_wrong += x[0] != 0x333333;
    printf("%d wrong\n", n_wrong);
    amp_array_view_release(vc);
    amp_array_view_release(vy);
    amp_array_view_release(vx);
    return n_wrong > 0;
}

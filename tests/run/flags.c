/* SPDX-License-Identifier: MIT
 * RUN: %ampcc %s -o %t && %run %t | FileCheck %s
 * RUN: %ampcc -O0 -g %s -o %t && %run-alone %t | FileCheck %s
 * RUN: %ampcc -O1 -std=c11 %s -o %t && %run-alone %t | FileCheck %s
 * RUN: %ampcc -O2 -std=c99 -Wall -Wextra -Werror %s -o %t && %run-alone %t | FileCheck %s
 * RUN: %ampcc -O3 -g -std=gnu17 -fno-strict-aliasing %s -o %t && %run-alone %t | FileCheck %s
 * RUN: %ampcc -Os -std=c23 -fwrapv -fno-inline %s -o %t && %run-alone %t | FileCheck %s
 * RUN: %ampcc -Oz -fstack-protector-all -D_FORTIFY_SOURCE=0 -fno-plt %s -o %t && %run-alone %t | FileCheck %s
 * RUN: %ampcc -Ofast -march=native -Wno-deprecated %s -o %t && %run-alone %t | FileCheck %s
 * RUN: %ampcc -Og -ffunction-sections -fdata-sections -Wl,--gc-sections %s -o %t && %run-alone %t | FileCheck %s
 * RUN: %ampcc -O2 -fno-pie -no-pie -funsigned-char %s -o %t && %run-alone %t | FileCheck %s
 * RUN: %ampcc -O2 -fPIC -shared -DLIBRARY %s -o %t.so && %ampcc -DPROGRAM %s %t.so -o %t && %run-alone %t | FileCheck %s
 * RUN: %ampcc -O2 -fsigned-char -fvisibility=hidden -ftrivial-auto-var-init=pattern %s -o %t && %run-alone %t | FileCheck %s
 * RUN: %ampcc -O2 -fopenmp -gdwarf-4 -gsplit-dwarf -c %s -o %t.o && %ampcc %t.o -o %t && %run-alone %t | FileCheck %s
 *
 * CHECK: sums 8128 24512 40896
 * CHECK-NEXT: steps 1 7 16 118
 * CHECK-NEXT: AMP_OK
 *
 * One program under many of clang's options. */
#include <amp.h>
#include <stdio.h>

#ifndef LIBRARY
int report(const int *sums, const int *steps);
int compute(int *sums, int *steps);

int main(void)
{
    int sums[3], steps[100];
    return compute(sums, steps) || report(sums, steps);
}

int report(const int *sums, const int *steps)
{
    printf("sums %d %d %d\n", sums[0], sums[1], sums[2]);
    printf("steps %d %d %d %d\n", steps[1], steps[3], steps[7], steps[97]);
    printf("%s%s\n", amp_status_name(amp_error_status()), amp_error_text());
    return 0;
}
#endif

#ifndef PROGRAM
enum { S = 128 };

static int next(int x) restrict(amp)
{
    return x % 2 ? 3 * x + 1 : x / 2;
}

static void collatz(amp_index1 idx, int N, int steps[N]) restrict(amp)
{
    int x = idx[0], n = 0;
    for (; x > 1; n++)
        x = next(x);
    steps[idx[0]] = x == 1 && n == 0 ? 1 : n;
}

static void sum(amp_tiled_index1(S) t, int N, const int in[N * S], int out[N]) restrict(amp)
{
    tile_static int part[S];
    int local = t.local[0];
    part[local] = in[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    for (int s = S / 2; s > 0; s /= 2) {
        if (local < s)
            part[local] += part[local + s];
        amp_tile_barrier_wait(t.barrier);
    }
    if (local == 0)
        out[t.tile[0]] = part[0];
}

int compute(int *sums, int *steps);
int compute(int *sums, int *steps)
{
    int in[3 * S];
    for (int i = 0; i < 3 * S; i++)
        in[i] = i % S + i / S * S;
    amp_array_view *all = amp_array_view1(3 * S, (const int *)in), *three = amp_array_view1(3, sums);
    amp_array_view *hundred = amp_array_view1(100, steps);
    amp_parallel_for_each(amp_extent1(3 * S), sum, all, three);
    amp_parallel_for_each(amp_extent1(100), collatz, hundred);
    amp_synchronize(three);
    amp_synchronize(hundred);
    amp_array_view_release(all);
    amp_array_view_release(three);
    amp_array_view_release(hundred);
    return 0;
}
#endif

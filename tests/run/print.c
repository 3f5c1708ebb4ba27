/* SPDX-License-Identifier: MIT
 * RUN: %ampcc -O2 -Wall -Werror %s -o %t && %run-alone sh -c '%t | sort' | FileCheck %s
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=1 %s -o %t && %run-cpu sh -c '%t | sort' | FileCheck %s
 * RUN: %ampcc --amp-gpu=none -O2 --amp-lanes=4 %s -o %t && %run-cpu sh -c '%t | sort' | FileCheck %s
 * RUN: %ampcc --amp-gpu=none --amp-cpu=native -O2 --amp-lanes=32 %s -o %t && %run-native sh -c '%t | sort' | FileCheck %s
 * RUN: %ampcc -O0 -g %s -o %t && %run-alone sh -c '%t | sort' | FileCheck %s
 * row: error.printf
 *
 * amp_printf from all active lanes and no others, in loops, helpers, tiles and on the host, with all kinds of
 * arguments; whole lines, however many threads print. */
#include <amp.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char names[3][6] = {"zero", "one", "two"};

struct pair {
    char c;
    short s;
};

static void tell(const char *who, int x) restrict(cpu, amp)
{
    amp_printf("helper: %s says %d\n", who, x);
}

static void kinds(amp_index1 i, int N, const double x[N], unsigned long long big, _Bool flag) restrict(amp)
{
    struct pair pair = {(char)('a' + i[0]), (short)-i[0]};
    if (x[i[0]] < 0)
        amp_printf("negative: %03d %.2f %-5s| %c %hd %llx %d %5.1e %%\n", i[0], x[i[0]], names[i[0] % 3], pair.c,
                   pair.s, big + (unsigned)i[0], flag, (float)x[i[0]]);
    for (int k = 0; k < i[0] && x[i[0]] > 0; k++) {
        if (k == 2)
            break;
        amp_printf("loop: %d.%d is %s\n", i[0], k, k % 2 ? "odd" : "even");
    }
    if (i[0] % 4 == 1)
        tell(names[i[0] % 3], i[0]);
    if (i[0] == 0)
        amp_printf("all: nothing else\n");
}

static void tiles(amp_tiled_index1(8) t, int N, const int x[N]) restrict(amp)
{
    tile_static int sum[8];
    sum[t.local[0]] = x[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    if (t.local[0] == 0)
        amp_printf("tile %d: %d\n", t.tile[0], sum[0] + sum[7]);
    amp_tile_barrier_wait(t.barrier);
    if (t.local[0] == 7 - t.tile[0])
        amp_printf("tile %d: %d of %d\n", t.tile[0], t.global[0], t.local[0]);
}

/* Long lines from many host threads at once: `sort | uniq -c` would show torn ones. */
static void many(amp_index2 i) restrict(amp)
{
    if (i[1] == 300)
        amp_printf("many: %d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d\n", 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2,
                   3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7);
}

int main(int argc, char **argv)
{
    double x[20];
    int y[24];
    for (int i = 0; i < 20; i++)
        x[i] = i % 7 == 3 ? -i - 0.25 : i < 5;
    for (int i = 0; i < 24; i++)
        y[i] = i;
    (void)argv;
    amp_array_view *x_view = amp_array_view1(20, (const double *)x), *y_view = amp_array_view1(24, (const int *)y);
    amp_parallel_for_each(amp_extent1(20), kinds, x_view, 0xfffffffffff0ULL, argc > 0);
    amp_parallel_for_each(amp_extent1(24), tiles, y_view);
    amp_parallel_for_each(amp_extent2(400, 400), many);
    tell("host", 1);
    amp_array_view_release(y_view);
    amp_array_view_release(x_view);
    fputs(amp_error_text(), stdout);
    return 0;
}
/* CHECK: all: nothing else
 * CHECK-NEXT: helper: host says 1
 * CHECK-NEXT: helper: one says 1
 * CHECK-NEXT: helper: one says 13
 * CHECK-NEXT: helper: two says 17
 * CHECK-NEXT: helper: two says 5
 * CHECK-NEXT: helper: zero says 9
 * CHECK-NEXT: loop: 1.0 is even
 * CHECK-NEXT: loop: 2.0 is even
 * CHECK-NEXT: loop: 2.1 is odd
 * CHECK-NEXT: loop: 4.0 is even
 * CHECK-NEXT: loop: 4.1 is odd
 * CHECK-COUNT-400: {{^}}many: 123456789012345678901234567{{$}}
 * CHECK-NEXT: negative: 003 -3.25 zero | d -3 fffffffffff3 1 -3.2e+00 %
 * CHECK-NEXT: negative: 010 -10.25 one  | k -10 fffffffffffa 1 -1.0e+01 %
 * CHECK-NEXT: negative: 017 -17.25 two  | r -17 1000000000001 1 -1.7e+01 %
 * CHECK-NEXT: tile 0: 7
 * CHECK-NEXT: tile 0: 7 of 7
 * CHECK-NEXT: tile 1: 14 of 6
 * CHECK-NEXT: tile 1: 23
 * CHECK-NEXT: tile 2: 21 of 5
 * CHECK-NEXT: tile 2: 39
 * CHECK-NOT: {{.}}
 */

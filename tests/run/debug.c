/* SPDX-License-Identifier: MIT
 * RUN: sh -c 'echo "break scale" && echo "break debug.c:"$(grep -n "second stop ..$" %s | cut -d: -f1)' > %t.gdb
 * RUN: sh -c 'echo "run && next && next && next && delete 1 && continue && next && next" | sed "s/ && /\n/g"' >> %t.gdb
 * RUN: %ampcc -O0 -g %s -o %t0 && gdb -batch -nx -x %t.gdb %t0 | FileCheck --check-prefixes=CHECK,ALL %s
 * RUN: %ampcc -O0 -g --amp-lanes=4 %s -o %t4 && gdb -batch -nx -x %t.gdb %t4 | FileCheck %s
 * RUN: %ampcc -O2 -g %s -o %t2 && gdb -batch -nx -x %t.gdb %t2 | FileCheck %s
 *
 * gdb breaks in a kernel by its name, in another one by file and line, and steps by source lines; without -O2 it stops
 * at each of them.
 *
 * CHECK: Breakpoint 1{{.*}} scale ({{.*}}debug.c:[[#FIRST:]]
 * ALL-NEXT: float value = x[idx[0]];
 * ALL-NEXT: for (int k = 0; k < 3; k++)
 * ALL-NEXT: value = value * factor + 1;
 * ALL-NEXT: for (int k = 0; k < 3; k++)
 * CHECK-NOT: No such file
 * CHECK: Breakpoint 2{{.*}} reverse ({{.*}}debug.c:[[#]]
 * CHECK-NOT: No such file
 * ALL-NEXT: float value = part[S - 1 - t.local[0]] * 2;
 * ALL-NEXT: if (value > 3)
 * ALL-NEXT: value += t.local[0];
 */
#include <amp.h>
#include <stdio.h>

enum { S = 64 };

static void scale(amp_index1 idx, int N, float factor, float x[N]) restrict(amp)
{
    float value = x[idx[0]];
    for (int k = 0; k < 3; k++)
        value = value * factor + 1;
    if (value > 10)
        value -= 5;
    x[idx[0]] = value;
}

static void reverse(amp_tiled_index1(S) t, int N, float x[N]) restrict(amp)
{
    tile_static float part[S];
    part[t.local[0]] = x[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    float value = part[S - 1 - t.local[0]] * 2; /* second stop */
    if (value > 3)
        value += t.local[0];
    x[t.global[0]] = value;
}

int main(void)
{
    float x[4 * S] = {0};
    amp_array_view *view = amp_array_view1(4 * S, x);
    amp_parallel_for_each(amp_extent1(4 * S), scale, 2.0f, view);
    amp_parallel_for_each(amp_extent1(4 * S), reverse, view);
    amp_array_view_release(view);
    printf("x[0] is %g\n", x[0]);
    return 0;
}

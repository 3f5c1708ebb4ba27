/* SPDX-License-Identifier: MIT
 * RUN: sh -c 'echo "break debug-regions.c:"$(grep -n "stop here ..$" %s | cut -d: -f1)" if t.global[0] == 5"' > %t.gdb
 * RUN: sh -c 'echo "run && print k && continue && print k && continue && print k && continue"' \
 * RUN:   | sed "s/ && /\n/g" >> %t.gdb
 * RUN: %ampcc -O0 -g %s -o %t && env AMP_NUM_THREADS=1 gdb -batch -nx -x %t.gdb %t | FileCheck %s
 * RUN: sh -c 'echo "break debug-regions.c:"$(grep -n "stop here ..$" %s | cut -d: -f1)' > %t.lanes.gdb
 * RUN: sh -c 'echo "run && print 10 && continue && print 11 && continue && print 12"' | sed "s/ && /\n/g" >> %t.lanes.gdb
 * RUN: %ampcc -O0 -g --amp-lanes=8 %s -o %t && env AMP_NUM_THREADS=1 gdb -batch -nx -x %t.lanes.gdb %t \
 * RUN:   | FileCheck %s --check-prefix=LANES
 *
 * The code between two barriers is there more than once if a loop is around them. A breakpoint works in each copy.
 *
 * CHECK: $1 = 0
 * CHECK: $2 = 1
 * CHECK: $3 = 2
 * CHECK: exited normally
 *
 * LANES: Breakpoint 1{{.*}}debug-regions.c:[[#]]
 * LANES: $1 = 10
 * LANES: Breakpoint 1{{.*}}debug-regions.c:[[#]]
 * LANES: $2 = 11
 * LANES: Breakpoint 1{{.*}}debug-regions.c:[[#]]
 * LANES: $3 = 12
 */
#include <amp.h>

enum { S = 8 };

static void turn(amp_tiled_index1(S) t, int N, const float x[N], float y[N]) restrict(amp)
{
    tile_static float part[S];
    float sum = 0;
    for (int k = 0; k < 3; k++) {
        part[t.local[0]] = x[t.global[0]] + k; /* stop here */
        amp_tile_barrier_wait(t.barrier);
        sum += part[(t.local[0] + k) % S];
        amp_tile_barrier_wait(t.barrier);
    }
    y[t.global[0]] = sum;
}

int main(void)
{
    float x[S] = {1, 2, 3, 4, 5, 6, 7, 8}, y[S];
    amp_auto_array_view *from = amp_array_view1(S, x), *to = amp_array_view1(S, y);
    amp_parallel_for_each(amp_extent1(S), turn, from, to);
    amp_synchronize(to);
    return y[5] != 6 + 8 + 10;
}

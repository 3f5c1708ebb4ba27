/* SPDX-License-Identifier: MIT
 * RUN: sh -c 'echo "break debug-copies.c:"$(grep -n "stop here ..$" %s | cut -d: -f1)' > %t.gdb
 * RUN: sh -c 'echo "run && print 1 && continue && print 2" | sed "s/ && /\n/g"' >> %t.gdb
 * RUN: %ampcc -O2 -g %s -o %t && gdb -batch -nx -x %t.gdb %t | FileCheck %s
 *
 * An optimised kernel has several copies of its body, for whole vectors and for the rest. A breakpoint works in each.
 *
 * CHECK: Breakpoint 1{{.*}}debug-copies.c:[[#]]
 * CHECK: $1 = 1
 * CHECK: Breakpoint 1{{.*}}debug-copies.c:[[#]]
 * CHECK: $2 = 2
 */
#include <amp.h>
#include <stdio.h>

static void square(amp_index1 idx, int N, float x[N]) restrict(amp)
{
    float value = x[idx[0]];
    value *= value;
    x[idx[0]] = value; /* stop here */
}

int main(void)
{
    static float few[3] = {1, 2, 3}, many[64] = {4};
    amp_array_view *a = amp_array_view1(3, few), *b = amp_array_view1(64, many);
    amp_parallel_for_each(amp_extent1(3), square, a);
    amp_parallel_for_each(amp_extent1(64), square, b);
    amp_synchronize(a);
    amp_synchronize(b);
    printf("%g %g\n", few[2], many[0]);
    amp_array_view_release(a);
    amp_array_view_release(b);
    return 0;
}

// RUN: %ampcc -O2 -Werror %s -o %t && %t | FileCheck %s
// RUN: cd %S && %ampcc -O2 -c includes-itself.c -o %t.o && test -s %t.o
// RUN: not %ampcc -DMARKER -c %s -o %t.none 2>&1 | FileCheck --check-prefix=MARKER %s && not test -e %t.none

/* The file is read twice, and what ampcc adds to it counts once. */
#ifndef NAME
#include <amp.h>
#include <stdio.h>
#define NAME twice
#define FACTOR 2
#include __FILE__
#undef NAME
#undef FACTOR
#define NAME thrice
#define FACTOR 3
#include __FILE__

int main(void)
{
    int x[3] = {1, 2, 3};
    amp_array_view *v = amp_array_view1(3, x);
    amp_parallel_for_each(amp_extent1(3), twice, v);
    amp_parallel_for_each(amp_extent1(3), thrice, v);
    amp_synchronize(v);
    printf("%d %d %d\n", x[0], x[1], x[2]); // CHECK: 6 12 18
    amp_array_view_release(v);
    return 0;
}
#ifdef MARKER
# 1 "entered.h" 1
// MARKER: clang takes the end of '{{.*}}includes-itself.c' for that of a file that it includes
#endif
#else
void NAME(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    x[idx[0]] *= FACTOR;
}
#endif

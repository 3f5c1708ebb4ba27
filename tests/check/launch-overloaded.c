// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// Of kernels with one name, a launch is compared with the one that it chooses; casts and labels hide no kernel.
#include <amp.h>

__attribute__((overloadable)) void add(amp_index1 idx, int N, int x[N]) restrict(amp) // expected-note: 'add' is defined here
{
    x[idx[0]] += 1;
}

__attribute__((overloadable)) void add(amp_index1 idx, int N, float x[N]) restrict(amp) // expected-note: 'add' is defined here
{
    x[idx[0]] += 1;
}

void labelled(amp_index1 idx, int N, int x[N]) restrict(amp) __asm__("add");
void labelled(amp_index1 idx, int N, int x[N]) restrict(amp) // expected-note: 'labelled' is defined here
{
    x[idx[0]] += 2;
}

typedef void add_int(amp_index1, int, int *);
typedef void add_float(amp_index1, int, float *);

void launches(int *ints, float *floats)
{
    amp_array_view *a = amp_array_view1(8, ints);
    amp_array_view *b = amp_array_view1(8, floats); // expected-note: the view is made here
    amp_parallel_for_each(amp_extent1(8), (add_int *)add, a);
    amp_parallel_for_each(amp_extent1(8), (add_float *)&add, b);
    amp_parallel_for_each(amp_extent1(8), (add_int *)add, b);         // expected-error: 'x' has elements of type int, but this view has elements of type float [launch elements]
    amp_parallel_for_each(amp_extent2(4, 2), (add_float *)&add, b);   // expected-error: the index of 'add' has rank 1, but the extent of the launch has rank 2 [launch rank]
    amp_parallel_for_each(amp_extent1(8), (void (*)(void))labelled);  // expected-error: 'labelled' takes 1 argument after the extent: x, but 0 are passed; N is read off the views [launch count]
}

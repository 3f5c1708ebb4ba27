// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -Wall -Wextra -Wcast-qual -Wconversion -c -o %t.o %s
// row: X2, C3564, C3567, C3595, C4880
// What is undefined and plain to see is a warning of clang, in kernels as on the host; ordinary kernels have none.
#include <amp.h>

static const int shift = 3;

void careless(amp_index1 i, int N, const int a[N], int x[N], short n) restrict(amp)
{
    int sum; // expected-note: initialize the variable 'sum' to silence this warning
    x[i[0]] = sum + shift; // expected-warning: variable 'sum' is uninitialized when used here [-Wuninitialized]
    x[i[0]] /= 0; // expected-warning: division by zero is undefined [-Wdivision-by-zero]
    *(int *)&a[0] = 1; // expected-warning: cast from 'const int *' to 'int *' drops const qualifier [-Wcast-qual]
    unsigned char small = 300; // expected-warning: implicit conversion from 'int' to 'unsigned char' changes value from 300 to 44 [-Wconstant-conversion]
    x[i[0]] = small + n;
}

void careful(amp_tiled_index1(16) t, int N, const float a[N], float x[N]) restrict(amp)
{
    tile_static float s[16];
    s[t.local[0]] = a[t.global[0]];
    amp_tile_barrier_wait(t.barrier);
    x[t.global[0]] = s[15 - t.local[0]];
}

amp_status host(amp_array_view *a, amp_array_view *x, amp_accelerator_view *on)
{
    amp_status status = amp_parallel_for_each(amp_array_view_extent(x), careful, a, x);
    return status != AMP_OK ? status : amp_parallel_for_each_on(on, amp_extent1(16), careful, a, x);
}

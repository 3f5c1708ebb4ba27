// SPDX-License-Identifier: MIT
// RUN: %ampcc -Wall -Wextra -Wconversion -Wsign-conversion -Wshadow -pedantic -std=c99 -c -o %t.o %s 2>&1 \
// RUN:     | FileCheck --implicit-check-not=warning: --implicit-check-not=note: %s
// RUN: %ampcc -O0 -c -o %t.o %s 2>&1 | FileCheck --implicit-check-not=warning: --implicit-check-not=note: %s
// RUN: %ampcc -Wno-amp-component -Werror -c -o %t.o %s
// RUN: not %ampcc -DPOINTER -c -o %t.o %s 2>&1 | FileCheck --check-prefix=POINTER %s
// Components of extents and indices may be of any arithmetic type: constants that no int holds are warned of, and what
// is only known later is checked later, without a warning. In kernels numbers convert as in C.
//
// CHECK: component-size.c:[[#FIRST:]]:{{.*}} warning: no int can hold 5000000000, and the components of extents and indices are ints [-Wamp-component]
// CHECK-NEXT: amp_extent1(5000000000)
// CHECK: component-size.c:[[#FIRST+1]]:{{.*}} warning: no int can hold 2.5, and the components of extents and indices are ints [-Wamp-component]
// CHECK-NEXT: amp_extent2(4, 2.5)
// CHECK: component-size.c:[[#FIRST+2]]:{{.*}} warning: no int can hold 3000000000, and the components of extents and indices are ints [-Wamp-component]
// CHECK-NEXT: amp_extent_mul_int(e, 3000000000u)
// CHECK: component-size.c:[[#FIRST+3]]:{{.*}} warning: no int can hold -3000000000, and the components of extents and indices are ints [-Wamp-component]
// CHECK-NEXT: amp_index3(-3000000000, 1, 1)
// POINTER: error: a component of an extent or an index is a number, and this is a pointer [pointer as component]
// POINTER-NEXT: amp_extent1(p)
#include <amp.h>

void kernel(amp_index2 idx, long n, float f, unsigned u, int M, int N, float x[M][N]) restrict(amp)
{
    amp_extent all = amp_extent2(M, N);
    amp_index at = amp_index2(idx[0] + 1, n), next = amp_index_add_int(amp_index1(u), f);
    at = amp_index_sub(at, amp_index2(1, n));
    if (amp_extent_contains(all, at) && next.rank == 1)
        x[at.dim[0]][idx[1]] = (float)amp_index_int_sub(n, amp_index_of2(idx)).dim[1];
}

void constants(void)
{
    amp_extent e = amp_extent1(5000000000);
    e = amp_extent2(4, 2.5);
    e = amp_extent_mul_int(e, 3000000000u);
    amp_index i = amp_index3(-3000000000, 1, 1);
    e = amp_extent3(2147483647, -2147483647 - 1, 4.0);
    e = amp_extent2(sizeof e, 'a');
    (void)e, (void)i;
}

void variables(size_t n, long l, unsigned u, double d, amp_array_view *view, int *p)
{
    amp_array_view_release(amp_array_view3(n++, l, u, p));
    amp_array_view_release(amp_array_view_section3(view, n, l, u, d, 1, 1));
    amp_array_view_release(amp_array_view_project(view, l));
    amp_copy_from(view, p, n);
    amp_copy_from(view, p, 5000000000);
}

#ifdef POINTER
int pointer(int *p)
{
    return amp_extent1(p).rank;
}
#endif

// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// Arguments of the macros of amp.h in another order: one error each.
#include <amp.h>

void kernel(amp_index1 idx, int N, float x[N]) restrict(amp)
{
    x[idx[0]] *= 2;
}

void launches(amp_array_view *x, amp_accelerator_view *on)
{
    amp_extent four = amp_extent1(4);
    amp_parallel_for_each(kernel, amp_extent1(4), x); // expected-error: the extent comes first, then the kernel, then its arguments
    amp_parallel_for_each(kernel, four); // expected-error: the extent comes first, then the kernel, then its arguments
    amp_parallel_for_each_on(on, kernel, four, x); // expected-error: the extent comes first, then the kernel, then its arguments
    amp_future_release(amp_parallel_for_each_async(kernel, four, x)); // expected-error: the extent comes first, then the kernel, then its arguments
    amp_parallel_for_each(four, kernel, x);
}

void views(float *data, int n)
{
    amp_extent four = amp_extent1(4);
    amp_array_view *a = amp_array_view1(data, n); // expected-error: the extent comes first in 'amp_array_view1', then the data
    amp_array_view *b = amp_array_view2(data, n, n); // expected-error: the extent comes first in 'amp_array_view2', then the data
    amp_array_view *c = amp_array_view3(n, data, n, n); // expected-error: the extent comes first in 'amp_array_view3', then the data
    amp_array_view *d = amp_array_view_n(data, four); // expected-error: the extent comes first in 'amp_array_view_n', then the data
    amp_array *e = amp_array_from1(data, n); // expected-error: the extent comes first in 'amp_array_from1', then the data
    amp_array_view *f = amp_array_view1(n, n); // expected-error: the data of 'amp_array_view1' are a pointer to elements, and this is none
    amp_array_view *g = amp_array_view1(n, data);
    undeclared(); // expected-error: call to undeclared function 'undeclared'; ...
}

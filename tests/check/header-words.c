// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: launch.captures, C3571
// Errors that clang finds inside of amp.h's macros, in words about what the user wrote.
#include <amp.h>

#define EIGHT(x) x, x, x, x, x, x, x, x

void k(amp_index1 i, int N, short s[N], float f[N]) restrict(amp)
{
    amp_atomic_fetch_inc(&f[0]); // expected-error: increments need an integer; write amp_atomic_fetch_add
    amp_atomic_fetch_add(&s[i[0]], 1); // expected-error: atomic operations need 32 or 64 bits; use int, long, float or double
}

int main(void)
{
    const float fixed[4] = {1};
    float rows[4][4];
    amp_array_view *x = amp_array_view2(4, 4, rows); // expected-error: the data of a view are elements, and these are rows; pass &data[0][0]
    amp_copy(fixed, x); // expected-error: the destination of this copy is const
    double two = 2;
    amp_extent_n(two, (int[]){1, 2}); // expected-error: the rank of an extent or an index is an integer, and this is a floating-point number
    amp_index_n(2.5, (int[]){1, 2}); // expected-error: the rank of an extent or an index is an integer, and this is a floating-point number
    amp_extent one = amp_extent1(1);
    amp_parallel_for_each(4, k, x); // expected-error: this is no amp_extent; write amp_extent1(n), amp_extent2(rows, columns)
    amp_parallel_for_each(one, k, EIGHT(1), EIGHT(2), EIGHT(3), 1, 2, 3, 4, 5, 6, 7);
    amp_parallel_for_each(one, k, EIGHT(1), EIGHT(2), EIGHT(3), EIGHT(4)); // expected-error: a launch passes at most 31 arguments; put some into a struct
    amp_parallel_for_each_on(NULL, one, k, EIGHT(1), EIGHT(2), EIGHT(3), EIGHT(4), EIGHT(5), EIGHT(6), EIGHT(7), 1, 2, 3, 4, 5, 6, 7); // expected-error: a launch passes at most 31 arguments; ...
}

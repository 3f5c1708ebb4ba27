// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// A value with commas between braces, as an argument of a launch: the preprocessor takes it apart.
#include <amp.h>

struct point {
    int x, y;
};

void k(amp_index1 i, struct point p, int n, int a[n]) restrict(amp)
{
    a[i[0]] = p.x + p.y;
}

void f(amp_array_view *v, amp_accelerator_view *on)
{
    amp_parallel_for_each(amp_extent1(4), k, (struct point){1, 2}, v); // expected-error: the preprocessor takes what stands between the commas here for arguments of its own; put the value in parentheses: ((struct point){1, 2})
    amp_parallel_for_each(amp_extent1(4), k, ((struct point){1, 2}), v);
    amp_parallel_for_each(amp_extent1(4), k, (struct point){1}, v);
    amp_parallel_for_each_on(on, (amp_extent){1, {4}}, k, // expected-error: the preprocessor takes what stands between the commas here for arguments of its own; put the value in parentheses: ((struct point){1, 2})
                             ((struct point){1, 2}), v);
    amp_parallel_for_each_async(amp_extent1(4), k,
                                (struct point){.x = 1, .y = 2}, // expected-error: the preprocessor takes what stands between the commas here for arguments of its own; put the value in parentheses: ((struct point){1, 2})
                                v);
}

// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -Wall -Wextra -Werror -c -o %t.o %s
// Values of structs as arguments of launches, and braces without a comma.
#include <amp.h>

struct point {
    int x, y;
};

void k(amp_index1 i, struct point p, int n, int a[n]) restrict(amp)
{
    a[i[0]] = p.x + p.y;
}

void f(amp_array_view *v)
{
    amp_parallel_for_each(((amp_extent){1, {4}}), k, ((struct point){1, 2}), v);
    amp_parallel_for_each(amp_extent1(4), k, (struct point){.x = 1}, v);
}

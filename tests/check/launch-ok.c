// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: launch.captures
// Launches of which nothing is certain are left to run time: kernels from variables, views that may be others.
#include <amp.h>

void scale(amp_index1 idx, int N, float factor, unsigned char shade, float x[N]) restrict(amp)
{
    x[idx[0]] *= factor + shade;
}

void elsewhere(amp_index1 idx, int N, float x[N]);
void later(amp_index1 idx, int N, float x[N]) restrict(amp);

void set(int *dim);

/* Extents that get other components. */
void changed(amp_array_view *x, int n)
{
    amp_extent a = amp_extent1(0), b = amp_extent2(0, 0), c = amp_extent1(0), d = amp_extent1(0), e = amp_extent1(4);
    a.dim[0] = n;
    b.rank--;
    set(c.dim);
    int *p = &d.dim[0];
    *p = e.dim[0];
    amp_parallel_for_each(a, scale, 2, 3, x);
    amp_parallel_for_each(b, scale, 2, 3, x);
    amp_parallel_for_each(c, scale, 2, 3, x);
    amp_parallel_for_each(d, scale, 2, 3, x);
    amp_parallel_for_each(e, scale, 2, 3, x);
}

amp_status host(int n, float *data, int *numbers, bool which, amp_kernel any)
{
    amp_array_view *x = amp_array_view1(n, data), *y = amp_array_view1(n, numbers);
    amp_array_view *z = amp_array_view2(n, n, data);
    amp_extent extent = amp_extent2(n, n);
    if (which) {
        z = x;
        extent = amp_extent1(n);
    }
    amp_array_view **place = &y;
    *place = x;
    amp_parallel_for_each(extent, scale, 2, 3.0, z);
    amp_parallel_for_each(amp_extent1(n), scale, true, 'a', y);
    amp_parallel_for_each(amp_extent1(n), &scale, 2ll, 255, which ? x : y);
    amp_parallel_for_each(amp_extent1(n), any, 1, 2, 3);
    amp_parallel_for_each(amp_extent1(n), elsewhere, x);
    amp_parallel_for_each(amp_extent1(n), later, x);
    amp_parallel_for_each(amp_extent1(n), NULL, x);
    return amp_parallel_for_each_on(NULL, amp_extent1(n), scale, n, n, x);
}

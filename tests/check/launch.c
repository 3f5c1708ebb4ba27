// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -fsyntax-only %s
// row: launch.errors, launch.captures, C3576
// Launches that cannot succeed: what the file shows of them is checked when it is compiled.
#include <amp.h>
#include <stdio.h>

struct pair {
    int a, b;
};
struct wide {
    double a, b;
};

void scale(amp_index1 idx, int N, float factor, float x[N]) restrict(amp) // expected-note 5: 'scale' is defined here
{
    x[idx[0]] *= factor;
}

void many(amp_index2 idx, int M, int N, struct pair s, short n, float x[M][N], const float y[M][N]) restrict(amp) // expected-note 12: 'many' is defined here
{
    x[idx[0]][idx[1]] = (float)(s.a + n) + y[0][0];
}

void tiled(amp_tiled_index2(16, 16) t, int M, int N, struct pair x[M][N]) restrict(amp) // expected-note 3: 'tiled' is defined here
{
    x[t.global[0]][t.global[1]].a = 1;
}

static float helper(float x) restrict(amp) // expected-note: 'helper' is defined here
{
    return x;
}

void host(float *x) // expected-note: 'host' is defined here
{
    *x = 1;
}

void kernels(amp_array_view *x)
{
    amp_extent one = amp_extent1(10);
    amp_parallel_for_each(one, host, x); // expected-error: 'host' is not a kernel; a kernel is marked restrict(amp) after its parameters, the first of which is an amp_index1 to amp_index8 or an amp_tiled_index1 to 3
    amp_parallel_for_each(one, printf, x); // expected-error: 'printf' is not a kernel; ...
    amp_parallel_for_each(one, helper, x); // expected-error: 'helper' is not a kernel, but a function for kernels to call; a kernel's first parameter is an amp_index1 to amp_index8 or an amp_tiled_index1 to 3
    amp_parallel_for_each(one, x, scale); // expected-error: a value of type 'amp_array_view *' stands where the launch has its kernel; write the extent, the kernel, then its arguments
}

void domains(amp_array_view *x, int n)
{
    amp_extent flat = amp_extent1(n), none = amp_extent1(0);
    int first = flat.dim[0] + none.dim[0];
    amp_parallel_for_each(none, scale, 2.0f * (float)first, x); // expected-error: component 0 of the extent is 0; ...
    amp_parallel_for_each(amp_extent2(10, n), scale, 2.0f, x); // expected-error: the index of 'scale' has rank 1, but the extent of the launch has rank 2
    amp_parallel_for_each(flat, tiled, x); // expected-error: the index of 'tiled' has rank 2, but the extent of the launch has rank 1
    amp_parallel_for_each(amp_extent1(0), scale, 2.0f, x); // expected-error: component 0 of the extent is 0; all of a launch must be positive
    amp_parallel_for_each(amp_extent2(32, 20), tiled, x); // expected-error: component 1 of the extent is 20, which is no multiple of the tile's 16 in 'tiled'; amp_extent_pad rounds it up
    amp_parallel_for_each(amp_extent2(16, 5000000000), tiled, x); // expected-error: component 1 of the extent is 5000000000, which no int can hold
    amp_parallel_for_each(amp_extent1(2.5), scale, 2.0f, x); // expected-error: component 0 of the extent is 2.5, which no int can hold
}

void counts(amp_array_view *x)
{
    amp_parallel_for_each(amp_extent1(10), scale, 10, 2.0f, x); // expected-error: 'scale' takes 2 arguments after the extent: factor, x, but 3 are passed; N is read off the views
    amp_parallel_for_each(amp_extent2(32, 32), tiled); // expected-error: 'tiled' takes 1 argument after the extent: x, but 0 are passed; M, N are read off the views
}

void arguments(amp_array_view *x, float *data, struct pair s, struct wide t)
{
    amp_extent flat = amp_extent1(10), plane = amp_extent2(10, 10);
    amp_parallel_for_each(flat, scale, s, x); // expected-error: 'factor' takes a number for 'float', but a value of type 'struct pair' is passed
    amp_parallel_for_each(flat, scale, 2.0f, data); // expected-error: 'x' takes an amp_array_view * or amp_array *, but a value of type 'float *' is passed; make a view of the memory with amp_array_view1
    amp_parallel_for_each(flat, scale, 2.0f, 3); // expected-error: 'x' takes an amp_array_view * or amp_array *, but a value of type 'int' is passed
    amp_parallel_for_each(plane, many, t, 1, x, x); // expected-error: 's' takes a 'struct pair' of 8 bytes, but a value of type 'struct wide' is passed, of 16 bytes
    amp_parallel_for_each(plane, many, 1, 1, x, x); // expected-error: 's' takes a 'struct pair' of 8 bytes, but a value of type 'int' is passed, of 4 bytes
    amp_parallel_for_each(plane, many, s, 40000, x, x); // expected-error: 'n' is of type 'short', which cannot hold 40000
    amp_parallel_for_each(plane, many, s, 3.5, x, x); // expected-error: 'n' is of type 'short', which cannot hold 3.5
}

void views(const float *in, float *out, int *numbers, struct wide *wides, struct pair s)
{
    amp_array_view *a = amp_array_view2(16, 16, in); // expected-note: the view is made here
    amp_array_view *b = amp_array_view2(16, 16, out);
    amp_array_view *c = amp_array_view1(256, out); // expected-note: the view is made here
    amp_array_view *d = amp_array_view2(16, 16, numbers); // expected-note: the view is made here
    amp_array_view *e = amp_array_view2(16, 16, wides); // expected-note: the view is made here
    amp_array_view *f = amp_array_view_without_source2(double, 16, 16); // expected-note: the view is made here
    amp_array_view *g = amp_array_view_section2(a, 1, 1, 2, 2); // expected-note: the view is made here
    amp_array *h = amp_array3(float, 2, 3, 4); // expected-note: the view is made here
    amp_parallel_for_each(amp_array_view_extent(b), many, s, 1, b, a);
    amp_parallel_for_each(amp_array_view_extent(b), many, s, 1, b, f); // expected-error: 'y' has elements of type float, but this view has elements of type double
    amp_parallel_for_each(amp_array_view_extent(b), many, s, 1, g, a); // expected-error: this view is read-only, but ...
    amp_future_release(amp_parallel_for_each_async(amp_array_extent(h), many, s, 1, h, a)); // expected-error: the index of 'many' has rank 2, but the extent of the launch has rank 3 expected-error: 'x' has rank 2, but this view has rank 3; make it with amp_array2, or give 'x' 3 bounds
    amp_parallel_for_each(amp_array_view_extent(b), many, s, 1, a, b); // expected-error: this view is read-only, but 'many' may write 'x'; declare the parameter's elements const, or make the view of a pointer that is not
    amp_parallel_for_each(amp_array_view_extent(b), many, s, 1, c, a); // expected-error: 'x' has rank 2, but this view has rank 1; make it with amp_array_view2, or give 'x' 1 bound
    amp_parallel_for_each(amp_array_view_extent(b), many, s, 1, b, d); // expected-error: 'y' has elements of type float, but this view has elements of type int
    amp_parallel_for_each(amp_array_view_extent(b), tiled, e); // expected-error: 'x' has elements of 8 bytes, type struct pair, but this view has elements of 16 bytes
    amp_parallel_for_each(amp_array_view_extent(c), many, s, 1, b, a); // expected-error: the index of 'many' has rank 2, but the extent of the launch has rank 1
}

// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -c -o %t.o %s
// Launches over what is no domain, and tiles of no size.
// row: C3571, C3574, C3576
#include <amp.h>

using namespace concurrency;

struct rows : extent<1> {
    rows() : extent<1>(3)
    {
    }
};

void domains(array_view<int> v, array_view<int, 2> w)
{
    parallel_for_each(rows(), [=](index<1> i) restrict(amp) { v[i] = 1; });
    parallel_for_each(3, [=](index<1> i) restrict(amp) { v[i] = 1; }); // expected-error: the first argument of a launch is its domain, an extent or a tiled_extent, such as extent<1>(n) or view.extent
    parallel_for_each(v, [=](index<1> i) restrict(amp) { v[i] = 1; }); // expected-error: the first argument of a launch is its domain, ...
    parallel_for_each(v.extent.tile<0>(), [=](tiled_index<0> t) restrict(amp) { v[t] = 1; }); // expected-error: the sizes of a tile are positive
    parallel_for_each(w.extent.tile<4, -1>(), [=](tiled_index<4, -1> t) restrict(amp) { w[t] = 1; }); // expected-error: the sizes of a tile are positive
    parallel_for_each(v.extent, [=](index<2> i) restrict(amp) { w[i] = 1; }); // expected-error: the kernel takes index<2>, but the extent has rank 1
}

// SPDX-License-Identifier: MIT
// What the library's classes do not accept, with their messages.
// RUN: not %ampcc -c -ferror-limit=0 %s -o %t.o 2>&1 | FileCheck %s '--implicit-check-not=64 planes'
// RUN: not %ampcc -c -ferror-limit=0 --amp-strict %s -o %t.o 2>&1 | FileCheck --check-prefix=STRICT %s
#include <amp_graphics.h>

using namespace concurrency;
using namespace concurrency::graphics;

void ranks();
void ranks()
{
    int sizes[] = {2, 3, 4, 5};
    extent<4> e(sizes);
    array_view<float, 4> v(e);
    // CHECK-DAG: library-reject.cpp:[[#@LINE+1]]:5: error: the kernel's index has another rank than the extent [launch rank]
    parallel_for_each(e, [=](index<3> i) restrict(amp) { v[i[0]]; });
    // CHECK-DAG: library-reject.cpp:[[#@LINE+1]]:5: error: the kernel's index has another rank than the extent [launch rank]
    parallel_for_each(extent<3>(1, 2, 3), [=](index<5> i) restrict(amp) { v[i[0]]; });
    // CHECK-DAG: error: static assertion failed{{.*}}the rank of an index or an extent is at most 128
    index<129> large;
    // CHECK-DAG: error: static assertion failed{{.*}}elements cannot be arrays or views
    array_view<array_view<int>> nested(3);
    // CHECK-DAG: error: static assertion failed{{.*}}the rank of an array is at least 1
    array<int, -1> negative;
    // CHECK-DAG: library-reject.cpp:[[#@LINE+1]]:{{[0-9]+}}: error: no viable overloaded '='
    accelerator().get_default_view() = accelerator().get_default_view();
    // CHECK-DAG: library-reject.cpp:[[#@LINE+2]]:5: error: no matching function for call to 'copy'
    array_view<const int> from(3, sizes), to(from);
    copy(from, to);
}

void tiles();
void tiles()
{
    typedef tiled_index<2147483647, 2147483647, 2147483647> largest;
    extent<3> e(128, 2, 2);
    // STRICT: error: static assertion failed{{.*}}C++ AMP's tiles of rank 3 have at most 64 planes
    parallel_for_each(e.tile<128, 2, 2>(), [=](tiled_index<128, 2, 2>) restrict(amp) {});
    // CHECK-DAG: error: static assertion failed{{.*}}a tile has at most 1024 threads
    parallel_for_each(e.tile<2147483647, 2147483647, 2147483647>(), [=](largest) restrict(amp) {});
}

void vectors();
void vectors()
{
    // CHECK-DAG: error: static assertion failed{{.*}}vectors of unsigned components have no unary minus
    (void)-uint_2(1, 2);
    // CHECK-DAG: error: static assertion failed{{.*}}only vectors of integers have ~
    (void)~float_2(1, 2);
    // CHECK-DAG: library-reject.cpp:[[#@LINE+1]]:13: error: no viable conversion from {{.*}}
    float_2 f = int_2(1, 2);
    // CHECK-DAG: error: static assertion failed{{.*}}there are no short vectors of this type
    short_vector<char, 2>::type none;
    // CHECK-DAG: library-reject.cpp:[[#@LINE+1]]:16: error: no member named 'xx' in
    (void)f.xy.xx;
}

void textures();
void textures()
{
    // CHECK-DAG: error: static assertion failed{{.*}}textures of norm and unorm have no default for the bits per scalar
    texture<unorm, 1> normed(4);
    // CHECK-DAG: error: static assertion failed{{.*}}textures have no texels of this type
    texture<double_4, 1> wide(4);
    texture<float_2, 1> pairs(4);
    texture_view<float_2, 1> view(pairs);
    // CHECK-DAG: error: static assertion failed{{.*}}a kernel writes such texels by a writeonly_texture_view or a texture_view
    // CHECK-DAG: error: static assertion failed{{.*}}a kernel reads such texels by a texture_view of const texels
    parallel_for_each(pairs.extent, [&pairs, view](index<1> i) restrict(amp) { pairs.set(i, view[i]); });
}

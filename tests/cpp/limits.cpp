// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -c -o %t.o %s
// RUN: not %ampcc -c -DARGUMENTS %s -o %t.o 2>&1 | FileCheck %s
// Kernels and launches that are too large, or have no sense.
// row: C3565, C3568, C3578, C3583
#include <amp.h>

using namespace concurrency;

struct large {
    int numbers[2000];
};

#ifdef ARGUMENTS
void arguments(array_view<int> v, large l)
{
    // CHECK: limits.cpp:[[#@LINE+1]]:33: error: the arguments of 'lambda at limits.cpp:[[#@LINE+1]]' take 8048 bytes, {{.*}} [GPU arguments]
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) { v[i] = l.numbers[i[0]]; });
}
#else
void sizes(array_view<int> v)
{
    parallel_for_each(v.extent.tile<16>(), [=](tiled_index<16> t) restrict(amp) { // expected-error: the tile_static variables of ... take 400000 bytes; every accelerator has 49152 for a tile
        tile_static int shared[100000];
        shared[t.local[0]] = 1;
        t.barrier.wait();
        v[t] = shared[3];
    });
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) { // expected-error: the local arrays of ...
        int local[10000000];
        local[i[0]] = 1;
        v[i] = local[v[0]];
    });
}
#endif

// SPDX-License-Identifier: MIT
// The report calls tile_static variables what the source does, in templates too, where each has memory of its own.
// RUN: %ampcc -O2 --amp-report --amp-cpu=native --amp-gpu=none -c %s -o %t.o 2>&1 | tr -s ' ' | FileCheck %s
#include <amp.h>
using namespace concurrency;

template <typename T> static void reverse(array_view<T> v)
{
    parallel_for_each(v.extent.template tile<64>(), [=](tiled_index<64> t) restrict(amp) { // CHECK: report.cpp:[[#@LINE]]: kernel lambda at report.cpp
        tile_static T here[64], there[64];
        here[t.local[0]] = v[t]; // CHECK-NEXT: memory line [[#@LINE]] read v contiguous
        t.barrier.wait();        // CHECK-NEXT: line [[#@LINE-1]] write here contiguous
        there[t.local[0]] = here[63 - t.local[0]]; // CHECK-NEXT: line [[#@LINE]] read here contiguous, backwards
        t.barrier.wait();                          // CHECK-NEXT: line [[#@LINE-1]] write there contiguous
        v[t] = there[t.local[0]];
    });
}

void all(array_view<float> v)
{
    reverse(v);
    parallel_for_each(v.extent.tile<64>(), [=](tiled_index<64> t) restrict(amp) { // CHECK: report.cpp:[[#@LINE]]: kernel lambda at report.cpp
        tile_static float kept[64];
        kept[t.local[0]] = v[t];
        t.barrier.wait(); // CHECK: line [[#@LINE-1]] write kept contiguous
        v[t] = kept[63 - t.local[0]];
    });
}

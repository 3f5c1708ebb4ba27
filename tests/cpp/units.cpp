// SPDX-License-Identifier: MIT
// The same kernels in two translation units, in one program and in a shared library beside it.
// RUN: rm -rf %t && mkdir %t
// RUN: %ampcc -O2 -DPART=2 -c %s -o %t/part.o && %ampcc -O2 %s %t/part.o -o %t/one && %run %t/one | FileCheck %s
// RUN: %ampcc -O1 -fPIC -shared -DPART=2 %s -o %t/part.so && %ampcc -O2 %s %t/part.so -o %t/two && %run %t/two | FileCheck %s
// RUN: %ampcc -O2 -c %s -o %t/main.o && %ampcc %t/main.o %t/part.o -o %t/three && %run %t/three | FileCheck %s
// RUN: not %ampcc --coverage -c %s -o %t/covered.o 2>&1 | FileCheck --check-prefix=COVERAGE %s
// COVERAGE: ampcc: error: '--coverage' is not possible with C++ AMP so far
// CHECK: all right
#if PART == 2
#define WHICH 100
#else
#define WHICH 1
#endif
#include "Inputs/units.h"
#include "check.h"

#include <vector>

void second(array_view<int> v);
#if PART == 2
void second(array_view<int> v)
{
    scale(v, 2);
    sum_tiles(v);
    add_own(v, 5);
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) { v[i] += 7; });
}
#else
static void first(array_view<int> v)
{
    scale(v, 2);
    sum_tiles(v);
    add_own(v, 5);
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) { v[i] += 1000; });
}
int main()
{
    std::vector<int> d(16, 1), e(16, 1);
    array_view<int> v(16, d), w(16, e);
    first(v);
    second(w);
    scale(w, 3);
    for (int i = 0; i < 16; i++) {
        int sum = i < 8 ? 16 + 28 : 16 + 92;
        CHECK(v[i] == sum + 5 + 1000);
        CHECK(w[i] == (sum + 500 + 7) * 3 + i);
    }
    return result();
}
#endif

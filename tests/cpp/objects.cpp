// SPDX-License-Identifier: MIT
// The object of a source is joined of those of the host's code, of glue, and of the kernels' code. Nothing of that is
// visible outside, whether kernels are local to the source or not.
// RUN: rm -rf %t && mkdir %t
// RUN: %ampcc -O2 -c %s -o %t/a.o && nm %t/a.o | FileCheck --check-prefix=NAMES --implicit-check-not=hip_cuid %s
// RUN: nm %t/a.o | grep ' [TDBRV] ' | cut -d' ' -f3- | grep -v '^_Z\|^DW' | FileCheck --check-prefix=GLOBAL %s
// RUN: ld -r %t/a.o -o %t/again.o 2>&1 | count 0
// RUN: %ampcc %t/again.o -lstdc++ -o %t/again && %run %t/again | FileCheck %s
// NAMES-DAG: t {{.*}}thread1IZ4mainEUl{{.*}}.x86-64-v2
// NAMES-DAG: t {{.*}}thread1IZ4mainEUl{{[A-Za-z0-9_]*}}{{$}}
// NAMES-DAG: W {{.*}}thread1I5scale{{[A-Za-z0-9_]*}}{{$}}
// GLOBAL-NOT: {{.}}
// GLOBAL: main
// GLOBAL-NOT: {{.}}
//
// The same without separate objects: where options need one module, or a symbol cannot be in a list.
// RUN: %ampcc -O2 -ffunction-sections %s -o %t/sections && %run %t/sections | FileCheck %s
// RUN: sed 's/scale/sc\xc3\xa4le/' %s >%t/letters.cpp
// RUN: %ampcc -O2 -I %S %t/letters.cpp -o %t/letters && %run %t/letters | FileCheck %s
// CHECK: all right
//
// A symbol that ampcc needs is found when objects are joined; warnings come once.
// RUN: not %ampcc -O2 -Wall -DTAKEN -c %s -o %t/b.o 2>&1 | FileCheck --check-prefix=TAKEN %s
// TAKEN: warning: unused variable 'unused'
// TAKEN-NOT: warning:
// TAKEN: error: the source has a symbol 'amp__outside_0', which ampcc needs for kernel
#include "check.h"

#include <amp.h>
#include <vector>

using namespace concurrency;

struct scale {
    array_view<int> v;
    void operator()(index<1> i) const restrict(amp)
    {
        v[i] *= 3;
    }
};

#ifdef TAKEN
extern "C" int amp__outside_0(const void *, const int *, long long *)
{
    int unused;
    return 1;
}
#endif

int main()
{
    std::vector<int> data(8, 5);
    array_view<int> v(8, data);
    parallel_for_each(v.extent, scale{v});
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) { v[i] += 2; });
    CHECK(v[7] == 17);
    return result();
}

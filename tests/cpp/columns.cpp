// SPDX-License-Identifier: MIT
// Places are those of the source, and so is the line that is quoted, though clang reads other text.
// RUN: not %ampcc -c %s -o %t.o 2>&1 | FileCheck --strict-whitespace --match-full-lines %s
#include <amp.h>
using namespace concurrency;

struct pair {
    int a, b;
};

// CHECK:{{.*}}columns.cpp:[[#@LINE+6]]:75: error: use of undeclared identifier 'nothing'
// CHECK-NEXT:{{ *}}[[#@LINE+5]] |         tile_static pair kept[64], other[64]; kept[t.local[0]].a = v[t] + nothing;
// CHECK-NEXT:      |                                                                           ^
static void words_of_clang(array_view<int> v)
{
    parallel_for_each(v.extent.tile<64>(), [=](tiled_index<64> t) restrict(amp) {
        tile_static pair kept[64], other[64]; kept[t.local[0]].a = v[t] + nothing;
    });
}

// CHECK:{{.*}}columns.cpp:[[#@LINE+5]]:111: error: 'f' is called in code for accelerators, but is not restrict(amp){{.*}}
// CHECK:{{.*}}columns.cpp:[[#@LINE+4]]:5: note: 'f' is declared here
// CHECK-NEXT:{{ *}}[[#@LINE+3]] | {{.*}}e.tile<8>(), [](tiled_index<8>) restrict(amp) { f(); }); }
// CHECK-NEXT:      |     ^
// CHECK:2 errors generated.
int f() { return 1; } void g(extent<1> e) { parallel_for_each(e.tile<8>(), [](tiled_index<8>) restrict(amp) { f(); }); }

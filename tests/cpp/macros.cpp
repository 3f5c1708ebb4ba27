// SPDX-License-Identifier: MIT
// What the preprocessor has expanded or left out does not move places: an error in a macro's expansion is at its name.
// RUN: not %ampcc -c %s -o %t.o 2>&1 | FileCheck --strict-whitespace --match-full-lines %s
#include <amp.h>
using namespace concurrency;

// clang-format off
#define SCALED(x) ((x) * 1000)

void kernel(array_view<int> v)
{
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) {
        // CHECK:{{.*}}macros.cpp:[[#@LINE+14]]:23: error: static variable 's' is not allowed in restrict(amp) code, {{.*}}
        // CHECK-NEXT:{{ *}}[[#@LINE+13]] |         static   int  s = SCALED(1);
        // CHECK-NEXT:      |                       ^
        // CHECK:{{.*}}macros.cpp:[[#@LINE+3]]:37: error: use of undeclared identifier 'first'
        // CHECK-NEXT:{{ *}}[[#@LINE+2]] |         v[i]   = /* spaces, "" */   first + SCALED(i[0]); // 'that's it
        // CHECK-NEXT:      |                                     ^
        v[i]   = /* spaces, "" */   first + SCALED(i[0]); // 'that's it
        // CHECK:{{.*}}macros.cpp:[[#@LINE+6]]:21: error: use of undeclared identifier 'second'
        // CHECK-NEXT:{{ *}}[[#@LINE+5]] |         v[i] += 2 + SCALED(second)  +  nothing_else;
        // CHECK-NEXT:      |                     ^
        // CHECK:{{.*}}macros.cpp:[[#@LINE+3]]:40: error: use of undeclared identifier 'nothing_else'
        // CHECK-NEXT:{{ *}}[[#@LINE+2]] |         v[i] += 2 + SCALED(second)  +  nothing_else;
        // CHECK-NEXT:      |                                        ^
        v[i] += 2 + SCALED(second)  +  nothing_else;
        static   int  s = SCALED(1);
    });
}

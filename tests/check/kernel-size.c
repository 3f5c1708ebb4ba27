// SPDX-License-Identifier: MIT
// RUN: not timeout 60 %ampcc -O2 -c %s -o %t 2>&1 | FileCheck %s
// Every call is inlined: helpers that each call the one before twice are counted before they are copied.
#include <amp.h>

static int once(int x) restrict(amp)
{
    return 3 * x + 1;
}

#define TWICE(name, callee) static int name(int x) restrict(amp) { return callee(x) + callee(x ^ 1); }
#define TEN(n, before)                                                                                                 \
    TWICE(n##0, before) TWICE(n##1, n##0) TWICE(n##2, n##1) TWICE(n##3, n##2) TWICE(n##4, n##3)                        \
    TWICE(n##5, n##4) TWICE(n##6, n##5) TWICE(n##7, n##6) TWICE(n##8, n##7) TWICE(n##9, n##8)
TEN(a, once)
TEN(b, a9)
TEN(c, b9)
TEN(d, c9)

// CHECK: kernel-size.c:[[#@LINE+1]]:6: error: 'deep' has 14{{[0-9]+}} instructions with all that it calls, which is inlined; 100000 are possible: write loops where functions call others several times [kernel size]
void deep(amp_index1 i, int N, int x[N]) restrict(amp)
{
    // CHECK: kernel-size.c:[[#@LINE+1]]:{{.*}}: note: 'd9', which is called here, has 14{{[0-9]+}}
    x[i[0]] = d9(x[i[0]]);
    // CHECK: kernel-size.c:18:{{.*}}: note: 'd8', which is called here, has 7{{[0-9]+}}
}

// 2^80 instructions are more than can be counted.
TEN(e, d9)
TEN(f, e9)
TEN(g, f9)
TEN(h, g9)
// CHECK: error: 'deeper' has 18446744073709551615 instructions
void deeper(amp_index1 i, int N, int x[N]) restrict(amp)
{
    x[i[0]] = h9(x[i[0]]);
}

// CHECK-NOT: shallow
void shallow(amp_index1 i, int N, int x[N]) restrict(amp)
{
    x[i[0]] = a9(x[i[0]]);
}

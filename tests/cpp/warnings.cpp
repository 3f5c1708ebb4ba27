// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -Wall -Wcast-qual -c -o %t.o %s
// What clang warns of in code for the host, it warns of in code for accelerators.
// row: X2, C3564, C3567, C3595, C3601, C4880
#include <amp.h>

using namespace concurrency;

void kernel(array_view<int> v)
{
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) {
        int unset;                // expected-note: initialize the variable 'unset' to silence this warning
        int large = 3000000000000; // expected-warning: implicit conversion from 'long' to 'int' changes value from 3000000000000 to 2112827392
        const int limit = 4;
        int *p = (int *)&limit;                 // expected-warning: cast from 'const int *' to 'int *' drops const qualifier
        direct3d_printf("%s %d\n", 1.5, i[0]); // expected-warning: format specifies type 'char *' but the argument has type 'double'
        direct3d_printf("%d %f\n", i[0], 1.5);
        v[i] = unset + large / 0 + *p; // expected-warning: division by zero is undefined expected-warning: variable 'unset' is uninitialized when used here
        if (v[i] > 4)
            direct3d_errorf("%d\n", 1.5f); // expected-warning: format specifies type 'int' but the argument has type 'float'
    });
}

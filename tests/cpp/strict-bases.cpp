// SPDX-License-Identifier: MIT
// REQUIRES: llvm22
// RUN: python3 %root/tests/expect.py %ampcc --amp-strict -c -o %t.o %s
// With --amp-strict, the members that classes inherit from templates are checked, too. LLVM 19 does not show them.
#include <amp.h>

template <typename T> struct base {
    T value;
};
template <typename T> struct heir_of : base<T> {
};

void classes() restrict(amp)
{
    heir_of<char> j; // expected-error: C++ AMP has no 'char', ...
    heir_of<int> k;
}

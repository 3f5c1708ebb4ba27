// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc --amp-strict -c -o %t.o %s
// With --amp-strict, the words around restrict(...) have the order that the model gives them.
auto late = []() restrict(amp) mutable {}; // expected-error: C++ AMP has 'mutable' before restrict(...)
int plain() noexcept restrict(cpu);        // expected-error: C++ AMP has exception specifications after restrict(...)
int empty() throw() restrict(cpu);         // expected-error: C++ AMP has exception specifications after restrict(...)
int good() restrict(cpu) throw();

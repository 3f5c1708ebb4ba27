// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -c -o %t.o %s
// restrict(...) comes after a function's parameters, and belongs to the language even without <amp.h>.
int before restrict(cpu);             // expected-error: restrict(...) comes after the parameters of a function
restrict(cpu) int first(int x);       // expected-error: restrict(...) comes after the parameters of a function
int restrict(cpu) second(int x);      // expected-error: restrict(...) comes after the parameters of a function
class marked restrict(cpu) {          // expected-error: restrict(...) comes after the parameters of a function
};
auto last = [](int x) -> int restrict(amp) { return x; }; // expected-error: restrict(...) comes after the parameters of a function
int good(int x) restrict(cpu, amp);

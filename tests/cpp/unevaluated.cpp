// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -c -o %t.o %s
// A function that is restrict(amp) alone in operands that are not evaluated: types, bounds, enumerators and assertions
// outside of functions may name it, and so may code for accelerators; the rest of the host's code may not.
#include <amp.h>

int alone(int x) restrict(amp) // expected-note 4: 'alone' is declared here
{
    return x;
}
using result_type = decltype(alone(1));
enum constants { size = sizeof(alone(1)), throws = !noexcept(alone(1)) };
static_assert(sizeof(alone(1)) == 4 && !noexcept(alone(1)), "");
int bounded[sizeof(alone(1))];
template <int N> struct by_template {
    decltype(alone(1)) member = sizeof(alone(1));
};
by_template<sizeof(alone(1))> object;

int on_both(int x) restrict(cpu, amp)
{
    decltype(alone(1)) y = sizeof(alone(1)) + noexcept(alone(1));
    return x + y;
}
int on_host()
{
    result_type mended = size;
    int bytes = sizeof(alone(1)); // expected-error: 'alone' is restrict(amp), and code for the host cannot call it; mark it restrict(cpu, amp)
    decltype(alone(1)) number = 1; // expected-error: 'alone' is restrict(amp), and code for the host cannot call it; mark it restrict(cpu, amp)
    return mended + bytes + number + noexcept(alone(1)); // expected-error: 'alone' is restrict(amp), and code for the host cannot call it; mark it restrict(cpu, amp)
}
const int value = sizeof(alone(1)); // expected-error: 'alone' is restrict(amp), and code for the host cannot call it; mark it restrict(cpu, amp)

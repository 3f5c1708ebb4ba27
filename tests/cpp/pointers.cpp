// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -c -o %t.o %s
// A function that is restrict(amp) alone has no address on the host; one for both is there a function like others.
// row: language.pointers, T7, C3939
#include <amp.h>

using namespace concurrency;

int alone(int x) restrict(amp) // expected-note 3: 'alone' declared here
{
    return x;
}
int both(int x) restrict(cpu, amp)
{
    return x + 1;
}
int use(int (*p)(int));

int on_host()
{
    int (*less)(int) = both, (*same)(int) restrict(cpu) = &both, (&reference)(int) = both;
    return less(1) + same(2) + reference(3) + use(both);
}
int (*const global)(int) = both;

int of_alone()
{
    int (*p)(int) = alone; // expected-error: 'alone' is restrict(amp), and code for the host cannot call it; mark it restrict(cpu, amp)
    auto q = &alone;       // expected-error: 'alone' is restrict(amp), and code for the host cannot call it; mark it restrict(cpu, amp)
    return p(1) + q(2) +
           use(alone); // expected-error: 'alone' is restrict(amp), and code for the host cannot call it; mark it restrict(cpu, amp)
}

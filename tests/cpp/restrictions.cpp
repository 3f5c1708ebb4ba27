// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -c -o %t.o %s
// Restrictions that clang compares, in our words.
// row: language.overloads, language.generated, language.calls, C3930, C3935
#include <amp.h>

int over(int x) restrict(cpu, amp) // expected-note: previous declaration is here
{
    return x;
}
int over(int x) restrict(amp) // expected-error: 'over' is declared with other restrictions before; overloads by restriction cannot overlap
{
    return x;
}
int wider(int x) restrict(amp); // expected-note: previous declaration is here
int wider(int x) restrict(cpu, amp) // expected-error: 'wider' is declared with other restrictions before; overloads by restriction cannot overlap
{
    return x;
}
int twice(int x) restrict(amp) // expected-note: previous definition is here
{
    return x;
}
int twice(int x) restrict(amp) // expected-error: redefinition of 'twice'
{
    return x;
}

/* A member that a class gets by itself is for what the members of its members are for. */
struct for_host {
    for_host();
    int x;
};
struct for_amp {
    for_amp() restrict(amp)
    {
    }
    int x;
};
struct plain {
    int x;
};
struct has_host { // expected-note: candidate constructor (the implicit default constructor) not viable: it is not restrict(amp) expected-note 2: candidate constructor ... not viable: requires 1 argument, but 0 were provided
    for_host member;
};
struct has_amp { // expected-note: candidate constructor (the implicit default constructor) not viable: it is restrict(amp) alone expected-note 2: candidate constructor ... not viable: requires 1 argument, but 0 were provided
    for_amp member;
};
struct has_both { // expected-note: candidate constructor (the implicit default constructor) not viable: what it would call has different restrictions expected-note: the implicit default constructor would call functions that are restrict(cpu) and functions that are restrict(amp) expected-note 2: candidate constructor ... not viable: requires 1 argument, but 0 were provided
    for_host first;
    for_amp second;
};
int good() restrict(amp)
{
    has_amp a, b = a;
    plain p = {b.member.x}, q = p;
    p = q;
    return p.x;
}
int good()
{
    has_host h, i = h;
    return i.member.x;
}
int on_amp() restrict(amp)
{
    has_host h; // expected-error: no matching constructor for initialization of 'has_host'
    return h.member.x;
}
int on_host()
{
    has_amp a; // expected-error: no matching constructor for initialization of 'has_amp'
    return a.member.x;
}
int nowhere()
{
    has_both b; // expected-error: no matching constructor for initialization of 'has_both'
    return b.first.x;
}

// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -c -o %t.o %s
// What only resembles code that restrict(amp) forbids, and what C++ AMP forbade for the hardware of 2012.
#include <amp.h>
#include <typeinfo>

using namespace concurrency;

struct bits {
    unsigned low : 4, high : 28;
};
struct small {
    short a;
    char b;
    bits c;
};

long long numbers(small s, int *p, bool *b) restrict(amp)
{
    unsigned char c = 'x';
    int *none = (int *)0, *&same = p;
    int *positions[2] = {p, none};
    b++;
    return s.a + s.b + c + *positions[0] + sizeof(int **) + *same + *b;
}

template <typename T> void instantiated(T x) restrict(amp)
{
    x = T();
}
template void instantiated<int>(int x) restrict(amp);

int choose(int x) restrict(cpu, amp)
{
    switch (x) {
    case 1:
        return 2;
    default:
        return x;
    }
}

constexpr int constant(int x)
{
    return x + 1;
}
struct implicit {
    int x;
};
struct defaulted {
    implicit i;
    defaulted() = default;
};
int host_alone(int x);
static int calls(int x) restrict(cpu, amp)
{
    defaulted d;
    implicit i = {x}, j = i;
    d.i = j;
    auto inner = [&](int y) { return constant(y) + x; };
    return inner(d.i.x) + (int)sizeof(host_alone(1));
}
static int local(int x) restrict(cpu, amp)
{
    struct adder {
        int n;
        adder(int n) : n(n) {}
        int add(int x) const { return n + x; }
    };
    return adder(1).add(x);
}
template <typename T> struct of_template {
    T get(T x) const restrict(cpu, amp)
    {
        return x;
    }
    T twice(T x) const restrict(cpu, amp)
    {
        return get(x) + get(x);
    }
};
static int template_member(int x) restrict(cpu, amp)
{
    return of_template<int>().twice(x);
}
void captures(const array<int> &a, int n)
{
    auto l = [=, &a](int i) restrict(amp) { return a[i] + n; };
    auto m = [&](int i) restrict(amp) { return a[i]; };
    auto on_host = [=]() { return n; };
}

template <typename T> T *host(T x)
{
    T **p = new T *(new T(x));
    return typeid(x) == typeid(int) ? *p : nullptr;
}

void kernel(array_view<int> v)
{
    int *p = host(3);
    if (!p)
        goto end;
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) {
        small s = {1, 2};
        int x = choose(v[i]);
        bool b[2] = {true, true};
        v[i] = (int)numbers(s, &x, b);
    });
end:
    asm("nop");
}

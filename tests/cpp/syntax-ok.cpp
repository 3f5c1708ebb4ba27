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

int choose(int x) restrict(cpu, amp)
{
    switch (x) {
    case 1:
        return 2;
    default:
        return x;
    }
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

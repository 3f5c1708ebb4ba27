// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc --amp-strict -c -o %t.o %s
// With --amp-strict, restrict(amp) forbids what the model forbade for the hardware of 2012.
#include <amp.h>

using namespace concurrency;

struct bits {
    unsigned low : 4, high : 28;
};
struct packed {
    short a, b;
};
struct flag {
    int a;
    bool b, c;
};
struct holder {
    int *p;
};
struct empty {
};
struct with_virtual {
    virtual void f();
};
struct heir : virtual empty {
};
enum colour : char { red };

int types(unsigned char c, // expected-error: C++ AMP has no 'unsigned char', ...
          colour x) restrict(amp) // expected-error: C++ AMP has no 'char', ...
{
    short s = 1;         // expected-error: C++ AMP has no 'short', ...
    long long l = 2;     // expected-error: C++ AMP has no 'long long', ...
    wchar_t w = 3;       // expected-error: C++ AMP has no 'wchar_t', ...
    long double d = 4;   // expected-error: C++ AMP has no 'long double', ...
    volatile int v = 5;  // expected-error: C++ AMP has no volatile variables
    return 1;
}

void classes() restrict(amp)
{
    bits b;         // expected-error: C++ AMP's classes have no bit-fields; use whole members
    packed p;       // expected-error: C++ AMP has no 'short', ...
    flag f;         // expected-error: the members of C++ AMP's classes begin at multiples of 4 bytes, ...
    holder h;       // expected-error: C++ AMP has pointers and references only in variables, parameters and results, ...
    empty e[2];     // expected-error: the elements of C++ AMP's arrays begin at multiples of 4 bytes, ...
    bool flags[2];  // expected-error: the elements of C++ AMP's arrays begin at multiples of 4 bytes, ...
    int *places[2]; // expected-error: C++ AMP has pointers and references only in variables, parameters and results, ...
    with_virtual v; // expected-error: C++ AMP has no classes with virtual functions or virtual bases
    heir i;         // expected-error: C++ AMP has no classes with virtual functions or virtual bases
}

int one(int x) restrict(amp);
void functions(bool *b) restrict(amp)
{
    int (*f)(int);      // expected-error: C++ AMP has no pointers or references to functions; ...
    static const int s = 1; // expected-error: the variables of C++ AMP's functions are not static or extern, ...
    const char *t = "a"; // expected-error: C++ AMP has no 'char', ... expected-error: C++ AMP has no strings in restrict(amp) code
    b = b + 1;          // expected-error: C++ AMP does not compute with pointers to bool; ...
}

struct members {
    virtual int f() restrict(amp) // expected-error: a function of C++ AMP that is restrict(amp) is not virtual
    {
        return 1;
    }
    int g() volatile restrict(amp) // expected-error: a function of C++ AMP that is restrict(amp) is not volatile
    {
        return 1;
    }
};

template <typename T> T twice(T x) restrict(amp) // expected-error: C++ AMP has no 'short', ...
{
    T y = x; // expected-error: C++ AMP has no 'short', ...
    return y + x; // expected-error: C++ AMP has no 'short', ...
}
int instance(int x) restrict(amp)
{
    return twice<int>(x) +
           twice<short>(1); // expected-error: C++ AMP has no 'short', ... expected-note 3: it is used here
}

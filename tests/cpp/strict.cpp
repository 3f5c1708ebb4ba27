// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc --amp-strict -c -o %t.o %s
// With --amp-strict, restrict(amp) forbids what the model forbade for the hardware of 2012.
// row: language.destructors, T1, T2, T5, T6, T9, T10, T11, T12, D2, D3, D4, D5, S1, S3, S5, S8, C3581, C3589, C3590
// row: C3599, C3933, C3938
#include <amp.h>

using namespace concurrency;

struct bits {
    unsigned low : 4, high : 28;
};
struct packed {
    short a, b; // expected-note 4: it has this member
};
struct flag {
    int a;
    bool b, c;
};
struct holder {
    int *p; // expected-note 2: it has this member
};
struct empty {
};
struct with_virtual {
    virtual void f(); // expected-note 3: it has this virtual function
};
struct heir : virtual empty { // expected-note: it has this virtual base
};
struct grandchild : with_virtual {
};
struct with_reference {
    array<int> &a; // expected-note: it has this member
};
struct with_static {
    static array<int> a;
};
template <typename T> struct of_type {
    T a; // expected-note: it has this member
    int b;
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

array<char> small_elements(100);       // expected-error: the elements of C++ AMP's arrays begin at multiples of 4 bytes, ...
void elements(const array<holder> &a, // expected-error: C++ AMP has pointers and references only in variables, ...
              array_view<empty> v)    // expected-error: the elements of C++ AMP's arrays begin at multiples of 4 bytes, ...
{
    array<with_virtual> b(1);                    // expected-error: C++ AMP has no classes with virtual functions or virtual bases
    array<with_static> c(1);                     // expected-error: the elements of C++ AMP's arrays and views are no arrays, ...
    array<with_reference> e(1);                  // expected-error: the elements of C++ AMP's arrays and views are no arrays, ...
    array<grandchild> d(1);                      // expected-error: C++ AMP has no classes with virtual functions or virtual bases
    array_view<of_type<char>> f(0, nullptr);     // expected-error: C++ AMP has no 'char', ...
    array_view<of_type<array_view<int>>> g(0, nullptr); // expected-error: the elements of C++ AMP's arrays and views are no arrays, ...
    array_view<int>(4).reinterpret_as<packed>(); // expected-error: C++ AMP has no 'short', ...
}

void captures(array<int> &a, int x)
{
    int *p = &x, *&q = p;
    auto reference = [&]() restrict(amp) { return a[0] + x; }; // expected-error: a lambda of C++ AMP that is restrict(amp) captures 'x' by reference, ...
    auto explicitly = [a]() restrict(amp) {};                  // expected-error: a lambda of C++ AMP that is restrict(amp) captures 'a' by value, ...
    auto by_default = [=]() restrict(amp) { return a[0]; };    // expected-error: a lambda of C++ AMP that is restrict(amp) captures 'a' by value, ...
    auto pointer = [=]() restrict(amp) { return *q; };         // expected-error: a lambda of C++ AMP that is restrict(amp) captures 'q', a pointer; ...
    auto throws = []() restrict(amp) throw() {};               // expected-error: a function of C++ AMP that is restrict(amp) has no exception specification
}

struct with_view {
    int n;
    struct {
        array_view<int> v;
    } parts[2];
};
void views() restrict(amp)
{
    tile_static array_view<int> v;  // expected-error: a tile_static variable has no arrays, views or textures in it; ...
    tile_static with_view w[2];     // expected-error: a tile_static variable has no arrays, views or textures in it; ...
}

struct owner {
    owner();
    owner(int) restrict(amp);
    ~owner(); // expected-error: a destructor of C++ AMP has all restrictions of the class's constructors: restrict(cpu, amp)
};

static const int limit = 2;
const int *address() restrict(amp)
{
    return &limit; // expected-error: C++ AMP's code for accelerators does not take the address of a global constant, ...
}

extern "C" void both(int x) restrict(cpu, amp) // expected-error: a function of C++ AMP with C linkage is restrict(cpu) or restrict(amp), not both
{
}
extern "C" void overloaded(int x) restrict(amp) // expected-error: a function of C++ AMP with C linkage is restrict(cpu) or restrict(amp), not both
{
}
extern "C" void overloaded(int x) restrict(cpu)
{
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

struct pointing {
    array<int> *a;
    int *p;
    array<int> &r;
    pointing(array<int> &other) restrict(cpu, amp)
        : a(&other), // expected-error: C++ AMP has pointers and references only in variables, ...
          p(0),      // expected-error: C++ AMP has pointers and references only in variables, ...
          r(other)
    {
    }
    int get() restrict(amp)
    {
        return r[0] + *p; // expected-error: C++ AMP has pointers and references only in variables, ...
    }
};

int sided() restrict(amp)
{
    return 1;
}
int sided() restrict(cpu)
{
    return 2;
}
int on_amp() restrict(amp)
{
    return 3;
}
void by_default(int x = sided()) restrict(amp) // expected-error: C++ AMP evaluates a default argument outside of its function, ...
{
}
struct defaults {
    defaults(int x = 1 + on_amp()) restrict(amp) // expected-error: C++ AMP evaluates a default argument outside of its function, ...
    {
    }
    template <typename T> void member(T x = sided()) restrict(amp) // expected-error: C++ AMP evaluates a default argument ...
    {
    }
};
void by_lambda(int x = []() { return 1; }()) restrict(amp) // expected-error: C++ AMP evaluates a default argument outside ...
{
}
void leaves_out() restrict(amp)
{
    by_default(); // expected-error: what 'by_default' is given by default is code for the host, ...; pass that argument
    by_default(1);
    by_lambda(); // expected-error: what 'by_lambda' is given by default is code for the host, ...
}

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

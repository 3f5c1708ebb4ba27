// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -c -o %t.o %s
// What restrict(amp) forbids is found where it stands, whether or not a kernel reaches it.
#include <amp.h>
#include <typeinfo>

using namespace concurrency;

void jumps(int x) restrict(amp)
{
    goto end; // expected-error: code for accelerators has no goto; write a loop or an if
end:          // expected-error: code for accelerators has no labels but those of switch
    x = 1;
}

struct memory {
    void allocate(int *p) restrict(cpu, amp)
    {
        p = new int;    // expected-error: a kernel cannot allocate memory; declare an array of fixed size
        p = new int[8]; // expected-error: a kernel cannot allocate memory; declare an array of fixed size
        delete p;       // expected-error: a kernel cannot free memory
    }
};

struct base {
    virtual ~base() restrict(cpu, amp);
};
struct derived : base {
};
bool types(base *b) restrict(amp)
{
    const void *type = &typeid(*b);               // expected-error: a kernel has no typeid
    return type && dynamic_cast<derived *>(b); // expected-error: a kernel has no dynamic_cast
}

void assembly() restrict(amp)
{
    asm("nop"); // expected-error: a kernel has no assembly
}

void casts(int *p, unsigned long n) restrict(amp)
{
    n = (unsigned long)p;                  // expected-error: code for accelerators cannot make an integer from a pointer
    n = reinterpret_cast<unsigned long>(p); // expected-error: code for accelerators cannot make an integer from a pointer
    p = (int *)n;                          // expected-error: a kernel cannot make a pointer from an integer
    p = reinterpret_cast<int *>(n);        // expected-error: a kernel cannot make a pointer from an integer
}

void pointers(int **p) restrict(amp) // expected-error: accelerators cannot follow a pointer to a pointer; use a pointer and positions
{
    int *a[2] = {0, 0};
    int **q = a; // expected-error: accelerators cannot follow a pointer to a pointer; use a pointer and positions
}

template <typename T> struct box {
    T value;
    void look() restrict(amp)
    {
        T *p = &value; // expected-error: accelerators cannot follow a pointer to a pointer; use a pointer and positions
        *p = value;
    }
};
template <typename T> T pass(T x) restrict(amp)
{
    T *p = &x; // expected-error: accelerators cannot follow a pointer to a pointer; use a pointer and positions
    return *p;
}
void instances(array_view<int> v)
{
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) {
        int x = v[i];
        box<int *> b;  // the instance of a template is checked where it is used
        b.look();      // expected-note: it is used here
        box<int> c;
        c.look();
        v[i] = pass(x);
        v[i] = *pass(&x); // expected-note: it is used here
    });
}

void kernel(array_view<int> v)
{
    parallel_for_each(v.extent.tile<16>(), [=](tiled_index<16> i) restrict(amp) {
        tile_static int *p; // expected-error: a tile_static variable is neither a pointer nor a reference; keep a position
        auto inner = [&]() { asm("nop"); }; // expected-error: a kernel has no assembly
        inner();
    });
    auto host = [&]() { asm("nop"); };
    host();
}

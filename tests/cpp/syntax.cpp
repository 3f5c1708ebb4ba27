// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc -c -o %t.o %s
// What restrict(amp) forbids is found where it stands, whether or not a kernel reaches it.
// row: language.calls, D1, S6, S7, S9, S10, S11, C3584, C3587, C3588, C3592, C3593, C3930
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

struct host {
    host(int);
    static int get(int x);
    int operator+(int x) const;
    operator int() const;
};
auto host_lambda = [](int x) { return x; };
template <typename T> T host_template(T x)
{
    return x;
}
static int both(int x) restrict(cpu, amp)
{
    host h(x);                     // expected-error: 'host' is called in code for accelerators, but is not restrict(amp); ...
    x += h;                        // expected-error: 'operator int' is called in code for accelerators, ...
    x += host::get(x);             // expected-error: 'get' is called in code for accelerators, ...
    x += h + x;                    // expected-error: 'operator+' is called in code for accelerators, ...
    x += host_template(x);         // expected-error: 'host_template' is called in code for accelerators, ...
    return host_lambda(x);         // expected-error: 'operator()' is called in code for accelerators, ...
}
auto marked = [](int x) restrict(cpu, amp) { return host::get(x); }; // expected-error: 'get' is called in code ...
template <typename T> T through(T x) restrict(cpu, amp)
{
    return host_template(x); // expected-error: 'host_template' is called in code for accelerators, ...
}
static int into(int x) restrict(cpu, amp)
{
    return through(x); // expected-note: it is used here
}
void emitted() restrict(amp)
{
    host::get(1); // expected-error: 'get' is called in code for accelerators, ... expected-note@-29: 'get' declared here
}

struct keeper {
    array<int> kept;
    keeper(array<int> &a) restrict(cpu, amp)
        : kept(a) // expected-error: 'array' is called in code for accelerators, but is not restrict(amp); the library has it ...
    {
    }
    access_type ask() restrict(amp)
    {
        return kept.get_cpu_access_type(); // expected-error: 'get_cpu_access_type' is called in code for accelerators, ...
    }
};

int many(int n, ...) restrict(amp) // expected-error: code for accelerators has no functions with a variable number ...
{
    return n;
}

void on_host()
{
    tile_static int x; // expected-error: tile_static variables are in code for accelerators alone
}
tile_static int function(int x) restrict(amp) // expected-error: tile_static belongs to a variable, and not to a function
{
    return x;
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

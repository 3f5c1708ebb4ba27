// What is not supported is rejected in our words, with file, line and column.
// row: D6, S3, S4, S12, X1, T5, c2, c5, C3560, C3561, C3571, C3576, C3590, C3594, C3936
// RUN: rm -rf %t && mkdir %t
// RUN: not %ampcc -c -DCASE=1 %s -o %t/o 2>&1 | FileCheck --check-prefix=C1 '--implicit-check-not={{__device__|__host__|HIP|CUDA}}' %s
// RUN: not %ampcc -c -DCASE=2 %s -o %t/o 2>&1 | FileCheck --check-prefix=C2 '--implicit-check-not={{__device__|__host__|HIP|CUDA}}' %s
// RUN: not %ampcc -c -DCASE=3 %s -o %t/o 2>&1 | FileCheck --check-prefix=C3 '--implicit-check-not={{__device__|__host__|HIP|CUDA}}' %s
// RUN: not %ampcc -c -DCASE=4 %s -o %t/o 2>&1 | FileCheck --check-prefix=C4 '--implicit-check-not={{__device__|__host__|HIP|CUDA}}' %s
// RUN: not %ampcc -c -DCASE=5 %s -o %t/o 2>&1 | FileCheck --check-prefix=C5 '--implicit-check-not={{__device__|__host__|HIP|CUDA}}' %s
// RUN: not %ampcc -c -DCASE=6 %s -o %t/o 2>&1 | FileCheck --check-prefix=C6 '--implicit-check-not={{__device__|__host__|HIP|CUDA}}' %s
// RUN: not %ampcc -c -DCASE=7 %s -o %t/o 2>&1 | FileCheck --check-prefix=C7 '--implicit-check-not={{__device__|__host__|HIP|CUDA}}' %s
// RUN: not %ampcc -c -DCASE=8 %s -o %t/o 2>&1 | FileCheck --check-prefix=C8 '--implicit-check-not={{__device__|__host__|HIP|CUDA|amp-cpp|error:}}' %s
// RUN: not %ampcc -c -DCASE=9 %s -o %t/o 2>&1 | FileCheck --check-prefix=C9 --implicit-check-not=amp-cpp %s
// RUN: not %ampcc -c -DCASE=10 %s -o %t/o 2>&1 | FileCheck --check-prefix=C10 %s
// RUN: not %ampcc -c -DCASE=11 %s -o %t/o 2>&1 | FileCheck --check-prefix=C11 '--implicit-check-not={{__device__|__host__|HIP|CUDA}}' %s
// RUN: not %ampcc -c -DCASE=12 %s -o %t/o 2>&1 | FileCheck --check-prefix=C12 '--implicit-check-not={{__device__|__host__|HIP|CUDA}}' %s
// RUN: not %ampcc -c -DCASE=13 %s -o %t/o 2>&1 | FileCheck --check-prefix=C13 '--implicit-check-not={{__device__|__host__|HIP|CUDA|candidate|stl_|error:}}' %s
// RUN: not %ampcc -c -DCASE=14 %s -o %t/o 2>&1 | FileCheck --check-prefix=C14 '--implicit-check-not={{__device__|__host__|HIP|CUDA|candidate|error:|note:}}' %s
// RUN: not %ampcc -c -fcolor-diagnostics -DCASE=14 %s -o %t/o 2>&1 | FileCheck --check-prefix=COLOUR '--implicit-check-not=generated' %s
// COLOUR: {{10|[6-9]}} errors generated.
// RUN: not %ampcc -c -DCASE=15 %s -o %t/o 2>&1 | FileCheck --check-prefix=C15 '--implicit-check-not={{__device__|__host__|HIP|CUDA|defect|bug|Stack}}' %s
// RUN: not %ampcc -c -DCASE=16 %s -o %t/o 2>&1 | FileCheck --check-prefix=C16 '--implicit-check-not={{__device__|__host__|HIP|CUDA|error:}}' %s
// RUN: not %ampcc -c -DCASE=17 %s -o %t/o 2>&1 | FileCheck --check-prefix=C17 '--implicit-check-not={{__device__|__host__|HIP|CUDA|PTX|error:}}' %s
// RUN: not ls %t/o
#include <amp.h>
#include <vector>

using namespace concurrency;

#if CASE == 1 // found by clang
static int host_only(int x)
{
    return x;
}
static int amp_only(int x) restrict(amp)
{
    return x;
}
int global;

int call_host(int x) restrict(amp)
{
    return host_only(x); // C1: reject.cpp:[[@LINE]]:12: error: {{.*}}'host_only'
    // C1: note: 'host_only' is declared here
}
int call_amp(int x)
{
    return amp_only(x); // C1: reject.cpp:[[@LINE]]:12: error: {{.*}}'amp_only'
    // C1: note: 'amp_only' is declared here
}
void throws(int x) restrict(amp)
{
    x += global;
    // C1: reject.cpp:[[@LINE-1]]:10: error: global variable 'global' cannot be used in restrict(amp) code; pass its
    // value C1: note: declared here
    throw x; // C1: reject.cpp:[[@LINE]]:5: error: {{.*}}[exception]
}
void tries(int x) restrict(amp)
{
    try { // C1: reject.cpp:[[@LINE]]:5: error: {{.*}}[exception]
    } catch (...) {
    }
}
#endif

#if CASE == 2 // captures
struct holder {
    array_view<int> view;
    int factor;
    void run()
    {
        parallel_for_each(view.extent, [=](index<1> i) restrict(amp) { view[i] *= factor; });
        // C2-DAG: reject.cpp:[[@LINE-1]]:40: error: {{.*}}'this'{{.*}}[captured pointer]
    }
};
void captures(std::vector<int> &data, int *pointer, int &reference)
{
    array_view<int> v(10, data);
    array<int> a(10);
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) { v[i] = pointer[0]; });
    // C2-DAG: reject.cpp:[[@LINE-1]]:33: error: {{.*}}[captured pointer]
    parallel_for_each(v.extent, [=, &reference](index<1> i) restrict(amp) { v[i] = reference; });
    // C2-DAG: reject.cpp:[[@LINE-1]]:33: error: {{.*}}[capture by reference]
    parallel_for_each(v.extent, [&](index<1> i) restrict(amp) { v[i] = 1; });
    // C2-DAG: reject.cpp:[[@LINE-1]]:33: error: {{.*}}[capture by reference]
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) { v[i] = a[i]; });
    // C2-DAG: reject.cpp:[[@LINE-1]]:33: error: {{.*}}[capture by value]
    holder h = {v, 2};
    h.run();
}
#endif

#if CASE == 3 // in the kernels' code
extern int elsewhere(int x) restrict(amp);
void rules(array_view<int> v)
{
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) {
        v[i] = elsewhere(1); // C3-DAG: reject.cpp:[[@LINE]]:16: error: {{.*}}[no body]
    });
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) {
        tile_static int x; // without tiles
        x = i[0];          // C3-DAG: reject.cpp:[[@LINE]]:11: error: {{.*}}[tile_static needs a tile]
        v[i] = x;
    });
}
#endif

#if CASE == 11 // overlapping restrictions
int both(int x) restrict(cpu, amp);
int both(int x) restrict(amp);
// C11: reject.cpp:[[@LINE-1]]:5: error: 'both' is declared with other restrictions before{{.*}}[restriction]
void pointer()
{
    int (*p)(int) restrict(amp);
    // C11: reject.cpp:[[@LINE-1]]:{{[0-9]+}}: error: restrict(...) belongs to a function{{.*}}[restriction]
}
#endif

#if CASE == 4
int wrong(int x) restrict(gpu);
// C4: reject.cpp:[[@LINE-1]]:18: error: restrict(...) names cpu, amp, or both{{.*}}[restriction]
#endif

#if CASE == 12 // by libclang
void unmarked(array_view<int> v)
{
    parallel_for_each(v.extent, [=](index<1> i) { v[i] = 1; });
    // C12: reject.cpp:[[@LINE-1]]:33: error: a kernel is restrict(amp){{.*}}[restriction]
}
#endif

#if CASE == 5 // also in the kernels' code
void more_rules(array_view<int> v)
{
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) {
        volatile int x = i[0]; // C5-DAG: reject.cpp:[[@LINE]]:22: error: {{.*}}[volatile]
        v[i] = x;
    });
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) {
        long double x = i[0]; // C5-DAG: reject.cpp:[[@LINE]]:{{[0-9]+}}: error: {{.*}}[wide types]
        v[i] = (int)x;
    });
}
#endif

#if CASE == 6 // in prepared code
void pointers(array_view<int> v)
{
    parallel_for_each(v.extent.tile<4>(), [=](tiled_index<4> t) restrict(amp) {
        tile_static int *shared[4];
        int mine = t.local[0];
        shared[mine] = &mine; // C6-DAG: reject.cpp:[[@LINE]]:22: error: {{.*}}[stored pointer]
        t.barrier.wait();
        v[t] = *shared[3 - mine];
    });
}
struct holder {
    int *pointer;
    int number;
};
struct large_holder {
    int *pointer;
    int numbers[100];
};
void copied_pointers(array_view<int> v, array_view<holder> holders)
{
    parallel_for_each(v.extent.tile<4>(), [=](tiled_index<4> t) restrict(amp) {
        tile_static holder shared[4];
        int mine = t.local[0];
        holder h = {&mine, mine};
        shared[mine] = h;
        t.barrier.wait();
        holder other = shared[3 - mine];
        v[t] = *other.pointer; // C6-DAG: reject.cpp:[[@LINE]]:16: error: {{.*}}[stored pointer]
    });
    parallel_for_each(v.extent.tile<4>(), [=](tiled_index<4> t) restrict(amp) {
        tile_static large_holder shared;
        int mine = t.local[0];
        large_holder h = {};
        h.pointer = &mine;
        shared = h;
        t.barrier.wait();
        v[t] = *shared.pointer; // C6-DAG: reject.cpp:[[@LINE]]:16: error: {{.*}}[stored pointer]
    });
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) {
        int mine = i[0];
        holder h = {&mine, mine};
        holders[i] = h;
        v[i] = *holders[i[0] ^ 1].pointer; // C6-DAG: reject.cpp:[[@LINE]]:16: error: {{.*}}[stored pointer]
    });
    parallel_for_each(v.extent.tile<4>(), [=](tiled_index<4> t) restrict(amp) {
        tile_static array_view<int> shared;
        if (t.local[0] == 0)
            shared = v;
        t.barrier.wait();
        shared[t] = 1; // C6-DAG: reject.cpp:[[@LINE]]:{{[0-9]+}}: error: {{.*}}[stored pointer]
    });
}
static const char *const names[] = {"one", "two"};
void constant_pointers(array_view<int> v)
{
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) {
        v[i] = names[i[0] & 1][0]; // C6-DAG: reject.cpp:[[@LINE]]:16: error: {{.*}}[stored pointer]
    });
}
#endif

#if CASE == 7 // captured objects with pointers
struct with_function {
    int x;
    virtual int get() const
    {
        return x;
    }
};
struct base {
    int x;
};
struct with_base : virtual base {
};
struct with_reference {
    int &x;
};
union with_union {
    long number;
    int *pointer;
};
struct with_inner {
    with_union inner;
};
void captures(array_view<int> v, with_function f, with_base b, with_reference r, with_union u, with_inner in)
{
    int *pointers[2] = {nullptr, nullptr};
    int local = 0;
    auto by_reference = [&](int x) restrict(cpu, amp) { return local + x; };
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) { v[i] = f.x; });
    // C7-DAG: reject.cpp:[[@LINE-1]]:33: error: {{.*}}[virtual]
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) { v[i] = b.x; });
    // C7-DAG: reject.cpp:[[@LINE-1]]:33: error: {{.*}}[virtual]
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) { v[i] = r.x; });
    // C7-DAG: reject.cpp:[[@LINE-1]]:33: error: {{.*}}[capture by reference]
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) { v[i] = (int)u.number; });
    // C7-DAG: reject.cpp:[[@LINE-1]]:33: error: {{.*}}'pointer'{{.*}}[captured pointer]
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) { v[i] = (int)in.inner.number; });
    // C7-DAG: reject.cpp:[[@LINE-1]]:33: error: {{.*}}'pointer'{{.*}}[captured pointer]
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) { v[i] = *pointers[i[0] & 1]; });
    // C7-DAG: reject.cpp:[[@LINE-1]]:33: error: {{.*}}[captured pointer]
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) { v[i] = by_reference(1); });
    // C7-DAG: reject.cpp:[[@LINE-1]]:33: error: {{.*}}[capture by reference]
}
#endif

#if CASE == 8 // launches, and one error for one mistake
struct functor {
    array_view<int> v;
    void operator()(tiled_index<8> t) const restrict(amp)
    {
        v[t] = 1;
    }
};
void launches(array_view<int> v, array_view<int, 2> w)
{
    parallel_for_each(w.extent, [=](index<3> i) restrict(amp) { v[i[0]] = 1; });
    // C8: reject.cpp:[[@LINE-1]]:5: error: the kernel takes index<3>, but the extent has rank 2 [launch rank]
    parallel_for_each(accelerator().default_view, w.extent, [=](index<1> i) restrict(amp) { v[i] = 1; });
    // C8: reject.cpp:[[@LINE-1]]:5: error: the kernel takes index<1>, but the extent has rank 2 [launch rank]
    parallel_for_each(v.extent, functor{v});
    // C8: reject.cpp:[[@LINE-1]]:5: error: the kernel takes a tiled_index, but the extent has no tiles; use tile<...>()
    // of it [launch tile]
    parallel_for_each(v.extent.tile<16>(), functor{v});
    // C8: reject.cpp:[[@LINE-1]]:5: error: the kernel's index does not have the rank and the tile of the extent [launch
    // tile]
    parallel_for_each(v.extent, [=](index<1> i) mutable restrict(amp) { v[i] = 1; });
    // C8: reject.cpp:[[@LINE-1]]:5: error: the kernel's call operator is not const; mark it const
    parallel_for_each(v.extent, [=](auto i) restrict(amp) { v[i] = 1; });
    parallel_for_each(v.extent.tile<16>(), [=](const index<1> &i) restrict(amp) { v[i] = 1; });
}
#endif

#if CASE == 9 // in prepared code, at the user's line
void divergent(array_view<int> v)
{
    parallel_for_each(v.extent.tile<16>(), [=](tiled_index<16> t) restrict(amp) {
        if (t.local[0] < 3)
            t.barrier.wait(); // C9: reject.cpp:[[@LINE]]:23: error: {{.*}}[divergent barrier]
        v[t] = 1;
    });
}
// C9: {{^}}1 error generated
#endif

#if CASE == 10 // one error for one mistake
void long_double(array_view<int> v)
{
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) {
        long double x = i[0]; // C10: reject.cpp:[[@LINE]]:25: error: {{.*}} [wide types]
        x *= 2;
        v[i] = (int)x;
    });
}
// C10: {{^}}1 error generated
#endif

#if CASE == 13 // the host's containers
#include <memory>
#include <string>
void containers(std::vector<int> &q, std::vector<int> *p, const std::string &text, std::shared_ptr<int> shared)
{
    array_view<int> v(10, q);
    struct {
        std::vector<int> kept;
    } k;
    std::vector<int> copy = q;
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) {
        v[i] = copy[0];
        // C13-DAG: reject.cpp:[[@LINE-1]]:16: error: 'copy' is a std::vector,{{.*}}; use an array_view of it{{.*}}[host
        // container]
        v[i] += copy.at(1);
        // C13-DAG: reject.cpp:[[@LINE-1]]:17: error: 'copy' is a std::vector,{{.*}}[host container]
        v[i] += k.kept[2];
        // C13-DAG: reject.cpp:[[@LINE-1]]:17: error: 'k.kept' is a std::vector,{{.*}}[host container]
        v[i] += (int)q.size();
        // C13-DAG: reject.cpp:[[@LINE-1]]:22: error: 'q' is a std::vector,{{.*}}[host container]
        v[i] += (*p)[3];
        // C13-DAG: reject.cpp:[[@LINE-1]]:17: error: '(*p)' is a std::vector,{{.*}}[host container]
        v[i] += (int)text.size();
        // C13-DAG: reject.cpp:[[@LINE-1]]:22: error: 'text' is a std::string,{{.*}}[host container]
        for (int x : copy)
        // C13-DAG: reject.cpp:[[@LINE-1]]:20: error: this is a std::vector,{{.*}}[host container]
            v[i] += x;
        v[i] += *shared;
        // C13-DAG: reject.cpp:[[@LINE-1]]:17: error: a kernel cannot follow a std::shared_ptr{{.*}}[captured pointer]
    });
    parallel_for_each(v.extent, [&](index<1> i) restrict(amp) {
        v[i] = q[i[0]];
        // C13-DAG: reject.cpp:[[@LINE-1]]:16: error: 'q' is a std::vector,{{.*}}[host container]
    });
}
#endif

#if CASE == 14 // the calls by which a kernel comes to an error
#include <cstdlib>
int on_host(int x)
// C14-DAG: reject.cpp:[[@LINE-1]]:5: note: 'on_host' is declared here
{
    return x;
}
int second(int x) restrict(amp)
{
    return on_host(x);
    // C14-DAG: reject.cpp:[[@LINE-1]]:12: error: 'on_host' is called{{.*}}; mark it restrict(amp){{.*}}[host call]
}
int random(int x) restrict(amp)
{
    return std::rand() + x;
    // C14-DAG: reject.cpp:[[@LINE-1]]:17: error: 'rand' is called{{.*}}; its header has it for the host alone [host
}
int first(int x) restrict(amp);
template <class T> T generic(T x) restrict(amp)
{
    return on_host(x);
    // C14-DAG: reject.cpp:[[@LINE-1]]:12: error: 'on_host' is called{{.*}}[host call]
    // call]
}
struct number {
    int x;
    number operator+(number other) const
    // C14-DAG: reject.cpp:[[@LINE-1]]:12: note: 'operator+' is declared here
    {
        return {x + other.x};
    }
    int get() const
    {
        return x;
    }
    int twice() const restrict(amp)
    {
        return 2 * get();
        // C14-DAG: reject.cpp:[[@LINE-1]]:20: error: 'get' is called{{.*}}[host call]
    }
};
struct by_need {
    by_need() {}
    // C14-DAG: reject.cpp:[[@LINE-1]]:5: note: the constructor of 'by_need' is declared here
    by_need(const number &) restrict(amp) {}
    // C14-DAG: reject.cpp:[[@LINE-1]]:5: note: {{.*}}requires 1 argument, but 0 were provided
    by_need(const by_need &) = delete;
    // C14-DAG: reject.cpp:[[@LINE-1]]:5: note: {{.*}}requires 1 argument, but 0 were provided
};
void chains(array_view<int> v)
{
    auto third = [](int x) restrict(amp) {
        return first(x);
        // C14-DAG: reject.cpp:[[@LINE-1]]:16: note: a kernel comes here by this call of 'first'
    };
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) {
        v[i] = third(1);
        // C14-DAG: reject.cpp:[[@LINE-1]]:16: note: a kernel comes here by this call of a lambda
    });
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) {
        v[i] = generic(1);
        // C14-DAG: reject.cpp:[[@LINE-1]]:16: note: {{.*}}'generic<int>'
    });
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) {
        number n = {1};
        v[i] = n.twice();
        // C14-DAG: reject.cpp:[[@LINE-1]]:16: note: a kernel comes here by this call of 'twice'
        v[i] += (n + n).x;
        // C14-DAG: reject.cpp:[[@LINE-1]]:20: error: 'operator+' is called{{.*}}[host call]
        by_need b;
        // C14-DAG: reject.cpp:[[@LINE-1]]:17: error: the constructor of 'by_need' is the one to call here,{{.*}}[host
        // call]
        v[i] += random(1);
        // C14-DAG: reject.cpp:[[@LINE-1]]:17: note: a kernel comes here by this call of 'random'
        v[i] += std::abs(-3);
        // C14-DAG: reject.cpp:[[@LINE-1]]:17: error: call to 'abs' is ambiguous for{{.*}}[host call]
    });
}
int first(int x) restrict(amp)
{
    return second(x);
    // C14-DAG: reject.cpp:[[@LINE-1]]:12: note: a kernel comes here by this call of 'second'
}
#endif

#if CASE == 15 // clang crashes when it reports a destructor that does not exist for the second time
struct on_amp {
    ~on_amp() restrict(amp) {}
};
struct on_cpu {
    ~on_cpu() restrict(cpu) {}
};
struct nowhere : on_amp, on_cpu {
};
void host()
{
    nowhere n; // C15: reject.cpp:[[@LINE]]:13: error: attempt to use a deleted function
}
void device() restrict(amp)
{
    nowhere n; // C15: reject.cpp:[[@LINE]]:14: error: {{clang crashes .* \[restriction\]|attempt to use}}
}
#endif

#if CASE == 16 // what is wrong with an object that cannot be made
void host()
{
    tiled_index<1> i;
    // C16-DAG: reject.cpp:[[@LINE-1]]:20: error: 'tiled_index<1>' has no default constructor; parallel_for_each gives
    i.barrier.wait();
    // C16-DAG: reject.cpp:[[@LINE-1]]:15: error: 'wait' is restrict(amp), and code for the host cannot call it
}
#endif

#if CASE == 17 // memory of a size that is not known, vectors, and what is not for accelerators
typedef int four __attribute__((vector_size(16)));
struct host_functor {
    array_view<int> v;
    void operator()(index<1> i) const { v[i] = 1; }
};
void host(array_view<int> v, int n)
{
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) {
        int a[n];
        // C17-DAG: reject.cpp:[[@LINE-1]]:13: error: code for accelerators has no arrays of variable length,
        // {{.*}}[variable array]
        four b = {1, 2, 3, 4};
        // C17-DAG: reject.cpp:[[@LINE-1]]:14: error: vector types are not supported; {{.*}}[vector, atomic, _BitInt]
        v[i] = b[2] + (a[0] = 1);
        std::cout << v[i];
        // C17-DAG: reject.cpp:[[@LINE-1]]:14: error: code for accelerators cannot use 'cout'; direct3d_printf
        // C17-DAG: reject.cpp:[[@LINE-2]]:19: error: {{.*}}[host call]
    });
    parallel_for_each(v.extent, host_functor{v});
    // C17-DAG: reject.cpp:[[@LINE-1]]:33: error: the call operator of 'host_functor' is not restrict(amp); write that
}
#include <amp_math.h>
int first = concurrency::precise_math::signbit(1.0f);
// C17-DAG: reject.cpp:[[@LINE-1]]:13: error: {{.*}}its header has it for accelerators alone
#endif

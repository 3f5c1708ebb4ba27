// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc --amp-strict -c -o %t.o %s
// What the model of C++ AMP has, and code for the host, are as good with --amp-strict.
// row: T2, T9, T11, D5, S1
#include <amp.h>

using namespace concurrency;

enum colour { red };
struct pair {
    int first;
    float second[2];
    bool is_good;
};
template <typename T> struct user {
    const array<T, 1> &a;
    void operator()(index<1> i) const restrict(amp)
    {
        T x = a[i];
        direct3d_printf("%d\n", x);
    }
};
static int next(pair *p, colour c) restrict(cpu, amp)
{
    int *q = &p->first, n = (int)sizeof(char);
    bool is_red = c == red;
    const int limit = 3;
    unsigned long wide = 5ul;
    double d = 1.5;
    return ++*q + n + is_red + limit + (int)wide + (int)d;
}
static const int most = 5;
static int twice(int x) restrict(cpu, amp)
{
    return 2 * x;
}
static int sided(int x) restrict(amp)
{
    return x;
}
static int sided(int x) restrict(cpu)
{
    return -x;
}
static int by_default(int x = twice(most), index<2> i = index<2>(1, 2), extent<1> e = extent<1>(3)) restrict(amp)
{
    struct local { /* whose default arguments are within code for accelerators */
        static int get(int x = sided(1)) { return x; }
    };
    auto lambda = [](int y = sided(2)) { return y; };
    return x + i[0] + e[0] + local::get() + lambda();
}
static int on_host(int x = sided(3)) restrict(cpu, amp)
{
    return x;
}
class summing {
    const array<int> &a;
    array_view<int> v;
    index<1> at;
    extent<1> e;

  public:
    summing(const array<int> &a, array_view<int> v) restrict(cpu, amp) : a(a), v(v), at(), e(v.extent) {}
    summing(const array<int> &a) restrict(amp) : a(a), v(a.extent[0], (int *)0), at(2), e(1) {}
    int get() const restrict(amp)
    {
        return a[at] + v[0] + v.section(at, e)[0] + e[0] + (int)e.size();
    }
};
extern "C" int for_c(int x) restrict(amp)
{
    return x + most;
}
extern "C" int for_host(int x);
auto order = [](int &x) mutable restrict(amp) -> int { return ++x; };
void captures(array<int> &a, int x)
{
    const int two = 2;
    auto l = [=, &a](int i) restrict(amp) { return a[i] + x + two; };
    auto m = [&, x](int i) restrict(amp) { return a[i] + x + two; };
}
template <typename T> void captures_of(const array<T> &a)
{
    auto l = [&](int i) restrict(amp) { return a[i]; };
}

/* The parameters of a template's instance are no captures of the lambda that calls it. */
template <typename T> T sum(T first, T second) restrict(amp)
{
    T result = first + second;
    return result;
}
template <typename T> void calls(array<T> &a, int x)
{
    parallel_for_each(a.extent, [&, x](index<1> i) restrict(amp) { a[i] = sum<T>(x, 2); });
}

short host(char c)
{
    array<pair> pairs(1);
    array_view<float, 2> numbers(1, 1);
    static long long count;
    volatile short s = c;
    return s + (short)count++;
}
void kernel(array_view<int> v, array<int> &a)
{
    parallel_for_each(v.extent.tile<16>(), [=](tiled_index<16> i) restrict(amp) {
        tile_static pair p[16];
        p[i.local[0]].first = v[i];
        i.barrier.wait();
        v[i] = next(&p[i.local[0]], red);
    });
    user<int> f = {a};
    parallel_for_each(a.extent, f);
    calls(a, 2);
    host('a');
}

// SPDX-License-Identifier: MIT
// RUN: python3 %root/tests/expect.py %ampcc --amp-strict -c -o %t.o %s
// What the model of C++ AMP has, and code for the host, are as good with --amp-strict.
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

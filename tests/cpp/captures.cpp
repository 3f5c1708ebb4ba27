// SPDX-License-Identifier: MIT
// What kernels capture, and what they do with it, beside the same on the host: types and layouts of all kinds, arrays
// of views, views of one memory, pointers, nested lambdas, local types.
// RUN: %ampcc -O2 -std=c++14 -Wall -Wextra -Werror %s -o %t && %run %t | FileCheck %s
// RUN: %ampcc -O0 -g %s -o %t.debug && %run-cpu %t.debug | FileCheck %s
// RUN: %ampcc -O1 -fsanitize=undefined --amp-gpu=none --amp-cpu=baseline %s -o %t.sanitized && %run-cpu %t.sanitized | FileCheck %s
// CHECK: all right
#include "check.h"

#include <algorithm>
#include <amp.h>
#include <array>
#include <cstdint>
#include <vector>
using namespace concurrency;

enum class colour : unsigned { red = 3, green = 5, big = 0xfffffff0u };
enum class small_e : signed char { a = -3, b = 4 };
struct bits {
    unsigned a : 3;
    int b : 5;
    unsigned c : 13;
    bool d : 1;
    long e : 40;
};
struct base1 {
    int p = 7;
    char q = 'q';
};
struct base2 {
    double r = 2.5;
};
struct mixed : base1, base2 {
    short s = -4;
    bool t = true;
    unsigned char u[3] = {1, 2, 3};
    long long w = 1LL << 40;
    float f = 1.25f;
};
struct alignas(64) wide {
    int x[5];
};
struct empty {
};
struct inner_t {
    struct {
        int a;
        float b;
    } anon[2];
    union {
        int i;
        float f;
    } u;
};

static void values()
{
    std::vector<double> out(1000), want(1000);
    bool b = true;
    char c = -100;
    signed char sc = -3;
    unsigned char uc = 250;
    short s = -30000;
    unsigned short us = 65000;
    long l = -(1L << 40);
    unsigned long ul = ~0UL;
    long long ll = 1LL << 62;
    float f = 0.1f;
    double d = 1e300;
    colour e = colour::big;
    small_e se = small_e::a;
    bits bf = {5, -9, 8000, true, -(1L << 35)};
    mixed m;
    wide w = {{1, 2, 3, 4, 5}};
    empty em;
    inner_t in = {{{1, 2.f}, {3, 4.f}}, {0x3f800000}};
    char16_t c16 = 0xfffe;
    wchar_t wc = -5;
    int arr[3][4];
    for (int i = 0; i < 12; i++)
        arr[i / 4][i % 4] = i * i;
    std::array<short, 7> sa = {{1, -2, 3, -4, 5, -6, 7}};
    std::pair<char, double> pr(-7, 3.5);
    array_view<double> v(1000, out);
    auto k = [=](int i) restrict(cpu, amp) -> double {
        (void)em;
        double r = 0;
        r += b ? 1 : 2;
        r += c + sc + uc + s + us;
        r += (double)(l >> 3) + (double)(ul >> 60) + (double)(ll >> 50);
        r += f;
        r += d * 1e-300;
        r += (double)(unsigned)e + (int)se;
        r += bf.a + 10 * bf.b + 100 * bf.c + 1000 * bf.d + (double)bf.e;
        r += m.p + m.q + m.r + m.s + m.t + m.u[i % 3] + (double)m.w + m.f;
        r += w.x[i % 5];
        r += in.anon[i & 1].a * in.anon[1 - (i & 1)].b;
        r += in.u.f;
        r += c16 + wc + arr[i % 3][i % 4] + sa[(unsigned)i % 7] + pr.first * pr.second;
        return r;
    };
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) { v[i] = k(i[0]); });
    for (int i = 0; i < 1000; i++) {
        want[i] = k(i);
        CHECK(v[i] == want[i]);
    }
    static_assert(sizeof(wide) == 64, "");
}

struct cell {
    float a;
    int b;
    char c;
};
static void views()
{
    // arrays of views, dynamic selection
    std::vector<int> d[4];
    for (int k = 0; k < 4; k++) {
        d[k].resize(100);
        for (int i = 0; i < 100; i++)
            d[k][i] = 1000 * k + i;
    }
    std::vector<int> out(100);
    std::array<array_view<int>, 4> a = {{array_view<int>(100, d[0]), array_view<int>(100, d[1]),
                                         array_view<int>(100, d[2]), array_view<int>(100, d[3])}};
    array_view<int> o(100, out);
    parallel_for_each(o.extent, [=](index<1> i) restrict(amp) {
        o[i] = a[(unsigned)(i[0] * 7) % 4][i] + a[3][99 - i[0]];
        a[(unsigned)i[0] % 2][i] = -1;
    });
    for (int i = 0; i < 100; i++) {
        int k = (i * 7) % 4, x = 1000 * k + i;
        (void)x;
        // order within a thread: o first, then a
        CHECK(o[i] == 1000 * k + i + 3000 + 99 - i);
        CHECK(a[0][i] == (i % 2 == 0 ? -1 : i));
        CHECK(a[1][i] == (i % 2 == 1 ? -1 : 1000 + i));
    }
    array_view<int> c[2] = {o, a[2]};
    parallel_for_each(o.extent, [=](index<1> i) restrict(amp) {
        int k = i[0] & 1;
        c[k][i] += 5;
        c[1 - k](i[0]) -= 2;
    });
    for (int i = 0; i < 100; i++) {
        int k = (i * 7) % 4;
        CHECK(o[i] == 1000 * k + i + 3000 + 99 - i + (i & 1 ? -2 : 5));
        CHECK(a[2][i] == 2000 + i + (i & 1 ? 5 : -2));
    }
}

static int *pick(int *a, int *b, bool c) restrict(cpu, amp)
{
    return c ? a : b;
}
static int &ref(int *a, int k) restrict(cpu, amp)
{
    return a[k];
}
static const int &bigger(const int &a, const int &b) restrict(cpu, amp)
{
    return a > b ? a : b;
}
struct holder {
    int *p;
    int n;
    int &at(int i) const restrict(cpu, amp)
    {
        return p[i % n];
    }
};
static holder make(int *p, int n) restrict(cpu, amp)
{
    holder h = {p, n};
    return h;
}
static void pointers()
{
    std::vector<int> in(200), out(200, 0), want(200, 0);
    for (int i = 0; i < 200; i++)
        in[i] = (i * 37) % 101;
    array_view<int> vi(200, in), vo(200, out);
    parallel_for_each(vi.extent, [=](index<1> idx) restrict(amp) {
        int i = idx[0];
        int mine[5] = {i, i + 1, i * 2, -i, 9};
        int other[3] = {1, 2, 3};
        int *p = pick(mine, other, i % 3 == 0);
        p[i % 3] += 100;
        int *q = pick(&vo[i], mine, i % 2 == 0);
        *q = 7;
        holder h = make(i % 5 ? mine : other, i % 5 ? 5 : 3);
        h.at(i) += 1;
        holder hs[2] = {make(mine, 5), make(other, 3)};
        hs[i & 1].at(i + 1) *= 3;
        ref(mine, i % 5) ^= 1;
        int s = bigger(mine[i % 5], other[i % 3]);
        vo[idx] += s + mine[0] + mine[1] * 3 + mine[2] * 5 + mine[3] * 7 + mine[4] * 11 + other[0] * 13 +
                   other[1] * 17 + other[2] * 19 + *std::max_element(mine, mine + 5) + *std::min(&vi[i], &vi[i]);
    });
    for (int i = 0; i < 200; i++) {
        int mine[5] = {i, i + 1, i * 2, -i, 9};
        int other[3] = {1, 2, 3};
        int *p = pick(mine, other, i % 3 == 0);
        p[i % 3] += 100;
        int *q = pick(&want[i], mine, i % 2 == 0);
        *q = 7;
        holder h = make(i % 5 ? mine : other, i % 5 ? 5 : 3);
        h.at(i) += 1;
        holder hs[2] = {make(mine, 5), make(other, 3)};
        hs[i & 1].at(i + 1) *= 3;
        ref(mine, i % 5) ^= 1;
        int s = bigger(mine[i % 5], other[i % 3]);
        want[i] += s + mine[0] + mine[1] * 3 + mine[2] * 5 + mine[3] * 7 + mine[4] * 11 + other[0] * 13 +
                   other[1] * 17 + other[2] * 19 + *std::max_element(mine, mine + 5) + in[i];
        CHECK(vo[i] == want[i]);
    }
}

static void alias()
{
    std::vector<int> d(100);
    for (int i = 0; i < 100; i++)
        d[i] = i;
    array_view<int> v(100, d), lo = v.section(0, 60), hi = v.section(40, 60);
    array_view<const int> cv = v;
    parallel_for_each(extent<1>(40), [=](index<1> i) restrict(amp) {
        int before = cv[i];
        lo[i] = 5;
        int x = v[i];
        v[i] = x + before;
        int y = cv[i];
        lo[i[0]] += y;
        hi[i[0] + 20] = cv[i[0] + 60] + 1;
        v[i[0] + 60] += 1;
    });
    for (int i = 0; i < 40; i++) {
        CHECK(v[i] == 2 * (5 + i));
        CHECK(v[i + 60] == i + 60 + 2);
    }
    // reinterpretations alias
    array_view<int> w(100, d);
    array_view<float> wf = w.reinterpret_as<float>();
    parallel_for_each(w.extent, [=](index<1> i) restrict(amp) {
        w[i] = 0x3f800000;
        float f = wf[i];
        wf[i] = f + 1;
        int n = w[i];
        w[i] = n + i[0];
    });
    for (int i = 0; i < 100; i++)
        CHECK(w[i] == 0x40000000 + i);
    // an array twice
    array<int> a(50);
    array<int> &r1 = a;
    const array<int> &r2 = a;
    parallel_for_each(a.extent, [&r1, &r2](index<1> i) restrict(amp) {
        r1[i] = 3 * i[0];
        int x = r2[i];
        r1[i] = x + 1;
        int y = r2[i];
        r1[i] = y + 1;
    });
    std::vector<int> got = a;
    for (int i = 0; i < 50; i++)
        CHECK(got[i] == 3 * i + 2);
}

static void nested()
{
    std::vector<int> d(64, 1);
    array_view<int> v(64, d);
    int k = 3;
    array<int> a(64);
    parallel_for_each(a.extent, [&a](index<1> i) restrict(amp) { a[i] = i[0] * i[0]; });
    parallel_for_each(v.extent, [=, &a](index<1> i) restrict(amp) {
        int local = i[0];
        auto f = [&](int x) restrict(amp) {
            local += x;
            v[i] += a[i];
            return local * k;
        };
        auto g = [=, &local](int x) restrict(amp) {
            int r = f(x) + v[i];
            local = r;
            return r;
        };
        auto h = [&g](int n) restrict(amp) {
            int s = 0;
            for (int j = 0; j < n; j++)
                s += g(j);
            return s;
        };
        v[i] = h(i[0] % 4) + local;
    });
    for (int i = 0; i < 64; i++) {
        int local = i, vi = 1, s = 0;
        for (int j = 0; j < i % 4; j++) {
            local += j;
            vi += i * i;
            int r = local * 3 + vi;
            local = r;
            s += r;
        }
        CHECK(v[i] == s + local);
    }
}
struct dflt {
    int a = 4;
    int b{a + 1};
    float c = b * 0.5f;
    int arr[3] = {a, b, 9};
};
template <typename T> static void local_type(int seed)
{
    struct op {
        T k;
        T operator()(T x) const restrict(amp)
        {
            return x * k + (T)sizeof(T);
        }
    };
    std::vector<T> d(33);
    array_view<T> v(33, d);
    op o = {(T)seed};
    dflt df;
    df.a += seed;
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) {
        dflt own;
        own.arr[i[0] % 3] += 1;
        v[i] = o((T)i[0]) + (T)(df.a + df.b + df.c + df.arr[2] + own.arr[0] + own.arr[1] * 2 + own.arr[2] * 4);
    });
    for (int i = 0; i < 33; i++) {
        dflt own;
        own.arr[i % 3] += 1;
        CHECK(v[i] == (T)((T)i * (T)seed + (T)sizeof(T)) +
                          (T)(df.a + df.b + df.c + df.arr[2] + own.arr[0] + own.arr[1] * 2 + own.arr[2] * 4));
    }
}
struct big_functor {
    array_view<int> v;
    int data[600];
    void operator()(index<1> i) const restrict(amp)
    {
        v[i] = data[i[0]] + data[599 - i[0]];
    }
};
static void large()
{
    std::vector<int> d(600);
    big_functor b = {array_view<int>(600, d), {}};
    for (int i = 0; i < 600; i++)
        b.data[i] = i * 3;
    parallel_for_each(b.v.extent, b);
    for (int i = 0; i < 600; i++)
        CHECK(b.v[i] == 3 * 599);
}
static int count_calls;
static void none()
{
    parallel_for_each(extent<1>(10), [](index<1>) restrict(amp) {});
    count_calls++;
    CHECK(count_calls == 1);
}
/* Only the host uses `n` in a way that captures it. */
static int times(const int &x) restrict(cpu)
{
    return x;
}
static int times(int x) restrict(amp)
{
    return x;
}
static void rejected()
{
    std::vector<int> d(20);
    array_view<int> v(10, d.data()), same(10, d.data()), over(10, d.data() + 5);
    array_view<const int> beside(10, d.data() + 10);
    CHECK_THROWS(runtime_exception,
                 parallel_for_each(v.extent, [=](index<1> i) restrict(amp) { v[i] = same[i]; }));
    CHECK_THROWS(runtime_exception,
                 parallel_for_each(v.extent, [=](index<1> i) restrict(amp) { v[i] = over[i]; }));
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) { v[i] = beside[i]; });
    const int n = 5;
    auto differs = [=](index<1> i) restrict(cpu, amp) { v[i] = times(n); };
    CHECK_THROWS(runtime_exception, parallel_for_each(v.extent, differs));
}
int main()
{
    values();
    views();
    pointers();
    alias();
    nested();
    local_type<int>(5);
    local_type<double>(2);
    local_type<short>(3);
    large();
    none();
    rejected();
    return result();
}

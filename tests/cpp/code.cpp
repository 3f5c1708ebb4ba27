// SPDX-License-Identifier: MIT
// The code of kernels, beside the same code on the host: classes in tile memory, control flow, constructors and
// destructors, copies of structs, parts of views, constants, inheritance, atomic operations.
// RUN: %ampcc -O2 -std=c++14 -Wall -Wextra -Werror %s -o %t && %run %t | FileCheck %s
// RUN: %ampcc -O0 -g %s -o %t.debug && %run-cpu %t.debug | FileCheck %s
// CHECK: all right
#include "check.h"

#include <amp.h>
#include <amp_math.h>
#include <array>
#include <cstring>
#include <vector>
using namespace concurrency;

struct pair2 {
    float a;
    int b;
};
struct vec {
    float x, y, z;
    vec() restrict(cpu, amp) : x(0), y(0), z(0)
    {
    }
    vec(float a, float b, float c) restrict(cpu, amp) : x(a), y(b), z(c)
    {
    }
    vec operator+(const vec &o) const restrict(cpu, amp)
    {
        return vec(x + o.x, y + o.y, z + o.z);
    }
    vec &operator+=(const vec &o) restrict(cpu, amp)
    {
        x += o.x;
        y += o.y;
        z += o.z;
        return *this;
    }
    float dot(const vec &o) const restrict(cpu, amp)
    {
        return x * o.x + y * o.y + z * o.z;
    }
};
template <typename T, int N> struct stack_of {
    T items[N];
    int n;
    stack_of() restrict(cpu, amp) : n(0)
    {
    }
    ~stack_of() restrict(cpu, amp)
    {
    }
    void push(T t) restrict(cpu, amp)
    {
        if (n < N)
            items[n++] = t;
    }
    T pop() restrict(cpu, amp)
    {
        return n ? items[--n] : T();
    }
};

template <int T> static void tiles()
{
    const int n = T * 7;
    std::vector<int> d(n);
    std::vector<pair2> ps(n);
    std::vector<vec> vs(n, vec(1, 2, 3));
    for (int i = 0; i < n; i++) {
        ps[i].a = i;
        ps[i].b = -i;
    }
    array_view<int> v(n, d);
    array_view<pair2> p(n, ps);
    array_view<vec> w(n, vs);
    parallel_for_each(v.extent.tile<T>(), [=](tiled_index<T> t) restrict(amp) {
        tile_static pair2 sh[T];
        tile_static vec vv[T];
        tile_static int count;
        tile_static float grid[T][3];
        int l = t.local[0];
        if (l == 0)
            count = 0;
        sh[l] = p[t];
        vv[l] = w[t.global];
        for (int j = 0; j < 3; j++)
            grid[l][j] = l * 10 + j;
        t.barrier.wait();
        pair2 other = sh[T - 1 - l];
        atomic_fetch_add(&count, l);
        vec sum;
        for (int j = 0; j < T; j++)
            sum += vv[j];
        vec *q = &vv[(l + 1) % T];
        float dd = q->dot(sum);
        float *row = grid[(l * 3) % T];
        float g = row[0] + row[1] * 2 + row[2];
        t.barrier.wait_with_tile_static_memory_fence();
        v[t] = (int)other.a + other.b * 2 + count + (int)dd + (int)g;
        p[t] = sh[(l + 2) % T];
        w[t] = vv[l] + vec((float)l, 0, 0);
    });
    for (int i = 0; i < n; i++) {
        int l = i % T, base = i - l;
        float oa = base + T - 1 - l;
        float dd = vec(1, 2, 3).dot(vec(T, 2 * T, 3 * T));
        int r = (l * 3) % T;
        float g = r * 10 + (r * 10 + 1) * 2 + r * 10 + 2;
        CHECK(v[i] == (int)oa - 2 * (int)oa + T * (T - 1) / 2 + (int)dd + (int)g);
        CHECK(p[i].b == -(base + (l + 2) % T) && p[i].a == base + (l + 2) % T);
        CHECK(w[i].x == 1 + l && w[i].z == 3);
    }
}
static void control()
{
    const int n = 333;
    std::vector<int> in(n), out(n);
    for (int i = 0; i < n; i++)
        in[i] = (i * 7919) % 263;
    array_view<const int> a(n, in);
    array_view<int> o(n, out);
    auto body = [](int x, const int *tab) restrict(cpu, amp) -> int {
        stack_of<int, 6> s;
        int r = 0;
        for (int i = 0; i < 20; i++) {
            switch (x % 7) {
            case 0:
                s.push(x);
                break;
            case 1:
                r += s.pop(); /* fall */
            case 2:
                r ^= i;
                break;
            case 3: {
                if (i > 10)
                    return r + 1000;
                s.push(i * 3);
                break;
            }
            case 4:
                continue;
            default:
                r -= tab[x % 4];
            }
            do {
                x = x * 5 + 1;
                if (x % 11 == 3)
                    break;
                x %= 1009;
            } while (x % 3);
            if (x % 13 == 5)
                return r - 5;
        }
        while (s.n)
            r = r * 3 + s.pop();
        return r;
    };
    parallel_for_each(o.extent, [=](index<1> i) restrict(amp) {
        int tab[4] = {i[0], 2, 3, 4};
        o[i] = body(a[i], tab);
    });
    for (int i = 0; i < n; i++) {
        int tab[4] = {i, 2, 3, 4};
        CHECK(o[i] == body(in[i], tab));
    }
}
struct acc {
    int total;
    acc() restrict(cpu, amp) : total(0)
    {
    }
};
struct guard {
    acc &a;
    int k;
    guard(acc &x, int n) restrict(cpu, amp) : a(x), k(n)
    {
        a.total += k;
    }
    ~guard() restrict(cpu, amp)
    {
        a.total = a.total * 3 - k;
    }
};
static int lifetimes(int i) restrict(cpu, amp)
{
    acc a;
    {
        guard g(a, i);
        guard h(a, 2);
        if (i % 3 == 0)
            return a.total;
        for (int j = 0; j < i % 5; j++) {
            guard in(a, j);
            if (j == 2)
                continue;
            a.total++;
        }
    }
    const guard &tmp = guard(a, 4);
    return a.total + tmp.k;
}
static void raii()
{
    std::vector<int> out(97);
    array_view<int> o(97, out);
    parallel_for_each(o.extent, [=](index<1> i) restrict(amp) { o[i] = lifetimes(i[0]); });
    for (int i = 0; i < 97; i++)
        CHECK(o[i] == lifetimes(i));
}
static void memory_functions()
{
    struct rec {
        int a[5];
        char c[7];
        double d;
    };
    std::vector<rec> in(50), out(50);
    for (int i = 0; i < 50; i++) {
        for (int j = 0; j < 5; j++)
            in[i].a[j] = i * j;
        std::strcpy(in[i].c, "abcdef");
        in[i].c[i % 6] = (char)i;
        in[i].d = i * .5;
    }
    array_view<rec> a(50, in), b(50, out);
    parallel_for_each(a.extent, [=](index<1> i) restrict(amp) {
        rec r = a[i], s;
        s = r;
        s.a[i[0] % 5] = -1;
        rec all[2] = {r, s};
        b[i] = all[i[0] & 1];
        b[i].c[0]++;
        rec &q = b[i];
        q.d += r.d;
    });
    for (int i = 0; i < 50; i++) {
        rec s = in[i];
        if (i & 1)
            s.a[i % 5] = -1;
        s.c[0]++;
        s.d += in[i].d;
        CHECK(!std::memcmp(s.a, b[i].a, sizeof s.a) && !std::memcmp(s.c, b[i].c, 7) && s.d == b[i].d);
    }
}
static void dims()
{
    std::vector<int> d(3 * 5 * 7);
    array_view<int, 3> v(3, 5, 7, d);
    parallel_for_each(v.extent, [=](index<3> i) restrict(amp) {
        v[i] = i[0] * 100 + i[1] * 10 + i[2];
        v(i[0], i[1], i[2]) += 1;
        v[i[0]][i[1]][i[2]] += 2;
        array_view<int, 2> p = v[i[0]];
        p(i[1], i[2]) *= 2;
        array_view<int> s = p[i[1]].section(i[2], 1);
        s[0] += 5;
    });
    for (int i = 0; i < 105; i++)
        CHECK(d[0] || v(i / 35, i / 7 % 5, i % 7) == 2 * (i / 35 * 100 + i / 7 % 5 * 10 + i % 7 + 3) + 5);
    // strided sections in place
    std::vector<int> m(20 * 30);
    for (int i = 0; i < 600; i++)
        m[i] = i;
    array_view<int, 2> w(20, 30, m), s = w.section(3, 4, 10, 11), s2 = w.section(index<2>(5, 6), extent<2>(4, 4));
    parallel_for_each(s.extent, [=](index<2> i) restrict(amp) { s[i] = -s[i]; });
    parallel_for_each(s2.extent, [=](index<2> i) restrict(amp) { s2[i] = s(i[0] + 2, i[1] + 2) + 1000; });
    for (int r = 0; r < 20; r++)
        for (int c = 0; c < 30; c++) {
            int x = r * 30 + c;
            if (r >= 3 && r < 13 && c >= 4 && c < 15)
                x = -x;
            if (r >= 5 && r < 9 && c >= 6 && c < 10)
                x += 1000;
            CHECK(w(r, c) == x);
        }
    array_view<int, 1> lin(600, m);
    array_view<int, 2> as = lin.view_as(extent<2>(30, 20));
    parallel_for_each(as.extent, [=](index<2> i) restrict(amp) { as[i] = i[0]; });
    for (int i = 0; i < 600; i++)
        CHECK(lin[i] == i / 20);
}
static const float table[5] = {1, 2, 4, 8, 16};
static const struct {
    int a;
    float b;
} rows[3] = {{1, .5f}, {2, .25f}, {3, .125f}};
constexpr int factorials[6] = {1, 1, 2, 6, 24, 120};
template <typename T> struct limits {
    static const int value = 42;
    static constexpr float scale = 2.5f;
};
namespace cfg
{
const int k = 11;
enum { e1 = 9 };
} // namespace cfg
static void constants()
{
    std::vector<float> d(60);
    array_view<float> v(60, d);
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) {
        static const int own[3] = {7, 8, 9};
        const float &r = table[i[0] % 5];
        v[i] = r + rows[i[0] % 3].b * rows[i[0] % 3].a + factorials[i[0] % 6] +
               limits<int>::value * limits<int>::scale + cfg::k + cfg::e1 + own[i[0] % 3];
    });
    for (int i = 0; i < 60; i++)
        CHECK(v[i] ==
              table[i % 5] + rows[i % 3].b * rows[i % 3].a + factorials[i % 6] + 42 * 2.5f + 11 + 9 + 7 + i % 3);
}
struct shape_base {
    int k;
    int area(int x) const restrict(cpu, amp)
    {
        return k * x;
    }
};
template <class D> struct crtp {
    int twice(int x) const restrict(cpu, amp)
    {
        return static_cast<const D *>(this)->once(x) * 2;
    }
};
struct derived : shape_base, crtp<derived> {
    int m;
    int once(int x) const restrict(cpu, amp)
    {
        return area(x) + m;
    }
};
static int by_member(const derived &d, int derived::*p, int (derived::*f)(int) const, int x) restrict(cpu, amp)
{
    (void)f;
    return d.*p + x;
}
static void inheritance()
{
    derived d;
    d.k = 3;
    d.m = 4;
    std::vector<int> o(20);
    array_view<int> v(20, o);
    int derived::*mp = &derived::m;
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) {
        derived e = d;
        e.m += i[0];
        shape_base &b = e;
        b.k++;
        v[i] = e.twice(i[0]) + d.area(2) + by_member(e, &derived::m, nullptr, 1) + e.*mp;
    });
    for (int i = 0; i < 20; i++)
        CHECK(v[i] == ((4 * i) + 4 + i) * 2 + 6 + 4 + i + 1 + 4 + i);
}
static void atomics()
{
    std::vector<int> c(8, 0);
    std::vector<unsigned> u(4, 0);
    std::vector<float> f(1, 0);
    array_view<int> v(8, c);
    array_view<unsigned> w(4, u);
    array_view<float> x(1, f);
    array<int> arr(3);
    parallel_for_each(arr.extent, [&arr](index<1> i) restrict(amp) { arr[i] = 0; });
    parallel_for_each(extent<2>(37, 11), [=, &arr](index<2> i) restrict(amp) {
        int n = i[0] * 11 + i[1];
        atomic_fetch_add(&v[0], n);
        atomic_fetch_max(&v[1], n);
        atomic_fetch_min(&v[2], -n);
        atomic_fetch_inc(&v[3]);
        atomic_fetch_or(&w[0], 1u << (n % 32));
        atomic_fetch_xor(&w[1], (unsigned)n);
        atomic_fetch_sub(&v[4 + n % 2], 1);
        atomic_fetch_add(&arr[n % 3], 2);
        int e = 0;
        for (;;) {
            e = v[6];
            if (atomic_compare_exchange(&v[6], &e, e + 3))
                break;
        }
        atomic_exchange(&x[0], 5.f);
    });
    int sum = 0;
    unsigned o = 0, xo = 0;
    for (int n = 0; n < 407; n++)
        sum += n, o |= 1u << n % 32, xo ^= (unsigned)n;
    CHECK(v[0] == sum && v[1] == 406 && v[2] == -406 && v[3] == 407 && w[0] == o && w[1] == xo && v[4] == -204 &&
          v[5] == -203 && v[6] == 1221 && x[0] == 5);
    std::vector<int> got = arr;
    CHECK(got[0] == 2 * 136 && got[1] == 2 * 136 && got[2] == 2 * 135);
}
int main()
{
    tiles<4>();
    tiles<16>();
    tiles<33>();
    tiles<1>();
    control();
    raii();
    memory_functions();
    dims();
    constants();
    inheritance();
    atomics();
    return result();
}

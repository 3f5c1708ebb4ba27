// SPDX-License-Identifier: MIT
// Short vectors, norm and unorm: components, swizzles, operators, conversions, on the host and in kernels.
// row: graphics.vectors, norm_macros
// RUN: %ampcc -O2 -std=c++14 -Wall -Wextra -Werror %s -o %t && %run %t | FileCheck %s
// CHECK: all right
#include "check.h"

#include <amp_short_vectors.h>
#include <type_traits>
#include <vector>

using namespace concurrency;
using namespace concurrency::graphics;

static void test_norms()
{
    CHECK((float)norm(-3.0f) == -1 && (float)norm(2) == 1 && (float)unorm(-1.0) == 0 && (float)unorm(7u) == 1);
    norm a(0.5f), b = unorm(0.75f);
    unorm c(0.25f), d(a);
    CHECK(a + b == NORM_MAX && (float)(a - b) == -0.25f && (float)(a * a) == 0.25f && (float)(b / a) == 1);
    CHECK(-a == norm(-0.5f) && c - d == UNORM_ZERO && c < d && d >= c && c != d && !(c > d) && c <= c);
    a += b;
    c -= unorm(1.0f);
    CHECK(a == norm(1.0f) && c == UNORM_MIN && NORM_MIN == norm(-1.0f) && UNORM_MAX == unorm(1) && NORM_ZERO == norm());
    norm e = a--;
    CHECK(e == NORM_MAX && a == NORM_ZERO && --a == NORM_MIN && ++a == NORM_ZERO && a++ == NORM_ZERO);
    a *= norm(0.5f);
    a /= norm(0.5f);
    CHECK(a == NORM_MAX && a + 1.5f == 2.5f);
    static_assert(!std::is_convertible<norm, unorm>::value && std::is_convertible<unorm, norm>::value, "one way");
}

template <typename V> static void test_vector(V a, V b)
{
    typedef typename short_vector_traits<V>::value_type T;
    static_assert(std::is_same<typename short_vector<T, V::size>::type, V>::value, "there and back");
    CHECK((V() == V(T(0)) && a + V() == a && a - a == V() && a * V(T(1)) == a && a / a == V(T(1)) && a != b));
    V c = a;
    c += b;
    c -= b;
    CHECK(c == a || std::is_class<T>::value);
    c *= V(T(1));
    c /= V(T(1));
    V d = c++;
    CHECK(d != c || std::is_class<T>::value);
    CHECK(--c == d || std::is_class<T>::value);
    c.set_xy(a.get_yx());
    CHECK(c.get_x() == a.get_y() && c.get_y() == a.get_x());
    c.ref_x() = T(1);
    CHECK(c.x == T(1) && c.ref_r() == T(1) && c.r == c.x);
    c.xy = b.xy;
    c.gr = c.xy;
    CHECK(c.x == b.y && c.y == b.x);
}

static void test_swizzles()
{
    int_4 v(1, 2, 3, 4);
    CHECK(v.wzyx == int_4(4, 3, 2, 1) && v.abgr == v.get_wzyx() && v.zxw == int_3(3, 1, 4) && v.ga == int_2(2, 4));
    v.yzw = int_3(7, 8, 9);
    v.xw = v.wx;
    CHECK(v == int_4(9, 7, 8, 1));
    v.wxyz = v;
    CHECK(v == int_4(7, 8, 1, 9));
    v.x += 10;
    v.set_zw(int_2(5, 6));
    CHECK(v.x == 17 && v.get_z() == 5 && v.b == 5 && v.ref_a() == 6 && v.get_xyz().get_zyx() == int_3(5, 8, 17));
    int_3 t(1, 2, 3);
    t.zxy = t;
    CHECK(t == int_3(2, 3, 1) && t.rgb == t && t.bgr == int_3(1, 3, 2));
}

static void test_operators()
{
    int_2 a(7, -8), b(2, 3);
    uint_3 u(1, 2, 4);
    CHECK(a % b == int_2(1, -2) && (a & b) == int_2(2, 0) && (a | b) == int_2(7, -5) && (a ^ b) == int_2(5, -5));
    CHECK((u << uint_3(1)) == uint_3(2, 4, 8) && (u >> uint_3(1)) == uint_3(0, 1, 2) && ~u == uint_3(~1u, ~2u, ~4u));
    CHECK(-a == int_2(-7, 8) && a * 2 == int_2(14, -16) && 1 + b == int_2(3, 4));
    u <<= uint_3(2);
    u |= uint_3(1);
    u %= uint_3(10);
    CHECK(u == uint_3(5, 9, 7));
    float_4 f(1.5f, -2.5f, 3, 4);
    CHECK(int_4(f) == int_4(1, -2, 3, 4) && double_4(f) == double_4(1.5, -2.5, 3, 4) && f * 2 == f + f);
    CHECK(norm_4(f) == norm_4(norm(1), norm(-1), norm(1), norm(1)));
    CHECK(float_4(unorm_4(f)).y == 0 && -f + f == float_4());
    static_assert(std::is_same<graphics::direct3d::float3, float_3>::value, "another name");
    static_assert(std::is_same<short_vector<norm, 1>::type, norm>::value, "of one component");
    static_assert(sizeof(float_3) == 12 && sizeof(unorm_4) == 16 && float_4::size == 4, "as in memory");
    static_assert(!std::is_convertible<int_2, float_2>::value, "conversions are explicit");
}

static void test_kernels()
{
    std::vector<float_4> data(100, float_4(1, 2, 3, 4));
    std::vector<norm_2> norms(100);
    std::vector<int_3> counts(1);
    array_view<float_4> v(data);
    array_view<norm_2> n(norms);
    array_view<int_3> c(counts);
    float_2 by(2, 3);
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) {
        float_4 x = v[i];
        x.xy *= by;
        x.wz = x.zw + (float)i[0];
        v[i] = x;
        n[i] = norm_2(norm(0.01f * i[0]), norm(2.0f)) - norm_2(norm(0.5f));
        atomic_fetch_add(&c[0].ref_y(), i[0]);
    });
    CHECK(v[10] == float_4(2, 6, 14, 13) && c[0] == int_3(0, 4950, 0));
    CHECK((float)n[99].x > 0.48f && n[99].y == norm(0.5f) && n[0] == norm_2(norm(-0.5f), norm(0.5f)));
}

static void test_norms_of_numbers()
{
    unorm_2 u(2.0f, -1.0f);
    CHECK(u.x == UNORM_MAX && u.y == UNORM_ZERO);
    norm_3 n(0.5f, -2, 1.0);
    CHECK((float)n.x == 0.5f && n.y == NORM_MIN && n.z == NORM_MAX);
    unorm_4 all(0.25f);
    CHECK(all == unorm_4(0.25f, 0.25, 0.25f, 0.25f));
    CHECK(norm_2(unorm(0.5f), unorm(1.0f)) == norm_2(0.5f, 1));
    array_view<float> to(2);
    parallel_for_each(to.extent, [=](index<1> i) restrict(amp) {
        norm_2 pair(3.0f, -3.0f);
        to[i] = (float)pair.y + (float)unorm_3(0.5f).z;
    });
    CHECK(to[1] == -0.5f);
}

int main()
{
    test_norms();
    test_vector(int_2(3, 4), int_2(5, 6));
    test_vector(int_3(3, 4, 5), int_3(5, 6, 7));
    test_vector(uint_4(3, 4, 5, 6), uint_4(5, 6, 7, 8));
    test_vector(float_2(3, 4), float_2(5, 6));
    test_vector(float_3(3, 4, 5), float_3(5, 6, 7));
    test_vector(double_4(3, 4, 5, 6), double_4(5, 6, 7, 8));
    test_vector(norm_2(norm(0.5f), norm(-0.5f)), norm_2(norm(1), norm(-0.25f)));
    test_vector(unorm_3(unorm(0.5f), unorm(0.25f), unorm(1)), unorm_3(unorm(1), unorm(0.5f), unorm(1)));
    test_norms_of_numbers();
    test_swizzles();
    test_operators();
    test_kernels();
    return result();
}

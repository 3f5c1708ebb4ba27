// SPDX-License-Identifier: MIT
// Different members of elements of one size are different memory, so they are not read again after a store to another
// one. What is the same memory is read again: the same member of two views, and views as elements of other types and
// sizes. Views whose elements of one size overlap in part are rejected.
// RUN: %ampcc -O2 %s -o %t && %run %t | FileCheck %s
// RUN: %ampcc -O2 --amp-report --amp-cpu=native --amp-gpu=none -c %s -o %t.o 2>&1 | tr -s ' ' | FileCheck --check-prefix=READ %s
// CHECK: all right
#include "check.h"

#include <amp.h>
#include <cstring>
#include <vector>

using namespace concurrency;

struct pair {
    float a, b;
};
struct numbers {
    int a, b;
};
struct wide {
    double d;
};
struct four {
    float a, b, c, d;
};
enum { N = 100 };

static std::vector<pair> some()
{
    std::vector<pair> data(2 * N);
    for (int i = 0; i < 2 * N; i++)
        data[i] = {float(i), float(1000 + i)};
    return data;
}

static void test_members()
{
    std::vector<pair> data = some(), other(2 * N);
    array_view<const pair> from(2 * N, data);
    array_view<pair> to(2 * N, other);
    // READ: kernel lambda at elements.cpp:[[#@LINE+1]]
    parallel_for_each(to.extent, [=](index<1> i) restrict(amp) {
        float sum = from[i].a + from[i].b; // READ: line [[#@LINE]] read from
        to[i].a = sum;                     // READ: line [[#@LINE]] write to
        to[i].b = from[i].b;               // READ-NOT: line [[#@LINE]] read from
    });                                    // READ: line [[#@LINE-1]] write to
    to.synchronize();
    for (int i = 0; i < 2 * N; i++)
        CHECK(other[i].a == 1000 + 2 * i && other[i].b == 1000 + i);
}

/* The same elements by two views, whole and in part. */
static void test_same()
{
    std::vector<pair> data = some();
    array_view<pair> all(2 * N, data), from = all.section(0, N), to = all.section(0, N), next = all.section(1, N);
    parallel_for_each(to.extent, [=](index<1> i) restrict(amp) {
        to[i].a = from[i].b;
        to[i].b = from[i].a + from[i].b;
    });
    parallel_for_each(extent<1>(1), [=](index<1> i) restrict(amp) {
        float before = all[1].a;
        next[i].a = before + 1;
        all[0].b = all[1].a;
    });
    all.synchronize();
    CHECK(data[0].a == 1000 && data[0].b == 1002 && data[1].a == 1002 && data[1].b == 2002);
    CHECK(data[N - 1].b == 2 * (1000 + N - 1) && data[N].a == N);
}

/* Elements of another type, of the same size and of another one. */
static void test_other_types()
{
    std::vector<pair> data = some();
    array_view<pair> pairs(2 * N, data);
    array_view<float> floats = pairs.reinterpret_as<float>();
    array_view<numbers> integers = floats.reinterpret_as<numbers>();
    array_view<four> fours = floats.reinterpret_as<four>();
    parallel_for_each(extent<1>(N), [=](index<1> i) restrict(amp) {
        int j = 2 * i[0];
        float sum = fours[i].c + pairs[j].b;
        integers[j].b = 0; /* 0.f */
        pairs[j + 1].a = sum;
        floats[2 * j] = fours[i].c + pairs[j].b;
    });
    pairs.synchronize();
    for (int i = 0; i < N; i++)
        CHECK(data[2 * i].b == 0 && data[2 * i + 1].a == 1000 + 4 * i + 1 && data[2 * i].a == 1000 + 4 * i + 1);
}

static void test_parts()
{
    std::vector<pair> data = some();
    array_view<pair> pairs(2 * N, data);
    array_view<wide> wides = pairs.reinterpret_as<float>().reinterpret_as<wide>();
    parallel_for_each(pairs.extent, [=](index<1> i) restrict(amp) {
        double first = wides[i].d;
        pairs[i].b = 0;
        pairs[i].a = wides[i].d == first ? 1 : 2;
    });
    pairs.synchronize();
    for (int i = 0; i < 2 * N; i++)
        CHECK(data[i].a == 2 && data[i].b == 0);
}

static void test_askew()
{
    std::vector<float> data(4 * N);
    array_view<float> floats(4 * N, data);
    array_view<pair> pairs = floats.reinterpret_as<pair>();
    array_view<pair> odd = floats.section(1, 2 * N).reinterpret_as<pair>();
    array_view<const pair> const_pairs = pairs, const_odd = odd;
    std::string text;
    try {
        parallel_for_each(extent<1>(1), [=](index<1> i) restrict(amp) { odd[i].a = const_pairs[i].b; });
    } catch (const runtime_exception &e) {
        text = e.what();
    }
    CHECK(text.find("odd and const_pairs are views of the same memory, in which their elements of 8 bytes overlap in "
                    "part (they begin at bytes 4 and 0), and the kernel may write odd; pass one view") !=
          std::string::npos);
    array_view<float> sum(1);
    parallel_for_each(extent<1>(1), [=](index<1> i) restrict(amp) { sum[i] = const_odd[i].a + const_pairs[i].b; });
    CHECK(sum[0] == 0);
    array_view<pair> far = floats.section(2 * N + 1, 2).reinterpret_as<pair>(), near = pairs.section(0, N);
    parallel_for_each(extent<1>(1), [=](index<1> i) restrict(amp) { far[i].a = near[i].b + 1; });
    CHECK(floats[2 * N + 1] == 1);
}

/* Where nothing ever comes, a loop may have addresses that are computed from themselves. */
static void test_unreachable()
{
    array_view<float> v(N);
    v(0) = 5;
    parallel_for_each(extent<1>(1), [=](index<1> i) restrict(amp) {
        pair pairs[3] = {};
        for (pair *p = pairs; p < pairs + 3; p++)
            p->a = v[i];
        int zero = 2 * 4 - 8;
        switch (zero) {
        case 0:
            v[i] = pairs[i[0]].a + 1;
            break;
        case 2:
            for (pair *p = pairs; p < pairs + 3; p++)
                p->b *= v[i];
            v[i] = pairs[i[0]].b;
            break;
        }
    });
    CHECK(v(0) == 6);
}

int main()
{
    test_members();
    test_same();
    test_other_types();
    test_parts();
    test_askew();
    test_unreachable();
    return result();
}

// Restrictions, functors, captures, templates and tile_static wherever the model allows them.
// RUN: %ampcc -O2 -std=c++14 -Wall -Wextra -Werror %s -o %t && %run %t | FileCheck %s
// RUN: %ampcc -O0 -g %s -o %t.debug && %run-cpu %t.debug | FileCheck %s
// CHECK: all right
#include "check.h"

#include <amp.h>
#include <vector>

using namespace concurrency;

/* ---- restrictions ---- */

static int twice(int x) restrict(amp)
{
    return 2 * x;
}
static int twice(int x) restrict(cpu)
{
    return 200 * x;
}
static int either(int x) restrict(cpu, amp)
{
    return twice(x) + 1;
}
static int plus_one(int x) restrict(amp, cpu)
{
    return x + 1;
}
auto trailing(int x) restrict(cpu, amp) -> long
{
    return x + 3;
}
int quiet(int x) restrict(cpu, amp) noexcept
{
    return x + 4;
}
int quiet_too(int x) restrict(cpu, amp) throw()
{
    return x + 4;
}
auto quiet_trailing(int x) restrict(cpu, amp) noexcept -> int
{
    return x + 5;
}
int repeated(int x) restrict(amp, cpu, amp)
{
    return x + 6;
}
namespace Concurrency // programs may add to the namespace
{
static int added(int x) restrict(cpu, amp)
{
    return x + 7;
}
} // namespace Concurrency
template <typename T> T square(T x) restrict(amp)
{
    return x * x;
}

/* An ordinary name elsewhere. */
static int restrict(int restrict_)
{
    return restrict_ + 5;
}
struct named {
    int restrict;
};

struct point {
    float x, y;
    point(float x_, float y_) restrict(cpu, amp) : x(x_), y(y_)
    {
    }
    point operator+(const point &other) const restrict(cpu, amp)
    {
        return point(x + other.x, y + other.y);
    }
    float norm() const restrict(amp)
    {
        return x * x + y * y;
    }
    static float zero() restrict(amp)
    {
        return 0;
    }
};

static void restrictions()
{
    std::vector<int> data(100);
    array_view<int> v(100, data);
    int bias = 7;
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) {
        point p = point(i[0], 1) + point(1, 1);
        auto add = [=](int x) restrict(amp) -> int { return x + bias; };
        auto inherited = [](int x) { return twice(x); };
        v[i] = either(i[0]) + plus_one(0) + (int)trailing(0) + quiet(0) + quiet_too(0) + quiet_trailing(0) +
               repeated(0) + concurrency::added(0) + add(0) + inherited(1) + square(3) +
               (int)(p.norm() + point::zero());
    });
    named n = {restrict(1)};
    for (int i = 0; i < 100; i++)
        CHECK(v[i] == 2 * i + 1 + 1 + 3 + 4 + 4 + 5 + 6 + 7 + 7 + 2 + 9 + (i + 1) * (i + 1) + 4);
    CHECK(either(1) == 201 && n.restrict == 6 && trailing(1) == 4);
}

/* ---- functors ---- */

class scaled
{
  public:
    scaled(const array_view<float, 2> &view, float factor) : factor_(factor), inner_(view)
    {
    }
    void operator()(index<2> i) const restrict(amp)
    {
        inner_.view[i] = factor_ * value(i);
    }

  private:
    struct inside {
        explicit inside(const array_view<float, 2> &v) : view(v)
        {
        }
        array_view<float, 2> view;
    };
    float value(const index<2> &i) const restrict(amp)
    {
        return (float)(i[0] * 10 + i[1]);
    }

    float factor_;
    inside inner_;
};

template <int K> struct tiled_sum {
    array_view<const int> in;
    array_view<int> out;
    void operator()(tiled_index<K> t) const restrict(amp)
    {
        tile_static int all[K];
        all[t.local[0]] = in[t.global];
        t.barrier.wait();
        if (t.local[0] == 0) {
            int sum = 0;
            for (int i = 0; i < K; i++)
                sum += all[i];
            out[t.tile] = sum;
        }
    }
};

template <int K> static void sum_tiles()
{
    std::vector<int> in(6 * K), out(6);
    for (int i = 0; i < 6 * K; i++)
        in[i] = i;
    {
        tiled_sum<K> kernel = {array_view<const int>(6 * K, in), array_view<int>(6, out)};
        parallel_for_each(extent<1>(6 * K).tile<K>(), kernel);
    }
    for (int t = 0; t < 6; t++)
        CHECK(out[t] == t * K * K + K * (K - 1) / 2);
}

static void functors()
{
    float data[3][5];
    {
        array_view<float, 2> v(3, 5, &data[0][0]);
        parallel_for_each(v.extent, scaled(v, 0.5f));
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 5; j++)
            CHECK(data[i][j] == 0.5f * (i * 10 + j));
    sum_tiles<4>();
    sum_tiles<7>();
    sum_tiles<64>();
}

/* ---- captures ---- */

struct table {
    short of[4];
    double scale;
    bool negate;
};

static void captures()
{
    std::vector<double> result(64);
    array_view<double> v(64, result);
    table t = {{1, 2, 3, 4}, 0.25, true};
    int weights[3] = {10, 20, 30};
    unsigned char c = 200;
    long long big = 1ll << 40;
    int calls = 0;
    array<int, 2> a(8, 8);
    const array<int, 1> b(3, weights);
    parallel_for_each(a.extent, [&a](index<2> i) restrict(amp) { a[i] = i[0] * 8 + i[1]; });
    parallel_for_each(v.extent, [=, &a, &b](index<1> i) restrict(amp) {
        auto count = [=]() mutable restrict(amp) { return ++calls; };
        double sum = t.of[i[0] % 4] * t.scale + weights[i[0] % 3] + c + (double)(big >> 40) + b[i[0] % 3];
        sum += a(i[0] / 8, i[0] % 8) + count();
        v[i] = t.negate ? -sum : sum;
    });
    for (int i = 0; i < 64; i++)
        CHECK(v(i) == -(t.of[i % 4] * 0.25 + 2 * weights[i % 3] + 200 + 1 + i + 1));
    CHECK(calls == 0);
}

/* ---- tiles ---- */

static int reduce(const tiled_index<4, 4> &t, int value) restrict(amp)
{
    tile_static int values[4][4];
    values[t.local[0]][t.local[1]] = value;
    t.barrier.wait_with_tile_static_memory_fence();
    int sum = 0;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            sum += values[i][j];
    t.barrier.wait();
    return sum;
}

static void tiles()
{
    std::vector<int> data(16 * 8);
    array_view<int, 2> v(16, 8, data);
    parallel_for_each(v.extent.tile<4, 4>(), [=](tiled_index<4, 4> t) restrict(amp) {
        v[t] = reduce(t, t.global[0]) + 1000 * reduce(t, 1) + t.tile_origin[1];
    });
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 8; j++)
            CHECK(v(i, j) == 16 * (i / 4 * 4) + 4 * (0 + 1 + 2 + 3) + 16000 + j / 4 * 4);
    std::vector<int> cube(4 * 6 * 8);
    array_view<int, 3> w(4, 6, 8, cube);
    parallel_for_each(w.extent.tile<2, 3, 4>(), [=](tiled_index<2, 3, 4> t) restrict(amp) {
        w[t] =
            t.tile[0] * 100 + t.tile[1] * 10 + t.tile[2] + 1000 * t.local[2] + tiled_index<2, 3, 4>::tile_dim1 * 10000;
    });
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 6; j++)
            for (int k = 0; k < 8; k++)
                CHECK(w(i, j, k) == i / 2 * 100 + j / 3 * 10 + k / 4 + 1000 * (k % 4) + 30000);
}

/* ---- classes that are local to members ---- */

struct outer {
    int doubled(int n) const restrict(cpu, amp)
    {
        struct helper {
            int factor;
            helper() : factor(2)
            {
            }
            static int one(int n)
            {
                return n;
            }
            int times(int n) const noexcept
            {
                return factor * one(n);
            }
        };
        return helper().times(n);
    }
};

static void local_classes()
{
    std::vector<int> data(10);
    array_view<int> v(10, data);
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) { v[i] = outer().doubled(i[0]); });
    for (int i = 0; i < 10; i++)
        CHECK(v[i] == 2 * i && outer().doubled(i) == 2 * i);
}

/* ---- exceptions around launches ---- */

static void exceptions()
{
    std::vector<int> data(10);
    array_view<int> v(10, data);
    CHECK_THROWS(invalid_compute_domain, parallel_for_each(extent<1>(0), [=](index<1> i) restrict(amp) { v[i] = 1; }));
    CHECK_THROWS(invalid_compute_domain,
                 parallel_for_each(v.extent.tile<4>(), [=](tiled_index<4> i) restrict(amp) { v[i] = 1; }));
    CHECK_THROWS(runtime_exception, accelerator(L"no such accelerator"));
    try {
        parallel_for_each(extent<1>(-1), [=](index<1> i) restrict(amp) { v[i] = 1; });
    } catch (const runtime_exception &e) {
        CHECK(e.get_error_code() != 0 && e.what()[0]);
    }
}

int main()
{
    restrictions();
    functors();
    captures();
    tiles();
    local_classes();
    exceptions();
    return result();
}

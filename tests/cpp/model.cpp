// SPDX-License-Identifier: MIT
// The language, coherence and memory of the model, row by row, where other tests do not look at them.
// RUN: %ampcc -O2 -std=c++14 -Wall -Wextra -Werror %s -o %t && %run %t | FileCheck %s
// RUN: %ampcc -O0 -g %s -o %t.debug && %run-cpu %t.debug | FileCheck %s
// CHECK: all right
#include "check.h"

#include <amp.h>
#include <cmath>
#include <vector>

using namespace concurrency;

/* ---- restrictions ---- */

// row: language.restrict, language.union, language.calls, language.overloads, language.versions, S13
static int side() restrict(cpu)
{
    return 1;
}
static int side() restrict(amp)
{
    return 2;
}
static int caller() restrict(cpu, amp) // the same text calls one function on each side
{
    return 10 * side();
}
template <typename F> static int call(const F &f) restrict(cpu, amp)
{
    return f(1);
}
struct by_side {
    int value;
    by_side() restrict(cpu) : value(1) {}
    by_side() restrict(amp) : value(2) {}
    by_side(const by_side &other) restrict(cpu, amp) : value(other.value + 10) {}
    int get() const restrict(cpu) { return value; }
    int get() const restrict(amp) { return -value; }
};
static void test_restrictions()
{
    array_view<int> v(4);
    auto both = [](int x) restrict(cpu, amp) { return x + caller(); };
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) {
        by_side b, c = b;
        v[i] = i[0] == 0 ? caller() : i[0] == 1 ? call(both) : i[0] == 2 ? b.get() : c.get();
    });
    by_side b, c = b;
    CHECK(caller() == 10 && call(both) == 11 && b.get() == 1 && c.get() == 11);
    CHECK(v[0] == 20 && v[1] == 21 && v[2] == -2 && v[3] == -12);
}

// row: language.generated, language.destructors
struct part {
    int n;
    part() restrict(cpu, amp) : n(3) {}
    part(const part &other) restrict(cpu, amp) : n(other.n + 1) {}
    ~part() restrict(cpu, amp) { n = 0; }
};
struct whole { // whose members the compiler makes for both sides
    part first, second[2];
};
struct counted {
    int *count;
    explicit counted(int *c) restrict(cpu, amp) : count(c) {}
    ~counted() restrict(cpu, amp) { ++*count; }
};
static int destroyed() restrict(cpu, amp)
{
    int count = 0;
    {
        counted one(&count), two(&count);
        for (int i = 0; i < 3; i++) {
            counted each(&count);
            if (i == 1)
                continue;
        }
    }
    return count;
}
static void test_members()
{
    array_view<int> v(2);
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) {
        whole w, copy = w, assigned;
        assigned = copy;
        v[i] = i[0] ? destroyed() : copy.first.n + 10 * copy.second[1].n + 100 * assigned.second[0].n;
    });
    whole w, copy = w;
    CHECK(copy.second[1].n == 4 && v[0] == 444 && v[1] == 5 && destroyed() == 5);
}

// row: language.host_math, language.pointers, T3
static double both_math(double x, float y) restrict(cpu, amp)
{
    return sqrt(x) + fabs(y) + floor(x);
}
static float product(float a, float b, float c) restrict(cpu, amp)
{
#pragma clang fp contract(off)
    return a * b + c; // rounded to float each time
}
static int twice(int x) restrict(cpu, amp)
{
    return 2 * x;
}
static void test_mathematics()
{
    using std::fabs;
    using std::floor;
    using std::sqrt;
    std::vector<float> data = {16777217.0f, 3.0f, 0.1f};
    array_view<float> v(3, data);
    float a = data[2], b = data[1];
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) {
        v[i] = i[0] == 0 ? product(a, b, 16777216.0f) : i[0] == 1 ? (float)both_math(9, -2) : product(a, a, a);
    });
    int (*on_host)(int) = twice;
    CHECK(v[0] == product(a, b, 16777216.0f) && v[1] == 14 && v[2] == product(a, a, a) && both_math(9, -2) == 14);
    CHECK(on_host(4) == 8);
}

/* ---- what is allowed ---- */

// row: allowed, T5, T6, T8, T11, S8, C3566, C3599
enum colour { red, green = 5 };
enum class wide : unsigned long { one = 1ul };
union number {
    int i;
    float f;
    unsigned u;
};
struct base {
    int n;
    explicit base(int x) restrict(cpu, amp) : n(x) {}
    static int most() restrict(cpu, amp) { return 9; }
    int get() const restrict(cpu, amp) { return n; }
};
struct derived : base {
    int m;
    explicit derived(int x) restrict(cpu, amp) : base(x), m(x + 1) {}
    int get() const restrict(cpu, amp) { return base::get() * m; }
};
static int with_default(int x, int y = 4) restrict(cpu, amp)
{
    return x + y;
}
static void swap(int &a, int &b) restrict(cpu, amp)
{
    int c = a;
    a = b;
    b = c;
}
static int last(const int *begin, const int *end) restrict(cpu, amp)
{
    int found = 0;
    for (const int *p = begin; p < end; ++p)
        found = *p;
    return found + (int)(end - begin) + (begin == end) + end[-1];
}
template <typename T> static T largest(T a, T b) restrict(cpu, amp)
{
    return a > b ? a : b;
}
template <int N> static int largest(const int (&of)[N]) restrict(cpu, amp)
{
    int found = of[0];
    for (int x : of)
        found = largest(found, x);
    return found;
}
static int allowed(int x) restrict(cpu, amp)
{
    int local[4] = {x, x + 1, 7, 2}, a = 1, b = 2, sum = 0, *p = local;
    number u;
    u.f = 1.0f;
    swap(a, b);
    int &reference = local[1], &&moved = 3 + x;
    reference += moved;
    int base::*member = &base::n;
    derived d(x);
    bool flags = true, *flag = &flags;
    do {
        switch (sum % 3) {
        case 0:
            sum += *p++;
            break;
        case 1:
            sum++; // falls through
            [[clang::fallthrough]];
        default:
            sum += 2;
        }
    } while (p != local + 3 && sum < 100);
    while (true)
        if (++sum > 50 || (x > 3 && sum > 20))
            break;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) {
                if (j == 1)
                    continue;
                if (k == 2)
                    break;
                if (i) {
                    if (j) {
                        if (k) {
                            if (x) {
                                if (sum) {
                                    if (a) {
                                        sum += i * j * k;
                                    }
                                }
                            }
                        }
                    }
                }
            }
    decltype(sum) typed = sizeof(d) == 8 ? d.*member : -1;
    return sum + 3 * last(local, local + 4) + largest(local) + a * 10 + b + (u.u == 0x3f800000u) + typed + d.get() +
           with_default(x) + base::most() + (*flag ? green : red) + (int)wide::one + (x ? 1 : 3);
}
static void test_allowed()
{
    std::vector<int> data(20);
    array_view<int> v(20, data);
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) {
        const array_view<int> *to = &v; // a pointer to a view
        (*to)[i] = allowed(i[0]);
    });
    for (int i = 0; i < 20; i++)
        CHECK(v[i] == allowed(i));
}

/* ---- coherence ---- */

// row: b3, b7, b13, b16, b17, b20
static void test_coherence()
{
    accelerator_view first = accelerator(L"simd").create_view(), second = accelerator(L"simd").create_view();
    array<int> a(8, first);
    CHECK_THROWS(runtime_exception,
                 parallel_for_each(second, a.extent, [&a](index<1> i) restrict(amp) { a[i] = i[0]; }));
    parallel_for_each(a.extent, [&a](index<1> i) restrict(amp) { a[i] = i[0]; }); // on the array's own
    std::vector<int> back = a;
    CHECK(back[7] == 7);

    int raw[] = {1, 2, 3, 4, 5, 6};
    array_view<int> all(6, raw), low = all.section(0, 4), high = all.section(2, 4);
    parallel_for_each(first, low.extent, [=](index<1> i) restrict(amp) { low[i] *= 10; });
    parallel_for_each(second, high.extent, [=](index<1> i) restrict(amp) { high[i] += 1; });
    low.synchronize();
    all.synchronize();
    CHECK(raw[0] == 10 && raw[2] == 31 && raw[3] == 41 && raw[5] == 7);
    const int *pointer = all.data();
    CHECK(pointer[4] == 6 && pointer == raw);
}

// row: b18, c12
static void test_order()
{
    accelerator_view on = accelerator().default_view;
    array_view<int> v(1000);
    v.discard_data();
    parallel_for_each(on, v.extent, [=](index<1> i) restrict(amp) { v[i] = i[0]; });
    for (int round = 0; round < 10; round++)
        parallel_for_each(on, v.extent, [=](index<1> i) restrict(amp) { v[i] = 2 * v[i] + 1; });
    completion_future marker = on.create_marker();
    marker.get();
    on.wait();
    for (int i = 0; i < 1000; i++)
        CHECK(v[i] == i * 1024 + 1023);
}

/* ---- barriers and memory ---- */

// row: language.tile_static, c1, c2, c3, c4, c6, c8, C4881
struct starts_at_one { // whose constructor is not run for a tile
    int n;
    starts_at_one() restrict(cpu, amp) : n(1) {}
};
static void test_barriers()
{
    const int n = 64;
    std::vector<int> data(n * 4);
    array_view<int> v(n * 4, data);
    int rounds = 3;
    parallel_for_each(v.extent.tile<16>(), [=](tiled_index<16> t) restrict(amp) {
        tile_static int shared[16];
        tile_static int stop;
        tile_static starts_at_one unset;
        int mine = t.local[0];
        shared[mine] = mine;
        if (mine == 0) {
            stop = t.tile[0] % 3;
            unset.n = 5;
        }
        t.barrier.wait();
        for (int round = 0; round < rounds; round++) { // the same for all threads of a tile
            if (round > stop)
                break;
            int next = shared[(mine + 1) % 16];
            t.barrier.wait_with_tile_static_memory_fence();
            shared[mine] = next;
            t.barrier.wait_with_all_memory_fence();
        }
        if (t.tile[0] % 2 == 0) {
            v[t] = shared[mine];
            t.barrier.wait_with_global_memory_fence();
            int other = v[t.tile_origin[0] + 15 - mine];
            t.barrier.wait();
            v[t] = 100 * other + unset.n;
        } else {
            v[t] = shared[mine];
        }
    });
    for (int i = 0; i < n * 4; i++) {
        int tile = i / 16, mine = i % 16, turns = tile % 3 + 1;
        int there = (mine + turns) % 16, mirrored = (15 - mine + turns) % 16;
        CHECK(v[i] == (tile % 2 == 0 ? 100 * mirrored + 5 : there));
    }
}

// row: c7, c9, c10, c11
static void test_atomics()
{
    std::vector<int> data(3);
    array_view<int> v(3, data);
    array_view<int> seen(256);
    parallel_for_each(seen.extent.tile<16>(), [=](tiled_index<16> t) restrict(amp) {
        tile_static int turn;
        if (t.local[0] == 0)
            turn = 0;
        t.barrier.wait();
        if (t.local[0] % 2) { // fences order, and wait for nobody
            atomic_fetch_add(&turn, 1);
            tile_static_memory_fence(t.barrier);
            global_memory_fence(t.barrier);
            all_memory_fence(t.barrier);
        }
        seen[t] = atomic_fetch_add(&v[0], 1); // among tiles, only atomic operations are ordered
        atomic_fetch_max(&v[1], t.global[0]);
        t.barrier.wait();
        if (t.local[0] == 0)
            atomic_fetch_add(&v[2], turn);
    });
    CHECK(v[0] == 256 && v[1] == 255 && v[2] == 128);
    std::vector<bool> found(256);
    for (int i = 0; i < 256; i++)
        found[seen[i]] = true;
    for (int i = 0; i < 256; i++)
        CHECK(found[i]);
}

// row: T4
static void test_double()
{
    CHECK(accelerator().supports_double_precision && accelerator().supports_limited_double_precision);
    array_view<double> v(2);
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) { v[i] = 1.0 / (i[0] + 3); });
    CHECK(v[0] == 1.0 / 3 && v[1] == 0.25);
}

int main()
{
    test_restrictions();
    test_members();
    test_mathematics();
    test_allowed();
    test_coherence();
    test_order();
    test_barriers();
    test_atomics();
    test_double();
    return result();
}

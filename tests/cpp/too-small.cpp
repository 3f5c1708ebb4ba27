// SPDX-License-Identifier: MIT
// A launch whose kernel certainly touches what its views and arrays do not have throws before it runs, with a text that
// names the box. Where that is not certain, it runs.
// RUN: %ampcc -O2 %s -o %t && %run %t | FileCheck %s
// RUN: %ampcc -O1 %s -o %t && %t | FileCheck %s
// RUN: %ampcc -O0 -g %s -o %t && %t | FileCheck %s
#include <amp.h>
#include <cstdio>
#include <cstring>
#include <vector>
using namespace concurrency;

template <typename F> static void say(const F &launch)
{
    try {
        launch();
        std::puts("runs");
    } catch (const runtime_exception &e) {
        std::puts(std::strstr(e.what(), ": ") + 2);
    }
}

template <int N, typename F> static void run(const extent<N> &e, const F &f)
{
    say([&] { parallel_for_each(e, f); });
}
template <int D0, typename F> static void run_tiles(const tiled_extent<D0> &e, const F &f)
{
    say([&] { parallel_for_each(e, f); });
}

struct scale {
    array_view<const float> from;
    array_view<float> to;
    int by;
    void operator()(index<1> i) const restrict(amp)
    {
        to[i] = from[i + by];
    }
};

int main()
{
    std::vector<int> memory(100);
    array_view<int> d(100, memory);
    // CHECK: touches d[0..100] for this extent (101), but d has 100 (written at {{.*}}too-small.cpp:[[#@LINE+1]]:{{[0-9]+}})
    run(extent<1>(101), [=](index<1> i) restrict(amp) { d[i] = 7; });
    // CHECK-NEXT: runs
    run(extent<1>(100), [=](index<1> i) restrict(amp) { d[i] = 7; });
    // CHECK-NEXT: runs
    run(extent<1>(101), [=](index<1> i) restrict(amp) {
        if (d.extent.contains(i))
            d[i] = 7;
    });

    array_view<const int, 2> a(4, 5, memory);
    array_view<int, 2> b = array_view<int, 2>(8, 8, &memory[32]).section(1, 2, 4, 5);
    // CHECK-NEXT: touches a[0..4][0..4] for this extent (5x5), but a has 4x5 (read at
    run(extent<2>(5, 5), [=](index<2> i) restrict(amp) { b[i] = a[i]; });
    // CHECK-NEXT: touches b[1..4][0..4] for this extent (4x5), but b has 4x5 (written at
    run(extent<2>(4, 5), [=](index<2> i) restrict(amp) { b(i[0] + 1, i[1]) = a[i]; });
    // CHECK-NEXT: touches b[-1..2][0..4] for this extent (4x5), but b has 4x5 (written at
    run(extent<2>(4, 5), [=](index<2> i) restrict(amp) { b[i[0] - 1][i[1]] = a[i]; });
    // CHECK-NEXT: touches b[3..3][0..5] for this extent (6), but b has 4x5 (written at
    run(extent<1>(6), [=](index<1> i) restrict(amp) { b[3][i] = 1; });
    // CHECK-NEXT: runs
    run(extent<2>(4, 5), [=](index<2> i) restrict(amp) { b[i] = a[i]; });
    // CHECK-NEXT: runs
    run(extent<1>(5), [=](index<1> i) restrict(amp) { b[3][i] = 1; });

    array<int, 3> cube(2, 3, 4);
    // CHECK-NEXT: touches cube[0..2][0..2][0..3] for this extent (3x3x4), but cube has 2x3x4 (written at
    run(extent<3>(3, 3, 4), [&](index<3> i) restrict(amp) { cube[i] = 1; });
    // CHECK-NEXT: runs
    run(extent<3>(2, 3, 4), [&](index<3> i) restrict(amp) { cube[i] = 1; });

    int n = 7;
    // CHECK-NEXT: touches d[0..104] for this extent (15), but d has 100 (read at
    run(extent<1>(15), [=](index<1> i) restrict(amp) {
        int sum = 0;
        for (int k = 0; k < n; k++)
            sum += d[i[0] * n + k];
        for (int k = 0; k < n; k++)
            sum += d[i[0]];
        d[i] = sum;
    });
    // CHECK-NEXT: touches d[4..103] for this extent (52), but d has 100 (written at
    run_tiles(extent<1>(52).tile<4>(), [=](tiled_index<4> t) restrict(amp) {
        d[t.tile_origin[0] * 2 + t.local[0]] = 1;
        d[t.tile[0] * 8 + t.local[0] + 4] = 1;
    });

    std::vector<float> floats(20), more(20);
    array_view<const float> from(20, floats);
    array_view<float> to(10, more);
    // CHECK-NEXT: touches from[12..20] for this extent (9), but from has 20 (read at {{.*}}too-small.cpp:38:
    run(extent<1>(9), scale{from, to, 12});
    return 0;
}

// SPDX-License-Identifier: MIT
// Mistakes in kernels of C++ AMP, which `checked` finds; and what looks like one and is none.
// RUN: %ampcc -O2 -w --amp-check --amp-gpu=none %s -o %t && env AMP_DEFAULT_ACCELERATOR=checked %t | FileCheck %s
// RUN: %ampcc -O0 -w --amp-check --amp-gpu=none %s -o %t && env AMP_DEFAULT_ACCELERATOR=checked %t | FileCheck %s
// RUN: %ampcc -O0 -g -w --amp-check --amp-gpu=none %s -o %t && env AMP_DEFAULT_ACCELERATOR=checked %t | FileCheck %s
#include <amp.h>
#include <amp_graphics.h>
#include <iostream>
#include <vector>
using namespace concurrency;

/* Prints what a launch throws. */
template <typename F> static void mistake(F launch)
{
    try {
        launch();
        std::cout << "nothing" << std::endl;
    } catch (const std::exception &e) {
        std::cout << e.what() << std::endl;
    }
}

static void outside(array_view<int, 1> x, array_view<int, 2> a, array_view<int, 3> d)
{
    mistake([=] {
        parallel_for_each(x.extent, [=](index<1> i) restrict(amp) {
            x[i + 1] = 1; // CHECK: checked.cpp:[[@LINE]]:22: lambda at checked.cpp:[[@LINE-1]], thread (7): writes x[8], x has 8; test the subscript before the access
        });
    });
    mistake([=] {
        parallel_for_each(a.extent, [=](index<2> i) restrict(amp) {
            if (a(i[0], i[1] + 1) == 7) x[0] = 1; // CHECK: checked.cpp:[[@LINE]]:{{.*}} thread (0, 5): reads a[0][6], a has 4x6;
        });
    });
    mistake([=] {
        parallel_for_each(extent<1>(1), [=](index<1>) restrict(amp) {
            array_view<int, 2> part = a.section(1, 2, 2, 3);
            part(1, 3) = 1; // CHECK: checked.cpp:[[@LINE]]:{{.*}} thread (0): writes [1][3] of a part of a that has 2x3;
        });
    });
    mistake([=] {
        parallel_for_each(d.extent, [=](index<3> i) restrict(amp) {
            d[index<3>(i[0], i[1] - 1, i[2])]++; // CHECK: checked.cpp:[[@LINE]]:{{.*}} thread (0, 0, 0): reads d[0][-1][0], d has 2x3x4;
        });
    });
    mistake([=] {
        parallel_for_each(extent<1>(4), [=](index<1> i) restrict(amp) {
            a[i[0]][6] = 1; // CHECK: checked.cpp:[[@LINE]]:{{.*}} thread (0): writes [6] of a part of a that has 6;
        });
    });
    array_view<int, 2> columns = a.section(0, 1, 4, 2);
    mistake([=] {
        parallel_for_each(columns.extent, [=](index<2> i) restrict(amp) {
            columns[index<2>(i[0], i[1] + 1)] = 1; // CHECK: checked.cpp:[[@LINE]]:{{.*}} thread (0, 1): writes columns[0][2], columns has 4x2;
        });
    });
}

struct summing {
    array_view<int, 1> x;
    void operator()(index<1> i) const restrict(amp)
    {
        x[0] += i[0]; // CHECK: checked.cpp:[[@LINE]]:14: summing, thread (1): {{.*}} x[0], which thread (0) writes in line [[@LINE]]; both threads update it: use atomic_fetch_add or a reduction
    }
};

static int at(const array_view<int, 1> &x, int i) restrict(amp)
{
    return x[i]; // CHECK: checked.cpp:[[@LINE]]:12: {{.*}} thread (7): {{.*}} x[8], x has 8;
}

static void races(array_view<int, 1> x, array<int, 1> &y)
{
    mistake([=] { parallel_for_each(x.extent, summing{x}); });
    mistake([=] {
        parallel_for_each(x.extent, [=](index<1> i) restrict(amp) {
            if (at(x, i[0] + 1) == 9)
                x[i] = 0;
        });
    });
    mistake([&] {
        parallel_for_each(y.extent, [&y](index<1> i) restrict(amp) {
            y[i[0] / 2] = i[0]; // CHECK: checked.cpp:[[@LINE]]:{{.*}} thread (1): writes y[0], which thread (0) writes in line [[@LINE]];
        });
    });
    mistake([=] {
        parallel_for_each(x.extent, [=](index<1> i) restrict(amp) {
            atomic_fetch_add(&x[0], 1);
            if (i[0] == 5)
                x[0] = 3; // CHECK: checked.cpp:[[@LINE]]:{{.*}} thread (5): writes x[0], which thread (0) updates in line [[@LINE-2]]; use an atomic operation here, too
        });
    });
}

static void tiles(array_view<int, 1> x)
{
    mistake([=] {
        parallel_for_each(x.extent.tile<8>(), [=](tiled_index<8> t) restrict(amp) {
            tile_static int s[8];
            s[t.local[0]] = t.local[0]; // CHECK: checked.cpp:[[@LINE]]:27: {{.*}} thread (4): writes s[4], which thread (3) reads in line [[@LINE+1]], and no barrier is between them; call barrier.wait
            x[t.global] = s[7 - t.local[0]];
        });
    });
    mistake([=] {
        parallel_for_each(x.extent.tile<8>(), [=](tiled_index<8> t) restrict(amp) {
            tile_static int s[8];
            if (t.local[0] > 0)
                s[t.local[0]] = 1;
            t.barrier.wait();
            x[t.global] = s[0]; // CHECK: checked.cpp:[[@LINE]]:{{.*}} reads s[0], which nothing has written;
        });
    });
    mistake([=] {
        parallel_for_each(x.extent.tile<8>(), [=](tiled_index<8> t) restrict(amp) {
            tile_static int s[4][2];
            s[t.local[0] / 2][t.local[0] % 3] = 1; // CHECK: checked.cpp:[[@LINE]]:{{.*}} thread (2): writes s[1][2], s has 4x2;
            t.barrier.wait();
            x[t.global] = s[0][0];
        });
    });
}

struct cell {
    int n;
    float v[3];
};

static void variables(array_view<int, 1> x)
{
    mistake([=] {
        parallel_for_each(x.extent, [=](index<1> i) restrict(amp) {
            int y;
            if (i[0] < 3)
                y = 1;
            x[i] = y; // CHECK: checked.cpp:[[@LINE]]:20: lambda at checked.cpp:[[@LINE-4]], thread (3): reads y, which nothing has written;
        });
    });
    mistake([=] {
        parallel_for_each(x.extent, [=](index<1> i) restrict(amp) {
            int own[4] = {1, 2, 3, 4};
            x[i] = own[i[0]]; // CHECK: checked.cpp:[[@LINE]]:20: {{.*}} thread (4): reads own[4], own has 4;
        });
    });
    mistake([=] {
        parallel_for_each(x.extent, [=](index<1> i) restrict(amp) {
            cell c = {1, {2, 3, 4}};
            x[i] = (int)c.v[i[0]]; // CHECK: checked.cpp:[[@LINE]]:25: {{.*}} thread (3): reads element 3 of an array in an element of c; that array has 3;
        });
    });
    mistake([=] {
        parallel_for_each(x.extent, [=](index<1> i) restrict(amp) {
            x[i] = 8 / (i[0] - 2); // CHECK: checked.cpp:[[@LINE]]:22: {{.*}} thread (2): division by zero
        });
    });
    mistake([=] {
        parallel_for_each(x.extent, [=](index<1> i) restrict(amp) {
            x[i] = 2147483641 + i[0]; // CHECK: checked.cpp:[[@LINE]]:31: {{.*}} thread (7): {{.*}} overflow
        });
    });
}

/* What is right. */
struct pair {
    index<1> at;
    int value;
    pair(index<1> at, int value) restrict(cpu, amp) : at(at), value(value)
    {
    }
};

static void right(array_view<int, 1> x, array_view<const int, 2> a, array_view<graphics::float_4, 1> f)
{
    mistake([=] {
        parallel_for_each(x.extent.tile<8>(), [=](tiled_index<8> t) restrict(amp) {
            tile_static int s[8];
            pair p(t.local, 7 - t.local[0]);
            index<1> list[2] = {p.at, index<1>(p.value)};
            s[list[0][0]] = p.value;
            t.barrier.wait();
            array_view<const int, 1> row = a[t.local[0] / 2];
            int &own = x[t.global];
            own = s[list[1][0]] + row[1] + a.section(1, 1, 2, 2)(1, 1);
            f[t.global] = f[t.global] * 2.f + graphics::float_4((float)own);
            f[t.global].x += 1;
        });
    });
    x.synchronize();
    f.synchronize();
    // CHECK: nothing
    // CHECK-NEXT: 15 16 80
    std::cout << x[0] << " " << f[0].x << " " << x[7] + f[6].y + 1 << std::endl;
}

int main()
{
    std::vector<int> x(8), a(24), d(24);
    for (int i = 0; i < 24; i++)
        a[i] = i;
    std::vector<graphics::float_4> f(8);
    array<int, 1> y(8);
    outside(array_view<int, 1>(8, x), array_view<int, 2>(4, 6, a), array_view<int, 3>(2, 3, 4, d));
    races(array_view<int, 1>(8, x), y);
    tiles(array_view<int, 1>(8, x));
    variables(array_view<int, 1>(8, x));
    for (int i = 0; i < 24; i++)
        a[i] = i;
    right(array_view<int, 1>(8, x), array_view<const int, 2>(4, 6, a), array_view<graphics::float_4, 1>(8, f));
    return 0;
}

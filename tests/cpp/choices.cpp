// SPDX-License-Identifier: MIT
// RUN: %ampcc -O0 %s -o %t && %run %t | FileCheck %s
// RUN: %ampcc -O2 %s -o %t && %run %t | FileCheck %s
// RUN: %ampcc -O2 --amp-check --amp-gpu=none %s -o %t && env AMP_DEFAULT_ACCELERATOR=checked %t | FileCheck %s
// Kernels that choose between views, arrays and structs of them that they capture.
// CHECK: all right
#include "check.h"

#include <amp.h>
#include <vector>

using namespace concurrency;

enum { N = 37 };

struct pair {
    array_view<int> first, second;
    int factor;
};

static const array_view<int> &one_of(const array_view<int> &x, const array_view<int> &y, bool c) restrict(amp)
{
    return c ? x : y;
}
static int read(const array_view<int> &v, index<1> i) restrict(amp)
{
    return v[i];
}

template <typename F> static bool gives(F expected, array_view<int> out)
{
    for (int i = 0; i < N; i++)
        if (out[i] != expected(i))
            return false;
    return true;
}

int main()
{
    std::vector<int> a(N), b(N);
    for (int i = 0; i < N; i++)
        a[i] = i, b[i] = 1000 + i;
    array_view<int> av(N, a), bv(N, b), out(N), all[3] = {av, bv, av};
    pair p = {av, bv, 2}, pairs[2] = {{av, bv, 3}, {bv, av, 4}};
    array<int> x(N, a.begin()), y(N, b.begin());
    bool flag = N > 3;
    parallel_for_each(out.extent, [=](index<1> i) restrict(amp) { out[i] = (i[0] & 1 ? av : bv)[i]; });
    CHECK(gives([](int i) { return i & 1 ? i : 1000 + i; }, out));
    parallel_for_each(out.extent, [=](index<1> i) restrict(amp) { out[i] = (flag ? bv : av)[i]; });
    CHECK(gives([](int i) { return 1000 + i; }, out));
    parallel_for_each(out.extent, [=](index<1> i) restrict(amp) {
        const array_view<int> &v = i[0] % 3 == 0 ? av : i[0] % 3 == 1 ? bv : all[2];
        out[i] = v[i] + v.extent[0];
    });
    CHECK(gives([](int i) { return (i % 3 == 1 ? 1000 + i : i) + N; }, out));
    parallel_for_each(out.extent, [=](index<1> i) restrict(amp) {
        out[i] = one_of(av, bv, i[0] < 5)[i] + read(i[0] < 5 ? p.second : p.first, i);
    });
    CHECK(gives([](int i) { return 1000 + 2 * i; }, out));
    parallel_for_each(out.extent, [=](index<1> i) restrict(amp) {
        const pair &chosen = i[0] & 2 ? pairs[0] : pairs[1];
        const array_view<int> *v = &chosen.first;
        if (i[0] & 4)
            v = &chosen.second;
        out[i] = (*v)[i] * chosen.factor;
    });
    CHECK(gives(
        [](int i) {
            int factor = i & 2 ? 3 : 4;
            bool is_first = (factor == 3) == !(i & 4);
            return (is_first ? i : 1000 + i) * factor;
        },
        out));
    parallel_for_each(out.extent, [=](index<1> i) restrict(amp) {
        const array_view<int> *v = &av;
        int sum = 0;
        for (int k = 0; k < 4; k++) { // the choice changes from pass to pass
            sum += (*v)[i] + k;
            v = v == &av && i[0] % 2 ? &bv : &av;
        }
        out[i] = sum;
    });
    CHECK(gives([](int i) { return 6 + (i % 2 ? 2 * i + 2 * (1000 + i) : 4 * i); }, out));
    parallel_for_each(out.extent, [=](index<1> i) restrict(amp) {
        out[i] = 0;
        (i[0] & 1 ? av : bv)[i] += 5;
    });
    CHECK(gives([](int i) { return i & 1 ? i + 5 : i; }, av));
    CHECK(gives([](int i) { return 1000 + i + (i & 1 ? 0 : 5); }, bv));
    parallel_for_each(out.extent, [=, &x, &y](index<1> i) restrict(amp) { out[i] = (i[0] & 1 ? x : y)[i]; });
    CHECK(gives([](int i) { return i & 1 ? i : 1000 + i; }, out));
    return result();
}

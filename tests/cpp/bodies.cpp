// SPDX-License-Identifier: MIT
// Kernels in templates that only functions of the standard library make instances of: their bodies are not left out.
// RUN: %ampcc -O2 %s -o %t && %run %t | FileCheck %s
// RUN: %ampcc -O2 -DGENERIC %s -o %t && %run %t | FileCheck %s
// RUN: %ampcc -O2 -std=c++20 -DABBREVIATED %s -o %t && %run %t | FileCheck %s
// RUN: %ampcc -O2 -DINITIALISERS %s -o %t && %run %t | FileCheck %s
// CHECK: all right
#include <algorithm>
#include <amp.h>
#include <functional>
#include <vector>

#include "check.h"

using namespace concurrency;

static int numbers[] = {1, 2, 3};

#ifdef GENERIC
static void add_one()
{
    int rounds[] = {1};
    std::for_each(rounds, rounds + 1, [](const auto &) {
        array_view<int> v(3, numbers);
        parallel_for_each(v.extent, [=](index<1> i) restrict(amp) { v[i]++; });
    });
}
#elif defined ABBREVIATED
struct adder {
    void operator()(auto) const
    {
        array_view<int> v(3, numbers);
        parallel_for_each(v.extent, [=](index<1> i) restrict(amp) { v[i]++; });
    }
};
static void add_one()
{
    std::function<void(int)> f = adder();
    f(1);
}
#elif defined INITIALISERS
template <typename T> struct adder {
    T first, second;
    adder();
};
template <typename T> adder<T>::adder() : first{1}, second{2}
{
    array_view<int> v(3, numbers);
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) { v[i]++; });
}
static void add_one()
{
    std::vector<adder<int>> adders(1);
}
#else
template <typename T> struct adder {
    adder()
    {
        array_view<T> v(3, numbers);
        parallel_for_each(v.extent, [=](index<1> i) restrict(amp) { v[i]++; });
    }
};
static void add_one()
{
    std::vector<adder<int>> adders(1);
}
#endif

int main()
{
    add_one();
    CHECK(numbers[0] == 2 && numbers[1] == 3 && numbers[2] == 4);
    return result();
}

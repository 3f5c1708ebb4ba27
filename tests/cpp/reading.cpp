// SPDX-License-Identifier: MIT
// Loops on the host see what kernels wrote, and kernels what loops wrote, wherever the compiler tests whether elements
// are current.
// RUN: %ampcc -O2 -std=c++14 -Wall -Wextra -Werror %s -o %t && %run %t | FileCheck %s
// RUN: %ampcc -O3 %s -o %t && %t | FileCheck %s
// CHECK: all right
#include "check.h"

#include <amp.h>
#include <mutex>
#include <thread>
#include <vector>

using namespace concurrency;

enum { N = 257 };

static void add(const array_view<int> &v, int n)
{
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) { v[i] += n; });
}

static long sum(const array_view<const int> &v)
{
    long result = 0;
    for (int i = 0; i < N; i++)
        result += v[i];
    return result;
}

static void test_launches_between()
{
    std::vector<int> data(N);
    array_view<int> v(N, data);
    add(v, 1);
    CHECK(sum(v) == N);
    long seen = 0;
    for (int i = 0; i < N; i++) {
        if (i % 16 == 0)
            add(v, 1);
        seen += v[i];
    }
    long expected = 0;
    for (int i = 0; i < N; i++)
        expected += 2 + i / 16;
    CHECK(seen == expected);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < N; i++)
            v[i] = round + i;
        add(v, 5);
        for (int i = 0; i < N; i++)
            CHECK(v[i] == round + i + 5);
    }
}

static void test_two_views()
{
    std::vector<int> data(2 * N);
    array_view<int> all(2 * N, data), low = all.section(0, N), high = all.section(N, N);
    add(all, 1);
    for (int i = 0; i < N; i++)
        high[i] = low[i] + i;
    add(high, 1);
    for (int i = 1; i < N; i++)
        low[i] = low[i - 1] + high[i];
    CHECK(low[N - 1] == 1 + 2 * (N - 1) + N * (N - 1) / 2);
    add(all, 1);
    array_view<const int> again(2 * N, data);
    all.synchronize();
    CHECK(data[0] == 2 && data[N] == 3 && all[2 * N - 1] == N + 2);
}

static void test_no_source()
{
    array_view<int, 2> v(extent<2>(N, 3)), copy = v;
    v.discard_data();
    parallel_for_each(v.extent, [=](index<2> i) restrict(amp) { v[i] = 3 * i[0] + i[1]; });
    long seen = 0;
    for (int row = 0; row < N; row++)
        for (int col = 0; col < 3; col++)
            seen += copy(row, col) - v(row, col) + (v[row][col] == 3 * row + col);
    CHECK(seen == 3 * N);
}

static void test_bytes()
{
    std::vector<unsigned> data(N);
    array_view<unsigned> v(N, data);
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) { v[i] = (unsigned)i[0]; });
    unsigned char *bytes = reinterpret_cast<unsigned char *>(data.data());
    unsigned seen = 0;
    for (unsigned i = 0; i < N; i++) {
        seen += v[(int)i];
        bytes[4 * i] = 0;
    }
    CHECK(seen == N * (N - 1) / 2 && v[255] == 0);
}

static void test_threads()
{
    std::vector<int> data(N);
    array_view<int> v(N, data);
    std::mutex turn;
    long seen = 0;
    auto work = [&] {
        for (int round = 0; round < 20; round++) {
            std::lock_guard<std::mutex> lock(turn);
            add(v, 1);
            for (int i = 0; i < N; i++)
                seen += v[i];
        }
    };
    std::thread one(work), other(work);
    one.join();
    other.join();
    CHECK(seen == (long)N * 40 * 41 / 2);
}

int main()
{
    test_launches_between();
    test_two_views();
    test_no_source();
    test_bytes();
    test_threads();
    return result();
}

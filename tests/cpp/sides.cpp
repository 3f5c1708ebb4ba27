// SPDX-License-Identifier: MIT
// RUN: %ampcc -std=c++20 %s -o %t && %t
// RUN: %ampcc -std=c++20 -O2 %s -o %t && %t
// The host's code calls the host's overloads wherever it stands, and names members for accelerators where nothing is
// called.
// row: S4, S5, D6
#include <algorithm>
#include <amp.h>
#include <cstdio>
#include <vector>

using namespace concurrency;

struct sided {
    int both() const restrict(cpu)
    {
        return 2;
    }
    int both() const restrict(amp)
    {
        return 3;
    }
    int alone() const restrict(amp)
    {
        return 1;
    }
    int sum(const std::vector<int> &v) const
    {
        int sum = 0;
        std::for_each(v.begin(), v.end(), [&](int x) { sum += x * both(); });
        return sum;
    }
};

static int by_default(int x = sided().both())
{
    return x;
}
template <bool B> static int discarded(sided s)
{
    if constexpr (B)
        return s.alone();
    else
        return s.both();
}
static bool is_asked(sided s)
{
    return requires { s.alone(); } && sizeof(decltype(s.alone())) == sizeof(__typeof(s.alone()));
}

static int failures;
static void check(int line, int got, int want)
{
    if (got != want) {
        std::printf("line %d: got %d, expected %d\n", line, got, want);
        failures++;
    }
}
#define CHECK(got, want) check(__LINE__, got, want)

int main()
{
    sided s;
    auto plain = [=] { return s.both(); };
    auto generic = [](auto x) { return x.both(); };
    auto nested = [&] { return [&] { return s.both(); }(); };
    auto for_cpu = [=]() restrict(cpu) { return s.both(); };
    CHECK(plain(), 2);
    CHECK(generic(s), 2);
    CHECK(nested(), 2);
    CHECK(for_cpu(), 2);
    CHECK(s.sum({1, 2, 3}), 12);
    CHECK(by_default(), 2);
    CHECK(discarded<false>(s), 2);
    CHECK(is_asked(s), 1);
    struct local {
        sided s;
        int n = s.alone();
    };
    array_view<int> v(4);
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) {
        local l;
        v[i] = l.n + s.both();
    });
    CHECK(v[3], 4);
    return failures != 0;
}

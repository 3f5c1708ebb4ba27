// Ranks above 3: indices, launches, data and their parts, up to the model's 128.
// RUN: %ampcc -O2 -std=c++14 -Wall -Wextra -Werror %s -o %t && %run %t | FileCheck %s
// CHECK: all right
#include "check.h"

#include <amp.h>
#include <numeric>
#include <vector>

using namespace concurrency;

template <int N> static extent<N> extent_of(const int (&numbers)[N])
{
    return extent<N>(numbers);
}

/* Each thread writes the number that its index has in row-major order. */
// row: index.rank, launch.extent
template <int N> static void test_launch(const extent<N> &e)
{
    std::vector<int> data(e.size());
    array_view<int, N> v(e, data);
    parallel_for_each(e, [=](index<N> i) restrict(amp) {
        int number = 0;
        for (int c = 0; c < N; c++)
            number = number * e[c] + i[c];
        v[i] += number + 1;
    });
    v.synchronize();
    int wrong = 0;
    for (unsigned i = 0; i < e.size(); i++)
        wrong += data[i] != (int)i + 1;
    CHECK(wrong == 0);
}

struct add {
    array_view<int, 4> v;
    int by;
    void operator()(const index<4> &i) const restrict(amp)
    {
        v[i] += by;
    }
};

static void test_captures()
{
    int sizes[] = {2, 3, 4, 5};
    extent<4> e(sizes);
    std::vector<int> data(e.size());
    std::iota(data.begin(), data.end(), 0);
    array_view<int, 4> v(e, data);
    array<int, 4> a(e, data.begin());
    const array<int, 4> &constant = a;
    int two = 2;
    parallel_for_each(v.extent, [=, &constant](index<4> i) restrict(amp) { v[i] = constant[i] * two; });
    parallel_for_each(v.extent, add{v, 7});
    int at[] = {1, 2, 3, 4};
    CHECK(v[index<4>(at)] == 2 * 119 + 7 && v[0][0][0](1) == 9);
    int bad[] = {2, 0, 4, 5};
    CHECK_THROWS(invalid_compute_domain,
                 parallel_for_each(extent<4>(bad), [=](index<4> i) restrict(amp) { v[i] = 0; }));
    int large[] = {65536, 65536, 65536, 65536};
    CHECK_THROWS(runtime_exception, (array<int, 4>(extent<4>(large))));
    parallel_for_each(a.accelerator_view, e, [&a](index<4> i) restrict(amp) { a[i] = i[3]; });
    CHECK((array_view<int, 4>(a)[1][2][3][4]) == 4);
}

/* Sections and projections, compared with the elements that they are of. */
template <int N> static void test_parts(const int (&sizes)[N])
{
    extent<N> e(sizes);
    std::vector<int> data(e.size());
    std::iota(data.begin(), data.end(), 0);
    array_view<int, N> v(e, data);
    array_view<int, N - 1> row = v[1];
    int first = (int)(e.size() / sizes[0]);
    CHECK(row[index<N - 1>()] == first && row.extent.size() == e.size() / sizes[0]);
    parallel_for_each(row.extent, [=](index<N - 1> i) restrict(amp) { row[i] = -row[i]; });
    index<N> at, origin;
    at[0] = 1;
    CHECK(v[at] == -first && data[0] == 0);
    v.synchronize();
    CHECK(data[first + 1] == -first - 1 && data[first - 1] == first - 1);
    /* a section of the last two dimensions */
    extent<N> size = e;
    origin[N - 1] = 1;
    size[N - 1] = e[N - 1] - 1;
    size[N - 2] = 1;
    array_view<int, N> s = v.section(origin, size);
    CHECK(s[index<N>()] == 1);
    array<int, N> copied(s);
    array_view<const int, N> c = copied;
    CHECK(c[index<N>()] == 1 && c.extent == size);
    index<N> last;
    for (int i = 0; i < N; i++)
        last[i] = size[i] - 1;
    CHECK(c[last] == s[last] && s[last] == v[last + origin]);
    CHECK_THROWS(runtime_exception, v[e[0]]);
    CHECK_THROWS(runtime_exception, v.section(origin, e));
}

static void test_many()
{
    index<128> i;
    extent<128> e;
    for (int c = 0; c < 128; c++)
        e[c] = c % 43 ? 1 : 3;
    CHECK(e.size() == 27 && e.contains(i));
    i[127] = 1;
    CHECK(!e.contains(i) && (i + i)[127] == 2);
    array_view<int, 128> v(e);
    CHECK(v.extent == e);
    CHECK_THROWS(unsupported_feature, [&] {
        int sizes[] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
        array_view<int, 10> ten{extent<10>(sizes)};
        extent<10> part = ten.extent;
        part[1] = 1;
        ten.section(part);
    }());
}

int main()
{
    test_launch(extent_of<4>({2, 3, 4, 5}));
    test_launch(extent_of<5>({3, 1, 2, 7, 19}));
    test_launch(extent_of<8>({2, 1, 2, 3, 1, 2, 5, 9}));
    test_launch(extent_of<9>({2, 1, 2, 3, 2, 2, 2, 1, 4}));
    test_launch(extent_of<12>({2, 1, 2, 3, 2, 2, 2, 1, 4, 1, 1, 3}));
    test_captures();
    test_parts<4>({2, 3, 4, 5});
    test_parts<8>({2, 3, 1, 2, 1, 2, 4, 5});
    test_parts<9>({2, 3, 1, 2, 1, 2, 1, 4, 5});
    test_parts<11>({2, 3, 1, 2, 1, 1, 2, 2, 1, 4, 5});
    test_many();
    return result();
}

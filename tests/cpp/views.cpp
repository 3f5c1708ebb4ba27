// array_view: sections in place, rows, other shapes, views without a source, and what the host reads.
// RUN: %ampcc -O2 %s -o %t && %run %t | FileCheck %s
// CHECK: all right
#include "check.h"

#include <amp.h>
#include <numeric>
#include <vector>

using namespace concurrency;

// row: array_view.container, array_view.element, array_view.project, array_view.section, array_view.section_forms
// row: array_view.reinterpret_as, array_view.refresh, array_view.synchronize, launch.extent, b15
static void test_view()
{
    std::vector<int> data(6 * 8);
    std::iota(data.begin(), data.end(), 0);
    array_view<int, 2> v(6, 8, data);
    CHECK_THROWS(runtime_exception, array_view<int>(6 * 8 + 1, data));
    CHECK_THROWS(runtime_exception, array_view<const int, 2>(7, 7, data));
    array_view<const int, 2> r(v);
    CHECK(v.extent == extent<2>(6, 8) && r(5, 7) == 47 && v[index<2>(1, 2)] == 10 && v[2][3] == 19 && v(3)(4) == 28);
    array_view<int, 2> s = v.section(index<2>(1, 2), extent<2>(3, 4)), t = v.section(2, 1, 3, 4);
    CHECK(s(0, 0) == 10 && t(0, 0) == 17 && v.section(index<2>(4, 4)).extent == extent<2>(2, 4));
    CHECK(v.section(extent<2>(2, 2)).extent == extent<2>(2, 2));
    /* Overlapping sections in one kernel, in place. */
    parallel_for_each(s.extent, [=](index<2> i) restrict(amp) { s[i] += 1000; });
    parallel_for_each(t.extent, [=](index<2> i) restrict(amp) {
        t[i] += 100000;
        if (i[0] == 0 && i[1] == 0)
            s(0, 0) = -1;
    });
    int wrong = 0;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 8; j++) {
            bool in_s = i >= 1 && i < 4 && j >= 2 && j < 6, in_t = i >= 2 && i < 5 && j >= 1 && j < 5;
            int expected = i * 8 + j + (in_s ? 1000 : 0) + (in_t ? 100000 : 0);
            wrong += v(i, j) != (i == 1 && j == 2 ? -1 : expected);
        }
    CHECK(wrong == 0);
    v.synchronize();
    CHECK(data[10] == -1);
    data[10] = 5;
    v.refresh();
    CHECK(v(1, 2) == 5);
    /* Rows, and parts of parts in kernels. */
    array_view<int, 1> row = v[4];
    parallel_for_each(row.extent, [=](index<1> i) restrict(amp) {
        row[i] = i[0];
        array_view<int, 1> other = v[5].section(index<1>(2));
        if (i[0] < other.extent[0])
            other[i] = v.section(0, 0, 2, 2)(1, 1) + v.get_extent()[1];
    });
    CHECK(v(4, 7) == 7 && v(5, 1) == 41 && v(5, 2) == 9 + 8 && v(5, 7) == 17);
    /* Other shapes and types. */
    array_view<int> flat(48, data);
    array_view<int, 3> cube = flat.view_as(extent<3>(2, 3, 8));
    CHECK(cube(1, 2, 7) == flat[47]);
    array_view<unsigned> bits = flat.reinterpret_as<unsigned>();
    parallel_for_each(bits.extent, [=](index<1> i) restrict(amp) { bits[i] = 0xffffffff; });
    CHECK(flat[3] == -1 && cube(0, 0, 0) == -1);
    CHECK(*flat.data() == -1);
    CHECK_THROWS(runtime_exception, v.section(5, 5, 3, 3));
    CHECK_THROWS(runtime_exception, flat.view_as(extent<2>(7, 7)));
}

// row: array_view.no_source, array_view.discard_data, array_view.source_accelerator_view, array_view.synchronize_to
static void test_without_source()
{
    array_view<float, 2> v(4, 4);
    parallel_for_each(v.extent, [=](index<2> i) restrict(amp) { v[i] = (float)(i[0] + i[1]); });
    CHECK(v(3, 3) == 6);
    v(0, 0) = 9;
    array_view<const float, 2> c = v;
    std::vector<float> sums(4);
    array_view<float> w(sums);
    w.discard_data();
    parallel_for_each(w.extent, [=](index<1> i) restrict(amp) {
        float sum = 0;
        for (int j = 0; j < c.extent[1]; j++)
            sum += c(i[0], j);
        w[i] = sum;
    });
    CHECK(w[0] == 9 + 1 + 2 + 3 && w(3) == 3 + 4 + 5 + 6);
    CHECK_THROWS(runtime_exception, v.get_source_accelerator_view());
    v.synchronize_to(accelerator(L"simd").default_view);
    w.synchronize_async().get();
}

int main()
{
    test_view();
    test_without_source();
    return result();
}

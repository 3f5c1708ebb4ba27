// The library's classes other than array_view, member by member, on the host and in kernels.
// RUN: %ampcc -O2 -std=c++17 -Wall -Wextra -Werror %s -o %t && %run %t | FileCheck %s
// CHECK: all right
#include "check.h"

#include <amp.h>
#include <list>
#include <numeric>
#include <string>
#include <vector>

using namespace concurrency;

/* ---- index and extent ---- */

// row: index.zero, index.components, index.array, index.equal, index.add, index.scalar, index.increment
static void test_index()
{
    int numbers[] = {1, 2, 3, 4};
    index<3> a(1, 2, 3), zero;
    index<4> b(numbers);
    CHECK(a[0] == 1 && a[1] == 2 && a[2] == 3 && zero == index<3>(0, 0, 0) && b[3] == 4 && index<4>::rank == 4);
    CHECK(a + a == index<3>(2, 4, 6) && a - a == zero && a != zero);
    CHECK(a + 1 == index<3>(2, 3, 4) && 7 - a == index<3>(6, 5, 4) && a * 2 == index<3>(2, 4, 6));
    CHECK(a / 2 == index<3>(0, 1, 1) && a % 2 == index<3>(1, 0, 1) && 6 / a == index<3>(6, 3, 2) &&
          7 % a == index<3>(0, 1, 1));
    index<3> c = a;
    CHECK(++c == a + 1 && c++ == a + 1 && c == a + 2 && --c == a + 1 && c-- == a + 1);
    c += a;
    c -= 1;
    c *= 3;
    c /= 2;
    c %= 100;
    CHECK(c == index<3>(1, 4, 7));
}

// row: extent.contains, extent.tile, extent.index, tiled_extent.pad, tiled_extent.truncate, tiled_extent.tile
static void test_extent()
{
    extent<2> e(4, 6);
    CHECK(e.size() == 24 && e.contains(index<2>(3, 5)) && !e.contains(index<2>(4, 0)) && !e.contains(index<2>(0, -1)));
    CHECK(e + index<2>(1, 2) == extent<2>(5, 8) && e - index<2>(1, 2) == extent<2>(3, 4) && e * 2 == extent<2>(8, 12));
    e += index<2>(1, 1);
    e -= extent<2>(1, 1);
    CHECK(e == extent<2>(4, 6));
    tiled_extent<3, 4> t = e.tile<3, 4>();
    CHECK(t.pad() == extent<2>(6, 8) && t.truncate() == extent<2>(3, 4) && t.get_tile_extent() == extent<2>(3, 4));
    int large = 0x7ffffffe; /* rounding up passes no larger number */
    CHECK(extent<1>(large).tile<0x7ffffffe>().pad()[0] == large && extent<1>(large - 1).tile<6>().pad()[0] == large);
    CHECK((t.tile_dim0 == 3 && tiled_extent<3, 4>::tile_dim1 == 4));
}

/* ---- accelerators ---- */

// row: accelerator.default, accelerator.path, accelerator.equal, accelerator.get_all, accelerator.auto_selection
// row: accelerator.default_view, accelerator.create_view, accelerator_view.copy, launch.view
static void test_accelerator()
{
    accelerator acc, host(accelerator::cpu_accelerator);
    CHECK(!acc.get_description().empty() && !acc.device_path.empty() && acc.default_view.accelerator == acc);
    CHECK(host.device_path == L"cpu" && host.is_emulated && host != accelerator(L"simd"));
    CHECK(accelerator::get_all().size() >= 2);
    accelerator_view view = acc.create_view(queuing_mode_immediate), copy = view;
    CHECK(view == copy && view != acc.get_default_view() && view.get_queuing_mode() == queuing_mode_immediate);
    view.flush();
    view.wait();
    completion_future marker = view.create_marker();
    marker.get();
    CHECK(marker.valid() && marker.wait_for(std::chrono::seconds(1)) == std::future_status::ready);
    CHECK(accelerator::get_auto_selection_view().is_auto_selection && !completion_future().valid());
    std::vector<int> data(8);
    array_view<int> v(8, data);
    parallel_for_each(view, v.extent, [=](index<1> i) restrict(amp) { v[i] = i[0]; });
    CHECK(v[7] == 7 && v.get_source_accelerator_view() == host.get_default_view());
    CHECK_THROWS(runtime_exception,
                 parallel_for_each(host.default_view, v.extent, [=](index<1> i) restrict(amp) { v[i] = i[0]; }));
}

/* ---- array ---- */

// row: array.from_data, array.from_view, array.copy, array.move, array.copy_to, array.element, array.project, array.section
// row: array.reinterpret_as, array.view_as, array.to_vector, array.staging, copy.containers, copy.range, copy.iterator
static void test_array()
{
    std::vector<int> data(12);
    std::iota(data.begin(), data.end(), 1);
    accelerator_view simd = accelerator(L"simd").default_view;
    array<int, 2> a(3, 4, data.begin(), data.end(), simd);
    const array<int, 2> &constant = a;
    array<int, 2> b(a), c(a.extent, simd);
    CHECK(a(2, 3) == 12 && constant[index<2>(0, 1)] == 2 && b[1][1] == 6 && constant[2](0) == 9);
    copy(a, c);
    a.copy_to(b);
    c = array_view<const int, 2>(a);
    array<int, 2> moved(std::move(b));
    CHECK(moved(2, 3) == 12);
    parallel_for_each(a.extent, [&a, &c](index<2> i) restrict(amp) {
        a[i] = c[i] + c(i) * 100 + c[i[0]][i[1]] * 10000 + (int)c.extent.size() * 1000000;
    });
    CHECK(a(1, 2) == 7 + 700 + 70000 + 12000000);
    parallel_for_each(c.extent, [&constant, &c](index<2> i) restrict(amp) { c[i] = constant(i[0], i[1]) - 1; });
    CHECK(c(0, 0) == 1 + 100 + 10000 + 12000000 - 1);
    data = c;
    CHECK(data[0] == c(0, 0) && data.size() == 12);
    /* Views of arrays. */
    array_view<int, 2> v(a);
    array_view<int, 2> part = a.section(index<2>(1, 1), extent<2>(2, 2));
    parallel_for_each(part.extent, [=](index<2> i) restrict(amp) { part[i] = 7; });
    CHECK(v(2, 2) == 7 && a(1, 1) == 7 && a.view_as(extent<1>(12))[5] == 7 && a.reinterpret_as<unsigned>()[5] == 7u);
    /* Iterators. */
    std::list<int> list(12, 3), out(12);
    copy(list.begin(), list.end(), a);
    copy(a, out.begin());
    CHECK(out == list && a.get_accelerator_view() == simd && a.get_cpu_access_type() != access_type_none);
    copy_async(data.begin(), v).get();
    CHECK(a(0, 0) == data[0]);
    CHECK_THROWS(runtime_exception, copy(list.begin(), std::prev(list.end()), a));
    CHECK_THROWS(runtime_exception, (array<int, 1>(0)));
    /* A staging array. */
    array<int> staging(4, accelerator(accelerator::cpu_accelerator).default_view, simd);
    staging[2] = 5;
    CHECK(staging[2] == 5 && staging.get_associated_accelerator_view() == simd);
}

/* ---- atomics ---- */

// row: atomic.exchange, atomic.compare_exchange, atomic.fetch, atomic.inc
/* Elements in memory are read and written there; of other types they are converted. */
static void test_pointers()
{
    int data[6] = {1, 2, 3, 4, 5, 6}, out[6] = {};
    const int *p = data;
    const short narrow[6] = {10, 20, 30, 40, 50, 60};
    array<int> a(6, data), b(6, p), c(6, narrow);
    bool flags[3] = {true, false, true}, back[3] = {};
    array<bool> f(3, flags);
    parallel_for_each(a.extent, [&](index<1> i) restrict(amp) { a[i] += b[i] + c[i]; });
    copy(a, out);
    copy(f, back);
    CHECK(out[0] == 12 && out[5] == 72 && back[0] && !back[1] && back[2]);
    copy(out, out + 6, b);
    copy(narrow, narrow + 6, a);
    array_view<int> v(b);
    copy(p, v);
    double wide[6];
    copy(a, wide);
    CHECK(v(5) == 6 && wide[5] == 60);
    CHECK_THROWS(runtime_exception, copy(p, p + 5, a));
}

static void test_atomics()
{
    std::vector<int> data(10);
    data[5] = -1;
    std::vector<unsigned> more(2);
    array_view<int> v(data);
    array_view<unsigned> w(more);
    parallel_for_each(extent<1>(1000), [=](index<1> i) restrict(amp) {
        atomic_fetch_add(&v[0], i[0]);
        atomic_fetch_sub(&v[1], 1);
        atomic_fetch_max(&v[2], i[0]);
        atomic_fetch_min(&v[3], -i[0]);
        atomic_fetch_or(&v[4], 1 << i[0] % 8);
        atomic_fetch_and(&v[5], ~(1 << i[0] % 4));
        atomic_fetch_inc(&v[6]);
        atomic_fetch_dec(&v[7]);
        atomic_fetch_xor(&w[0], 3u);
        int expected = 0;
        if (atomic_compare_exchange(&v[8], &expected, i[0] + 1))
            atomic_exchange(&v[9], 77);
    });
    CHECK(v[0] == 499500 && v[1] == -1000 && v[2] == 999 && v[3] == -999 && v[4] == 255 && v[5] == -16);
    CHECK(v[6] == 1000 && v[7] == -1000 && w[0] == 0 && v[8] != 0 && v[9] == 77);
}

int main()
{
    test_index();
    test_extent();
    test_accelerator();
    test_array();
    test_pointers();
    test_atomics();
    return result();
}

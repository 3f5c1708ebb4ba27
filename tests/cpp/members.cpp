// SPDX-License-Identifier: MIT
// Members of the library's classes that the other tests do not use, row by row of the model.
// RUN: %ampcc -O2 -std=c++14 -Wall -Wextra -Werror %s -o %t && %run-cpu %t | FileCheck %s
// CHECK: all right
#include "check.h"

#include <algorithm>
#include <amp.h>
#include <amp_math.h>
#include <cmath>
#include <future>
#include <iterator>
#include <list>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

using namespace concurrency;

/* ---- accelerators ---- */

// row: header.amp, queuing_mode, access_type, properties, accelerator.paths, accelerator.identity, accelerator.kind
// row: accelerator.supports, accelerator.memory, accelerator.set_default_cpu_access_type
// row: accelerator.default_cpu_access_type, accelerator.set_default
static void test_accelerator()
{
    CHECK(accelerator::set_default(accelerator().get_device_path()));
    CHECK(accelerator(L"simd").set_default_cpu_access_type(access_type_read_write));
    CHECK(accelerator(L"simd").get_default_cpu_access_type() == access_type_read_write);
    accelerator simd(L"simd");
    const std::wstring &path = accelerator::cpu_accelerator;
    CHECK(path == L"cpu" && std::wstring(accelerator::default_accelerator) == L"default");
    CHECK(simd.device_path == simd.get_device_path() && simd.description == simd.get_description());
    CHECK(simd.version == simd.get_version() && simd.has_display == simd.get_has_display());
    CHECK(simd.is_debug == simd.get_is_debug() && simd.is_emulated == simd.get_is_emulated());
    CHECK(simd.supports_double_precision && simd.get_supports_double_precision());
    CHECK(simd.supports_limited_double_precision && simd.get_supports_limited_double_precision());
    CHECK(simd.supports_cpu_shared_memory == simd.get_supports_cpu_shared_memory());
    CHECK(simd.dedicated_memory == simd.get_dedicated_memory() && simd.dedicated_memory > 1024);
    CHECK(simd.default_cpu_access_type == access_type_read_write);
    CHECK(access_type_read_write == (access_type_read | access_type_write) && access_type_none == 0);
    CHECK_THROWS(runtime_exception, accelerator(L"no such accelerator"));
    accelerator other(simd), assigned;
    assigned = other;
    CHECK(assigned == simd && !(assigned != simd));
    std::vector<accelerator> all = accelerator::get_all();
    CHECK(std::count(all.begin(), all.end(), simd) == 1);
    std::vector<int> data(4);
    array_view<int> v(4, data);
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) { v[i] = i[0]; });
    v.synchronize();
    CHECK(!accelerator::set_default(L"simd") || accelerator() == simd);
}

// row: accelerator_view.info, accelerator_view.flush, accelerator_view.wait, accelerator_view.marker
// row: accelerator_view.order, launch.synchronous, launch.target
static void test_accelerator_view()
{
    static_assert(!std::is_default_constructible<accelerator_view>::value, "it has no default constructor");
    static_assert(!std::is_default_constructible<tiled_index<4>>::value, "it has no default constructor");
    accelerator simd(L"simd");
    accelerator_view view = simd.create_view(), immediate = simd.create_view(queuing_mode_immediate);
    CHECK(view.queuing_mode == queuing_mode_automatic && immediate.get_queuing_mode() == queuing_mode_immediate);
    CHECK(view.accelerator == simd && view.get_accelerator() == simd && view.version == simd.get_version());
    CHECK(view.is_debug == simd.is_debug && view.get_version() == simd.version && !view.is_auto_selection);
    CHECK(view != immediate && !view.get_is_auto_selection() && view.get_is_debug() == simd.get_is_debug());
    std::vector<int> data(1000);
    array_view<int> v(1000, data);
    for (int round = 0; round < 20; round++)
        parallel_for_each(view, v.extent, [=](index<1> i) restrict(amp) { v[i] = 2 * v[i] + 1; });
    view.flush();
    completion_future marker = view.create_marker();
    marker.wait();
    view.wait();
    CHECK(v[999] == (1 << 20) - 1);
    parallel_for_each(accelerator::get_auto_selection_view(), v.extent,
                      [=](index<1> i) restrict(amp) { v[i] = -i[0]; });
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) { v[i] -= 1; });
    CHECK(v[10] == -11);
    array<int> a(10, simd.default_view);
    parallel_for_each(a.extent, [&a](index<1> i) restrict(amp) { a[i] = i[0]; }); /* where the array is */
    std::vector<int> copied = a;
    CHECK(copied[9] == 9);
}

// row: future.copy, future.valid, future.wait, future.get, future.wait_for, future.shared_future, future.then
static void test_future()
{
    std::vector<int> data(100, 3), out(100);
    array_view<int> v(100, data), w(100, out);
    completion_future none, f = copy_async(v, w);
    CHECK(!none.valid() && f.valid());
    completion_future g(f), moved(std::move(f));
    CHECK(!f.valid() && g.valid() && moved.valid());
    f = g;
    g.wait();
    g.get();
    CHECK(g.wait_for(std::chrono::seconds(10)) == std::future_status::ready);
    CHECK(g.wait_until(std::chrono::system_clock::now() + std::chrono::hours(1)) == std::future_status::ready);
    CHECK(w[99] == 3);
    int called = 0;
    std::promise<void> promise;
    f.then([&] {
        called++;
        promise.set_value();
    });
    promise.get_future().get();
    CHECK(called == 1);
    std::shared_future<void> shared = f;
    shared.get();
    shared.wait();
    CHECK(shared.valid());
    f = completion_future();
    CHECK(!f.valid());
    CHECK_THROWS(std::future_error, none.wait());
    CHECK_THROWS(std::future_error, none.get());
}

/* ---- indices ---- */

// row: index.copy, index.element, extent.size, tiled_extent.type
static void test_index()
{
    static_assert(std::is_same<index<2>::value_type, int>::value && extent<3>::rank == 3, "members of the class");
    index<2> a(3, 4), b(a), c;
    c = b;
    c[1] += 5;
    CHECK(c == index<2>(3, 9) && b[0] == 3 && std::min(index<2>::rank, 5) == 2);
    extent<1> large(1 << 30), empty;
    CHECK((large * 4).size() == 0 && empty.size() == 0 && extent<2>(65536, 65535).size() == 4294901760u);
    extent<3> e(1, 2, 3), f = e + index<3>(1, 1, 1);
    f -= index<3>(1, 1, 1);
    CHECK((e == f && !(e != f) && e.tile<1, 1, 3>().get_tile_extent()[2] == 3));
    tiled_extent<4> t, u(extent<1>(10)), w(u);
    t = w;
    CHECK(t == u && t[0] == 10 && t.pad().size() == 12 && t.truncate()[0] == 8 && t.tile_extent[0] == 4);
    CHECK((std::max(tiled_extent<4>::tile_dim0, 1) == 4 && tiled_extent<4, 5>::tile_dim1 == 5 &&
           tiled_extent<4, 5, 6>::tile_dim2 == 6));
}

static int origin_of(const tiled_index<2, 3> &t) restrict(amp)
{
    return t.tile_origin[0] * 100 + t.tile_origin[1];
}
static int first_of(const index<2> &i) restrict(amp)
{
    return i[0];
}

// row: launch.tiled, tiled_index.members, tiled_index.construct, tiled_index.to_index, tiled_index.tile_extent
// row: tile_barrier.copy, tile_barrier.wait, tile_barrier.wait_global, tile_barrier.wait_tile_static
// row: tile_barrier.fences
static void test_tiles()
{
    static_assert(!std::is_default_constructible<tile_barrier>::value, "only a tiled_index has one");
    static_assert(tiled_index<2, 3>::rank == 2 && tiled_index<2, 3>::tile_dim0 == 2, "members of the class");
    std::vector<int> data(4 * 6), sums(4 * 6);
    array_view<int, 2> v(4, 6, data), s(4, 6, sums);
    parallel_for_each(v.extent.tile<2, 3>(), [=](tiled_index<2, 3> t) restrict(amp) {
        tile_static int of_tile[2][3];
        tiled_index<2, 3> copied(t), made(t.global, t.local, t.tile, t.tile_origin, t.barrier);
        tile_barrier barrier(copied.barrier);
        of_tile[t.local[0]][t.local[1]] = made.local[0] * 3 + made.local[1];
        barrier.wait();
        int sum = 0;
        for (int i = 0; i < t.tile_extent[0]; i++)
            for (int j = 0; j < t.get_tile_extent()[1]; j++)
                sum += of_tile[i][j];
        t.barrier.wait_with_all_memory_fence();
        v[t] = sum * 100000 + origin_of(copied) * 10 + t.tile[1];
        t.barrier.wait_with_global_memory_fence();
        s[t.global] = v(t.tile_origin[0], t.tile_origin[1]) + first_of(t);
        t.barrier.wait_with_tile_static_memory_fence();
        all_memory_fence(t.barrier);
        global_memory_fence(t.barrier);
        tile_static_memory_fence(barrier);
    });
    CHECK(v(3, 5) == 15 * 100000 + 2030 + 1 && v(0, 0) == 1500000 && s(3, 5) == 15 * 100000 + 2030 + 1 + 3);
}

/* ---- array ---- */

// row: array.extent, array.on_view, array.queries, array.data, b1, b2
static void test_array()
{
    static_assert(!std::is_default_constructible<array<int>>::value, "an array has an extent");
    static_assert(std::is_same<array<float, 2>::value_type, float>::value && array<float, 2>::rank == 2, "members");
    accelerator_view simd = accelerator(L"simd").default_view;
    std::vector<int> data(24);
    std::iota(data.begin(), data.end(), 0);
    array<int> one(5), on(5, simd), with(extent<1>(5), simd, access_type_read_write);
    array<int, 2> two(2, 3), two_on(2, 3, simd, access_type_read_write);
    array<int, 3> three(2, 3, 4), three_on(2, 3, 4, simd), filled(2, 3, 4, data.begin());
    CHECK(one.extent[0] == 5 && two.get_extent() == extent<2>(2, 3) && three.extent.size() == 24);
    CHECK(on.accelerator_view == simd && with.get_cpu_access_type() == access_type_read_write);
    CHECK(on.get_accelerator_view() == simd && two_on.cpu_access_type == access_type_read_write);
    CHECK(filled(1, 2, 3) == 23 && filled[1][2][3] == 23 && filled(1)(2)(3) == 23 && *filled.data() == 0);
    const array<int, 3> &constant = filled;
    CHECK(constant.data()[23] == 23 && constant(0, 1, 2) == 6 && constant[index<3>(1, 0, 0)] == 12);
    array<int, 3> from_range(2, 3, 4, data.begin(), data.end(), simd), of_extent(three_on.extent, data.begin(), simd);
    CHECK(from_range(1, 1, 1) == 17 && of_extent(1, 1, 1) == 17);
    array_view<const int, 3> part = constant.section(1, 1, 1, 1, 2, 3);
    CHECK(part(0, 0, 0) == 17 && constant.section(index<3>(1, 1, 1)).extent == extent<3>(1, 2, 3));
    CHECK(filled.section(extent<3>(1, 1, 2)).extent.size() == 2 && constant.view_as(extent<2>(4, 6))(3, 5) == 23);
    CHECK(constant.reinterpret_as<unsigned>()[5] == 5u && filled.view_as(extent<2>(2, 2))(1, 1) == 3);
    array<int, 3> assigned(2, 3, 4);
    assigned = filled;
    filled(0, 0, 0) = 99;
    CHECK(assigned(0, 0, 0) == 0 && assigned(1, 2, 3) == 23);
    assigned = array<int, 3>(filled);
    CHECK(assigned(0, 0, 0) == 99);
    array<bool> flags(3);
    parallel_for_each(flags.extent, [&flags](index<1> i) restrict(amp) { flags[i] = i[0] == 1; });
    std::vector<bool> host = flags;
    CHECK(!host[0] && host[1] && !host[2]);
    CHECK_THROWS(runtime_exception, (array<int, 2>(3, -1)));
    CHECK_THROWS(runtime_exception, (array<int>(3, data.begin(), data.end())));
    CHECK_THROWS(runtime_exception, filled.view_as(extent<1>(25)));
    CHECK_THROWS(runtime_exception, (array<char>(3).reinterpret_as<int>()));
    CHECK_THROWS(runtime_exception, filled[2]);
    CHECK_THROWS(runtime_exception, filled[-1]);
    CHECK_THROWS(runtime_exception, two.copy_to(two_on.section(0, 0, 1, 1)));
}

// row: array.staging, b4
static void test_staging()
{
    accelerator_view simd = accelerator(L"simd").default_view, cpu = accelerator(L"cpu").default_view;
    std::vector<int> data(12);
    std::iota(data.begin(), data.end(), 0);
    array<int> a(12, data.begin(), cpu, simd), b(extent<1>(12), cpu, simd);
    array<int, 2> c(3, 4, data.begin(), cpu, simd), d(3, 4, data.begin(), data.end(), cpu, simd), e(3, 4, cpu, simd);
    array<int, 3> f(2, 2, 3, data.begin(), cpu, simd), g(2, 2, 3, cpu, simd);
    array<int, 2> h(array_view<const int, 2>(3, 4, data), cpu, simd);
    CHECK(a[11] == 11 && c(2, 3) == 11 && d(1, 1) == 5 && f(1, 1, 2) == 11 && h(2, 0) == 8);
    CHECK(h.associated_accelerator_view == simd && h.accelerator_view == cpu && g.get_extent().size() == 12);
    array<int> on_device(12, simd);
    copy(a, on_device);
    parallel_for_each(on_device.extent, [&](index<1> i) restrict(amp) { on_device[i] *= 2; });
    copy(on_device, b);
    CHECK(b[5] == 10 && b.data()[11] == 22);
    e = array_view<const int, 2>(c);
    CHECK(e(2, 2) == 10);
    CHECK_THROWS(runtime_exception,
                 parallel_for_each(cpu, extent<1>(12), [&b](index<1> i) restrict(amp) { b[i] = 0; }));
}

/* ---- array_view ---- */

struct point {
    float x, y;
};

// row: array_view.of_array, array_view.pointer, array_view.copy, array_view.extent, array_view.get_ref, array_view.data
// row: array_view.copy_to, array_view.destructor, b5, b6, b10, b11
static void test_view()
{
    static_assert(!std::is_default_constructible<array_view<int>>::value, "a view has an extent");
    static_assert(!std::is_constructible<array_view<int>, array_view<const int>>::value, "const stays const");
    static_assert(!std::is_constructible<array_view<int>, int, const int *>::value, "const stays const");
    static_assert(std::is_same<array_view<const int, 2>::value_type, const int>::value, "members of the class");
    int raw[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    array_view<int> all(raw), one(12, raw), of_extent(extent<1>(12), raw);
    array_view<int, 2> two(3, 4, raw), assigned(two);
    array_view<int, 3> three(2, 2, 3, raw);
    array_view<const int, 2> read(two), from_pointer(3, 4, (const int *)raw);
    CHECK(all.extent[0] == 12 && one[11] == 11 && of_extent(3) == 3 && three(1, 1, 2) == 11);
    CHECK(two.get_extent()[1] == 4);
    CHECK(read(2, 3) == 11 && from_pointer[index<2>(1, 0)] == 4 && read.get_ref(index<2>(0, 1)) == 1);
    assigned = array_view<int, 2>(2, 2, raw);
    CHECK(assigned.extent == extent<2>(2, 2));
    read = two;
    array_view<const int> row = read[1];
    CHECK(row[2] == 6 && read(2)[1] == 9 && row.data()[0] == 4);
    const array_view<int, 2> writable = two;
    writable(0, 0) = 50;
    CHECK(raw[0] == 50);
    parallel_for_each(two.extent, [=](index<2> i) restrict(amp) {
        two.get_ref(i) += 1;
        int *p = &two(0, 0);
        (void)p;
    });
    CHECK(two.section(index<2>(0, 0), extent<2>(1, 1))(0, 0) == 51 && *all.section(1, 3).data() != 0);
    two.synchronize();
    CHECK(raw[11] == 12);
    /* The last view over memory synchronises it, and an array outlives its object in views. */
    std::vector<point> points(10);
    {
        array_view<point> v(points);
        parallel_for_each(v.extent, [=](index<1> i) restrict(amp) {
            v[i].x = (float)i[0];
            v[i].y = 1;
        });
    }
    CHECK(points[9].x == 9 && points[9].y == 1);
    array_view<int> kept = [] {
        array<int> a(3);
        parallel_for_each(a.extent, [&a](index<1> i) restrict(amp) { a[i] = i[0] + 7; });
        return array_view<int>(a);
    }();
    CHECK(kept[2] == 9 && kept.get_source_accelerator_view() == accelerator().default_view);
    array<int> target(12);
    one.copy_to(target);
    target.copy_to(all);
    one.copy_to(all);
    array_view<const int>(target).copy_to(array_view<int>(12, raw));
    CHECK(target[3] == 4 && all[3] == 4);
    std::vector<float> floats(12, 1.0f);
    array_view<float> f(floats);
    CHECK(f.reinterpret_as<int>()[0] == 0x3f800000 && f.view_as(extent<3>(1, 3, 4)).extent == extent<3>(1, 3, 4));
    CHECK(array_view<const float>(f).view_as(extent<2>(3, 4))(2, 3) == 1);
    CHECK_THROWS(runtime_exception, two.section(0, 0, 4, 4));
    CHECK_THROWS(runtime_exception, two.section(index<2>(0, -1), extent<2>(1, 1)));
    CHECK_THROWS(runtime_exception, two.section(index<2>(1, 1), extent<2>(0, 1)));
    CHECK_THROWS(runtime_exception, (array_view<char>(3, (char *)raw).reinterpret_as<int>()));
}

// row: array_view.synchronize, array_view.synchronize_to, array_view.discard_data, b8, b9, b12, b14
static void test_coherence()
{
    accelerator_view simd = accelerator(L"simd").default_view;
    std::vector<int> data(100, 1);
    array_view<int> v(data);
    v.synchronize_to(simd);
    v.synchronize_to(simd, access_type_read_write);
    v.synchronize_to_async(simd).get();
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) { v[i] += i[0]; });
    v.synchronize_async(access_type_read).get();
    CHECK(data[99] == 100);
    v.synchronize(access_type_read_write);
    data[5] = 77;
    v.refresh();
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) { v[i] *= 2; });
    CHECK(v[5] == 154);
    v.discard_data();
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) { v[i] = 3; });
    CHECK(v[5] == 3);
    array_view<const int>(v).synchronize();
}

/* ---- copies ---- */

// row: copy.containers, copy.range, copy.iterator, copy.out, b19
static void test_copies()
{
    std::vector<int> data(12), out(12);
    std::iota(data.begin(), data.end(), 0);
    std::list<int> list(data.begin(), data.end()), empty;
    array<int, 2> a(3, 4), b(3, 4);
    array_view<int, 2> v(3, 4, out);
    array_view<const int, 2> c(3, 4, data);
    copy(c, a);
    copy(a, b);
    copy(b, v);
    CHECK(v(2, 3) == 11);
    copy(c, v);
    copy(v, a);
    copy(v.section(1, 1, 2, 2), v.section(0, 0, 2, 2)); /* overlapping, row by row */
    copy_async(c, a).get();
    copy_async(a, b).get();
    copy_async(b, v).get();
    copy_async(v, b).get();
    copy_async(c, v).get();
    copy(list.begin(), list.end(), b);
    copy(list.begin(), list.end(), v);
    copy(data.begin(), a);
    copy(data.begin(), v);
    copy_async(list.begin(), list.end(), b).get();
    copy_async(list.begin(), list.end(), v).get();
    copy_async(data.begin(), a).get();
    copy_async(data.begin(), v).wait();
    std::vector<int> from_array, from_view(12);
    copy(a, std::back_inserter(from_array));
    copy(v, from_view.begin());
    copy_async(c, from_view.begin()).get();
    copy_async(a, from_view.begin()).get();
    CHECK(from_array == data && from_view == data && out == data && b(2, 2) == 10);
    CHECK_THROWS(runtime_exception, copy(empty.begin(), empty.end(), a));
    CHECK_THROWS(runtime_exception, copy(data.end(), data.begin(), a));
    array<int, 2> other(4, 3);
    CHECK_THROWS(runtime_exception, copy(a, other));
    CHECK_THROWS(runtime_exception, copy_async(a, other).get());
}

/* ---- launches, exceptions ---- */

// row: launch.captures, launch.errors
static void test_launches()
{
    std::vector<int> data(8);
    array_view<int> v(data);
    array<int> a(8), other(8, accelerator(L"simd").create_view());
    int number = 5;
    point p = {1, 2};
    parallel_for_each(v.extent, [=, &a](index<1> i) restrict(amp) {
        a[i] = number + (int)p.y;
        v[i] = a[i] * 2;
    });
    CHECK(v[7] == 14);
    auto set = [=](index<1> i) restrict(amp) { v[i] = 1; };
    CHECK_THROWS(invalid_compute_domain, parallel_for_each(extent<1>(0), set));
    CHECK_THROWS(invalid_compute_domain, parallel_for_each(extent<1>(-5), set));
    CHECK_THROWS(invalid_compute_domain, parallel_for_each(extent<1>(6).tile<4>(), [=](tiled_index<4> t)
                                                                                       restrict(amp) { v[t] = 1; }));
    CHECK_THROWS(runtime_exception, parallel_for_each(v.extent, [&](index<1> i) restrict(amp) { a[i] = other[i]; }));
    CHECK_THROWS(runtime_exception,
                 parallel_for_each(accelerator(L"cpu").default_view, v.extent, [&](index<1> i)
                                                                                   restrict(amp) { a[i] = 1; }));
}

// row: error.runtime_exception, error.out_of_memory, error.invalid_compute_domain, error.unsupported_feature
// row: error.accelerator_view_removed, error.uninitialized_object
static void test_exceptions()
{
    runtime_exception plain("text", 7), coded(9), copied(plain);
    coded = plain;
    CHECK(plain.get_error_code() == 7 && coded.what() == std::string("text") && copied.get_error_code() == 7);
    CHECK(out_of_memory("a").what() == std::string("a") && out_of_memory().get_error_code() != 0);
    CHECK(invalid_compute_domain("b").what() == std::string("b") && invalid_compute_domain().get_error_code() != 0);
    CHECK(unsupported_feature("c").what() == std::string("c") && unsupported_feature().get_error_code() != 0);
    CHECK(uninitialized_object("d").what() == std::string("d") && uninitialized_object().get_error_code() != 0);
    accelerator_view_removed removed("e", 5), reason(6);
    CHECK(removed.get_view_removed_reason() == 5 && reason.get_view_removed_reason() == 6);
    const runtime_exception &base = removed;
    const std::exception &root = base;
    CHECK(root.what() == std::string("e") && base.get_error_code() == removed.get_error_code());
    try {
        array<double, 3> large(2000000000, 2000000000, 2000000000);
        CHECK(!"made");
    } catch (const runtime_exception &e) {
        CHECK(e.get_error_code() != 0 && *e.what());
    }
    CHECK_THROWS(runtime_exception, (array<double, 2>(1 << 30, 1 << 14)[0][0] = 1));
}

/* ---- mathematics ---- */

static float on_both(float x) restrict(cpu, amp)
{
    using namespace fast_math;
    return sin(x) + fabs(-x) * sqrtf(x);
}

// row: math.host, math.direct3d
static void test_math()
{
    std::vector<float> data(4);
    std::vector<int> numbers(20);
    array_view<float> v(data);
    array_view<int> n(numbers);
    parallel_for_each(extent<1>(1), [=](index<1>) restrict(amp) {
        using namespace direct3d;
        v[0] = on_both(2.0f);
        v[1] = clamp(3.5f, 0.0f, 2.0f) + saturate(-1.0f) + rcp(4.0f) + mad(2.0f, 3.0f, 1.0f);
        v[2] = radians(180.0f);
        v[3] = step(1.0f, 2.0f) + smoothstep(0.0f, 2.0f, 1.0f) + (float)mad(1.5, 2.0, 1.0);
        n[0] = direct3d::abs(-4);
        n[1] = clamp(7, 1, 5);
        n[2] = (int)countbits(0xf0u);
        n[3] = firstbithigh(0x50);
        n[4] = firstbitlow(0x50);
        n[5] = imax(-1, 2) * 10 + imin(-1, 2);
        n[6] = (int)(umax(1u, 2u) * 10 + umin(1u, 2u));
        n[7] = mad(2, 3, 4) * 100 + (int)mad(2u, 3u, 5u);
        n[8] = (int)reversebits(0x80000001u) + (int)reversebits(2u);
        n[9] = sign(-9) * 10 + sign(0) + sign(5);
        n[10] = firstbithigh(0) + firstbitlow(0);
    });
    CHECK(std::fabs(v[0] - on_both(2.0f)) < 1e-5f && v[1] == 9.25f && std::fabs(v[2] - 3.14159265f) < 1e-6f);
    CHECK(v[3] == 5.5f && n[0] == 4 && n[1] == 5 && n[2] == 4 && n[3] == 6 && n[4] == 4 && n[5] == 19 && n[6] == 21);
    CHECK(n[7] == 1011 && n[8] == (int)(0x80000001u + 0x40000000u) && n[9] == -9 && n[10] == -2);
    CHECK(precise_math::fma(2.0, 3.0, 1.0) == 7 && fast_math::powf(2.0f, 3.0f) == 8 && precise_math::ilogb(8.0f) == 3);
}

int main()
{
    test_accelerator();
    test_accelerator_view();
    test_future();
    test_index();
    test_tiles();
    test_array();
    test_staging();
    test_view();
    test_coherence();
    test_copies();
    test_launches();
    test_exceptions();
    test_math();
    return result();
}

// SPDX-License-Identifier: MIT
// The accelerator L"cpu" of the model stores and runs no kernels; it may be the default. An array that the host does
// not access.
// RUN: %ampcc -O2 -std=c++17 -Wall -Wextra -Werror %s -o %t && %run-cpu %t | FileCheck %s
// RUN: %run-cpu %t default | FileCheck --check-prefix=DEFAULT %s
// CHECK: error: {{.*}} concurrency::parallel_for_each is not supported on the selected accelerator "CPU accelerator".
// CHECK: all right
// DEFAULT: all right
#include "check.h"

#include <amp.h>

using namespace concurrency;

static void test_arrays(const accelerator_view &host)
{
    int numbers[4] = {1, 2, 3, 4};
    array<int> a(4, numbers, numbers + 4, host), copied(a), staging(4, host, accelerator(L"simd").default_view);
    array<int> same(4, host, host), copied_staging(staging);
    accelerator_view simd = accelerator(L"simd").default_view;
    CHECK(a.get_associated_accelerator_view() == host && same.get_associated_accelerator_view() == host);
    CHECK(copied.get_associated_accelerator_view() == host && copied_staging.accelerator_view == host);
    CHECK(staging.get_associated_accelerator_view() == simd);
    CHECK(copied_staging.get_associated_accelerator_view() == simd);
    copy(a, staging);
    CHECK(copied[3] == 4 && copied.accelerator_view == host && staging[3] == 4);
    try {
        parallel_for_each(extent<1>(4), [&](index<1> i) restrict(amp) { a[i]++; });
        CHECK(false);
    } catch (const runtime_exception &e) {
        std::printf("error: %s\n", e.what());
    }
    CHECK_THROWS(runtime_exception, parallel_for_each(extent<1>(4), [&](index<1> i) restrict(amp) { copied[i]++; }));
    CHECK_THROWS(runtime_exception, parallel_for_each(extent<1>(4), [&](index<1> i) restrict(amp) { staging[i]++; }));
    CHECK_THROWS(runtime_exception,
                 parallel_for_each(host, extent<1>(4), [&](index<1> i) restrict(amp) { staging[i]++; }));
    array_view<int> v(a);
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) { v[i] += 10; });
    CHECK(a[0] == 11 && v[3] == 14);
    array<int> moved(4, accelerator(L"simd").default_view);
    moved = array<int>(4, numbers, numbers + 4, accelerator(L"simd").default_view);
    parallel_for_each(moved.extent, [&](index<1> i) restrict(amp) { moved[i]++; });
    CHECK(moved[3] == 5);
}

static void test_data()
{
    accelerator_view simd = accelerator(L"simd").default_view;
    array<int> none(4, simd, access_type_none), both(4, simd, access_type_read_write);
    const array<int> &constant = none;
    CHECK(!none.data() && !constant.data() && both.data());
    parallel_for_each(none.extent, [&](index<1> i) restrict(amp) { none.data()[i[0]] = i[0]; });
    copy(none, both);
    CHECK(both.data()[3] == 3);
    CHECK_THROWS(runtime_exception, none[2] = 1);
    CHECK_THROWS(unsupported_feature, constant[index<1>(2)]);
    CHECK(array_view<int>(none)[2] == 2);
    CHECK_THROWS(runtime_exception, none[2]++); // although the host has the elements now

    array<int> stored(4, accelerator(accelerator::cpu_accelerator).default_view, access_type_none);
    stored[2] = 5; // what L"cpu" stores is always the host's
    CHECK(stored[2] == 5);
}

static void test_default()
{
    CHECK(accelerator::set_default(accelerator::cpu_accelerator));
    CHECK(accelerator() == accelerator(accelerator::cpu_accelerator) && !accelerator::set_default(L"simd"));
    accelerator_view view = accelerator().default_view;
    CHECK(accelerator().description == L"CPU accelerator" && array<int>(4).accelerator_view == view);
    CHECK_THROWS(runtime_exception, parallel_for_each(extent<1>(4), [=](index<1>) restrict(amp) {}));
}

int main(int argc, char **)
{
    if (argc > 1) {
        test_default();
    } else {
        test_arrays(accelerator(accelerator::cpu_accelerator).default_view);
        test_data();
    }
    return result();
}

// SPDX-License-Identifier: MIT
// The exceptions' texts speak C++: they name classes and members, captured variables, and the accelerators of C++.
// row: accelerator.choice, launch.errors
// RUN: %ampcc %s -o %t && env AMP_DEFAULT_ACCELERATOR=cpu %t | FileCheck --implicit-check-not=amp_ %s
// RUN: env AMP_DEFAULT_ACCELERATOR=simd %t default | FileCheck --check-prefix=SIMD %s
// RUN: env AMP_DEFAULT_ACCELERATOR=nothing %t default | FileCheck --check-prefix=NOTHING %s
// SIMD: runs on simd
// NOTHING: AMP_DEFAULT_ACCELERATOR: there is no accelerator "nothing"; there are: simd, cpu,
#include <amp.h>
#include <iostream>
#include <vector>
using namespace Concurrency;

template <typename F> static void say(const F &f)
{
    try {
        f();
        std::cout << "runs" << std::endl;
    } catch (const std::exception &e) {
        std::cout << e.what() << std::endl;
    }
}

int main(int argc, char **)
{
    std::vector<int> w(100);
    array_view<int> d(100, w), e(50, w);
    if (argc > 1) {
        say([&] {
            parallel_for_each(extent<1>(4), [=](index<1> i) restrict(amp) { d[i] = 1; });
            std::wcout << L"runs on " << accelerator().device_path << std::endl;
        });
        return 0;
    }
    // CHECK: {{^}}array_view::section: in dimension 0 the section has 20 elements from 90 on
    say([&] { d.section(90, 20); });
    // CHECK-NEXT: {{^}}array_view::view_as: the extent 20x20
    say([&] { d.view_as(extent<2>(20, 20)); });
    // CHECK-NEXT: {{^}}array_view: the extent is -1
    say([&] { array_view<int>(-1, w.data()); });
    // CHECK-NEXT: {{^}}array: the extent is -1
    say([&] { array<int>(-1); });
    // CHECK-NEXT: {{^}}array_view::operator[]: the index is 12
    say([&] { (array_view<int, 2>(10, 10, w)[12]); });
    // CHECK-NEXT: {{^}}copy: the source is 50
    say([&] { e.copy_to(d); });
    // CHECK-NEXT: {{^}}there is no accelerator "nothing"; there are: simd, cpu,
    say([&] { accelerator(L"nothing"); });
    // CHECK-NEXT: messages.cpp:[[#@LINE+1]]: the extent 50 is not a multiple of the tile 16; pad() makes it 64
    say([&] { parallel_for_each(extent<1>(50).tile<16>(), [=](tiled_index<16> t) restrict(amp) { d[t] = 7; }); });
    // CHECK-NEXT: {{^}}lambda at {{.*}}messages.cpp:[[#@LINE+4]]: the array for b lives on another accelerator_view of simd, but that for a on simd; capture an array_view of it, which
    say([&] {
        array<int> a(10, accelerator().create_view()), b(10);
        parallel_for_each(
            extent<1>(10), [&a, &b](index<1> i) restrict(amp) { a[i] = b[i]; });
    });
    // CHECK-NEXT: messages.cpp:[[#@LINE+1]]: d and e are separate views of the same memory
    say([&] { parallel_for_each(extent<1>(10), [=](index<1> i) restrict(amp) { d[i] = e[i]; }); });
    // CHECK-NEXT: messages.cpp:[[#@LINE+3]]: it has no code with checks; compile it with ampcc --amp-check
    say([&] {
        accelerator_view checked = accelerator(L"checked").default_view;
        parallel_for_each(checked, extent<1>(10), [=](index<1> i) restrict(amp) { d[i] = 1; });
    });

    // CHECK-NEXT: {{^}}differ
    accelerator none(accelerator::direct3d_ref), warp(accelerator::direct3d_warp);
    bool same = accelerator() == none || none == warp || none != accelerator(accelerator::direct3d_ref);
    std::wcout << (same ? L"same" : L"differ") << std::endl;
    // CHECK-NEXT: {{^}}direct3d\ref
    std::wcout << none.device_path << std::endl;
    // CHECK-NEXT: {{^}}there is no accelerator "direct3d\ref"; Direct3D exists on Windows alone
    say([&] { none.default_view; });
    // CHECK-NEXT: {{^}}refused
    std::cout << (accelerator::set_default(accelerator::direct3d_warp) ? "accepted" : "refused") << std::endl;

    // CHECK-NEXT: {{^}}bad 2
    // CHECK-NEXT: messages.cpp:[[#@LINE+3]]: bad 2{{$}}
    say([&] {
        parallel_for_each(
            extent<1>(4), [=](index<1> i) restrict(amp) {
                if (i[0] == 2)
                    Concurrency::direct3d_errorf("bad %d\n", i[0]);
            });
    });
    // CHECK: messages.cpp:[[#@LINE+1]]: direct3d_abort
    say([&] { parallel_for_each(extent<1>(4), [=](index<1>) restrict(amp) { direct3d::direct3d_abort(); }); });
}

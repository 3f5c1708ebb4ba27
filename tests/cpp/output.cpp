// Output and errors from kernels.
// row: error.printf
// RUN: %ampcc -O2 %s -o %t && %run-alone %t | FileCheck %s
#include <amp.h>
#include <iostream>
#include <vector>

using namespace concurrency;
using namespace concurrency::direct3d;

int main()
{
    std::vector<int> data(4);
    array_view<int> v(4, data);
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) {
        v[i] = i[0];
        if (i[0] == 2)
            direct3d_printf("thread %d of %s, %g\n", i[0], "four", 0.5);
    });
    std::cout << v[3] << std::endl;
    try {
        parallel_for_each(v.extent, [=](index<1> i) restrict(amp) {
            if (v[i] == 3)
                direct3d_abort();
        });
        accelerator().default_view.wait();
    } catch (const runtime_exception &e) {
        std::cout << e.what() << std::endl;
    }
}
// CHECK: thread 2 of four, 0.5
// CHECK: 3
// CHECK: lambda at {{.*}}output.cpp:{{.*}}direct3d_abort

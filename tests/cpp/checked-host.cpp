// SPDX-License-Identifier: MIT
// With --amp-check, what the code of the host does is checked in C files alone, also if a kernel of C++ AMP wrote the
// array. What C++ changes without refresh() is found by comparing the copies. C++ that isn't AMP compiles and links.
// RUN: rm -rf %t && mkdir %t && cd %t && cp %s a.cpp
// RUN: echo 'int read_plain(const int *p) { return *p; }' > plain.cpp
// RUN: echo 'int read_in_c(const int *p) { return *p; }' > c.c
// RUN: %ampcc --amp-check --amp-gpu=none a.cpp plain.cpp c.c -o prog
// RUN: env AMP_DEFAULT_ACCELERATOR=checked ./prog | FileCheck a.cpp
// RUN: %ampcc --amp-check -c plain.cpp && echo 'int main() { return 0; }' > m.cpp && %ampcc --amp-check m.cpp plain.o -o m && ./m
#include <amp.h>
#include <iostream>
#include <vector>

using namespace concurrency;

int read_plain(const int *p);
extern "C" int read_in_c(const int *p);

int main()
{
    std::vector<int> data(8, 1), copied(8);
    array_view<int> view(8, data), to(8, copied);
    parallel_for_each(view.extent, [=](index<1> i) restrict(amp) { view[i] *= 10; });
    std::cout << data[5] << read_plain(&data[5]) << amp_error_text() << std::endl;
    // CHECK: 11{{$}}
    read_in_c(&data[5]);
    std::cout << amp_error_text() << std::endl;
    // CHECK: c.c:1:{{.*}}read_in_c reads view[5], which the launch writes on checked; call amp_synchronize first
    amp_error_clear();
    view.synchronize();
    array_view<const int> from(8, data);
    parallel_for_each(view.extent, [=](index<1> i) restrict(amp) { to[i] = from[i]; });
    data[5] = 7;
    try {
        parallel_for_each(view.extent, [=](index<1> i) restrict(amp) { to[i] = from[i]; });
    } catch (const runtime_exception &e) {
        std::cout << e.what() << std::endl;
        // CHECK: before this launch the host has changed from[5], of which checked has a copy;
    }
}

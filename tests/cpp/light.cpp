// SPDX-License-Identifier: MIT
// What <amp.h> leaves out at first is there for programs that use it: std::vector without its header, and the
// arithmetic of C's indices. `made` chooses by what exists, which must not depend on that.
// RUN: %ampcc -O1 %s -o %t && %run %t | FileCheck %s
// RUN: %ampcc -O1 -DOF_C %s -o %t.c && %run %t.c | FileCheck %s
// RUN: %ampcc -O1 -D_GLIBCXX_DEBUG %s -o %t.d && %run %t.d | FileCheck %s
// RUN: %ampcc -O1 -DLATE %s -o %t.l && %run %t.l | FileCheck %s
// RUN: %ampcc -DLATE -Wall -Wextra -Werror -c %s -o %t.o
// RUN: %ampcc -DTOLD -c %s -o %t.o 2>&1 | FileCheck --check-prefix=TOLD %s
// CHECK: all right
// TOLD: told once [-W#warnings]
// TOLD-NOT: [-W#warnings]
#include <amp.h>
#ifdef TOLD
#warning told once
#endif
#ifdef LATE
#include <vector>
#endif
#include "check.h"

using namespace concurrency;

#ifdef OF_C
static int test()
{
    amp_extent e = amp_extent_add(amp_extent2(3, 4), amp_extent2(1, 2));
    return (int)amp_extent_size(e) - 24;
}
#else
template <typename T> auto made(int n) -> decltype(T(n).size(), 0)
{
    return (int)T(n).size();
}
template <typename> int made(...)
{
    return -1;
}
static int test()
{
    std::vector<int> data(4, 1);
    array<int> a(4, data.begin());
    std::vector<int> copied = a;
    std::vector<accelerator> all = accelerator::get_all();
    CHECK(all.size() >= 2 && all.back().device_path == accelerator::cpu_accelerator);
    return made<std::vector<float>>(5) + copied[3] - 6;
}
#endif

int main()
{
    int data[] = {1, 2, 3};
    array_view<int> v(3, data);
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) { v[i] *= 2; });
    CHECK(v[2] == 6);
    CHECK(test() == 0);
    return result();
}

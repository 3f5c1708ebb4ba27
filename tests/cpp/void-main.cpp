// SPDX-License-Identifier: MIT
// main may be void, as in Microsoft's compiler; it then ends with status 0, also by `return;`, which lambdas and local
// classes have for themselves.
// RUN: %ampcc -O2 -Wall -Wextra -Werror %s -o %t && %t | FileCheck %s && %t 1 | FileCheck --check-prefix=ONE %s
// RUN: %t 1 2 | count 0
#include <amp.h>
#include <cstdio>

using namespace concurrency;

void main(int argc, char **)
{
    int data[] = {0, 1, 2, 3}, seen = 0;
    struct local {
        int n;
        void set(int x)
        {
            if (x < 0)
                return;
            n = x;
        }
    } l = {5};
    l.set(-1);
    if (argc > 2) {
        for (;;)
            return;
    }
    array_view<int> v(4, data);
    parallel_for_each(v.extent, [=](index<1> i) restrict(amp) {
        if (i[0] == 2)
            return;
        v[i] = 10;
    });
    auto note = [&] {
        if (seen++)
            return;
        std::printf("%d %d %d\n", v[1], v[2], l.n); // CHECK: {{^}}10 2 5
    };
    note();
    try {
        note();
        if (argc > 1)
            return;
    } catch (...) {
        return;
    }
    std::puts("end"); // CHECK: {{^}}end
    // ONE-NOT: end
}

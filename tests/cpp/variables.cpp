// SPDX-License-Identifier: MIT
// At -O0 -g, gdb shows the variables of a lambda, what it captures, and the variables of the functions that it calls.
// RUN: sh -c 'echo "break variables.cpp:"$(grep -n "stop her[e]" %s | cut -d: -f1)" if i == 3"' > %t.gdb
// RUN: sh -c 'echo "run && info args && info locals && print idx.at_[0] && print factor && step && next && info locals"' \
// RUN:   | sed "s/ && /\n/g" >> %t.gdb
// RUN: %ampcc -O0 -g --amp-gpu=none %s -o %t && env AMP_NUM_THREADS=1 gdb -batch -nx -x %t.gdb %t | FileCheck %s
//
// CHECK: Breakpoint 1{{.*}}operator(){{.*}}variables.cpp
// CHECK: idx = {{.*}}at_ = {3}
// CHECK: i = 3
// CHECK-NEXT: y = 9
// CHECK-NEXT: $1 = 3
// CHECK-NEXT: $2 = 3
// CHECK-NEXT: twice (a=9) at {{.*}}variables.cpp
// CHECK: r = 18
#include <amp.h>
#include <vector>

using namespace concurrency;

static float twice(float a) restrict(amp)
{
    float r = a * 2;
    return r;
}

int main()
{
    std::vector<float> data(8);
    for (int i = 0; i < 8; i++)
        data[i] = float(i);
    array_view<float, 1> v(8, data);
    float factor = 3;
    parallel_for_each(v.extent, [=](index<1> idx) restrict(amp) {
        int i = idx[0];
        float y = v[idx] * factor;
        v[idx] = twice(y); // stop here
    });
    v.synchronize();
    return data[3] != 18;
}

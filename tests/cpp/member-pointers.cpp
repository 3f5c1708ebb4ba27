// SPDX-License-Identifier: MIT
// Kernels call members through constant pointers to members, and not through others.
// RUN: %ampcc -O2 %s -o %t && %run %t | FileCheck %s
// RUN: %ampcc --amp-check %s -o %t && env AMP_DEFAULT_ACCELERATOR=checked %t | FileCheck %s
// RUN: not %ampcc -c -DVIRTUAL %s -o %t.o 2>&1 | FileCheck --check-prefix=VIRTUAL %s
// RUN: not %ampcc -c -DCHOSEN %s -o %t.o 2>&1 | FileCheck --check-prefix=CHOSEN %s
// RUN: not %ampcc -c -DHOST %s -o %t.o 2>&1 | FileCheck --check-prefix=HOST %s
// CHECK: all right
#include "check.h"

#include <amp.h>

using namespace concurrency;

struct other {
    int m;
    int sum(int i) const restrict(cpu, amp)
    {
        return i + m;
    }
};
struct numbers {
    int n;
    int plus(int i) const restrict(cpu, amp)
    {
        return i + n;
    }
    int times(int i) const restrict(cpu, amp)
    {
        return i * n;
    }
    void add(int i) restrict(cpu, amp)
    {
        n += i;
    }
    int on_host(int i) const
    {
        return i;
    }
};
struct joined : numbers, other {
};
struct base {
    virtual int get(int i) const restrict(cpu, amp)
    {
        return i;
    }
};

template <typename T, int (T::*M)(int) const> int call(const T &object, int i) restrict(cpu, amp)
{
    return (object.*M)(i); // VIRTUAL: member-pointers.cpp:[[@LINE]]:12: error: {{.*}}[call through a pointer]
    // HOST: error: 'on_host' is called in code for accelerators{{.*}}[host call]
}

int main()
{
    int data[100], n_wrong = 0;
    array_view<int> view(100, data);
    parallel_for_each(view.extent, [=](index<1> i) restrict(amp) {
        joined object;
        object.n = 3;
        object.m = 1000;
        numbers *pointer = &object;
        constexpr auto times = &numbers::times;
        constexpr auto add = &numbers::add;
        if (i[0] % 3 == 0)
            (pointer->*add)(i[0]);
        view[i] = call<numbers, &numbers::plus>(object, i[0]) + (pointer->*times)(2) +
                  call<joined, static_cast<int (joined::*)(int) const>(&other::sum)>(object, 7);
#ifdef VIRTUAL
        view[i] += call<base, &base::get>(base(), 3);
#elif defined CHOSEN
        auto chosen = i[0] % 2 ? &numbers::plus : &numbers::times;
        view[i] += (object.*chosen)(3); // CHOSEN: member-pointers.cpp:[[@LINE]]:{{.*}}[call through a pointer]
#elif defined HOST
        view[i] += call<numbers, &numbers::on_host>(object, 3);
#endif
    });
    for (int i = 0; i < 100; i++) {
        int sum = 3 + (i % 3 ? 0 : i);
        n_wrong += view[i] != i + sum + sum * 2 + 1007;
    }
    CHECK(n_wrong == 0);
    return result();
}

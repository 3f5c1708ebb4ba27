// SPDX-License-Identifier: MIT
// What stands in a source may not change what is written behind it: macros with its names, open pragmas, odd names.
// RUN: %ampcc -O1 -w %s -o %t && %t | FileCheck %s
// RUN: %ampcc -E %s -o %t.i && %ampcc -O1 -w %t.i -o %t.from-i && %t.from-i | FileCheck %s
// CHECK: k 3, amp 1, p 2, x 5: no error
#include <amp.h>
#include <stdio.h>
#pragma GCC visibility push(hidden)

void k(amp_index1 i, int N, float x[N], int add) restrict(amp)
{
    x[i[0]] += (float)add;
}

static void amp(amp_index1 p, int N, float x[N]) restrict(amp)
{
    x[p[0]] += 1;
}

void p(amp_index1 amp__args, int a0, float params[a0], float rank) restrict(amp)
{
    params[amp__args[0]] += rank;
}

struct été {
    float value;
};

void größe$x(amp_index1 i, int N, float x[N], struct été add) restrict(amp)
{
    x[i[0]] += add.value;
}

static float run(amp_array_view *view, float *data, amp_status status)
{
    amp_synchronize(view);
    float result = data[3];
    data[3] = 0;
    amp_refresh(view);
    return status == AMP_OK ? result : -1;
}

int main(void)
{
    float data[4] = {0};
    amp_array_view *view = amp_array_view1(4, data);
    float of_k = run(view, data, amp_parallel_for_each(amp_extent1(4), k, view, 3));
    float of_amp = run(view, data, amp_parallel_for_each(amp_extent1(4), amp, view));
    float of_p = run(view, data, amp_parallel_for_each(amp_extent1(4), p, view, 2.0f));
    float of_x = run(view, data, amp_parallel_for_each(amp_extent1(4), größe$x, view, ((struct été){5})));
    printf("k %g, amp %g, p %g, x %g: %s\n", (double)of_k, (double)of_amp, (double)of_p, (double)of_x,
           amp_error_status() ? amp_error_text() : "no error");
    amp_array_view_release(view);
    return 0;
}

#define größe$x 3
#define été )
#define rank    3
#define name    "x"
#define next    prev
#define address 1
#define int long
#define const volatile
#define params (
#define __attribute__(x) nonsense
#define amp__kernels }
#define dims ]
#define constructor destructor
#define visibility  3
#define sizeof 3
#define k      4
#define a0     a1
#define hidden 3
#define void
#define float double
#pragma pack(1)
#pragma GCC visibility push(hidden)

// SPDX-License-Identifier: MIT
// Aliases of functions and data belong to the host; an alias of a kernel launches the kernel.
// RUN: %ampcc -O0 %s -o %t && %run %t | FileCheck %s
// RUN: %ampcc -O2 %s -o %t && %run-alone %t | FileCheck %s
// RUN: %ampcc -O2 -fvisibility=hidden --amp-cpu=baseline,native %s -o %t && %t | FileCheck %s
// CHECK: host: 3 3 3 5 5 9 2
// CHECK-NEXT: kernels: 1 2 13: no error
#include <amp.h>
#include <stdio.h>

static int three_times;
int three(void);
int three(void)
{
    return three_times + 3;
}
int weak_three(void) __attribute__((weak, alias("three")));
int again_three(void) __attribute__((alias("weak_three")));

int five = 5;
extern int weak_five __attribute__((weak, alias("five")));
extern int hidden_five __attribute__((visibility("hidden"), alias("five")));

static int nine(void)
{
    return 9;
}
static int (*choose(void))(void)
{
    return nine;
}
int chosen(void) __attribute__((ifunc("choose")));
int unused(void) __attribute__((ifunc("choose")));

float twice(float a) restrict(cpu, amp);
float twice(float a) restrict(cpu, amp)
{
    return 2 * a;
}
float other_twice(float a) __attribute__((alias("twice")));

void add(amp_index1 i, int N, float x[N]) restrict(amp);
void add(amp_index1 i, int N, float x[N]) restrict(amp)
{
    x[i[0]] += 1;
}
void other_add(amp_index1 i, int N, float x[N]) restrict(amp) __attribute__((alias("add")));

static void scale(amp_index1 i, int N, float x[N]) restrict(amp)
{
    x[i[0]] = twice(x[i[0]]) + 9;
}

int main(void)
{
    float data[4] = {0};
    amp_array_view *view = amp_array_view1(4, data);
    printf("host: %d %d %d %d %d %d %g\n", three(), weak_three(), again_three(), weak_five, hidden_five, chosen(),
           (double)other_twice(1));
    amp_parallel_for_each(amp_extent1(4), add, view);
    amp_synchronize(view);
    printf("kernels: %g", (double)data[3]);
    amp_parallel_for_each(amp_extent1(4), other_add, view);
    amp_synchronize(view);
    printf(" %g", (double)data[3]);
    amp_parallel_for_each(amp_extent1(4), scale, view);
    amp_synchronize(view);
    printf(" %g: %s\n", (double)data[3], amp_error_status() ? amp_error_text() : "no error");
    amp_array_view_release(view);
    return 0;
}

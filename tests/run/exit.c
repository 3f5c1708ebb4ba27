// SPDX-License-Identifier: MIT
// A program ends with work on its queues: all work is done, and callbacks can launch although main has returned.
// RUN: %ampcc -O2 %s -o %t && %run-alone %t | FileCheck %s
#include <amp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void increment(amp_index1 idx, int N, int x[N]) restrict(amp)
{
    x[idx[0]]++;
}

static int data[3];

static void launch_again(amp_status status, void *view)
{
    amp_array_view *x = view;
    usleep(50000); // until the program is on its way out
    if (status == AMP_OK)
        status = amp_parallel_for_each(amp_extent1(3), increment, x);
    if (status == AMP_OK)
        status = amp_synchronize(x);
    printf("in the callback: %d %s\n", data[2], status == AMP_OK ? "" : amp_error_text());
    amp_array_view_release(x);
}

static void submit(void)
{
    amp_array_view *x = amp_array_view1(3, data);
    amp_future *future = amp_parallel_for_each_async(amp_extent1(3), increment, x);
    amp_future_then(future, launch_again, x);
    amp_future_release(future);
}

// CHECK: in the callback: 2
// CHECK-NEXT: in the callback: 4
int main(void)
{
    atexit(submit); // runs after libamp's own function, which is registered later
    submit();
    return 0;
}

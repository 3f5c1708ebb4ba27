// SPDX-License-Identifier: MIT
// Asynchronous launches from a real program: the host goes on meanwhile, two queues work at the same time, and the
// order over the views gives the same results as waiting each time.
// row: launch.synchronous
// RUN: %ampcc -O2 %s -o %t && %run %t | FileCheck %s
#include <amp.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static void fill(amp_index1 idx, int N, float value, float x[N]) restrict(amp)
{
    x[idx[0]] = value + (float)(idx[0] % 7);
}

static void add(amp_index1 idx, int N, const float a[N], float b[N]) restrict(amp)
{
    b[idx[0]] += a[idx[0]];
}

// Long enough that the host gets ahead of it.
static void smooth(amp_index1 idx, int N, int rounds, float x[N]) restrict(amp)
{
    float v = x[idx[0]];
    for (int i = 0; i < rounds; i++)
        v = v * 0.5f + 1.0f;
    x[idx[0]] = v;
}

static void reject(amp_index1 idx, int N, const float x[N]) restrict(amp)
{
    if (x[idx[0]] >= 0)
        amp_abort("no");
}

static void count(amp_status status, void *user)
{
    atomic_fetch_add((atomic_int *)user, status == AMP_OK);
}

enum { N = 1 << 16, ROUNDS = 2000 };

static float *a_data, *b_data;

int main(void)
{
    a_data = malloc(N * sizeof *a_data);
    b_data = malloc(N * sizeof *b_data);
    amp_accelerator *accelerator = amp_accelerator_default();
    amp_accelerator_view *first = amp_accelerator_create_view(accelerator, AMP_QUEUING_MODE_AUTOMATIC);
    amp_accelerator_view *second = amp_accelerator_create_view(accelerator, AMP_QUEUING_MODE_IMMEDIATE);
    amp_array_view *a = amp_array_view1(N, a_data), *b = amp_array_view1(N, b_data);
    amp_extent extent = amp_extent1(N);

    atomic_int done = 0;
    amp_future *futures[] = {
        amp_parallel_for_each_on_async(first, extent, fill, 1.0f, a),
        amp_parallel_for_each_on_async(second, extent, fill, 10.0f, b),
        amp_parallel_for_each_on_async(first, extent, smooth, ROUNDS, a),
        amp_parallel_for_each_on_async(second, extent, smooth, ROUNDS, b),
        amp_parallel_for_each_on_async(second, extent, add, a, b), // after the first queue's smooth
        amp_parallel_for_each_async(extent, fill, 5.0f, a),        // after the second queue's add
    };
    for (int i = 0; i < 6; i++)
        amp_future_then(futures[i], count, &done);
    amp_synchronize(a);
    float a_5 = a_data[5];
    amp_synchronize(b);
    float b_5 = b_data[5];
    for (int i = 0; i < 6; i++) {
        if (amp_future_wait(futures[i]) != AMP_OK)
            printf("%d: %s\n", i, amp_error_text());
        amp_future_release(futures[i]);
    }
    amp_accelerator_view_release(first);
    amp_accelerator_view_release(second);

    // CHECK: a[5] = 10, b[5] = 4
    printf("a[5] = %g, b[5] = %g\n", (double)a_5, (double)b_5);
    // An error is found at once, before anything runs.
    // CHECK-NEXT: add ({{.*}}async.c:[[#]]): the extent is 0; every component must be positive
    volatile int zero = 0;
    if (!amp_parallel_for_each_async(amp_extent1(zero), add, a, b))
        printf("%s\n", amp_error_text());
    // An error in the kernel belongs to the future, and to the queue if nobody asks the future.
    // CHECK-NEXT: reject ({{.*}}async.c:[[#]]): amp_abort: no
    amp_error_clear();
    amp_future *rejected = amp_parallel_for_each_async(extent, reject, a);
    if (amp_future_wait(rejected) == AMP_ERROR_ABORTED && amp_future_status(rejected) == AMP_ERROR_ABORTED)
        printf("%s\n", amp_error_text());
    amp_future_release(rejected);
    amp_error_clear();
    // CHECK-NEXT: AMP_ERROR_ABORTED, then AMP_OK
    amp_future_release(amp_parallel_for_each_async(extent, reject, a));
    amp_accelerator_view *on = amp_accelerator_default_view(accelerator);
    amp_status status = amp_accelerator_view_wait(on);
    printf("%s, then %s\n", amp_status_name(status), amp_status_name(amp_accelerator_view_wait(on)));
    // The last release waits for what still uses the view.
    amp_future_release(amp_parallel_for_each_async(extent, smooth, ROUNDS, a));
    amp_array_view_release(a);
    // CHECK-NEXT: a[5] = 2
    printf("a[5] = %g\n", (double)a_data[5]);
    amp_array_view_release(b);
    free(a_data);
    free(b_data);
    while (atomic_load(&done) < 6) // callbacks come after the end of the work
        sched_yield();
    return 0;
}

// SPDX-License-Identifier: MIT
// A thread goes on launching while the process ends: once the program's kernels are gone, an error says why.
// RUN: %ampcc -O2 %s -o %t && %t | FileCheck %s
// RUN: %ampcc -O2 %s -o %t.static %build/lib/libamp.a && %t.static | FileCheck %s
// RUN: %ampcc -O2 -fPIC -shared -DLIBRARY %s -o %t.so && %ampcc -O2 -DPROGRAM %s %t.so -o %t.both && %t.both | \
// RUN:   FileCheck %s
// CHECK: AMP_ERROR_ACCELERATOR_VIEW_REMOVED: the function {{(nothing )?}}at 0x{{[0-9a-f]+}} is not known as a kernel: the process is ending, and its kernels have been unregistered
// CHECK-NEXT: the same for work on a queue
#include <amp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void start(void);

#ifndef PROGRAM
static atomic_bool is_over;
static atomic_int n_launches;

/* Runs after the kernels' own destructor, which comes later in the file. */
__attribute__((destructor(101))) static void wait_for_error(void)
{
    for (int i = 0; i < 5000 && !is_over; i++)
        usleep(1000);
    printf(is_over ? "" : "no error\n");
}

void nothing(amp_index1 idx) restrict(amp)
{
    (void)idx;
}

static void *launch(void *context)
{
    amp_status status;
    while ((status = amp_parallel_for_each(amp_extent1(1), nothing)) == AMP_OK)
        n_launches++;
    printf("%s: %s\n", amp_status_name(status), amp_error_text());
    amp_error_clear();
    amp_future *future = amp_parallel_for_each_async(amp_extent1(1), nothing);
    if (!future && amp_error_status() == status && strstr(amp_error_text(), "the process is ending"))
        printf("the same for work on a queue\n");
    is_over = 1;
    return context;
}

void start(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, launch, NULL);
    while (n_launches < 10)
        usleep(1000);
}
#endif

#ifndef LIBRARY
int main(void)
{
    start();
    return 0;
}
#endif

/* SPDX-License-Identifier: MIT
 *
 * The only place where the library gets memory and threads, so that tests can make each request fail. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* pthread_attr_setaffinity_np, sched_getcpu */
#endif
#include "runtime.h"
#include "testing.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>

static atomic_int n_allocations, failing; /* `failing`: the number of the one to fail; 0: none */

int amp__test_fail_allocation(int n)
{
    int since = atomic_exchange(&n_allocations, 0);
    atomic_store(&failing, n);
    return since;
}

static bool is_to_fail(void)
{
    return atomic_fetch_add_explicit(&n_allocations, 1, memory_order_relaxed) + 1 == atomic_load(&failing);
}

/* All signals except those that a thread's own instructions raise. If these were blocked, they would end the process
 * without calling its handlers. */
static sigset_t signals_of_others(void)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
    sigset_t signals;
    sigfillset(&signals);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&signals, own[i]);
    return signals;
}

/* Kernels may need more than a mebibyte of stack, and a program or `ulimit -s` may have given threads less by default.
 */
enum { LEAST_STACK_BYTES = 4 << 20 };

static void begin_elsewhere(pthread_attr_t *attributes)
{
    cpu_set_t others;
    int here = sched_getcpu();
    if (here < 0 || sched_getaffinity(0, sizeof others, &others) != 0)
        return;
    CPU_CLR(here, &others);
    if (CPU_COUNT(&others) > 0)
        pthread_attr_setaffinity_np(attributes, sizeof others, &others);
}

bool amp__thread_start(pthread_t *thread, void *(*work)(void *), void *argument, bool elsewhere)
{
    pthread_attr_t attributes;
    if (is_to_fail() || pthread_attr_init(&attributes) != 0)
        return false;
    amp__main_watch();
    size_t stack_bytes;
    if (pthread_attr_getstacksize(&attributes, &stack_bytes) == 0 && stack_bytes < LEAST_STACK_BYTES)
        pthread_attr_setstacksize(&attributes, LEAST_STACK_BYTES);
    if (elsewhere)
        begin_elsewhere(&attributes);
    /* The new thread inherits the mask of this one. */
    sigset_t blocked = signals_of_others(), before;
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    bool is_started = pthread_create(thread, &attributes, work, argument) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return is_started;
}

int amp__cancellation_hold(void)
{
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    return before;
}

void amp__cancellation_resume(int before)
{
    pthread_setcancelstate(before, NULL);
}

void *amp__alloc(size_t size_bytes, size_t align)
{
    if (is_to_fail())
        return NULL;
    if (align < sizeof(void *))
        align = sizeof(void *);
    void *memory;
    return posix_memalign(&memory, align, size_bytes) ? NULL : memory;
}

void amp__free(void *memory)
{
    free(memory);
}

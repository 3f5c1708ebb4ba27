/* SPDX-License-Identifier: MIT
 *
 * What becomes of the library in the child of a fork, which has a copy of all memory and one thread. Locks that
 * others may have held are new there, and state is as between two operations. Nothing is locked during the fork that is
 * held while a driver is called: drivers may fork, too. */
#include "backend.h"

static atomic_uint generation;

unsigned amp__fork_generation(void)
{
    return atomic_load_explicit(&generation, memory_order_relaxed);
}

static void prepare(void)
{
    amp__registry_hold();
    amp__queue_hold();
    amp__coherence_hold();
}

static void resume(void)
{
    amp__coherence_resume();
    amp__queue_resume();
    amp__registry_resume();
}

static void renew(void)
{
    atomic_fetch_add(&generation, 1);
    amp__coherence_resume();
    amp__queue_renew();
    amp__registry_renew();
    amp__accelerators_renew();
    for (const struct amp__backend *const *b = amp__backends; *b; b++)
        if ((*b)->renew)
            (*b)->renew();
}

__attribute__((constructor)) static void expect_forks(void)
{
    pthread_atfork(prepare, resume, renew);
}

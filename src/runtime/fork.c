/* SPDX-License-Identifier: MIT
 *
 * Makes the library usable in the child of a fork, which has a copy of all memory but only one thread. Locks that other
 * threads may have held are new there, and the state is as between two operations. The fork takes no lock that is held
 * during a call of a driver, because drivers may fork, too. */
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
    amp__guard_hold();
    amp__watch_hold();
}

static void resume(void)
{
    amp__watch_resume();
    amp__guard_resume();
    amp__coherence_resume();
    amp__queue_resume();
    amp__registry_resume();
}

static void renew(void)
{
    atomic_fetch_add(&generation, 1);
    amp__watch_renew();
    amp__guard_renew();
    amp__coherence_resume();
    amp__queue_renew();
    amp__registry_renew();
    amp__accelerators_renew();
    amp__main_renew();
    for (const struct amp__backend *const *b = amp__backends; *b; b++)
        if ((*b)->renew)
            (*b)->renew();
}

__attribute__((constructor)) static void expect_forks(void)
{
    pthread_atfork(prepare, resume, renew);
}

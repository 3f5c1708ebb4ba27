/* SPDX-License-Identifier: MIT
 *
 * The library's only way to memory and threads, so that tests can let any of them fail. */
#include "runtime.h"
#include "testing.h"

#include <stdlib.h>

static atomic_int n_allocations, failing; /* `failing`: the number of the one that fails; 0: none */

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

bool amp__thread_start(pthread_t *thread, void *(*work)(void *), void *argument)
{
    return !is_to_fail() && pthread_create(thread, NULL, work, argument) == 0;
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

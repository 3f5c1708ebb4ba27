/* SPDX-License-Identifier: MIT
 *
 * The library's only way to memory, so that tests can let any allocation fail. */
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

void *amp__alloc(size_t size_bytes, size_t align)
{
    if (atomic_fetch_add_explicit(&n_allocations, 1, memory_order_relaxed) + 1 == atomic_load(&failing))
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

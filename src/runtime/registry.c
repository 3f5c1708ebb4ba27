/* SPDX-License-Identifier: MIT
 *
 * Kernels by address. The descriptors themselves are chained into a hash table, so registering needs no memory and
 * works from constructors before main. Of two descriptors with one address the earlier is found. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr */
#endif
#include "backend.h"

#include <dlfcn.h>

enum { N_BUCKETS = 1024 };

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct amp__kernel *buckets[N_BUCKETS];

/* Kernels of another ABI: of their descriptors only the first field is known, so they cannot be told apart. */
static int n_foreign;
static unsigned foreign_abi;

void amp__registry_hold(void)
{
    pthread_rwlock_wrlock(&lock);
}

void amp__registry_resume(void)
{
    pthread_rwlock_unlock(&lock);
}

/* Not unlocked: it counts readers that wait, and the child has none of them. */
void amp__registry_renew(void)
{
    pthread_rwlock_init(&lock, NULL);
}

static struct amp__kernel **bucket(amp_kernel address)
{
    return &buckets[((uintptr_t)address >> 4) * 0x9E3779B97F4A7C15u >> 32 & (N_BUCKETS - 1)];
}

void amp__register_kernels(struct amp__kernel *kernels, int n)
{
    pthread_rwlock_wrlock(&lock);
    if (n > 0 && kernels->abi != AMP__ABI) {
        n_foreign += n;
        foreign_abi = kernels->abi;
        n = 0;
    }
    for (int i = 0; i < n; i++) {
        struct amp__kernel **link = bucket(kernels[i].address);
        while (*link && *link != &kernels[i])
            link = &(*link)->next;
        if (!*link) {
            kernels[i].next = NULL;
            *link = &kernels[i];
        }
    }
    pthread_rwlock_unlock(&lock);
}

void amp__unregister_kernels(struct amp__kernel *kernels, int n)
{
    amp__queue_drain_at_exit();
    pthread_rwlock_wrlock(&lock);
    if (n > 0 && kernels->abi != AMP__ABI) {
        n_foreign -= n;
        n = 0;
    }
    for (int i = 0; i < n; i++) {
        struct amp__kernel **link = bucket(kernels[i].address);
        while (*link && *link != &kernels[i])
            link = &(*link)->next;
        if (*link)
            *link = kernels[i].next;
    }
    pthread_rwlock_unlock(&lock);
    for (const struct amp__backend *const *b = amp__backends; *b; b++)
        for (int i = 0; i < n && (*b)->forget; i++)
            (*b)->forget(&kernels[i]);
}

bool amp__kernels_suit(bool (*suits)(void *context, const struct amp__kernel *kernel), void *context)
{
    bool has_any = false, all_suit = true;
    pthread_rwlock_rdlock(&lock);
    for (int i = 0; i < N_BUCKETS && all_suit; i++)
        for (const struct amp__kernel *kernel = buckets[i]; kernel && all_suit; kernel = kernel->next) {
            has_any = true;
            all_suit = suits(context, kernel);
        }
    pthread_rwlock_unlock(&lock);
    return has_any && all_suit;
}

const struct amp__kernel *amp__kernel_find(amp_kernel address)
{
    if (!address) {
        amp__fail(AMP_ERROR_NULL, "amp_launch: the kernel is NULL");
        return NULL;
    }
    pthread_rwlock_rdlock(&lock);
    const struct amp__kernel *kernel = *bucket(address);
    while (kernel && kernel->address != address)
        kernel = kernel->next;
    int n = n_foreign;
    unsigned abi = foreign_abi;
    pthread_rwlock_unlock(&lock);
    if (kernel)
        return kernel;

    Dl_info info;
    const char *name = dladdr((void *)(uintptr_t)address, &info) && info.dli_sname ? info.dli_sname : NULL;
    if (n > 0)
        amp__fail(
            AMP_ERROR_NO_KERNEL,
            "the function %s%sat %p is not a kernel that libamp knows; %d kernels were compiled by another version "
            "of ampcc (ABI %u, and this libamp has %u): compile them again with the ampcc of this libamp",
            name ? name : "", name ? " " : "", (void *)(uintptr_t)address, n, abi, (unsigned)AMP__ABI);
    else
        amp__fail(AMP_ERROR_NO_KERNEL,
                  "the function %s%sat %p is not a kernel: it must be marked restrict(amp), have an index as its first "
                  "parameter, and its file must be compiled by ampcc",
                  name ? name : "", name ? " " : "", (void *)(uintptr_t)address);
    return NULL;
}

amp_extent amp_kernel_tile_extent(amp_kernel address)
{
    const struct amp__kernel *kernel = amp__kernel_find(address);
    if (kernel && !kernel->tile)
        amp__kernel_fail(kernel, AMP_ERROR_INVALID_ARGUMENT, "the kernel is not tiled");
    return kernel && kernel->tile ? amp_extent_n(kernel->rank, kernel->tile) : (amp_extent){0};
}

/* SPDX-License-Identifier: MIT
 *
 * Kernels by address. The descriptors themselves are chained into a hash table, so registering needs no memory and
 * works from constructors before main. An address may have several descriptors of one inline kernel of a header, whose
 * code the linker keeps once; the earliest is found. If different kernels have one address, a launch cannot know which
 * is meant, and fails. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr, PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP */
#endif
#include "backend.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { N_BUCKETS = 1024 };

/* Launches read all the time, on all threads. A writer, such as dlopen or fork, must not wait for a moment without
 * readers. */
#define NEW_LOCK PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP

static pthread_rwlock_t lock = NEW_LOCK;
static struct amp__kernel *buckets[N_BUCKETS];

/* The number of kernels of another ABI. Only the first field of their descriptors is known, so they are only
 * counted. */
static int n_foreign;
static unsigned foreign_abi;

static bool expects_end;
static atomic_bool is_ending; /* the process: it has called `exit` */

void amp__registry_hold(void)
{
    pthread_rwlock_wrlock(&lock);
}

void amp__registry_resume(void)
{
    pthread_rwlock_unlock(&lock);
}

/* Makes a new lock instead of unlocking it: the old one counts waiting readers, which the child does not have. */
void amp__registry_renew(void)
{
    lock = (pthread_rwlock_t)NEW_LOCK;
}

static struct amp__kernel **bucket(amp_kernel address)
{
    return &buckets[((uintptr_t)address >> 4) * 0x9E3779B97F4A7C15u >> 32 & (N_BUCKETS - 1)];
}

/* Whether the kernel's address leads to the function that was compiled with the descriptor: another shared object that
 * exports the same name may come before this one. */
static bool has_own_function(const struct amp__kernel *kernel)
{
    Dl_info function, descriptor;
    return dladdr((void *)(uintptr_t)kernel->address, &function) && dladdr(kernel, &descriptor) &&
           function.dli_fbase == descriptor.dli_fbase;
}

/* Removes those kernels with this address whose function is another. */
static void drop_others(amp_kernel address)
{
    for (struct amp__kernel **link = bucket(address); *link;)
        if ((*link)->address == address && !has_own_function(*link))
            *link = (*link)->next;
        else
            link = &(*link)->next;
}

/* Adds the kernel to its bucket. Of kernels with one address, only those count whose function it is, if there are any:
 * the linker has put it in place of the others. */
static void add(struct amp__kernel *kernel)
{
    struct amp__kernel **link = bucket(kernel->address);
    bool is_shared = false, is_owned = false;
    for (; *link; link = &(*link)->next) {
        if (*link == kernel)
            return;
        if ((*link)->address == kernel->address) {
            is_shared = true;
            is_owned = is_owned || has_own_function(*link);
        }
    }
    if (is_shared && !has_own_function(kernel)) {
        if (is_owned)
            return;
    } else if (is_shared) {
        drop_others(kernel->address);
        link = bucket(kernel->address);
    }
    kernel->next = *link;
    kernel->of_machine = NULL;
    kernel->of_all = NULL;
    kernel->ns_each = 0;
    *link = kernel;
}

static void note_end(void)
{
    atomic_store(&is_ending, true);
}

void amp__registry_expect_end(void)
{
    atexit(note_end);
}

void amp__register_kernels(struct amp__kernel *kernels, int n)
{
    pthread_rwlock_wrlock(&lock);
    if (!expects_end)
        amp__registry_expect_end();
    expects_end = true;
    if (n > 0 && kernels->abi != AMP__ABI) {
        n_foreign += n;
        foreign_abi = kernels->abi;
        n = 0;
    }
    for (int i = 0; i < n; i++) /* leaving out weak kernels in whose place the linker has put others */
        if (!kernels[i].own || kernels[i].own == kernels[i].address)
            add(&kernels[i]);
    pthread_rwlock_unlock(&lock);
}

void amp__unregister_kernels(struct amp__kernel *kernels, int n)
{
    amp__queue_drain_at_exit();
    amp__event_settle(true); /* their names are needed */
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

bool amp__kernels_suit(bool (*suits)(void *context, const struct amp__kernel *kernel), void *context, bool if_none)
{
    bool has_any = if_none, all_suit = true;
    pthread_rwlock_rdlock(&lock);
    for (int i = 0; i < N_BUCKETS && all_suit; i++)
        for (const struct amp__kernel *kernel = buckets[i]; kernel && all_suit; kernel = kernel->next) {
            bool is_ours = strncmp(kernel->name, "amp__", strlen("amp__")) == 0; /* in src/algorithms */
            has_any = has_any || !is_ours;
            all_suit = is_ours || suits(context, kernel);
        }
    pthread_rwlock_unlock(&lock);
    return has_any && all_suit;
}

/* The last part of the first `*left` bytes of a path; sets `*left` to the bytes before it. "x/./y/../z" has "z" and
 * "x". NULL: there is none. */
static const char *last_part(const char *path, size_t *left, size_t *length)
{
    for (int n_up = 0; *left > 0;) {
        size_t begin = *left;
        while (begin > 0 && path[begin - 1] != '/')
            begin--;
        const char *part = path + begin;
        *length = *left - begin;
        *left = begin > 0 ? begin - 1 : 0;
        if (*length == 2 && memcmp(part, "..", 2) == 0)
            n_up++;
        else if (*length > 0 && !(*length == 1 && *part == '.') && n_up-- == 0)
            return part;
    }
    return NULL;
}

/* Whether two paths may lead to one file, from different folders: one ends with the other. */
static bool are_same_file(const char *a, const char *b)
{
    size_t a_left = strlen(a), b_left = strlen(b), a_length, b_length;
    const char *in_a, *in_b;
    while ((in_a = last_part(a, &a_left, &a_length)) && (in_b = last_part(b, &b_left, &b_length)))
        if (a_length != b_length || memcmp(in_a, in_b, a_length) != 0)
            return false;
    return true;
}

/* Whether two descriptors are of one kernel, which several files may include from a header. */
static bool are_same(const struct amp__kernel *a, const struct amp__kernel *b)
{
    return a == b || (a->line == b->line && strcmp(a->name, b->name) == 0 && are_same_file(a->file, b->file));
}

/* The first descriptor with this address, from `kernel` on. */
static const struct amp__kernel *next_of(const struct amp__kernel *kernel, amp_kernel address)
{
    while (kernel && kernel->address != address)
        kernel = kernel->next;
    return kernel;
}

static amp_status fail_ambiguous(const struct amp__kernel *a, const struct amp__kernel *b)
{
    return amp__fail(
        AMP_ERROR_NO_KERNEL,
        "the kernels %s (%s:%d) and %s (%s:%d) have one address, %p, so that a launch cannot tell which is meant: "
        "define a kernel only once in a program, and do not let the linker fold identical code (--icf=safe or "
        "--icf=none instead of --icf=all)",
        a->name, a->file, a->line, b->name, b->file, b->line, (void *)(uintptr_t)a->address);
}

static amp_status fail_unknown(amp_kernel address, int n, unsigned abi)
{
    Dl_info info;
    const char *name = dladdr((void *)(uintptr_t)address, &info) && info.dli_sname ? info.dli_sname : NULL;
    if (atomic_load(&is_ending))
        return amp__fail(AMP_ERROR_ACCELERATOR_VIEW_REMOVED,
                         "the function %s%sat %p is not known as a kernel: the process is ending, and its kernels have "
                         "been unregistered",
                         name ? name : "", name ? " " : "", (void *)(uintptr_t)address);
    if (n > 0)
        return amp__fail(
            AMP_ERROR_NO_KERNEL,
            "the function %s%sat %p is not a kernel that libamp knows; %d kernels were compiled by another version "
            "of ampcc (ABI %u, and this libamp has %u): compile them again with the ampcc of this libamp",
            name ? name : "", name ? " " : "", (void *)(uintptr_t)address, n, abi, (unsigned)AMP__ABI);
    return amp__fail(
        AMP_ERROR_NO_KERNEL,
        "the function %s%sat %p is not a kernel: it must be marked restrict(amp), have an index as its first "
        "parameter, and its file must be compiled by ampcc",
        name ? name : "", name ? " " : "", (void *)(uintptr_t)address);
}

amp_status amp__kernel_find(amp_kernel address, const struct amp__kernel **kernel)
{
    *kernel = NULL;
    if (!address)
        return amp__fail(AMP_ERROR_NULL, "amp_launch: the kernel is NULL");
    pthread_rwlock_rdlock(&lock);
    const struct amp__kernel *first = next_of(*bucket(address), address), *other = first;
    while (other && are_same(first, other))
        other = next_of(other->next, address);
    int n = n_foreign;
    unsigned abi = foreign_abi;
    pthread_rwlock_unlock(&lock);
    if (other)
        return fail_ambiguous(first, other);
    if (!first)
        return fail_unknown(address, n, abi);
    *kernel = first;
    return AMP_OK;
}

amp_extent amp_kernel_tile_extent(amp_kernel address)
{
    const struct amp__kernel *kernel;
    amp__kernel_find(address, &kernel);
    if (kernel && !kernel->tile)
        amp__kernel_fail(kernel, AMP_ERROR_INVALID_ARGUMENT, "the kernel is not tiled");
    return kernel && kernel->tile ? amp_extent_n(kernel->rank, kernel->tile) : (amp_extent){0};
}

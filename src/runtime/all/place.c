/* SPDX-License-Identifier: MIT
 *
 * Places on the processor that have memory of their own, as the machines of a cluster do: AMP_PLACES=4 makes four, and
 * `all` then consists of them. Each runs its part on all cores, one after another. Of an array, memory is taken for the
 * pages alone that the place touches, which are large only in ranges of which half will be used or more; and limits
 * (RLIMIT_DATA) count only those from the first that it may write to the last, because the others cannot be written. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#endif
#include "all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, LARGE_PAGE = 1 << 21 };

/* What is in the page before the memory. */
struct header {
    void *all;
    size_t all_bytes;
    atomic_size_t low, high; /* the bytes of the memory that may be written: from `low` up to `high` */
};

static struct header *header_of(void *memory)
{
    return (struct header *)(void *)((char *)memory - PAGE);
}

int amp__place_count(const char *text)
{
    char *end;
    long n = text ? strtol(text, &end, 10) : 0;
    return text && end != text && !*end && n >= 1 && n <= AMP__MAX_PLACES ? (int)n : 0;
}

static int count(void)
{
    return amp__place_count(getenv("AMP_PLACES"));
}

static amp_status open_place(int i, void **device, amp_accelerator_properties *properties)
{
    static char paths[AMP__MAX_PLACES][16];
    void *processor;
    amp_status status = amp__cpu_backend.open(0, &processor, properties);
    snprintf(paths[i], sizeof paths[i], "place:%d", i);
    *device = paths[i];
    properties->path = paths[i];
    properties->is_emulated = true;
    properties->supports_cpu_shared_memory = false;
    properties->default_cpu_access_type = AMP_ACCESS_NONE;
    return status;
}

static amp_status alloc(void *device, size_t size_bytes, void **memory)
{
    size_t align = size_bytes < LARGE_PAGE ? PAGE : LARGE_PAGE, bytes = size_bytes + PAGE + align;
    char *all = bytes < size_bytes ? MAP_FAILED
                                   : mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    char *first = all == MAP_FAILED ? NULL : all + PAGE + (align - ((uintptr_t)all + PAGE) % align) % align;
    if (!first || mprotect(first - PAGE, PAGE, PROT_READ | PROT_WRITE) != 0) {
        if (first)
            munmap(all, bytes);
        return amp__fail(AMP_ERROR_OUT_OF_MEMORY, "%s: no memory for %zu bytes", (const char *)device, size_bytes);
    }
    *memory = first;
    header_of(first)->all = all;
    header_of(first)->all_bytes = bytes;
    return AMP_OK;
}

static bool is_committed(struct header *header, size_t begin, size_t end)
{
    return atomic_load_explicit(&header->low, memory_order_acquire) <= begin &&
           end <= atomic_load_explicit(&header->high, memory_order_acquire);
}

/* With the lock held: makes all from the first byte that is used to the last one writable. Large pages save a kernel
 * and MPI, which looks up each page of a message, some hundredths of their time. */
static bool extend(struct header *header, void *memory, size_t begin, size_t end, size_t n_used)
{
    bool is_full = n_used >= (end - begin) / 2;
    size_t first = begin / PAGE * PAGE, n_bytes = end - first;
    size_t low = atomic_load(&header->low), high = atomic_load(&header->high);
    bool is_new = low == high;
    begin = (is_new || begin < low ? begin : low) / PAGE * PAGE;
    end = ((is_new || end > high ? end : high) + PAGE - 1) / PAGE * PAGE;
    if (mprotect((char *)memory + begin, end - begin, PROT_READ | PROT_WRITE) != 0)
        return false;
    if (is_full)
        madvise((char *)memory + first, n_bytes, MADV_HUGEPAGE); /* for speed alone, so it may fail */
    atomic_store_explicit(&header->low, begin, memory_order_release);
    atomic_store_explicit(&header->high, end, memory_order_release);
    return true;
}

amp_status amp__place_commit(void *memory, size_t begin, size_t end, size_t n_used)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct header *header = header_of(memory);
    if (begin >= end || is_committed(header, begin, end))
        return AMP_OK;
    pthread_mutex_lock(&lock);
    bool is_done = is_committed(header, begin, end) || extend(header, memory, begin, end, n_used);
    pthread_mutex_unlock(&lock);
    return is_done ? AMP_OK : amp__fail(AMP_ERROR_OUT_OF_MEMORY, "all: no memory for %zu bytes", end - begin);
}

static amp_status commit(void *device, void *memory, size_t begin, size_t end, size_t n_used)
{
    (void)device;
    return amp__place_commit(memory, begin, end, n_used);
}

static void free_memory(void *device, void *memory)
{
    (void)device;
    munmap(header_of(memory)->all, header_of(memory)->all_bytes);
}

static void *address(void *device, struct amp__at at)
{
    (void)device;
    return (char *)at.memory + at.offset;
}

static amp_status copy_in(void *device, void *queue, struct amp__at to, const void *host, size_t size_bytes)
{
    (void)queue;
    amp_status status = amp__place_commit(to.memory, to.offset, to.offset + size_bytes, size_bytes);
    if (status == AMP_OK)
        memcpy(address(device, to), host, size_bytes);
    return status;
}

static amp_status copy_out(void *device, void *queue, void *host, struct amp__at from, size_t size_bytes)
{
    (void)queue;
    memcpy(host, address(device, from), size_bytes);
    return AMP_OK;
}

static amp_status copy_across(void *device, void *queue, struct amp__at to, struct amp__at from, size_t size_bytes)
{
    return copy_in(device, queue, to, address(device, from), size_bytes);
}

static amp_status copy_peer(void *device, void *queue, struct amp__at to, void *from_device, struct amp__at from,
                            size_t size_bytes)
{
    return copy_in(device, queue, to, address(from_device, from), size_bytes);
}

static amp_status copy_rows_peer(void *device, void *queue, struct amp__at to, void *from_device, struct amp__at from,
                                 const struct amp__rows *rows)
{
    char *target = address(device, to);
    const char *source = address(from_device, from);
    amp_status status =
        amp__place_commit(to.memory, to.offset, to.offset + amp__rows_span(rows), amp__rows_bytes(rows));
    for (size_t i = 0; i < rows->n && status == AMP_OK; i++)
        memcpy(target + i * rows->stride, source + i * rows->stride, rows->bytes);
    (void)queue;
    return status;
}

static amp_status launch(void *device, void *queue, struct amp__launch *launch)
{
    (void)device, (void)queue;
    return amp__cpu_backend.launch(NULL, NULL, launch);
}

const struct amp__backend amp__place_backend = {
    .name = "place",
    .is_unlisted = true,
    .count = count,
    .open = open_place,
    .memory_align = PAGE,
    .alloc = alloc,
    .free = free_memory,
    .commit = commit,
    .address = address,
    .copy_in = copy_in,
    .copy_out = copy_out,
    .copy_across = copy_across,
    .copy_peer = copy_peer,
    .copy_rows_peer = copy_rows_peer,
    .launch = launch,
};

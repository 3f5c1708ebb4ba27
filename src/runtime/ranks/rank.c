/* SPDX-License-Identifier: MIT
 *
 * The backend: a device for each rank. This process's own works on what own.c has chosen; of the others it knows what
 * they have and do. */
#include "ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 4096 };

struct rank {
    int number;
    char path[16];
};
static struct rank ranks[AMP__MAX_RANKS];

static bool is_own(const void *device)
{
    return ((const struct rank *)device)->number == amp__rank;
}

static int count(void)
{
    int n = amp__ranks_expected();
    if (n > AMP__MAX_RANKS) {
        amp__fail(AMP_ERROR_NO_ACCELERATOR, "all: mpirun has started %d processes, and at most %d are possible", n,
                  (int)AMP__MAX_RANKS);
        return 0;
    }
    return n > 1 && amp__own_find() == AMP_OK ? n : 0;
}

/* Of other ranks nobody knows what they compute on: they are described as this one. */
static amp_status open_rank(int i, void **device, amp_accelerator_properties *properties)
{
    const amp_accelerator_properties *own = &amp__own.accelerator->properties;
    static char description[256];
    ranks[i].number = i;
    snprintf(ranks[i].path, sizeof ranks[i].path, "rank:%d", i);
    snprintf(description, sizeof description, "%s, %s", own->path, own->description);
    *device = &ranks[i];
    *properties = *own;
    properties->path = ranks[i].path;
    properties->description = description;
    properties->is_emulated = true;
    properties->has_display = properties->supports_cpu_shared_memory = false;
    properties->default_cpu_access_type = AMP_ACCESS_NONE;
    return AMP_OK;
}

static amp_status alloc(void *device, size_t size_bytes, void **memory)
{
    static atomic_size_t n_others;
    amp_status status = amp__ranks_begin(); /* a program may name a rank before it uses `all` */
    if (status != AMP_OK)
        return status;
    if (is_own(device))
        return amp__ranks_insist(amp__own.backend->alloc(amp__own.device, size_bytes, memory));
    *memory = (void *)(ALIGN * (atomic_fetch_add(&n_others, 1) + 1)); /* another rank's memory, by its name alone */
    return AMP_OK;
}

static void free_memory(void *device, void *memory)
{
    amp__ranks_insist(amp__transfers_finish());
    if (is_own(device))
        amp__own.backend->free(amp__own.device, memory);
}

static amp_status commit(void *device, void *memory, size_t begin, size_t end, size_t n_used)
{
    return is_own(device) ? amp__ranks_insist(amp__own_commit(memory, begin, end, n_used)) : AMP_OK;
}

static void *address(void *device, struct amp__at at)
{
    return is_own(device) ? amp__own.backend->address(amp__own.device, at)
                          : (char *)at.memory + at.offset; /* aligned as on the rank itself */
}

static struct amp__rows one_row(struct amp__at at, size_t size_bytes)
{
    return (struct amp__rows){.offset = at.offset, .bytes = size_bytes, .n = 1};
}

static amp_status end_copies_out(void *device)
{
    (void)device;
    return amp__ranks_insist(amp__hosts_end());
}

static amp_status copy_rows_in(void *device, void *queue, struct amp__at to, const void *host,
                               const struct amp__rows *rows)
{
    (void)queue;
    amp_status status = end_copies_out(device);
    if (status == AMP_OK)
        status = amp__ranks_insist(amp__transfers_finish());
    if (status == AMP_OK)
        status = amp__ranks_compare(host, rows);
    if (status == AMP_OK && is_own(device))
        status = amp__ranks_insist(amp__own_copy_in(to, host, rows));
    return status;
}

static amp_status copy_in(void *device, void *queue, struct amp__at to, const void *host, size_t size_bytes)
{
    struct amp__rows row = one_row(to, size_bytes);
    return copy_rows_in(device, queue, to, host, &row);
}

static amp_status begin_copy_out(void *device, void *host, struct amp__at from, const struct amp__rows *rows)
{
    return amp__ranks_insist(amp__hosts_add(((struct rank *)device)->number, from, host, rows));
}

static amp_status copy_rows_out(void *device, void *queue, void *host, struct amp__at from,
                                const struct amp__rows *rows)
{
    (void)queue;
    amp_status status = begin_copy_out(device, host, from, rows);
    return status == AMP_OK ? end_copies_out(device) : status;
}

static amp_status copy_out(void *device, void *queue, void *host, struct amp__at from, size_t size_bytes)
{
    struct amp__rows row = one_row(from, size_bytes);
    return copy_rows_out(device, queue, host, from, &row);
}

static amp_status copy_rows_peer(void *device, void *queue, struct amp__at to, void *from_device, struct amp__at from,
                                 const struct amp__rows *rows)
{
    (void)queue;
    amp_status status = end_copies_out(device);
    return status != AMP_OK
               ? status
               : amp__ranks_insist(amp__transfers_add(&(struct amp__transfer){
                     ((struct rank *)from_device)->number, ((struct rank *)device)->number, from, to, *rows}));
}

int amp__rank_number(const void *device)
{
    return ((const struct rank *)device)->number;
}

static amp_status run_batch(struct amp__batch *batch, struct amp__home *home, bool *is_done)
{
    return amp__ranks_insist(amp__batch_add(batch, home, is_done));
}

static amp_status copy_peer(void *device, void *queue, struct amp__at to, void *from_device, struct amp__at from,
                            size_t size_bytes)
{
    struct amp__rows row = one_row(from, size_bytes);
    return copy_rows_peer(device, queue, to, from_device, from, &row);
}

static bool is_elsewhere(const void *device)
{
    return !is_own(device);
}

static bool is_overlapping(const void *device)
{
    return amp__n_ranks > 1 && is_own(device);
}

/* A GPU works on while a launch on it is split; then all wait in `agree`. Its times are those of the host. */
static amp_status launch(void *device, void *queue, struct amp__launch *launch)
{
    launch->isa = "elsewhere";
    launch->lanes = launch->n_threads = 1;
    if (!is_own(device))
        return AMP_OK;
    amp__ranks_insist(launch->is_early ? amp__transfers_begin() : amp__transfers_finish());
    amp_status status = amp__own.backend->launch(amp__own.device, queue, launch);
    return status == AMP_OK && amp__is_watched() ? amp__own_wait() : status;
}

static amp_status agree(const struct amp__kernel *kernel, amp_status status)
{
    amp__ranks_insist(amp__transfers_finish());
    amp_status ended = amp__own_wait();
    return amp__ranks_agree(kernel, status == AMP_OK ? ended : status);
}

const struct amp__backend amp__rank_backend = {
    .name = "rank",
    .is_unlisted = true,
    .count = count,
    .open = open_rank,
    .memory_align = ALIGN,
    .alloc = alloc,
    .free = free_memory,
    .commit = commit,
    .address = address,
    .copy_in = copy_in,
    .copy_out = copy_out,
    .copy_rows_in = copy_rows_in,
    .copy_rows_out = copy_rows_out,
    .begin_copy_out = begin_copy_out,
    .end_copies_out = end_copies_out,
    .copy_peer = copy_peer,
    .copy_rows_peer = copy_rows_peer,
    .batch_new = amp__batch_new,
    .batch_free = amp__batch_free,
    .batch_run = run_batch,
    .launch = launch,
    .is_elsewhere = is_elsewhere,
    .is_overlapping = is_overlapping,
    .agree = agree,
};

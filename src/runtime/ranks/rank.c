/* SPDX-License-Identifier: MIT
 *
 * The backend: a device for each rank. This process's own works as a place on the processor does (all/place.c); of the
 * others it knows what they have and do. */
#include "ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    if (n <= AMP__MAX_RANKS)
        return n > 1 ? n : 0;
    amp__fail(AMP_ERROR_NO_ACCELERATOR, "all: mpirun has started %d processes, and at most %d are possible", n,
              (int)AMP__MAX_RANKS);
    return 0;
}

static amp_status open_rank(int i, void **device, amp_accelerator_properties *properties)
{
    ranks[i].number = i;
    snprintf(ranks[i].path, sizeof ranks[i].path, "rank:%d", i);
    amp_status status = amp__place_backend.open(0, device, properties);
    *device = &ranks[i];
    properties->path = ranks[i].path;
    return status;
}

/* After a failure on one rank alone nobody can go on. */
static amp_status check(amp_status status)
{
    if (status != AMP_OK)
        amp__ranks_end_all();
    return status;
}

static amp_status alloc(void *device, size_t size_bytes, void **memory)
{
    amp_status status = amp__ranks_begin(); /* a program may name a rank before it uses `all` */
    if (status != AMP_OK)
        return status;
    if (is_own(device))
        return check(amp__place_backend.alloc(((struct rank *)device)->path, size_bytes, memory));
    *memory = malloc(1); /* another rank's memory, by its name alone */
    return check(*memory ? AMP_OK : amp__fail(AMP_ERROR_OUT_OF_MEMORY, "no memory for a handle"));
}

static void free_memory(void *device, void *memory)
{
    amp__transfers_finish();
    if (is_own(device))
        amp__place_backend.free(device, memory);
    else
        free(memory);
}

static amp_status commit(void *device, void *memory, size_t begin, size_t end)
{
    return is_own(device) ? check(amp__place_commit(memory, begin, end)) : AMP_OK;
}

static void *address(void *device, struct amp__at at)
{
    return (char *)(is_own(device) ? at.memory : NULL) + at.offset; /* aligned as on the rank itself */
}

static struct amp__rows one_row(struct amp__at at, size_t size_bytes)
{
    return (struct amp__rows){.offset = at.offset, .bytes = size_bytes, .n = 1};
}

static amp_status copy_rows_in(void *device, void *queue, struct amp__at to, const void *host,
                               const struct amp__rows *rows)
{
    (void)queue;
    amp_status status = check(amp__transfers_finish());
    if (status == AMP_OK)
        status = amp__ranks_compare(host, rows);
    if (status == AMP_OK)
        status = commit(device, to.memory, to.offset, to.offset + amp__rows_span(rows));
    for (size_t i = 0; i < rows->n && is_own(device) && status == AMP_OK; i++)
        memcpy((char *)to.memory + to.offset + i * rows->stride, (const char *)host + i * rows->stride, rows->bytes);
    return status;
}

static amp_status copy_in(void *device, void *queue, struct amp__at to, const void *host, size_t size_bytes)
{
    struct amp__rows row = one_row(to, size_bytes);
    return copy_rows_in(device, queue, to, host, &row);
}

static amp_status copy_rows_out(void *device, void *queue, void *host, struct amp__at from,
                                const struct amp__rows *rows)
{
    (void)queue;
    return check(amp__transfers_to_host(((struct rank *)device)->number, from, host, rows));
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
    return check(amp__transfers_add(&(struct amp__transfer){((struct rank *)from_device)->number,
                                                            ((struct rank *)device)->number, from, to, *rows}));
}

int amp__rank_number(const void *device)
{
    return ((const struct rank *)device)->number;
}

static amp_status run_batch(struct amp__batch *batch, struct amp__home *home, bool *is_done)
{
    return check(amp__batch_add(batch, home, is_done));
}

static amp_status copy_peer(void *device, void *queue, struct amp__at to, void *from_device, struct amp__at from,
                            size_t size_bytes)
{
    struct amp__rows row = one_row(from, size_bytes);
    return copy_rows_peer(device, queue, to, from_device, from, &row);
}

static bool is_overlapping(const void *device)
{
    return amp__n_ranks > 1 && is_own(device);
}

static amp_status launch(void *device, void *queue, struct amp__launch *launch)
{
    launch->isa = "elsewhere";
    launch->lanes = launch->n_threads = 1;
    if (!is_own(device))
        return AMP_OK;
    amp_status status = check(launch->is_early ? amp__transfers_begin() : amp__transfers_finish());
    return status == AMP_OK ? amp__cpu_backend.launch(NULL, queue, launch) : status;
}

static amp_status agree(const struct amp__kernel *kernel, amp_status status)
{
    amp_status brought = check(amp__transfers_finish());
    return amp__ranks_agree(kernel, status == AMP_OK ? brought : status);
}

const struct amp__backend amp__rank_backend = {
    .name = "rank",
    .is_unlisted = true,
    .count = count,
    .open = open_rank,
    .memory_align = 4096,
    .alloc = alloc,
    .free = free_memory,
    .commit = commit,
    .address = address,
    .copy_in = copy_in,
    .copy_out = copy_out,
    .copy_rows_in = copy_rows_in,
    .copy_rows_out = copy_rows_out,
    .copy_peer = copy_peer,
    .copy_rows_peer = copy_rows_peer,
    .batch_new = amp__batch_new,
    .batch_free = amp__batch_free,
    .batch_run = run_batch,
    .launch = launch,
    .is_overlapping = is_overlapping,
    .agree = agree,
};

/* SPDX-License-Identifier: MIT
 *
 * Ranks that are not there, and what they would send, by the rules of ranks/transfers.c and ranks/ranks.c. The lock of
 * dry.c is held. */
#include "dry.h"

#include <string.h>

static struct amp__round waiting;
static int reader = -1; /* the rank to whose host alone data goes; -1: to all */
static struct amp__traffic sum, of_ranks[AMP__MAX_RANKS], taken[AMP__MAX_RANKS];

static void receive(int rank, long long messages, size_t size_bytes)
{
    sum.messages += messages;
    sum.bytes += (long long)size_bytes;
    of_ranks[rank].messages += messages;
    of_ranks[rank].bytes += (long long)size_bytes;
}

void amp__traffic_only_to(int rank)
{
    reader = rank;
}

void amp__traffic_finish(void)
{
    static size_t seen[AMP__MAX_RANKS]; /* by the rank that sends: the last copy to the rank at hand, plus 1 */
    memset(seen, 0, sizeof seen);
    for (size_t last = waiting.n; last > 0; last--) {
        int to = waiting.of[last - 1].transfer.to;
        if (waiting.last_to[to] != last)
            continue;
        for (size_t t = last; t; t = waiting.of[t - 1].earlier) {
            const struct amp__transfer *transfer = &waiting.of[t - 1].transfer;
            receive(to, seen[transfer->from] != last, amp__rows_bytes(&transfer->rows));
            seen[transfer->from] = last;
        }
    }
    amp__round_clear(&waiting);
}

/* To one rank, or to none if that is `from`; -1: to all. */
static void send(int from, int to, size_t size_bytes)
{
    amp__traffic_finish();
    for (int rank = to < 0 ? 0 : to; rank < (to < 0 ? amp__dry_ranks : to + 1); rank++)
        if (rank != from)
            receive(rank, 1, size_bytes);
}

void amp__traffic_spread(int from, size_t size_bytes)
{
    send(from, -1, size_bytes);
}

void amp__traffic_agree(size_t size_bytes)
{
    for (int step = 1; step < amp__dry_ranks; step *= 2)
        for (int rank = 0; rank < amp__dry_ranks; rank++)
            receive(rank, 1, size_bytes);
}

/* ---- the backend; a device is the number of its rank, plus 1 ---- */

static int rank_of(const void *device)
{
    return (int)((uintptr_t)device - 1);
}

static amp_status alloc(void *device, size_t size_bytes, void **memory)
{
    static atomic_uintptr_t n;
    (void)device, (void)size_bytes;
    *memory = (void *)(atomic_fetch_add(&n, 1) + 1); /* nobody looks there */
    return AMP_OK;
}

static void free_memory(void *device, void *memory)
{
    (void)device, (void)memory;
}

static void *address(void *device, struct amp__at at)
{
    (void)device, (void)at;
    return NULL;
}

/* Each rank has what the host has. */
static amp_status copy_rows_in(void *device, void *queue, struct amp__at to, const void *host,
                               const struct amp__rows *rows)
{
    (void)device, (void)queue, (void)to, (void)host, (void)rows;
    amp__traffic_finish();
    return AMP_OK;
}

static amp_status copy_in(void *device, void *queue, struct amp__at to, const void *host, size_t size_bytes)
{
    (void)size_bytes;
    return copy_rows_in(device, queue, to, host, NULL);
}

static amp_status copy_out(void *device, void *queue, void *host, struct amp__at from, size_t size_bytes)
{
    (void)queue, (void)host, (void)from;
    send(rank_of(device), reader, size_bytes);
    return AMP_OK;
}

static amp_status copy_rows_out(void *device, void *queue, void *host, struct amp__at from,
                                const struct amp__rows *rows)
{
    return copy_out(device, queue, host, from, amp__rows_bytes(rows));
}

static amp_status copy_rows_peer(void *device, void *queue, struct amp__at to, void *from_device, struct amp__at from,
                                 const struct amp__rows *rows)
{
    const struct amp__transfer transfer = {rank_of(from_device), rank_of(device), from, to, *rows};
    (void)queue;
    if (!amp__round_fits(&waiting, &transfer))
        amp__traffic_finish();
    return amp__round_add(&waiting, &transfer)
               ? AMP_OK
               : amp__fail(AMP_ERROR_OUT_OF_MEMORY, "dry run: no memory for %zu copies", waiting.n + 1);
}

static amp_status copy_peer(void *device, void *queue, struct amp__at to, void *from_device, struct amp__at from,
                            size_t size_bytes)
{
    const struct amp__rows row = {.offset = from.offset, .bytes = size_bytes, .n = 1};
    return copy_rows_peer(device, queue, to, from_device, from, &row);
}

const struct amp__backend amp__dry_backend = {
    .name = "dry run",
    .memory_align = SIZE_MAX / 2 + 1,
    .alloc = alloc,
    .free = free_memory,
    .address = address,
    .copy_in = copy_in,
    .copy_out = copy_out,
    .copy_rows_in = copy_rows_in,
    .copy_rows_out = copy_rows_out,
    .copy_peer = copy_peer,
    .copy_rows_peer = copy_rows_peer,
};

/* ---- sums ---- */

void amp__traffic_add(struct amp__traffic *to, const struct amp__traffic *more)
{
    to->messages += more->messages;
    to->bytes += more->bytes;
    to->most_messages += more->most_messages;
    to->most_bytes += more->most_bytes;
}

struct amp__traffic amp__traffic_take(const struct amp__traffic **of_rank)
{
    struct amp__traffic now = sum;
    for (int rank = 0; rank < amp__dry_ranks; rank++) {
        const struct amp__traffic *one = &of_ranks[rank];
        now.most_messages = one->messages > now.most_messages ? one->messages : now.most_messages;
        now.most_bytes = one->bytes > now.most_bytes ? one->bytes : now.most_bytes;
    }
    if (of_rank) {
        memcpy(taken, of_ranks, sizeof taken);
        *of_rank = taken;
    }
    memset(of_ranks, 0, sizeof of_ranks);
    memset(&sum, 0, sizeof sum);
    return now;
}

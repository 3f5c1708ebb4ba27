/* SPDX-License-Identifier: MIT
 *
 * Copies from ranks to the host's memory of all, or of one. Each rank is told of all of them, in the same order. Those
 * that are added before an end go at the same time, so that many ranks give all others what they have in as many steps
 * as one rank would need. */
#include "ranks.h"

#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int reader = -1; /* the rank to whose host alone data goes; -1: to all */

static struct {
    struct copy {
        int from;
        char *bytes; /* what is sent or received: rows without gaps */
        size_t size;
        char *host, *packed; /* where they belong; memory that is freed then */
        struct amp__rows rows;
    } *of;
    size_t n, room, packed_bytes;
} copies;
enum { MOST_PACKED = 64 << 20 }; /* bytes of copies that may take memory, after which all go */

/* ---- messages ---- */

/* The steps of binomial trees whose roots are the copies' ranks: each other rank receives once, and sends on. In a step
 * of 2^k, those whose place in the tree is a multiple of 2^(k+1) send. */
static void spread_step(const struct copy *all, size_t n_copies, int step, struct amp__message *messages)
{
    struct amp__message *sent = messages, *received = messages + n_copies;
    int n = amp__n_ranks, n_sent = 0, n_received = 0;
    for (const struct copy *copy = all; copy < all + n_copies; copy++) {
        int place = (amp__rank - copy->from + n) % n;
        struct amp__message message = {.bytes = copy->bytes, .size = copy->size};
        if (place % (2 * step) == 0 && place + step < n) {
            message.rank = (amp__rank + step) % n;
            sent[n_sent++] = message;
        } else if (place % (2 * step) == step) {
            message.rank = (amp__rank - step + n) % n;
            received[n_received++] = message;
        }
    }
    if (n_sent + n_received > 0)
        amp__ranks_exchange(sent, n_sent, received, n_received);
}

static void spread(const struct copy *all, size_t n_copies, struct amp__message *messages)
{
    int step = 1;
    while (step < amp__n_ranks)
        step *= 2;
    while ((step /= 2) > 0)
        spread_step(all, n_copies, step, messages);
}

/* Sends all to the reader. */
static void pass(const struct copy *all, size_t n_copies, struct amp__message *messages)
{
    struct amp__message *sent = messages, *received = messages + n_copies;
    int n_sent = 0, n_received = 0;
    for (const struct copy *copy = all; copy < all + n_copies; copy++) {
        struct amp__message message = {.rank = reader, .bytes = copy->bytes, .size = copy->size};
        if (copy->from == reader)
            continue;
        if (amp__rank == copy->from)
            sent[n_sent++] = message;
        message.rank = copy->from;
        if (amp__rank == reader)
            received[n_received++] = message;
    }
    amp__ranks_exchange(sent, n_sent, received, n_received);
}

void amp__ranks_spread(int from, char *bytes, size_t size)
{
    struct amp__message messages[2];
    spread(&(struct copy){.from = from, .bytes = bytes, .size = size}, 1, messages);
}

/* ---- copies ---- */

void amp__hosts_only(int rank)
{
    reader = rank;
}

static bool is_reader(void)
{
    return reader < 0 || reader == amp__rank;
}

/* With the lock held. */
static amp_status end(void)
{
    struct amp__message *messages = copies.n ? malloc(2 * copies.n * sizeof *messages) : NULL;
    if (copies.n && !messages)
        return amp__ranks_no_memory(2 * copies.n * sizeof *messages);
    if (copies.n && reader < 0)
        spread(copies.of, copies.n, messages);
    else if (copies.n)
        pass(copies.of, copies.n, messages);
    for (struct copy *copy = copies.of; copy < copies.of + copies.n; copy++) {
        if (is_reader() && copy->bytes != copy->host)
            amp__rows_unpack(copy->host, copy->bytes, &copy->rows);
        free(copy->packed);
    }
    free(messages);
    copies.n = copies.packed_bytes = 0;
    return AMP_OK;
}

amp_status amp__hosts_end(void)
{
    pthread_mutex_lock(&lock);
    amp_status status = end();
    pthread_mutex_unlock(&lock);
    return status;
}

/* Finds the bytes of a message: rows without gaps go from where they are to where they belong; others are packed. */
static amp_status prepare(struct copy *copy, struct amp__at source)
{
    bool is_source = copy->from == amp__rank;
    char *place = is_source && amp__own_is_host() ? amp__own_address(source) : NULL;
    if (!is_source && !is_reader())
        return AMP_OK;
    if (!amp__rows_have_gaps(&copy->rows))
        copy->bytes = place ? place : is_reader() ? copy->host : NULL;
    if (!copy->bytes)
        copy->bytes = copy->packed = malloc(copy->size);
    if (!copy->bytes)
        return amp__ranks_no_memory(copy->size);
    return is_source && copy->bytes != place ? amp__own_fetch(copy->bytes, source, &copy->rows) : AMP_OK;
}

static amp_status add(const struct copy *copy)
{
    if (copies.n == copies.room) {
        size_t wanted = copies.room ? 2 * copies.room : 64;
        struct copy *more = realloc(copies.of, wanted * sizeof *more);
        if (!more)
            return amp__ranks_no_memory(wanted * sizeof *more);
        copies.of = more;
        copies.room = wanted;
    }
    copies.of[copies.n++] = *copy;
    copies.packed_bytes += amp__rows_have_gaps(&copy->rows) || reader >= 0 ? copy->size : 0; /* the same on all ranks */
    return AMP_OK;
}

amp_status amp__hosts_add(int from, struct amp__at source, char *host, const struct amp__rows *rows)
{
    struct copy copy = {.from = from, .size = amp__rows_bytes(rows), .host = host, .rows = *rows};
    amp_status status = amp__transfers_finish();
    pthread_mutex_lock(&lock);
    if (status == AMP_OK) {
        int to = reader < 0 ? -1 : -2 - reader;
        amp__history_copy(from, to, source.offset, rows);
        amp__history_read();
        status = prepare(&copy, source);
    }
    if (status == AMP_OK)
        status = add(&copy);
    if (status == AMP_OK && copies.packed_bytes > MOST_PACKED)
        status = end();
    pthread_mutex_unlock(&lock);
    return status;
}

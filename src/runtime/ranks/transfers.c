/* SPDX-License-Identifier: MIT
 *
 * Copies between ranks. Each rank is told of all of them, in the same order, and takes part in its own. They wait until
 * the memory is used; then each pair of ranks exchanges one message, all at the same time. */
#include "ranks.h"

#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct amp__round waiting;
static int reader = -1; /* the rank to whose host alone data goes; -1: to all */
static struct {
    char *bytes;
    size_t size, room;
} out[AMP__MAX_RANKS]; /* what goes to each rank */

static void pack(char *to, const char *from, const struct amp__rows *rows)
{
    for (size_t i = 0; i < rows->n; i++)
        memcpy(to + i * rows->bytes, from + i * rows->stride, rows->bytes);
}

static void unpack(char *to, const char *from, const struct amp__rows *rows)
{
    for (size_t i = 0; i < rows->n; i++)
        memcpy(to + i * rows->stride, from + i * rows->bytes, rows->bytes);
}

static amp_status fail_memory(size_t size_bytes)
{
    return amp__fail(AMP_ERROR_OUT_OF_MEMORY, "no memory for messages (%zu bytes)", size_bytes);
}

/* Makes room for more bytes for a rank. */
static bool extend(int rank, size_t more)
{
    size_t size = out[rank].size;
    if (size + more > out[rank].room) {
        size_t wanted = (size + more) * 3 / 2;
        char *bytes = realloc(out[rank].bytes, wanted);
        if (!bytes)
            return false;
        out[rank].bytes = bytes;
        out[rank].room = wanted;
    }
    out[rank].size = size + more;
    return true;
}

static void receive(struct amp__message *received, int n_received)
{
    struct amp__message sent[AMP__MAX_RANKS];
    int n = 0;
    for (int r = 0; r < amp__n_ranks; r++)
        if (out[r].size)
            sent[n++] = (struct amp__message){.rank = r, .bytes = out[r].bytes, .size = out[r].size};
    amp__ranks_exchange(sent, n, received, n_received);
}

static amp_status finish(void)
{
    struct amp__message received[AMP__MAX_RANKS];
    size_t sizes[AMP__MAX_RANKS] = {0}, at[AMP__MAX_RANKS];
    int n = 0;
    amp_status status = AMP_OK;
    for (size_t t = 0; t < waiting.n; t++)
        if (waiting.of[t].transfer.to == amp__rank)
            sizes[waiting.of[t].transfer.from] += amp__rows_bytes(&waiting.of[t].transfer.rows);
    for (int r = 0; r < amp__n_ranks && status == AMP_OK; r++)
        if (sizes[r]) {
            received[n] = (struct amp__message){.rank = r, .bytes = malloc(sizes[r]), .size = sizes[r]};
            at[r] = (size_t)n;
            status = received[n++].bytes ? AMP_OK : fail_memory(sizes[r]);
        }
    if (status == AMP_OK)
        receive(received, n);
    size_t done[AMP__MAX_RANKS] = {0};
    for (size_t t = 0; t < waiting.n && status == AMP_OK; t++) {
        const struct amp__transfer *transfer = &waiting.of[t].transfer;
        int from = transfer->from;
        if (transfer->to != amp__rank)
            continue;
        const struct amp__at *target = &transfer->target;
        status = amp__place_commit(target->memory, target->offset, target->offset + amp__rows_span(&transfer->rows));
        if (status == AMP_OK)
            unpack((char *)target->memory + target->offset, (char *)received[at[from]].bytes + done[from],
                   &transfer->rows);
        done[from] += amp__rows_bytes(&transfer->rows);
    }
    for (int i = 0; i < n; i++)
        free(received[i].bytes);
    for (int r = 0; r < amp__n_ranks; r++)
        out[r].size = 0;
    amp__round_clear(&waiting);
    return status;
}

amp_status amp__transfers_finish(void)
{
    pthread_mutex_lock(&lock);
    amp_status status = waiting.n ? finish() : AMP_OK;
    pthread_mutex_unlock(&lock);
    return status;
}

static void note(int from, int to, size_t offset, const struct amp__rows *rows)
{
    amp__history_move((long long[]){from, to, (long long)offset, (long long)rows->n, (long long)rows->bytes}, 5);
}

amp_status amp__transfers_add(const struct amp__transfer *transfer)
{
    amp_status status = AMP_OK;
    pthread_mutex_lock(&lock);
    if (!amp__round_fits(&waiting, transfer))
        status = finish();
    note(transfer->from, transfer->to, transfer->source.offset, &transfer->rows);
    size_t size = amp__rows_bytes(&transfer->rows);
    if (status == AMP_OK && transfer->from == amp__rank && transfer->to != amp__rank) {
        if (extend(transfer->to, size))
            pack(out[transfer->to].bytes + out[transfer->to].size - size,
                 (char *)transfer->source.memory + transfer->source.offset, &transfer->rows);
        else
            status = fail_memory(size);
    }
    if (status == AMP_OK && !amp__round_add(&waiting, transfer))
        status = fail_memory(sizeof *transfer);
    pthread_mutex_unlock(&lock);
    return status;
}

/* A binomial tree whose root is `from`: each rank receives once, and sends on. */
void amp__ranks_spread(int from, char *bytes, size_t size)
{
    int n = amp__n_ranks, place = (amp__rank - from + n) % n, step = 1;
    while (step < n && !(place & step))
        step *= 2;
    if (place) {
        struct amp__message received = {.rank = (amp__rank - step + n) % n, .bytes = bytes, .size = size};
        amp__ranks_exchange(NULL, 0, &received, 1);
    }
    for (step /= 2; step > 0; step /= 2)
        if (place + step < n) {
            struct amp__message sent = {.rank = (amp__rank + step) % n, .bytes = bytes, .size = size};
            amp__ranks_exchange(&sent, 1, NULL, 0);
        }
}

/* Sends bytes to one rank. */
static void pass(int from, int to, char *bytes, size_t size)
{
    struct amp__message sent = {.rank = to, .bytes = bytes, .size = size};
    struct amp__message received = {.rank = from, .bytes = bytes, .size = size};
    if (from != to && (amp__rank == from || amp__rank == to))
        amp__ranks_exchange(&sent, amp__rank == from, &received, amp__rank == to);
}

void amp__transfers_only_to(int rank)
{
    reader = rank;
}

amp_status amp__transfers_to_host(int from, struct amp__at source, char *host, const struct amp__rows *rows)
{
    pthread_mutex_lock(&lock);
    amp_status status = waiting.n ? finish() : AMP_OK;
    size_t size = amp__rows_bytes(rows);
    char *bytes = status == AMP_OK ? malloc(size) : NULL;
    if (status == AMP_OK && !bytes)
        status = fail_memory(size);
    if (status == AMP_OK) {
        note(from, reader < 0 ? -1 : -2 - reader, source.offset, rows);
        amp__history_read();
        if (from == amp__rank)
            pack(bytes, (char *)source.memory + source.offset, rows);
        if (reader < 0)
            amp__ranks_spread(from, bytes, size);
        else
            pass(from, reader, bytes, size);
        if (reader < 0 || reader == amp__rank)
            unpack(host, bytes, rows);
    }
    free(bytes);
    pthread_mutex_unlock(&lock);
    return status;
}

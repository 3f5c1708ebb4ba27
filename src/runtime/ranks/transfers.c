/* SPDX-License-Identifier: MIT
 *
 * Copies between ranks. Each rank is told of all of them, in the same order, and takes part in its own. They wait until
 * the memory is used; then each pair of ranks exchanges one message, all at the same time. */
#include "ranks.h"

#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
struct waiting {
    struct amp__transfer transfer;
    size_t earlier; /* the number of the last one before it to the same rank, plus 1; 0: there is none */
};
static struct waiting *waiting;
static size_t n_waiting, room;
static size_t last_to[AMP__MAX_RANKS]; /* the number of the last one to each rank, plus 1 */
static int reader = -1;                /* the rank to whose host alone data goes; -1: to all */
static struct {
    char *bytes;
    size_t size, room;
} out[AMP__MAX_RANKS]; /* what goes to each rank */

static size_t bytes_of(const struct amp__rows *rows)
{
    return rows->n * rows->bytes;
}

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

static bool remember(const struct amp__transfer *transfer)
{
    if (n_waiting == room) {
        size_t wanted = room ? 2 * room : 64;
        struct waiting *more = realloc(waiting, wanted * sizeof *more);
        if (!more)
            return false;
        waiting = more;
        room = wanted;
    }
    waiting[n_waiting++] = (struct waiting){*transfer, last_to[transfer->to]};
    last_to[transfer->to] = n_waiting;
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
    for (size_t t = 0; t < n_waiting; t++)
        if (waiting[t].transfer.to == amp__rank)
            sizes[waiting[t].transfer.from] += bytes_of(&waiting[t].transfer.rows);
    for (int r = 0; r < amp__n_ranks && status == AMP_OK; r++)
        if (sizes[r]) {
            received[n] = (struct amp__message){.rank = r, .bytes = malloc(sizes[r]), .size = sizes[r]};
            at[r] = (size_t)n;
            status = received[n++].bytes ? AMP_OK : fail_memory(sizes[r]);
        }
    if (status == AMP_OK)
        receive(received, n);
    size_t done[AMP__MAX_RANKS] = {0};
    for (size_t t = 0; t < n_waiting && status == AMP_OK; t++) {
        const struct amp__transfer *transfer = &waiting[t].transfer;
        int from = transfer->from;
        if (transfer->to != amp__rank)
            continue;
        unpack((char *)transfer->target.memory + transfer->target.offset, (char *)received[at[from]].bytes + done[from],
               &transfer->rows);
        done[from] += bytes_of(&transfer->rows);
    }
    for (int i = 0; i < n; i++)
        free(received[i].bytes);
    for (int r = 0; r < amp__n_ranks; r++)
        out[r].size = last_to[r] = 0;
    n_waiting = 0;
    return status;
}

amp_status amp__transfers_finish(void)
{
    pthread_mutex_lock(&lock);
    amp_status status = n_waiting ? finish() : AMP_OK;
    pthread_mutex_unlock(&lock);
    return status;
}

static void note(int from, int to, size_t offset, const struct amp__rows *rows)
{
    amp__history_move((long long[]){from, to, (long long)offset, (long long)rows->n, (long long)rows->bytes}, 5);
}

/* Whether rows of one memory have bytes in common; true if that is not easy to tell. */
static bool rows_meet(const struct amp__rows *a, const struct amp__rows *b)
{
    long long a_bytes = (long long)a->bytes, b_bytes = (long long)b->bytes, a_n = (long long)a->n,
              b_n = (long long)b->n;
    long long stride = (long long)(a_n > 1 ? a->stride : b->stride);
    long long between = (long long)b->offset - (long long)a->offset;
    if (between >= (a_n - 1) * (long long)a->stride + a_bytes || -between >= (b_n - 1) * (long long)b->stride + b_bytes)
        return false;
    if ((a_n == 1 && b_n == 1) || (a_n > 1 && b_n > 1 && a->stride != b->stride) || a_bytes > stride ||
        b_bytes > stride)
        return true;
    /* How many rows of `a` later a row of it begins before one of `b`, or with it, and how much before it. */
    long long steps = between / stride - (between % stride < 0), rest = between - steps * stride;
    bool is_row = steps > -b_n && steps < a_n;
    bool is_next = steps + 1 > -b_n && steps + 1 < a_n;
    return (is_row && rest < a_bytes) || (is_next && stride - rest < b_bytes);
}

/* Whether a rank sends what it is yet to receive. */
static bool needs_waiting(const struct amp__transfer *transfer)
{
    for (size_t number = last_to[transfer->from]; number; number = waiting[number - 1].earlier) {
        const struct amp__transfer *earlier = &waiting[number - 1].transfer;
        struct amp__rows target = earlier->rows, source = transfer->rows;
        target.offset = earlier->target.offset;
        source.offset = transfer->source.offset;
        if (earlier->target.memory == transfer->source.memory && rows_meet(&target, &source))
            return true;
    }
    return false;
}

amp_status amp__transfers_add(const struct amp__transfer *transfer)
{
    amp_status status = AMP_OK;
    pthread_mutex_lock(&lock);
    if (needs_waiting(transfer))
        status = finish();
    note(transfer->from, transfer->to, transfer->source.offset, &transfer->rows);
    size_t size = bytes_of(&transfer->rows);
    if (status == AMP_OK && transfer->from == amp__rank && transfer->to != amp__rank) {
        if (extend(transfer->to, size))
            pack(out[transfer->to].bytes + out[transfer->to].size - size,
                 (char *)transfer->source.memory + transfer->source.offset, &transfer->rows);
        else
            status = fail_memory(size);
    }
    if (status == AMP_OK && !remember(transfer))
        status = fail_memory(sizeof *transfer);
    pthread_mutex_unlock(&lock);
    return status;
}

/* A binomial tree whose root is `from`: each rank receives once, and sends on. */
static void spread(int from, char *bytes, size_t size)
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
    amp_status status = n_waiting ? finish() : AMP_OK;
    size_t size = bytes_of(rows);
    char *bytes = status == AMP_OK ? malloc(size) : NULL;
    if (status == AMP_OK && !bytes)
        status = fail_memory(size);
    if (status == AMP_OK) {
        note(from, reader < 0 ? -1 : -2 - reader, source.offset, rows);
        amp__history_read();
        if (from == amp__rank)
            pack(bytes, (char *)source.memory + source.offset, rows);
        if (reader < 0)
            spread(from, bytes, size);
        else
            pass(from, reader, bytes, size);
        if (reader < 0 || reader == amp__rank)
            unpack(host, bytes, rows);
    }
    free(bytes);
    pthread_mutex_unlock(&lock);
    return status;
}

/* SPDX-License-Identifier: MIT
 *
 * Copies between ranks. Each rank is told of all of them, in the same order, and takes part in its own. They wait until
 * the memory is used; then each pair of ranks exchanges one message, all at the same time. */
#include "ranks.h"

#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct amp__round waiting;
/* What goes to other ranks, and what comes. */
static struct buffers {
    struct buffer {
        char *bytes;
        size_t size, room, done; /* `done`: what has been packed or unpacked */
        char *direct;            /* not NULL: the message is these bytes of a place, and none of the buffer's */
    } of[AMP__MAX_RANKS];
    int ranks[AMP__MAX_RANKS], n; /* those with which there is a message */
} out, in;

/* What this rank sends, which is packed when the messages start. */
static struct {
    struct leaving {
        int to;
        struct amp__at source;
        struct amp__rows rows;
    } *of;
    size_t n, room;
} leaving;

/* Batches that are waiting, of which only what this rank receives is in `waiting`, each for another home; and whether
 * other transfers are waiting. */
enum { MOST_BATCHES = 8 };
static struct {
    const struct amp__batch *batch;
    struct amp__home *home;
} batches[MOST_BATCHES];
static int n_batches;
static bool has_singles;
static bool has_older; /* what waits was asked for before the launch that brings its data now */

/* Gives a buffer room for a message, which need not keep contents, but may still be unpacked. */
static amp_status make_room(struct buffer *buffer)
{
    bool has_room = buffer->direct || buffer->size <= buffer->room;
    amp_status status = has_room ? AMP_OK : amp__own_wait();
    if (status != AMP_OK || has_room)
        return status;
    amp__own_message_free(buffer->bytes);
    buffer->room = buffer->size * 3 / 2;
    buffer->bytes = amp__own_message_new(buffer->room);
    if (buffer->bytes)
        return AMP_OK;
    buffer->room = 0;
    return amp__ranks_no_memory(buffer->size);
}

static amp_status make_all_room(struct buffers *buffers)
{
    amp_status status = AMP_OK;
    for (int i = 0; i < buffers->n && status == AMP_OK; i++)
        status = make_room(&buffers->of[buffers->ranks[i]]);
    return status;
}

static size_t large = 1 << 16; /* bytes that should not be copied */

/* Whether rows should not be copied to make a message. */
static bool is_large(const struct amp__rows *rows)
{
    return !amp__rows_have_gaps(rows) && amp__rows_bytes(rows) >= large;
}

/* Adds rows at `at` to a message. Large ones that are all of it stay there, if the host's memory is what this rank
 * computes in. Nothing else writes them before the message has gone: a launch waits for it if it is not early. */
static void add_rows(struct buffers *buffers, int rank, struct amp__at at, const struct amp__rows *rows)
{
    struct buffer *buffer = &buffers->of[rank];
    if (!buffer->size)
        buffers->ranks[buffers->n++] = rank;
    bool is_direct = at.memory && !buffer->size && amp__own_is_host() && is_large(rows);
    buffer->direct = is_direct ? amp__own_address(at) : NULL;
    buffer->size += amp__rows_bytes(rows);
}

static bool meet(const char *a, size_t a_size, const char *b, size_t b_size)
{
    return a < b + b_size && b < a + a_size;
}

/* Whether a transfer may come where it goes to: nothing is sent from there, and nothing earlier comes there. */
static bool is_free(size_t number)
{
    const struct amp__transfer *transfer = &waiting.of[number].transfer, *other;
    const char *target = amp__own_address(transfer->target);
    size_t span = amp__rows_span(&transfer->rows);
    bool is = true;
    for (int i = 0; i < out.n; i++) {
        const struct buffer *buffer = &out.of[out.ranks[i]];
        is &= !buffer->direct || !meet(target, span, buffer->direct, buffer->size);
    }
    for (size_t t = waiting.of[number].earlier; t && is; t = waiting.of[t - 1].earlier) {
        other = &waiting.of[t - 1].transfer;
        is = !meet(target, span, amp__own_address(other->target), amp__rows_span(&other->rows));
    }
    return is;
}

static void empty(struct buffers *buffers)
{
    for (; buffers->n > 0; buffers->n--) {
        struct buffer *buffer = &buffers->of[buffers->ranks[buffers->n - 1]];
        buffer->size = buffer->done = 0;
        buffer->direct = NULL;
    }
}

/* Makes messages of what there is. Returns how many. */
static int list(const struct buffers *buffers, struct amp__message *messages)
{
    for (int i = 0; i < buffers->n; i++) {
        const struct buffer *buffer = &buffers->of[buffers->ranks[i]];
        char *bytes = buffer->direct ? buffer->direct : buffer->bytes;
        messages[i] = (struct amp__message){.rank = buffers->ranks[i], .bytes = bytes, .size = buffer->size};
    }
    return buffers->n;
}

/* Makes room for what comes from each rank. */
static amp_status expect(void)
{
    amp_status status = AMP_OK;
    for (size_t t = 0; t < waiting.n && status == AMP_OK; t++) {
        const struct amp__transfer *transfer = &waiting.of[t].transfer;
        const struct amp__at *target = &transfer->target;
        if (transfer->to != amp__rank)
            continue;
        add_rows(&in, transfer->from, is_large(&transfer->rows) && is_free(t) ? *target : (struct amp__at){0},
                 &transfer->rows);
        if (in.of[transfer->from].direct)
            status = amp__own_commit_rows(*target, &transfer->rows);
    }
    return status == AMP_OK ? make_all_room(&in) : status;
}

/* Packs what this rank sends, and waits for that; what came earlier is then unpacked, too. */
static amp_status pack_all(void)
{
    amp_status status = make_all_room(&out);
    for (const struct leaving *l = leaving.of; l < leaving.of + leaving.n && status == AMP_OK; l++) {
        struct buffer *buffer = &out.of[l->to];
        if (buffer->direct)
            continue;
        status = amp__own_pack(buffer->bytes + buffer->done, l->source, &l->rows);
        buffer->done += amp__rows_bytes(&l->rows);
    }
    leaving.n = 0;
    return status == AMP_OK ? amp__own_wait() : status;
}

/* The messages that are on their way; the others wait. */
static struct {
    bool is_on;
    struct amp__message sent[AMP__MAX_RANKS], received[AMP__MAX_RANKS];
    int n_sent, n_received;
} flight;

static amp_status start(void)
{
    amp_status status = expect();
    if (status == AMP_OK)
        status = pack_all();
    if (status != AMP_OK)
        return status;
    flight.n_sent = list(&out, flight.sent);
    flight.n_received = list(&in, flight.received);
    flight.is_on = true;
    amp__ranks_start(flight.sent, flight.n_sent, flight.received, flight.n_received);
    return AMP_OK;
}

static amp_status end(void)
{
    amp_status status = AMP_OK;
    amp__ranks_wait(flight.received, flight.n_received);
    flight.is_on = false;
    for (size_t t = 0; t < waiting.n && status == AMP_OK; t++) {
        const struct amp__transfer *transfer = &waiting.of[t].transfer;
        struct buffer *buffer = &in.of[transfer->from];
        if (transfer->to != amp__rank || buffer->direct)
            continue;
        status = amp__own_unpack(transfer->target, buffer->bytes + buffer->done, &transfer->rows);
        buffer->done += amp__rows_bytes(&transfer->rows);
    }
    empty(&in);
    empty(&out);
    amp__round_clear(&waiting);
    n_batches = 0;
    has_singles = has_older = false;
    return status;
}

static amp_status finish(void)
{
    amp_status status = flight.is_on ? AMP_OK : start();
    return status == AMP_OK ? end() : status;
}

static amp_status finish_all(void)
{
    return waiting.n || n_batches ? finish() : AMP_OK;
}

/* Ends what is on its way: nothing can be added to it. */
static amp_status land(void)
{
    return flight.is_on ? finish() : AMP_OK;
}

amp_status amp__transfers_finish(void)
{
    pthread_mutex_lock(&lock);
    amp_status status = finish_all();
    pthread_mutex_unlock(&lock);
    return status;
}

void amp__transfers_mark(void)
{
    pthread_mutex_lock(&lock);
    has_older = waiting.n || n_batches;
    pthread_mutex_unlock(&lock);
}

amp_status amp__transfers_begin(void)
{
    amp_status status = AMP_OK;
    pthread_mutex_lock(&lock);
    if (has_older)
        status = finish_all();
    else if ((waiting.n || n_batches) && !flight.is_on)
        status = start();
    pthread_mutex_unlock(&lock);
    return status;
}

/* Notes what this rank sends. Its memory stays as it is until that is packed. */
static amp_status send(const struct amp__transfer *transfer)
{
    if (leaving.n == leaving.room) {
        size_t wanted = leaving.room ? 2 * leaving.room : 64;
        struct leaving *more = realloc(leaving.of, wanted * sizeof *more);
        if (!more)
            return amp__ranks_no_memory(wanted * sizeof *more);
        leaving.of = more;
        leaving.room = wanted;
    }
    struct leaving *l = &leaving.of[leaving.n++];
    l->to = transfer->to;
    l->source = transfer->source;
    l->rows = transfer->rows;
    add_rows(&out, transfer->to, transfer->source, &transfer->rows);
    return AMP_OK;
}

/* ---- batches ---- */

/* Transfers between places of a home, of whose memory only the locations are known. */
struct amp__batch {
    struct amp__trail trail;
    size_t n, n_own; /* those of this rank come first */
    struct transfer_of_home {
        int from, to; /* locations */
        struct amp__rows rows;
    } of[];
};

static int rank_at(int location)
{
    return amp__rank_number(amp__accelerator_at(location)->device);
}

static struct amp__transfer transfer_for(const struct transfer_of_home *t, struct amp__home *home)
{
    return (struct amp__transfer){.from = rank_at(t->from),
                                  .to = rank_at(t->to),
                                  .source = {amp__home_memory(home, t->from), t->rows.offset},
                                  .target = {amp__home_memory(home, t->to), t->rows.offset},
                                  .rows = t->rows};
}

/* Adds those transfers of batches that other ranks take part in alone, for the order of what comes now. */
static bool spell_out_batches(void)
{
    bool is_done = true;
    for (int b = 0; b < n_batches; b++)
        for (size_t i = 0; i < batches[b].batch->n && is_done; i++) {
            struct amp__transfer transfer = transfer_for(&batches[b].batch->of[i], batches[b].home);
            is_done = transfer.to == amp__rank || amp__round_add(&waiting, &transfer);
        }
    has_singles |= n_batches > 0;
    n_batches = 0;
    return is_done;
}

/* Whether all can go at the same time. */
static bool is_one_round(const struct amp__peer_copy *copies, size_t n)
{
    static char places[AMP__MAX_LOCATIONS]; /* stand for their memory */
    struct amp__round *round = calloc(1, sizeof *round);
    bool is_one = round;
    for (size_t i = 0; i < n && is_one; i++) {
        const struct amp__peer_copy *copy = &copies[i];
        struct amp__transfer transfer = {.from = amp__rank_number(copy->from->device),
                                         .to = amp__rank_number(copy->to->device),
                                         .source = {&places[copy->from->location], copy->rows.offset},
                                         .target = {&places[copy->to->location], copy->rows.offset},
                                         .rows = copy->rows};
        is_one = amp__round_fits(round, &transfer) && amp__round_add(round, &transfer);
    }
    if (round)
        free(round->of);
    free(round);
    return is_one;
}

struct amp__batch *amp__batch_new(const struct amp__peer_copy *copies, size_t n)
{
    struct amp__batch *batch = is_one_round(copies, n) ? malloc(sizeof *batch + n * sizeof *batch->of) : NULL;
    if (!batch)
        return NULL;
    *batch = (struct amp__batch){.trail = {1, 0}};
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < n; i++) {
            const struct amp__peer_copy *copy = &copies[i];
            int from = amp__rank_number(copy->from->device), to = amp__rank_number(copy->to->device);
            if (pass == 0)
                amp__trail_add(&batch->trail, from, to, copy->rows.offset, &copy->rows);
            if ((from == amp__rank || to == amp__rank) == (pass == 0))
                batch->of[batch->n++] = (struct transfer_of_home){copy->from->location, copy->to->location, copy->rows};
        }
        batch->n_own = pass == 0 ? batch->n : batch->n_own;
    }
    return batch;
}

void amp__batch_free(struct amp__batch *batch)
{
    pthread_mutex_lock(&lock);
    for (int b = 0; b < n_batches; b++)
        if (batches[b].batch == batch) {
            amp__ranks_insist(spell_out_batches() ? AMP_OK : amp__ranks_no_memory(sizeof(struct amp__transfer)));
            break;
        }
    pthread_mutex_unlock(&lock);
    free(batch);
}

/* Whether none of what waits can have to do with a home. */
static bool is_new(const struct amp__home *home)
{
    bool is = !has_singles && n_batches < MOST_BATCHES;
    for (int b = 0; b < n_batches; b++)
        is = is && batches[b].home != home;
    return is;
}

amp_status amp__batch_add(struct amp__batch *batch, struct amp__home *home, bool *is_done)
{
    amp_status status = AMP_OK;
    pthread_mutex_lock(&lock);
    status = land();
    *is_done = status == AMP_OK && is_new(home);
    if (*is_done) {
        amp__history_move(&batch->trail);
        batches[n_batches++].batch = batch;
        batches[n_batches - 1].home = home;
    }
    for (size_t i = 0; i < batch->n_own && *is_done && status == AMP_OK; i++) {
        struct amp__transfer transfer = transfer_for(&batch->of[i], home);
        if (transfer.from == amp__rank)
            status = send(&transfer);
        else if (!amp__round_add(&waiting, &transfer))
            status = amp__ranks_no_memory(sizeof transfer);
    }
    pthread_mutex_unlock(&lock);
    return status;
}

/* ---- single transfers ---- */

amp_status amp__transfers_add(const struct amp__transfer *transfer)
{
    amp_status status = AMP_OK;
    pthread_mutex_lock(&lock);
    status = land();
    if (status == AMP_OK && !spell_out_batches())
        status = amp__ranks_no_memory(sizeof *transfer);
    if (status == AMP_OK && !amp__round_fits(&waiting, transfer))
        status = finish();
    amp__history_copy(transfer->from, transfer->to, transfer->source.offset, &transfer->rows);
    if (status == AMP_OK && transfer->from == amp__rank && transfer->to != amp__rank)
        status = send(transfer);
    if (status == AMP_OK && !amp__round_add(&waiting, transfer))
        status = amp__ranks_no_memory(sizeof *transfer);
    has_singles = true;
    pthread_mutex_unlock(&lock);
    return status;
}

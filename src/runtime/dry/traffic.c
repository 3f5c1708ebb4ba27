/* SPDX-License-Identifier: MIT
 *
 * What ranks would send, by the rules of ranks/transfers.c and ranks/ranks.c. */
#include "dry.h"

#include <string.h>

static struct amp__round waiting;
static struct amp__traffic sum, of_ranks[AMP__MAX_DRY_RANKS], taken[AMP__MAX_DRY_RANKS];

static void receive(int rank, long long messages, size_t size_bytes)
{
    sum.messages += messages;
    sum.bytes += (long long)size_bytes;
    of_ranks[rank].messages += messages;
    of_ranks[rank].bytes += (long long)size_bytes;
}

void amp__traffic_finish(void)
{
    static size_t seen[AMP__MAX_DRY_RANKS]; /* by the rank that sends: the last copy to the rank at hand, plus 1 */
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

void amp__traffic_send(int from, int to, size_t size_bytes)
{
    amp__traffic_finish();
    for (int rank = to < 0 ? 0 : to; rank < (to < 0 ? amp__dry_ranks : to + 1); rank++)
        if (rank != from)
            receive(rank, 1, size_bytes);
}

static amp_status wait_with(const struct amp__transfer *transfer)
{
    if (!amp__round_fits(&waiting, transfer))
        amp__traffic_finish();
    return amp__round_add(&waiting, transfer)
               ? AMP_OK
               : amp__fail(AMP_ERROR_OUT_OF_MEMORY, "dry run: no memory for %zu copies", waiting.n + 1);
}

amp_status amp__traffic_move(struct amp__home *home, const struct amp__move *move)
{
    struct amp__rows rows;
    amp_status status = AMP_OK;
    if (move->from == AMP__HOST) { /* each rank has that */
        amp__traffic_finish();
        return AMP_OK;
    }
    amp__rows_begin(&rows, &home->grid, &move->box);
    do
        if (move->to == AMP__HOST)
            amp__traffic_send(move->from - 1, -1, amp__rows_bytes(&rows));
        else
            status = wait_with(
                &(struct amp__transfer){move->from - 1, move->to - 1, {home, rows.offset}, {home, rows.offset}, rows});
    while (status == AMP_OK && amp__rows_next(&rows, &home->grid));
    return status;
}

void amp__traffic_agree(size_t size_bytes)
{
    for (int step = 1; step < amp__dry_ranks; step *= 2)
        for (int rank = 0; rank < amp__dry_ranks; rank++)
            receive(rank, 1, size_bytes);
}

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

/* SPDX-License-Identifier: MIT
 *
 * Copies between ranks that go at the same time, one message for each pair of ranks. */
#include "ranks.h"

#include <stdlib.h>

bool amp__round_add(struct amp__round *round, const struct amp__transfer *transfer)
{
    if (round->n == round->room) {
        size_t wanted = round->room ? 2 * round->room : 64;
        struct amp__waiting *more = realloc(round->of, wanted * sizeof *more);
        if (!more)
            return false;
        round->of = more;
        round->room = wanted;
    }
    round->of[round->n++] = (struct amp__waiting){*transfer, round->last_to[transfer->to]};
    round->last_to[transfer->to] = round->n;
    return true;
}

void amp__round_clear(struct amp__round *round)
{
    for (size_t t = 0; t < round->n; t++)
        round->last_to[round->of[t].transfer.to] = 0;
    round->n = 0;
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

bool amp__round_fits(const struct amp__round *round, const struct amp__transfer *transfer)
{
    for (size_t number = round->last_to[transfer->from]; number; number = round->of[number - 1].earlier) {
        const struct amp__transfer *earlier = &round->of[number - 1].transfer;
        struct amp__rows target = earlier->rows, source = transfer->rows;
        target.offset = earlier->target.offset;
        source.offset = transfer->source.offset;
        if (earlier->target.memory == transfer->source.memory && rows_meet(&target, &source))
            return false;
    }
    return true;
}

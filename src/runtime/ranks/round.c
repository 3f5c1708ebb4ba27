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
    enum { MOST_KEPT = 1024 }; /* a new plan of many ranks has more */
    for (size_t t = 0; t < round->n; t++)
        round->last_to[round->of[t].transfer.to] = 0;
    round->n = 0;
    if (round->room > MOST_KEPT) {
        free(round->of);
        round->of = NULL;
        round->room = 0;
    }
}

/* Whether one row, from `begin` up to `end`, has bytes in common with any of the rows. */
static bool row_meets(long long begin, long long end, const struct amp__rows *rows)
{
    long long first = (long long)rows->offset, bytes = (long long)rows->bytes, stride = (long long)rows->stride;
    if (rows->n == 1 || begin < first + bytes)
        return begin < first + bytes && end > first;
    long long next = (begin - first - bytes) / stride + 1; /* the first row that ends after `begin` */
    return next < (long long)rows->n && first + next * stride < end;
}

/* The same for several rows. */
static bool any_row_meets(const struct amp__rows *few, const struct amp__rows *many)
{
    bool meets = false;
    for (size_t i = 0; i < few->n && !meets; i++) {
        long long begin = (long long)(few->offset + i * few->stride);
        meets = row_meets(begin, begin + (long long)few->bytes, many);
    }
    return meets;
}

/* Whether rows of one memory have bytes in common. */
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
        return a_n < b_n ? any_row_meets(a, b) : any_row_meets(b, a);
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
        if (earlier->target.memory != transfer->source.memory)
            continue;
        struct amp__rows target = earlier->rows, source = transfer->rows;
        target.offset = earlier->target.offset;
        source.offset = transfer->source.offset;
        if (rows_meet(&target, &source))
            return false;
    }
    return true;
}

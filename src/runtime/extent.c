/* SPDX-License-Identifier: MIT */
#include "runtime.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

amp_extent amp_extent_n(int rank, const int *dim)
{
    amp_extent extent = {0};
    if (dim && rank >= 1 && rank <= AMP_MAX_RANK) {
        extent.rank = rank;
        memcpy(extent.dim, dim, (size_t)rank * sizeof *dim);
    }
    return extent;
}

amp_extent amp_extent1(int e0)
{
    return (amp_extent){1, {e0}};
}

amp_extent amp_extent2(int e0, int e1)
{
    return (amp_extent){2, {e0, e1}};
}

amp_extent amp_extent3(int e0, int e1, int e2)
{
    return (amp_extent){3, {e0, e1, e2}};
}

amp_index amp_index_n(int rank, const int *dim)
{
    amp_index index = {0};
    if (dim && rank >= 1 && rank <= AMP_MAX_RANK) {
        index.rank = rank;
        memcpy(index.dim, dim, (size_t)rank * sizeof *dim);
    }
    return index;
}

amp_index amp_index_make1(int i0)
{
    return (amp_index){1, {i0}};
}

amp_index amp_index_make2(int i0, int i1)
{
    return (amp_index){2, {i0, i1}};
}

amp_index amp_index_make3(int i0, int i1, int i2)
{
    return (amp_index){3, {i0, i1, i2}};
}

/* The components that count; a rank that makes no sense has none. */
static int valid_rank(int rank)
{
    return rank >= 0 && rank <= AMP_MAX_RANK ? rank : 0;
}

int64_t amp_extent_size(amp_extent extent)
{
    int rank = valid_rank(extent.rank);
    int64_t size = rank > 0;
    for (int i = 0; i < rank; i++)
        if (extent.dim[i] <= 0)
            return 0;
    for (int i = 0; i < rank; i++)
        if (__builtin_mul_overflow(size, extent.dim[i], &size))
            return INT64_MAX;
    return size;
}

static bool equal_dims(int rank_a, const int *a, int rank_b, const int *b)
{
    return rank_a == rank_b && !memcmp(a, b, (size_t)valid_rank(rank_a) * sizeof *a);
}

bool amp_extent_equal(amp_extent a, amp_extent b)
{
    return equal_dims(a.rank, a.dim, b.rank, b.dim);
}

bool amp_index_equal(amp_index a, amp_index b)
{
    return equal_dims(a.rank, a.dim, b.rank, b.dim);
}

bool amp_extent_contains(amp_extent extent, amp_index index)
{
    if (extent.rank != index.rank || valid_rank(extent.rank) == 0)
        return false;
    for (int i = 0; i < extent.rank; i++)
        if (index.dim[i] < 0 || index.dim[i] >= extent.dim[i])
            return false;
    return true;
}

/* Rounds each component down, or up, to a multiple of the tile's. */
static amp_extent round_to(amp_extent extent, amp_extent tile, bool up)
{
    int rank = valid_rank(extent.rank);
    if (extent.rank != tile.rank)
        return extent;
    for (int i = 0; i < rank; i++) {
        if (tile.dim[i] <= 0)
            return extent;
    }
    for (int i = 0; i < rank; i++) {
        int64_t over = extent.dim[i] % tile.dim[i];
        if (over < 0)
            over += tile.dim[i];
        int64_t rounded = extent.dim[i] - over + (up && over ? tile.dim[i] : 0);
        extent.dim[i] = rounded > INT_MAX ? INT_MAX : rounded < INT_MIN ? INT_MIN : (int)rounded;
    }
    return extent;
}

amp_extent amp_extent_pad(amp_extent extent, amp_extent tile)
{
    return round_to(extent, tile, true);
}

amp_extent amp_extent_truncate(amp_extent extent, amp_extent tile)
{
    return round_to(extent, tile, false);
}

char *amp__shape_text(int rank, const int *dim, char text[AMP__SHAPE_TEXT])
{
    int length = 0;
    text[0] = 0;
    for (int i = 0; i < valid_rank(rank); i++)
        length += snprintf(text + length, (size_t)(AMP__SHAPE_TEXT - length), i ? "x%d" : "%d", dim[i]);
    return text;
}

/* SPDX-License-Identifier: MIT
 *
 * With AMP_CHECK_RANKS=1 ranks compare the host's memory that they read, which must have the same contents on all of
 * them: first by a number that is made of it, and if that is not the same everywhere, with that of rank 0. */
#include "ranks.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool amp__ranks_check;

static _Thread_local const struct amp__suspect *suspect; /* NULL: nothing is compared */

amp_status amp__ranks_check_begin(void)
{
    const char *text = getenv("AMP_CHECK_RANKS");
    amp__ranks_check = text && !strcmp(text, "1");
    if (amp__ranks_check || !text || !*text || !strcmp(text, "0"))
        return AMP_OK;
    return amp__fail(AMP_ERROR_INVALID_ARGUMENT, "all: AMP_CHECK_RANKS is \"%.80s\"; it must be 0 or 1", text);
}

void amp__ranks_suspect(const struct amp__suspect *what)
{
    suspect = what;
}

static long long number_of(const char *host, const struct amp__rows *rows)
{
    uint64_t hash = rows->n;
    for (size_t i = 0; i < rows->n; i++)
        for (size_t k = 0; k < rows->bytes; k++) {
            hash = (hash ^ (unsigned char)host[i * rows->stride + k]) * 0x100000001B3u;
            hash ^= hash >> 47;
        }
    return (long long)(hash >> 2);
}

/* Returns the first byte, by its offset from `host`, in which this rank's memory is not that of rank 0; LLONG_MAX: it
 * is the same. */
static long long find_difference(const char *host, const struct amp__rows *rows, char *buffer, size_t room)
{
    long long found = LLONG_MAX;
    for (size_t i = 0; i < rows->n; i++)
        for (size_t at = 0, n; at < rows->bytes; at += n) {
            const char *mine = host + i * rows->stride + at;
            n = rows->bytes - at < room ? rows->bytes - at : room;
            memcpy(buffer, mine, n);
            amp__ranks_spread(0, buffer, n);
            for (size_t k = 0; k < n && found == LLONG_MAX; k++)
                found = buffer[k] == mine[k] ? found : mine + k - host;
        }
    return found;
}

/* `at`: the byte's offset in the home. */
static amp_status fail(int rank, size_t at)
{
    char index[AMP_MAX_RANK * 14];
    amp_index found = amp__view_index_of(suspect->view, at);
    int length = 0;
    for (int d = 0; d < found.rank; d++)
        length += snprintf(index + length, sizeof index - (size_t)length, "[%d]", found.dim[d]);
    if (suspect->kernel)
        return amp__kernel_fail(suspect->kernel, AMP_ERROR_INVALID_ARGUMENT,
                                "the host's memory of %s is not the same on rank %d as on rank 0, first at %s",
                                suspect->name, rank, index);
    return amp__fail(AMP_ERROR_INVALID_ARGUMENT,
                     "%s: the host's memory of the view is not the same on rank %d as on rank 0, first at %s",
                     suspect->name, rank, index);
}

amp_status amp__ranks_compare(const char *host, const struct amp__rows *rows)
{
    enum { ROOM = 1 << 16 };
    if (!amp__ranks_check || !suspect)
        return AMP_OK;
    long long number = number_of(host, rows), greatest = amp__ranks_greatest(number);
    if (greatest == -amp__ranks_greatest(-number))
        return AMP_OK;
    char *buffer = malloc(ROOM);
    if (!buffer)
        amp__ranks_end_all();
    long long mine = find_difference(host, rows, buffer, ROOM);
    free(buffer);
    /* The first byte on any rank, and the first rank in which it differs. */
    long long first = -amp__ranks_greatest(-mine);
    int rank = (int)-amp__ranks_greatest(mine == first ? -amp__rank : -AMP__MAX_RANKS);
    return fail(rank, rows->offset + (size_t)first);
}

amp_status amp__ranks_compare_view(const amp_array_view *view)
{
    struct amp__home *home = view->home;
    const char *memory = amp__home_memory(home, AMP__HOST);
    struct amp__cover cover;
    const struct amp__box *box;
    struct amp__groups groups;
    amp_status status = AMP_OK;
    amp__cover_begin(&cover, &home->grid, view, SIZE_MAX);
    while (status == AMP_OK && (box = amp__cover_next(&cover))) {
        amp__groups_begin(&groups, &home->grid, box);
        do
            status = amp__ranks_compare(memory + groups.rows.offset, &groups.rows);
        while (status == AMP_OK && amp__groups_next(&groups, &home->grid));
    }
    return status;
}

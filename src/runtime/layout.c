/* SPDX-License-Identifier: MIT
 *
 * Layouts: where the bytes of homes are valid, kept once for all homes in which that is alike. So whether a home is as
 * another one was at some time is a question of pointers, and what a launch does to it can be repeated without boxes
 * (all/plans.c). A layout never changes. */
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

enum { N_BUCKETS = 256 };

static struct amp__layout *buckets[N_BUCKETS];

static int compare_parts(int rank, const struct amp__part *a, const struct amp__part *b)
{
    size_t bytes = (size_t)rank * sizeof *a->box.begin;
    int order = 0;
    for (int d = 0; d < rank && !order; d++)
        order = (a->box.begin[d] > b->box.begin[d]) - (a->box.begin[d] < b->box.begin[d]);
    if (!order)
        order = memcmp(a->box.end, b->box.end, bytes);
    return order ? order : (a->places > b->places) - (a->places < b->places);
}

/* Brings parts into the order of their first points, in which they mostly are. */
static void sort(struct amp__parts *parts, int rank)
{
    for (int i = 1; i < parts->n; i++) {
        int k = i;
        struct amp__part part = parts->of[i];
        for (; k > 0 && compare_parts(rank, &part, &parts->of[k - 1]) < 0; k--)
            parts->of[k] = parts->of[k - 1];
        parts->of[k] = part;
    }
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 32;
}

static uint64_t hash_of(const struct amp__parts *parts, const struct amp__grid *grid)
{
    uint64_t hash = (uint64_t)grid->rank;
    for (int d = 0; d < grid->rank; d++)
        hash = mix(hash, grid->dim[d]);
    for (const struct amp__part *part = parts->of; part < parts->of + parts->n; part++) {
        hash = mix(hash, part->places);
        for (int d = 0; d < grid->rank; d++)
            hash = mix(mix(hash, part->box.begin[d]), part->box.end[d]);
    }
    return hash;
}

static bool is_alike(const struct amp__layout *layout, const struct amp__parts *parts, const struct amp__grid *grid)
{
    size_t bytes = (size_t)grid->rank * sizeof *grid->dim;
    bool is = layout->n == parts->n && layout->grid.rank == grid->rank && !memcmp(layout->grid.dim, grid->dim, bytes);
    for (int i = 0; i < parts->n && is; i++)
        is = !compare_parts(grid->rank, &layout->of[i], &parts->of[i]);
    return is;
}

struct amp__layout *amp__layout_of(struct amp__parts *parts, const struct amp__grid *grid)
{
    sort(parts, grid->rank);
    uint64_t hash = hash_of(parts, grid);
    struct amp__layout **bucket = &buckets[hash % N_BUCKETS];
    for (struct amp__layout *layout = *bucket; layout; layout = layout->next)
        if (layout->hash == hash && is_alike(layout, parts, grid)) {
            layout->references++;
            return layout;
        }
    size_t bytes = (size_t)parts->n * sizeof *parts->of;
    struct amp__layout *layout = amp__alloc(sizeof *layout + bytes, _Alignof(struct amp__layout));
    if (!layout)
        return NULL;
    *layout = (struct amp__layout){.next = *bucket,
                                   .references = 1,
                                   .hash = hash,
                                   .grid = *grid,
                                   .all = amp__parts_all(parts),
                                   .any = amp__parts_any(parts),
                                   .n = parts->n};
    memcpy(layout->of, parts->of, bytes);
    return *bucket = layout;
}

void amp__layout_release(struct amp__layout *layout)
{
    if (!layout || --layout->references > 0)
        return;
    struct amp__layout **link = &buckets[layout->hash % N_BUCKETS];
    while (*link != layout)
        link = &(*link)->next;
    *link = layout->next;
    amp__free(layout);
}

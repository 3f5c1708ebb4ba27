/* SPDX-License-Identifier: MIT
 *
 * Layouts: where the bytes of homes are valid, kept once for all homes in which that is alike, however it came about.
 * So whether a home is as another one was at some time is a question of pointers, and what a launch does to it can be
 * repeated without boxes (all/plans.c). A layout never changes. */
#include "runtime.h"

#include <stdlib.h>

enum { N_BUCKETS = 256 };

static struct amp__layout *buckets[N_BUCKETS];

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 32;
}

static uint64_t hash_of(const struct amp__parts *parts)
{
    const struct amp__grid *grid = parts->grid;
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

struct amp__layout *amp__layout_of(struct amp__parts *parts)
{
    amp__parts_normalise(parts);
    uint64_t hash = hash_of(parts);
    struct amp__layout **bucket = &buckets[hash % N_BUCKETS];
    for (struct amp__layout *layout = *bucket; layout; layout = layout->next)
        if (layout->hash == hash && amp__parts_equal(&layout->parts, parts)) {
            layout->references++;
            return layout;
        }
    struct amp__layout *layout = amp__alloc(sizeof *layout, _Alignof(struct amp__layout));
    if (!layout)
        return NULL;
    *layout = (struct amp__layout){.references = 1, .hash = hash, .grid = *parts->grid};
    amp__parts_init(&layout->parts, &layout->grid, AMP__SET_NOTHING);
    if (!amp__parts_copy(&layout->parts, parts)) {
        amp__free(layout);
        return NULL;
    }
    layout->valid = amp__validity_of(parts);
    layout->next = *bucket;
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
    amp__parts_fini(&layout->parts);
    amp__free(layout);
}

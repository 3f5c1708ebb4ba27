/* SPDX-License-Identifier: MIT
 *
 * Sets of locations. Each set is kept once and for ever, in a table of hashes: a dry run has few different ones. */
#include "dry.h"

#include <stdlib.h>
#include <string.h>

enum { BITS = 64, N_WORDS = (AMP__DRY_LOCATIONS + BITS - 1) / BITS, FEW = 256 };

struct set {
    uint64_t hash, words[N_WORDS];
};

static struct set *sets;
static uint32_t n_sets, room;
static uint32_t *slots; /* twice as many as there is room for sets; 0: free, as the set of nothing is not looked for */

static void put(uint32_t number)
{
    uint32_t at = (uint32_t)sets[number].hash & (2 * room - 1);
    while (slots[at])
        at = (at + 1) & (2 * room - 1);
    slots[at] = number;
}

static bool extend(void)
{
    uint32_t wanted = room ? 2 * room : FEW;
    struct set *more = realloc(sets, wanted * sizeof *more);
    if (more)
        sets = more;
    uint32_t *other = calloc(2 * (size_t)wanted, sizeof *other);
    if (!more || !other) {
        free(other);
        return false;
    }
    free(slots);
    slots = other;
    room = wanted;
    for (uint32_t i = AMP__SET_NOTHING + 1; i < n_sets; i++)
        put(i);
    return true;
}

static bool begin(void)
{
    if (n_sets)
        return true;
    if (!extend())
        return false;
    memset(&sets[AMP__SET_NOTHING], 0, sizeof *sets);
    memset(&sets[AMP__SET_EVERYWHERE], -1, sizeof *sets);
    n_sets = AMP__SET_EVERYWHERE + 1;
    put(AMP__SET_EVERYWHERE);
    return true;
}

/* Finds the number of a set whose hash is to be set. */
static uint32_t find(struct set *set)
{
    set->hash = 0;
    for (int w = 0; w < N_WORDS; w++) {
        set->hash = (set->hash ^ set->words[w]) * 0x9E3779B97F4A7C15u;
        set->hash ^= set->hash >> 32;
    }
    uint32_t at = (uint32_t)set->hash & (2 * room - 1);
    for (; slots[at]; at = (at + 1) & (2 * room - 1))
        if (!memcmp(sets[slots[at]].words, set->words, sizeof set->words))
            return slots[at];
    if (n_sets == room && !extend())
        return AMP__SET_NOTHING;
    sets[n_sets] = *set;
    put(n_sets);
    return n_sets++;
}

bool amp__set_has(uint32_t set, int location)
{
    return set == AMP__SET_EVERYWHERE ||
           (set != AMP__SET_NOTHING && sets[set].words[location / BITS] >> location % BITS & 1);
}

uint32_t amp__set_with(uint32_t set, int location)
{
    if (!begin() || amp__set_has(set, location))
        return set;
    struct set more = sets[set];
    more.words[location / BITS] |= (uint64_t)1 << location % BITS;
    return find(&more);
}

uint32_t amp__set_common(uint32_t a, uint32_t b)
{
    if (a == b || b == AMP__SET_EVERYWHERE)
        return a;
    if (a == AMP__SET_EVERYWHERE)
        return b;
    struct set common;
    uint64_t any = 0;
    for (int w = 0; w < N_WORDS; w++)
        any |= common.words[w] = begin() ? sets[a].words[w] & sets[b].words[w] : 0;
    return any ? find(&common) : AMP__SET_NOTHING;
}

int amp__set_first(uint32_t set)
{
    for (int w = 0; w < N_WORDS && begin(); w++)
        if (sets[set].words[w])
            return w * BITS + __builtin_ctzll(sets[set].words[w]);
    return 0;
}

bool amp__sets_have(const struct amp__parts *parts, int n)
{
    uint64_t all[N_WORDS] = {0};
    int count = 0;
    for (int i = 0; i < parts->n && count < n && begin(); i++)
        for (int w = 0; w < N_WORDS; w++) {
            uint64_t more = sets[parts->of[i].places].words[w] & ~all[w];
            count += __builtin_popcountll(more);
            all[w] |= more;
        }
    return count >= n;
}

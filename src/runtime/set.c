/* SPDX-License-Identifier: MIT
 *
 * Sets of locations. Each set is kept once and for ever, so two are the same if their numbers are: there are few
 * different ones. Sets of one location need no memory. */
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

enum {
    BITS = 64,
    N_WORDS = AMP__MAX_LOCATIONS / BITS,
    CHUNK = 1024, /* sets of which the memory is got at once, and never moves */
    MOST_CHUNKS = 4096,
    FIRST = AMP__SET_ONES + AMP__MAX_LOCATIONS /* the number of the first set that is kept here */
};
_Static_assert(AMP__MAX_LOCATIONS % BITS == 0, "sets are made of whole words");

/* The words of a set from the first to the last one that is not 0. */
struct words {
    int first, n;
    const uint64_t *of;
    uint64_t one; /* what `of` may point to */
};

struct set {
    uint64_t hash;
    struct words words;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct set *_Atomic chunks[MOST_CHUNKS];
static uint32_t n_sets, n_slots;
static uint32_t *slots; /* twice as many as sets, or more, by hashes; 0: free */

void amp__sets_hold(void)
{
    pthread_mutex_lock(&lock);
}

void amp__sets_resume(void)
{
    pthread_mutex_unlock(&lock);
}

static struct set *at(uint32_t number)
{
    uint32_t index = number - FIRST;
    return &atomic_load_explicit(&chunks[index / CHUNK], memory_order_acquire)[index % CHUNK];
}

/* ---- sets as words ---- */

static struct words *words_of(uint32_t set, struct words *words)
{
    static const uint64_t everywhere[N_WORDS] = {[0 ... N_WORDS - 1] = ~(uint64_t)0};
    if (set >= FIRST)
        return &at(set)->words;
    *words = (struct words){.of = &words->one};
    if (set >= AMP__SET_ONES) {
        words->first = (int)(set - AMP__SET_ONES) / BITS;
        words->n = 1;
        words->one = (uint64_t)1 << (set - AMP__SET_ONES) % BITS;
    } else if (set == AMP__SET_EVERYWHERE) {
        words->n = N_WORDS;
        words->of = everywhere;
    }
    return words;
}

static uint64_t word_of(const struct words *words, int number)
{
    unsigned at = (unsigned)(number - words->first);
    return at < (unsigned)words->n ? words->of[at] : 0;
}

/* ---- the table; with the lock held ---- */

static uint32_t *find_slot(uint64_t hash, const struct words *words)
{
    uint32_t slot = (uint32_t)hash & (n_slots - 1);
    for (; slots[slot]; slot = (slot + 1) & (n_slots - 1)) {
        const struct set *set = at(slots[slot]);
        if (set->hash == hash && words && set->words.first == words->first && set->words.n == words->n &&
            !memcmp(set->words.of, words->of, (size_t)words->n * sizeof *words->of))
            break;
    }
    return &slots[slot];
}

static bool extend_slots(void)
{
    uint32_t *before = slots, *more = calloc(n_slots ? 2 * (size_t)n_slots : 2 * CHUNK, sizeof *more);
    if (!more)
        return false;
    slots = more;
    n_slots = n_slots ? 2 * n_slots : 2 * CHUNK;
    for (uint32_t i = 0; i < n_sets; i++)
        *find_slot(at(FIRST + i)->hash, NULL) = FIRST + i;
    free(before);
    return true;
}

/* Makes room for one more set. */
static bool reserve(void)
{
    uint32_t chunk = n_sets / CHUNK;
    if (chunk == MOST_CHUNKS || (2 * n_sets >= n_slots && !extend_slots()))
        return false;
    if (!atomic_load(&chunks[chunk]))
        atomic_store(&chunks[chunk], calloc(CHUNK, sizeof(struct set)));
    return atomic_load(&chunks[chunk]);
}

static uint32_t keep(uint64_t hash, const struct words *words)
{
    uint32_t *slot = find_slot(hash, words);
    if (*slot)
        return *slot;
    struct set *set = at(FIRST + n_sets);
    set->hash = hash;
    set->words = *words;
    set->words.of = &set->words.one;
    if (words->n == 1) {
        set->words.one = words->of[0];
    } else {
        uint64_t *of = malloc((size_t)words->n * sizeof *of);
        if (!of)
            return AMP__SET_NOTHING;
        set->words.of = memcpy(of, words->of, (size_t)words->n * sizeof *of);
    }
    return *slot = FIRST + n_sets++;
}

/* Finds the number of the set with these words, of which some may be 0 at the ends. */
static uint32_t find(struct words words)
{
    for (; words.n > 0 && words.of[words.n - 1] == 0; words.n--)
        ;
    for (; words.n > 0 && words.of[0] == 0; words.n--, words.of++)
        words.first++;
    if (words.n == 0)
        return AMP__SET_NOTHING;
    if (words.n == 1 && (words.of[0] & (words.of[0] - 1)) == 0)
        return amp__set_of(words.first * BITS + __builtin_ctzll(words.of[0]));
    uint64_t hash = (uint64_t)words.first, rest = 0;
    for (int i = 0; i < words.n; i++) {
        hash = (hash ^ words.of[i]) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;
        rest |= ~words.of[i];
    }
    if (words.n == N_WORDS && !rest)
        return AMP__SET_EVERYWHERE;
    pthread_mutex_lock(&lock);
    uint32_t number = reserve() ? keep(hash, &words) : AMP__SET_NOTHING;
    pthread_mutex_unlock(&lock);
    return number;
}

/* ---- one set ---- */

bool amp__set_has(uint32_t set, int location)
{
    struct words own;
    if (set < FIRST)
        return set == amp__set_of(location) || set == AMP__SET_EVERYWHERE;
    return word_of(words_of(set, &own), location / BITS) >> location % BITS & 1;
}

int amp__set_next(uint32_t set, int location)
{
    struct words own;
    const struct words *words = words_of(set, &own);
    int number = location / BITS < words->first ? words->first : location / BITS;
    uint64_t mask = number == location / BITS ? ~(uint64_t)0 << location % BITS : ~(uint64_t)0;
    for (; number < words->first + words->n; number++, mask = ~(uint64_t)0)
        if (word_of(words, number) & mask)
            return number * BITS + __builtin_ctzll(word_of(words, number) & mask);
    return AMP__NOWHERE;
}

/* ---- two sets ---- */

/* Sets `first` and `end` to where words of either set are. */
static void find_ends(const struct words *a, const struct words *b, int *first, int *end)
{
    bool has_a = a->n > 0, has_b = b->n > 0;
    *first = !has_a || (has_b && b->first < a->first) ? b->first : a->first;
    *end = !has_a || (has_b && b->first + b->n > a->first + a->n) ? b->first + b->n : a->first + a->n;
}

uint32_t amp__set_with(uint32_t set, int location)
{
    struct words own, one;
    uint64_t of[N_WORDS];
    if (amp__set_has(set, location))
        return set;
    const struct words *a = words_of(set, &own), *b = words_of(amp__set_of(location), &one);
    int first, end;
    find_ends(a, b, &first, &end);
    for (int w = first; w < end; w++)
        of[w - first] = word_of(a, w) | word_of(b, w);
    return find((struct words){first, end - first, of, 0});
}

uint32_t amp__set_without(uint32_t set, int location)
{
    struct words own;
    uint64_t of[N_WORDS];
    if (!amp__set_has(set, location))
        return set;
    const struct words *words = words_of(set, &own);
    memcpy(of, words->of, (size_t)words->n * sizeof *of);
    of[location / BITS - words->first] &= ~((uint64_t)1 << location % BITS);
    return find((struct words){words->first, words->n, of, 0});
}

uint32_t amp__set_common(uint32_t a, uint32_t b)
{
    struct words own_a, own_b;
    uint64_t of[N_WORDS];
    if (a == b || b == AMP__SET_EVERYWHERE)
        return a;
    if (a == AMP__SET_EVERYWHERE)
        return b;
    const struct words *words_a = words_of(a, &own_a), *words_b = words_of(b, &own_b);
    for (int w = 0; w < words_a->n; w++)
        of[w] = words_a->of[w] & word_of(words_b, words_a->first + w);
    return find((struct words){words_a->first, words_a->n, of, 0});
}

int amp__set_first_common(uint32_t a, uint32_t b)
{
    struct words own_a, own_b;
    const struct words *words_a = words_of(a, &own_a), *words_b = words_of(b, &own_b);
    for (int w = 0; w < words_a->n; w++) {
        uint64_t both = words_a->of[w] & word_of(words_b, words_a->first + w);
        if (both)
            return (words_a->first + w) * BITS + __builtin_ctzll(both);
    }
    return AMP__NOWHERE;
}

bool amp__set_is_within(uint32_t a, uint32_t b)
{
    struct words own_a, own_b;
    const struct words *words_a = words_of(a, &own_a), *words_b = words_of(b, &own_b);
    bool is = true;
    for (int w = 0; w < words_a->n && is && a != b; w++)
        is = !(words_a->of[w] & ~word_of(words_b, words_a->first + w));
    return is;
}

/* ---- the sets of parts ---- */

uint32_t amp__parts_all(const struct amp__parts *parts)
{
    struct words own;
    uint64_t all[N_WORDS];
    if (parts->n == 1)
        return parts->of[0].places;
    uint32_t last = parts->of[0].places;
    const struct words *words = words_of(last, &own);
    int first = words->first, n = words->n;
    memcpy(all, words->of, (size_t)n * sizeof *all);
    for (int i = 1; i < parts->n; i++) {
        if (parts->of[i].places == last)
            continue;
        words = words_of(last = parts->of[i].places, &own);
        for (int w = 0; w < n; w++)
            all[w] &= word_of(words, first + w);
    }
    return find((struct words){first, n, all, 0});
}

/* Adds the sets of all parts, except those that have everything if that does not count. Returns the end of the words
 * that are not 0. */
static int add_all(const struct amp__parts *parts, bool everywhere_counts, uint64_t any[N_WORDS])
{
    struct words own;
    int end = 0;
    uint32_t last = AMP__SET_NOTHING;
    memset(any, 0, N_WORDS * sizeof *any);
    for (int i = 0; i < parts->n; i++) {
        uint32_t set = parts->of[i].places;
        if (set == last || (set == AMP__SET_EVERYWHERE && !everywhere_counts))
            continue;
        const struct words *words = words_of(last = set, &own);
        for (int w = 0; w < words->n; w++)
            any[words->first + w] |= words->of[w];
        end = words->first + words->n > end ? words->first + words->n : end;
    }
    return end;
}

uint32_t amp__parts_any(const struct amp__parts *parts)
{
    uint64_t any[N_WORDS];
    if (parts->n == 1)
        return parts->of[0].places;
    int end = add_all(parts, true, any);
    return find((struct words){0, end, any, 0});
}

int amp__parts_count_places(const struct amp__parts *parts)
{
    uint64_t any[N_WORDS];
    int end = add_all(parts, false, any), n = 0;
    for (int w = 0; w < end; w++)
        n += __builtin_popcountll(any[w]);
    return n;
}

/* SPDX-License-Identifier: MIT */
#include "base/map.h"

#include "ampcc.h"

#include <stdint.h>
#include <string.h>

struct map {
    size_t n, capacity; /* a power of two */
    struct entry {
        const void *key;
        int value;
    } *entries;
};

static struct entry *find(const struct map *map, const void *key)
{
    size_t i = (size_t)(((uintptr_t)key >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 20);
    while (map->entries[i & (map->capacity - 1)].key && map->entries[i & (map->capacity - 1)].key != key)
        i++;
    return &map->entries[i & (map->capacity - 1)];
}

struct map *map_new(void)
{
    struct map *map = arena_alloc(sizeof *map);
    *map = (struct map){0, 64, arena_alloc(64 * sizeof(struct entry))};
    return map;
}

void map_set(struct map *map, const void *key, int value)
{
    if (2 * map->n >= map->capacity) {
        struct map old = *map;
        map->capacity *= 2;
        map->entries = arena_alloc(map->capacity * sizeof(struct entry));
        for (size_t i = 0; i < old.capacity; i++)
            if (old.entries[i].key)
                *find(map, old.entries[i].key) = old.entries[i];
    }
    struct entry *entry = find(map, key);
    map->n += !entry->key;
    *entry = (struct entry){key, value};
}

int map_get(const struct map *map, const void *key)
{
    const struct entry *entry = find(map, key);
    return entry->key ? entry->value : -1;
}

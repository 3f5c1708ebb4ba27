/* SPDX-License-Identifier: MIT
 *
 * Gives numbers to LLVM's values and basic blocks, because the C API cannot attach anything to them. */
#pragma once

#include <stddef.h>

struct map;

struct map *map_new(void);
void map_set(struct map *map, const void *key, int value);
/* Returns the number of `key`; -1 if it has none. */
int map_get(const struct map *map, const void *key);

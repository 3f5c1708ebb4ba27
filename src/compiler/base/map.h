/* SPDX-License-Identifier: MIT
 *
 * Numbers for LLVM's values and blocks: the C API lets us attach nothing to them. */
#pragma once

#include <stddef.h>

struct map;

struct map *map_new(void);
void map_set(struct map *map, const void *key, int value);
/* The number of `key`; -1 if it has none. */
int map_get(const struct map *map, const void *key);

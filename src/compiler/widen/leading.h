/* SPDX-License-Identifier: MIT
 *
 * Which loads of a kernel come first to the lines of an array, as its threads run in order, and which follow. */
#pragma once

#include "widen/plan.h"

/* Returns the set of the loads from arrays that follow another load of the same thread: some threads before, that one
 * has read what they read, or the row that they read, as in a stencil. */
const struct map *leading_followers(const struct kernel *kernel, const struct cfg *cfg, const struct shapes *shapes);

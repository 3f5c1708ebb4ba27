/* SPDX-License-Identifier: MIT
 *
 * Which loads of a kernel come first to the lines of an array, as its threads run in order. */
#pragma once

#include "widen/plan.h"

/* Returns the loads from arrays that another load of the same thread precedes: some threads before, that one has read
 * what these read, or the row that they read, as in a stencil. */
const struct map *leading_others(const struct kernel *kernel, const struct cfg *cfg, const struct shapes *shapes);

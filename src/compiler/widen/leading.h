/* SPDX-License-Identifier: MIT
 *
 * Which loads of a kernel come first to the lines of an array, as its threads run in order, and which follow; and how
 * many streams of such lines there are. */
#pragma once

#include "widen/plan.h"

/* Returns the set of the loads from arrays that follow another load of the same thread: some threads before, that one
 * has read what they read, or the row that they read, as in a stencil. */
const struct map *leading_followers(const struct kernel *kernel, const struct cfg *cfg, const struct shapes *shapes);

/* Whether a store goes to lines that no load of the thread has come to: to an address from which none is. */
bool leading_is_first(LLVMValueRef store);

/* Returns how many loads and stores of neighbouring elements come first to the lines of an array. */
int leading_streams(const struct map *followers, const struct kernel *kernel, const struct shapes *shapes);

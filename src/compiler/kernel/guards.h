/* SPDX-License-Identifier: MIT
 *
 * Guards: comparisons of the index by which a kernel handles the borders of its domain, or of its data, separately. In
 * most blocks and tiles each of them has one result for all threads. */
#pragma once

#include "kernel/shape.h"

/* Where guards are looked for, and for whom they shall be known. */
struct guards {
    const struct kernel *kernel;
    const struct cfg *cfg;
    const struct shapes *truth; /* of threads side by side */
    enum known known_for;
    bool assumes; /* whether a body that has other code for borders may take choices of places for made, and so on */
};

/* Returns the guards, and what would be known about them; NULL if there are none. Without tiles, those of all threads
 * depend on one component of the index, so that a box can be cut where one changes, and each is known for a box of one
 * thread. */
struct map *guards_find(const struct guards *g);

/* Returns the dimension of the box, of three, on which such a guard depends; -1: on several, or on something else. */
int guards_dimension(const struct guards *g, LLVMValueRef guard);

/* Whether a value can be computed from the index and the argument block alone, anywhere, in few steps. */
bool guards_is_index_value(LLVMValueRef value);

/* Whether all threads of a block, or of a tile, have the same value, and it can be computed before them. */
bool guards_is_point(const struct guards *g, LLVMValueRef value);

/* Whether such a value may take more bits than numbers of 64 bits usually do. */
enum {
    GUARDS_USUAL_BITS = 56,
    GUARDS_BITS = 60 /* that a side of a guard takes at most, unless it is a point */
};
bool guards_may_be_unusual(const struct guards *g, LLVMValueRef point);

/* The counter of a loop, which is `start` first, and stays below `bound`, or is `bound` last. Both are points. */
struct rounds {
    LLVMValueRef start, bound;
    bool is_last; /* whether it is `bound` last; then `step` is 1, and it may be any int if `start` is larger */
    long step;
};
bool guards_is_counter(const struct guards *g, LLVMValueRef phi, struct rounds *rounds);

/* A loop that threads begin with numbers of their own, and go on with while these, plus `ahead`, are below `bound`, a
 * point. */
struct strides {
    LLVMValueRef start, bound;
    long step, ahead;
};
bool guards_is_stride(const struct guards *g, LLVMValueRef comparison, struct strides *strides);

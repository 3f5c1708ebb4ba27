/* SPDX-License-Identifier: MIT
 *
 * Wavefronts: from barrier to barrier, a window of a tile's threads has something to do, which moves on. */
#pragma once

#include "widen/plan.h"

/* Those threads of a tile for which `value` lies on one side of `bound`. It grows by `stride` from thread to thread. */
struct side {
    LLVMValueRef comparison, value, bound;
    long stride;
    enum { SIDE_BELOW, SIDE_ABOVE, SIDE_WITHIN } kind; /* less; more; less, but not negative */
    bool is_inclusive;                                 /* or equal to the bound */
    bool is_unsigned;                                  /* the bound */
    bool result;                                       /* of the comparison, for them */
};

/* A branch into masked nodes that those threads take that are on all sides. */
struct window {
    int n;
    struct side sides[2];
    int inside; /* the number of the successor */
};

/* Finds out whether a node ends with such a branch. */
bool windows_find(const struct shapes *shapes, int node, struct window *window);

/* Whether they come before all others of the tile, if they are some of its threads. */
bool windows_are_first(const struct window *window);

/* Whether a node's branch into masked nodes is taken by the first thread of the tile alone. */
bool windows_is_for_first(const struct kernel *kernel, const struct shapes *shapes, int node);

/* Lets the pass of a loop that begins with such a branch begin with a barrier, where those threads are faster one after
 * another (regions.c). Returns whether it has changed the kernel. */
bool windows_split(const struct plan *plan, const struct facts *facts, LLVMTargetDataRef layout);

/* Returns which nodes such threads should run one after another, and which end with their branches; NULL if there are
 * none. */
bool *windows_nodes(const struct plan *plan, const struct facts *facts, LLVMTargetDataRef layout);

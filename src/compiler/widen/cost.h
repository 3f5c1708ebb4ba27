/* SPDX-License-Identifier: MIT
 *
 * What a thread of a kernel costs on a processor. */
#pragma once

#include "widen/plan.h"

/* Estimates a kernel by how a body with lanes runs it. The estimate of tiles knows nothing of barriers. */
struct cost cost_estimate(const struct kernel *kernel, const struct facts *facts, const struct body *body,
                          LLVMTargetDataRef layout);

/* Returns how many vectors at once would keep a processor busy that otherwise waits for one result after another: in
 * the loop, or the code outside of loops, that takes longest. */
double cost_hiding_vectors(const struct kernel *kernel, const struct facts *facts, const struct body *body,
                           LLVMTargetDataRef layout);

/* Whether the threads of a tile that run these nodes, the first of them and no others, are faster one after another
 * than in the lanes of `body`: as in a tree of partial sums, whose elements lie ever further apart. */
bool cost_is_tree(const struct kernel *kernel, const struct facts *facts, const struct body *body,
                  LLVMTargetDataRef layout, const bool *nodes);

/* The same for a window of a tile's threads that work along a diagonal (windows.h), in a pass of a loop that begins
 * with their branch. */
bool cost_is_wavefront(const struct kernel *kernel, const struct facts *facts, const struct body *body,
                       LLVMTargetDataRef layout, const bool *nodes);

/* Whether loading stretches costs less than gathering their elements one by one. */
bool cost_prefers_stretches(const struct facts *facts, const struct way *way);

/* SPDX-License-Identifier: MIT
 *
 * Guards of single accesses, whose nodes run for all lanes of a block. */
#pragma once

#include "kernel/shape.h"
#include "target.h"

/* Returns `shapes` with predicated nodes where threads of a block may take a branch differently; NULL if such a branch
 * decides about more than a few accesses. */
const struct shapes *predicates_find(const struct kernel *kernel, const struct facts *facts,
                                     const struct shapes *shapes);

/* Whether the kernel has atomic operations, so that threads may read plainly what others write, too. */
bool predicates_has_atomics(const struct cfg *cfg);

/* Whether all threads have read the element that some of them then store to, in a kernel without barriers and atomic
 * operations. So no other thread stores to it, which would be a race, and it can be stored to as it was. */
bool predicates_own(const struct kernel *kernel, const struct shapes *shapes, LLVMValueRef store);

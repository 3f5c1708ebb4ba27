/* SPDX-License-Identifier: MIT
 *
 * Linear integers in 64 bits. A linear value is kept as that of lane 0, which may be off, and then out of the range of
 * its type: it must not wrap where it is extended. So it is computed again in the wider type, from the index and
 * uniform values. */
#pragma once

#include "shape.h"

/* Whether a uniform or linear integer can be computed so: then so can its sign extension. */
bool exact_is_possible(const struct shapes *shapes, LLVMValueRef value);

/* The value from which computing begins, of uniform values and parameters, in the wider type. */
typedef LLVMValueRef exact_leaf(void *user, LLVMValueRef value);

/* Computes one of which that is true; `leaf` says what it is computed from. */
LLVMValueRef exact_compute(const struct shapes *shapes, LLVMBuilderRef builder, LLVMValueRef value, exact_leaf *leaf,
                           void *user);

/* Calls `leaf` for all values that it would be called for then, in their order; what it returns is not used. */
void exact_visit(const struct shapes *shapes, LLVMValueRef value, exact_leaf *leaf, void *user);

/* SPDX-License-Identifier: MIT
 *
 * Computes linear integers in 64 bits. A linear value is kept as that of lane 0. If lane 0 is off, that may be out of
 * the range of its type, and it must not wrap where it is extended. So it is computed again in the wider type, from the
 * index and uniform values. */
#pragma once

#include "kernel/shape.h"

/* Whether an instruction's result is what its operands give when nothing wraps, or poison. */
bool exact_is_promised(LLVMValueRef instruction);

/* Whether a uniform or linear integer can be computed in this way; if so, its sign extension can, too. */
bool exact_is_possible(const struct shapes *shapes, LLVMValueRef value);

/* Returns a uniform value or a parameter in the wider type, from which the rest is computed. */
typedef LLVMValueRef exact_leaf(void *user, LLVMValueRef value);

/* Computes such a value from what `leaf` returns. */
LLVMValueRef exact_compute(const struct shapes *shapes, LLVMBuilderRef builder, LLVMValueRef value, exact_leaf *leaf,
                           void *user);

/* Calls `leaf` for the same values in the same order, and computes nothing. */
void exact_visit(const struct shapes *shapes, LLVMValueRef value, exact_leaf *leaf, void *user);

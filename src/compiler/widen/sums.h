/* SPDX-License-Identifier: MIT
 *
 * Atomic operations of all lanes on one element whose results nobody uses. */
#pragma once

#include "widen/widen.h"

/* Whether lanes can be combined by such an operation. */
bool sums_can_combine(LLVMAtomicRMWBinOp operation);

/* Lets such operations on elements that the arguments name wait for the end of the box where no thread notices: their
 * ways become WORK_SUM. */
void sums_plan(const struct kernel *kernel, const struct shapes *shapes, int lanes, struct way *ways);

/* What the operations that wait have come to, of all bodies of a function that runs a box. */
struct sums {
    struct sum *first;
};

/* Emits an instance of such an operation, which may wait. */
void sums_add(struct widener *w, LLVMValueRef atomic, int row, int vector);

/* Does what waits, at the builder's place; `args` is the address of the argument block. */
void sums_end(const struct sums *sums, LLVMBuilderRef builder, LLVMValueRef args);

/* SPDX-License-Identifier: MIT
 *
 * Atomic operations of all lanes on one element whose results nobody uses. */
#pragma once

#include "widen/widen.h"

/* Whether lanes can be combined by such an operation. */
bool sums_can_combine(LLVMAtomicRMWBinOp operation);

/* Lets such operations wait where no thread notices: their ways become WORK_SUM. Those under conditions wait only if
 * all sums fit into `room` bits of registers. */
void sums_plan(const struct kernel *kernel, const struct shapes *shapes, int lanes, int room, struct way *ways);

/* The sums of all bodies of a function that runs a box. */
struct sums {
    struct sum *first;
};

/* Emits an instance of such an operation, which may wait. */
void sums_add(struct widener *w, LLVMValueRef atomic, int row, int vector);

/* Does what waits, at the builder's place; `args` is the address of the argument block. */
void sums_end(const struct sums *sums, LLVMBuilderRef builder, LLVMValueRef args);

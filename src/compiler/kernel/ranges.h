/* SPDX-License-Identifier: MIT
 *
 * Writes code for the host that computes between which ends the integers of a kernel lie when it runs a box. */
#pragma once

#include "kernel/cfg.h"
#include "kernel/poly.h"
#include "kernel/wide.h"

struct kernel;
struct ranges;

/* The code goes where the builder of `to` stands, without branches. `args` and `box` are what amp__image.run gets. */
struct ranges *ranges_begin(const struct kernel *kernel, const struct cfg *cfg, struct wide *to, LLVMValueRef args,
                            LLVMValueRef box);

/* Return a value of the kernel, or an integer in the argument block, as a polynomial. What must hold for that is noted
 * as an overflow in `to`, as is what overflows in the functions below. */
struct poly ranges_poly(struct ranges *r, LLVMValueRef value);
struct poly ranges_argument(void *ranges, long long offset, long long bytes);

/* Returns the ends for the threads that come to a node. */
struct range ranges_of(struct ranges *r, int node, const struct poly *poly);
/* Returns whether it is known that no thread comes to the node. */
LLVMValueRef ranges_is_empty(struct ranges *r, int node);

/* SPDX-License-Identifier: MIT
 *
 * Nodes that run for one lane after another where not all lanes are on: those that mostly gather and scatter, or store
 * what the processor cannot store under a mask, which takes longer than one access after another. */
#pragma once

#include "widen/widen.h"

/* Whether a node of a body can: it is in no loop, nothing outside uses its values, all that it accesses are arrays and
 * the kernel's arguments, it calls nothing whose result would differ from that of all lanes together, and the body has
 * one vector. */
bool serial_can(const struct kernel *kernel, const struct body *body, int node);

/* Emits such a node, without its terminator, for the lanes of `mask`, of which at least one is on. */
void serial_emit(struct widener *w, int node, LLVMValueRef mask);

/* SPDX-License-Identifier: MIT
 *
 * Lets each block, or tile, of a convoy do some iterations before it is the next one's turn. */
#pragma once

#include "widen/plan.h"

/* Returns how many iterations of a loop of the plan's graph a turn should have. */
int turns_length(const struct plan *plan, int loop);

/* Rewrites a loop whose only latch has the call that ends an iteration, and its only exit, so that the call ends
 * `length` iterations, or less at the loop's end. */
void turns_take(LLVMValueRef call, LLVMBasicBlockRef header, int length);

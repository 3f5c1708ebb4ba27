/* SPDX-License-Identifier: MIT
 *
 * Lets each block, or tile, of a convoy do some iterations before it is the next one's turn. */
#pragma once

#include "widen/plan.h"

/* Returns how many iterations of a loop of the plan's graph a turn should have. */
int turns_length(const struct plan *plan, int loop);

/* A loop whose iterations are taken by turns. */
struct turns {
    LLVMBasicBlockRef before, begin, header, latch, end; /* of the loop, of a turn, and of an iteration */
    LLVMValueRef is_within; /* at the latch: whether the turn has another iteration, unless the loop ends */
};

/* Rewrites a loop whose only latch has the call that ends an iteration, and its only exit, so that the call ends
 * `length` iterations, or less at the loop's end. */
struct turns turns_take(LLVMValueRef call, LLVMBasicBlockRef header, int length);

/* Adds a loop without tests for turns in which all threads take part in all iterations; `are_whole`, at the beginning
 * of a turn, says whether they do. The header must end with the test of whether a thread takes part. */
void turns_add_whole(const struct turns *turns, LLVMValueRef are_whole);

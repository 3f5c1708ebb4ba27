/* SPDX-License-Identifier: MIT
 *
 * Staging: the threads of a GPU's block together copy what they all read to the block's memory. */
#pragma once

#include "widen/widen.h"

/* Plans it for a kernel whose threads take the points of `block`; returns NULL if no loop has use for it. */
const struct stage *stage_plan(const struct unit *unit, const struct image *image, const struct kernel *kernel,
                               const struct shapes *shapes, struct block block);

/* How a body takes part. Along a dimension, 1 for rows and 2 for columns, a thread's points are at the places
 * stage_place in the block. */
struct stage_use {
    const struct stage *stage;
    LLVMBasicBlockRef entered; /* where control goes instead of into the loop */

    /* These are for the copies of the loop. */
    bool is_round;
    LLVMBasicBlockRef next;          /* where an iteration ends: the round decides whether another one follows */
    LLVMValueRef memory[STAGE_MOST]; /* of each load: an array of two halves, of iterations, of places in the block */
    LLVMValueRef half, iteration;    /* which of them */
    const LLVMValueRef *thread;      /* the thread's number in the block, by dimension */
    LLVMValueRef groups[STAGE_MOST][MAX_INSTANCES]; /* vectors that were loaded; set to NULL before a copy */
};

/* Returns the type of a load's memory. */
LLVMTypeRef stage_type(const struct stage *stage, const struct staged *load);

/* Returns the place in the block, along one dimension, of a thread's point. */
LLVMValueRef stage_place(const struct stage *stage, LLVMBuilderRef builder, LLVMValueRef thread, LLVMValueRef point);

/* Returns the index of a place in the block, or the last index before `end` if the place lies beyond the box. */
LLVMValueRef stage_index(LLVMBuilderRef builder, LLVMValueRef first, LLVMValueRef place, LLVMValueRef end);

/* Whether the body reads a load's element from the block's memory, and its code. */
bool stage_has(const struct widener *w, LLVMValueRef load);
LLVMValueRef stage_read(struct widener *w, LLVMValueRef load, int row, int vector);

/* Returns where an edge leads after its phis are written. */
LLVMBasicBlockRef stage_follow(const struct widener *w, int to);

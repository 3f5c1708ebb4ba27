/* SPDX-License-Identifier: MIT
 *
 * Loops in which all threads go down columns side by side. */
#pragma once

#include "kernel/touch.h"
#include "widen/plan.h"

/* Such a loop, whose passes access one row after another. */
struct column_loop {
    const struct touches *touches;
    int loop; /* its number in the graph of the plan */
    LLVMBasicBlockRef header, latch;
    struct poly step;   /* from row to row, in bytes, of arguments */
    struct poly length; /* how many rows there are, times `divisor`, of arguments */
    long long divisor;
    long long bytes;      /* of a thread's access */
    long long least_step; /* below it, rows overlap with what a tile, or a block, reads of each */
    bool is_dense;        /* the rows of a tile follow one another */
};

/* Finds such a loop in a kernel of rank 1, through which convoys (convoy.h) can go row by row. It need not be one for
 * which that pays if `is_asked_for`. */
bool columns_find(const struct plan *plan, bool is_asked_for, struct column_loop *columns);

/* Computes, at the builder's place, whether it pays for a box of `n_threads` threads, from the address of the argument
 * block. */
LLVMValueRef columns_pay(LLVMBuilderRef builder, const struct column_loop *columns, LLVMValueRef args,
                         LLVMValueRef n_threads);

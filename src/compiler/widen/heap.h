/* SPDX-License-Identifier: MIT
 *
 * Memory that the function that runs a box takes from the heap, because it is too large for the worker's stack. Where
 * there is none, the function does without. */
#pragma once

#include "ampcc.h"

/* Builds a call that returns memory, aligned to PANEL_ALIGN and as asked for, or NULL if there is none; and one that
 * gives it back, which may be NULL. */
LLVMValueRef heap_alloc(struct image *image, LLVMBuilderRef builder, unsigned long long bytes, unsigned align);
void heap_free(struct image *image, LLVMBuilderRef builder, LLVMValueRef memory);

/* The arrays of a part of the function, which are allocated before it. */
struct heap {
    struct image *image;
    LLVMBasicBlockRef block; /* has nothing but their allocations, until `heap_end` */
    LLVMBuilderRef builder;  /* at its end */
};

/* Begins with an empty block. */
struct heap heap_begin(struct image *image, LLVMBasicBlockRef block);

/* Returns an array that the part may use, aligned in the same way. */
LLVMValueRef heap_new_array(const struct heap *heap, unsigned long long bytes, unsigned align);

/* Gives all arrays back that there are so far, at the builder's place. */
void heap_free_arrays(const struct heap *heap, LLVMBuilderRef builder);

/* Ends the block with a branch to `part`, or to `without` if an array is missing. */
void heap_end(const struct heap *heap, LLVMBasicBlockRef part, LLVMBasicBlockRef without);

/* SPDX-License-Identifier: MIT
 *
 * The function that runs a box, while lanes.c makes it: its loops, and the bodies in them. */
#pragma once

#include "widen/widen.h"

/* The function under construction, which may have several variants of the body. */
struct run {
    const struct kernel *kernel;
    const struct plan *plan;
    struct image *image;
    LLVMContextRef context;
    LLVMValueRef entry_function, function, args;
    LLVMBasicBlockRef entry;
    LLVMBuilderRef builder;
    LLVMMetadataRef no_location;
    const struct cfg *cfg;
    struct variables *variables; /* that debuggers shall find; NULL: none */
    struct tile_memory *tile_memory;
    int n_tile_memory;
    long tile_room;                /* before and after each of them */
    LLVMValueRef begin[3], end[3]; /* of the box */
    LLVMValueRef panel;  /* memory for a panel, NULL at run time if the box is small; NULL here if the plan has none */
    LLVMValueRef convoy; /* its first tile, or thread; NULL: the kernel has no convoys */
    struct heap *heap;   /* where arrays and the memory of tiles are; NULL: on the worker's stack */
    struct sums *sums;   /* of atomic operations that wait for the end of the box */
    LLVMValueRef *known; /* by number: what guards are in this part of a box; NULL: boxes are not cut */
    LLVMValueRef *row_values;       /* of the plan's loads for whole rows */
    unsigned long long stack_bytes; /* of local arrays and of what lives across barriers */
};

/* ---- small constructions ---- */

/* Return the type of C's int, a number of it, a sum that does not wrap, and a basic block at the end of the
 * function. */
LLVMTypeRef run_int(const struct run *r);
LLVMValueRef run_number(const struct run *r, long value);
LLVMValueRef run_add(const struct run *r, LLVMValueRef a, LLVMValueRef b);
LLVMBasicBlockRef run_new_block(const struct run *r, const char *name);

/* A loop that counts. */
struct counter {
    LLVMBasicBlockRef header, exit;
    LLVMValueRef index; /* also valid after the loop: where it stopped */
    long step;
    bool may_pass; /* the last step may pass the limit, and even INT_MAX */
    bool is_unrolled;
    bool hoists_nothing; /* LLVM leaves in it what does not change */
    bool stays_rolled;   /* LLVM would not unroll it, as if it contains loops: it need not compute the cost */
};

/* Begins for (index = from; index < limit; index += step). */
struct counter run_begin_counter(const struct run *r, LLVMValueRef from, LLVMValueRef limit, long step, bool may_pass,
                                 const char *name);

/* The same where the counter cannot overflow. */
struct counter run_begin_loop(const struct run *r, LLVMValueRef from, LLVMValueRef limit, long step, const char *name);

/* Begins a loop that contains other loops. */
struct counter run_begin_outer_loop(const struct run *r, LLVMValueRef from, LLVMValueRef limit, const char *name);

/* Leaves the loop, whose counter has not been raised yet, unless `goes_on`. */
void run_leave_unless(const struct run *r, const struct counter *loop, LLVMValueRef goes_on);

/* Ends the loop; the builder goes on after it. */
void run_end_loop(const struct run *r, struct counter *loop);

/* Returns the mask of lanes whose column, `column` plus the lane, is below `limit`. */
LLVMValueRef run_lanes_below(const struct widener *w, const struct run *r, LLVMValueRef column, LLVMValueRef limit);

/* Computes a value that depends on the index and the argument block alone, as guards_is_index_value says, for a thread
 * of the box, or of a tile if `tile` is not NULL. There must be such a thread if the value needs more than
 * arguments. */
LLVMValueRef run_evaluate(struct run *r, LLVMValueRef value, const LLVMValueRef index[3], const LLVMValueRef tile[3]);

/* ---- the body ---- */

/* Allocates an array of `count` elements, for threads or blocks, aligned as asked for, or, if that is 0, as its
 * type. */
LLVMValueRef run_new_array(struct run *r, struct widener *w, LLVMTypeRef type, int count, unsigned align,
                           const char *name);

/* Allocates the memory of `tiles` tiles. */
void run_place_tile_memory(struct run *r, int tiles);

/* Points tile_static variables at the memory of the tile with this number among those that run together; NULL: of the
 * first one. */
void run_set_tile_memory(struct run *r, LLVMValueRef number);

/* Begins a body of the plan for `n_blocks` blocks, which may have fewer rows and vectors than planned. */
struct widener run_new_body(struct run *r, const struct body *body, struct block block, int n_blocks);

/* Points the body at the private memory of the block with this number. */
void run_place_privates(struct run *r, struct widener *w, LLVMValueRef number_of_block);

/* Sets the index parameters for the block whose first thread is `first`; in a tile, `first` is local and `tile` the
 * (first) tile's number along each dimension. Arrays are indexed by dimension of the box; the kernel's dimensions are
 * the last `box_rank`. */
void run_set_index(struct run *r, struct widener *w, const LLVMValueRef first[3], const LLVMValueRef tile[3]);

/* Emits the whole body once, at the builder's place, for threads that run in lockstep. */
void run_emit_body(struct run *r, struct widener *w);

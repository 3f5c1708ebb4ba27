/* SPDX-License-Identifier: MIT
 *
 * Strips: copies of the vectors that a tile reads and that are the same for all tiles below or beside one another. */
#pragma once

#include "widen/widen.h"

/* Plans strips for tiles of a tiled kernel that run a body of the plan; returns NULL if no load has use for one. `next`
 * has the shapes of neighbouring tiles. */
const struct strip *strip_plan(const struct plan *plan, const struct body *body, const struct shapes *next,
                               LLVMTargetDataRef layout, const struct options *options);

/* Whether another body, which has `other`, can use the copies of `strip`: both read the same at the same places. NULL:
 * there are none. */
bool strip_fits(const struct strip *strip, const struct strip *other);

/* How a tile takes part. */
struct strip_use {
    const struct strip *strip;
    struct strip_part {
        LLVMValueRef memory; /* where the copies for its column, or row, of tiles begin */
        LLVMValueRef rounds; /* that have room there, before one that each tile copies for itself */
        LLVMValueRef fills;  /* i1: it is the first tile there */
    } column, row;
    LLVMValueRef round; /* slot: how many have ended */
    LLVMValueRef block; /* the number of its block that is being emitted */
};

/* Whether there are copies of what a load reads. */
bool strip_has(const struct widener *w, LLVMValueRef load);

/* Copies what a load reads, unless a tile before has done so. It begins new basic blocks. */
void strip_copy(struct widener *w, LLVMValueRef load);

/* Returns the result of such a load, from the copies. */
LLVMValueRef strip_load(struct widener *w, LLVMValueRef load, int row, int vector);

/* End a round of the tile if one ends here: after a region, which has these nodes, of all blocks; and at the barrier
 * that ends a node, in a tile of one block. */
void strip_end_region(struct widener *w, const bool *has);
void strip_end_node(struct widener *w, int node);

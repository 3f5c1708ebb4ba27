/* SPDX-License-Identifier: MIT
 *
 * Tells blocks and tiles away from the borders of the domain from those at a border. */
#pragma once

#include "widen/run.h"

/* A box of threads: those of a tile, or, if `tile` is NULL, those from `first` to `last`. All are as for
 * run_set_index. */
struct border_box {
    LLVMValueRef first[3], last[3], tile[3];
};

/* Returns an i1: whether a guard that `shapes` take to be the same for all threads of the box may not be. Sets `known`,
 * by number, to what each of them is if they are. */
LLVMValueRef borders_cross(struct run *r, const struct shapes *shapes, const struct border_box *box,
                           LLVMValueRef *known);

/* Returns the box of a tile. */
struct border_box borders_tile(const struct run *r, const LLVMValueRef tile[3]);

/* Returns an i1: whether these guards may not be the same for all tiles of the function's box. */
LLVMValueRef borders_cross_any_tile(struct run *r, const struct shapes *shapes);

/* Whether a guard depends on this dimension of the box. */
bool borders_depend_on(const struct run *r, const struct shapes *shapes, int dimension);

/* Returns where the first part of the function's box ends, along that dimension, in which such guards are the same for
 * all threads. */
LLVMValueRef borders_end_of_part(struct run *r, const struct shapes *shapes, int dimension);

/* SPDX-License-Identifier: MIT
 *
 * Tiles that take several blocks, and convoys, region by region. */
#pragma once

#include "widen/run.h"

/* The tiles of a convoy, or, if there are no tiles, its blocks. */
struct members_of_convoy {
    LLVMValueRef count;
    int most;
};

/* Emits one pass over a tile, with a body for its blocks, or over the convoy that begins with it, if `convoy` is not
 * NULL. Without tiles, `tile` is the convoy's first thread. */
void regions_emit(struct run *r, struct widener *w, int n_blocks, const LLVMValueRef tile[3],
                  const struct members_of_convoy *convoy);

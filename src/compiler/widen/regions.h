/* SPDX-License-Identifier: MIT
 *
 * Tiles that take several blocks, region by region. */
#pragma once

#include "widen/run.h"

/* Emits one pass over a tile, with a body for its blocks. */
void regions_emit(struct run *r, struct widener *w, int n_blocks, const LLVMValueRef tile[3]);

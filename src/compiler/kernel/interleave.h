/* SPDX-License-Identifier: MIT
 *
 * How the private arrays of lanes lie in memory. */
#pragma once

#include "ampcc.h"

/* Lets lanes have the elements of their private arrays side by side, in the kernels of an image. */
void interleave(const struct unit *unit, struct image *image);

/* Returns how many bytes the elements of a local variable have that lie next to those of other lanes; 0: each lane has
 * the variable in one piece. */
long interleave_size(LLVMValueRef variable);

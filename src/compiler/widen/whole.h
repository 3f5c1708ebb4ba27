/* SPDX-License-Identifier: MIT
 *
 * Nodes that lanes come to, or not, by their places alone, as in `if (thread > step)`. Of the blocks of a tile, all
 * lanes of most then come there, or none. So these nodes have a second version, without a mask, for when all lanes are
 * on: accesses under masks are slow without mask registers, and with them loads wait for stores under masks. Whatever
 * decides which lanes come there, nodes have it that mostly gather and scatter, where scalars are faster, and those
 * that mostly store what the processor cannot store under a mask, such as bytes without AVX-512; if not all lanes come
 * there, such a node may run for one lane after another (serial.h). */
#pragma once

#include "widen/plan.h"

/* Finds out which nodes of a body have such a version, and which of them otherwise run for one lane after another. */
void whole_nodes(const struct kernel *kernel, const struct facts *facts, struct body *body);

/* SPDX-License-Identifier: MIT
 *
 * Nodes that lanes come to, or not, by their places alone, as in `if (thread > step)`. Of the blocks of a tile, all
 * lanes of most then come there, or none. So these nodes have a second version, without a mask, for when all lanes are
 * on: accesses under masks are slow without mask registers, and with them loads wait for stores under masks. Where
 * scalars are faster than gathers and scatters, nodes have it that mostly do that, whatever decides which lanes come
 * there; if not all do, such a node may run for one lane after another (serial.h). */
#pragma once

#include "widen/plan.h"

/* Finds out which nodes of a body have such a version, and which of them otherwise run for one lane after another. */
void whole_nodes(const struct kernel *kernel, struct body *body);

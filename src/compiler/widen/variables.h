/* SPDX-License-Identifier: MIT
 *
 * The variables of kernels for debuggers. */
#pragma once

#include "widen/widen.h"

/* Lists what clang says about the variables of an entry, while no function is being made. */
struct variables *variables_list(LLVMModuleRef module, LLVMValueRef entry);
void variables_free(struct variables *variables);

/* Describes `w->variables` for the nodes that are about to be emitted. */
void variables_declare(const struct widener *w);

/* SPDX-License-Identifier: MIT
 *
 * Loops over the elements of private arrays. */
#pragma once

#include <llvm-c/Core.h>

/* Tells LLVM to unroll the loops that keep private arrays of the module's kernels out of registers. */
void known_loops_mark(LLVMModuleRef module);

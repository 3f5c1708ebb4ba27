/* SPDX-License-Identifier: MIT
 *
 * Loops over the elements of private arrays. */
#pragma once

#include <llvm-c/Core.h>

/* Tells LLVM to unroll the loops without which private arrays of the module's kernels stay in registers. */
void private_loops_mark(LLVMModuleRef module);

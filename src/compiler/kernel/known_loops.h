/* SPDX-License-Identifier: MIT
 *
 * Loops whose counters are known. */
#pragma once

#include <llvm-c/Core.h>
#include <stdbool.h>

/* Tells LLVM to unroll the loops that keep private arrays of the module's kernels out of registers and, if the target
 * has lanes, those that multiply, divide or mask the thread's place by what changes in them. */
void known_loops_mark(LLVMModuleRef module, bool has_lanes);

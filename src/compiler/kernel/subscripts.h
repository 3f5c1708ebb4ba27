/* SPDX-License-Identifier: MIT
 *
 * Subscripts in 64 bits: see subscripts.c. */
#pragma once

#include <llvm-c/Core.h>

/* Adds their constants in 64 bits. To be called before the first instcombine. */
void subscripts_add_late(LLVMModuleRef module);
/* Computes them, and the loop counters in them, in 64 bits. To be called before indvars. */
void subscripts_widen(LLVMModuleRef module);

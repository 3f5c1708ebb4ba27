/* SPDX-License-Identifier: MIT
 *
 * Subscripts in 64 bits: see subscripts.c. */
#pragma once

#include <llvm-c/Core.h>

/* Adds their constants in 64 bits. To be called before the first instcombine. */
void subscripts_add_late(LLVMModuleRef module);
/* Computes them, and the loop counters in them, in 64 bits. To be called before indvars. */
void subscripts_widen(LLVMModuleRef module);
/* Lets loops hand out counters that were widened, but are used in 32 bits after them, in 32 bits: lanes that leave a
 * loop at different times keep what it hands out. To be called in loop-closed form. Leaves dead code behind. */
void subscripts_narrow_exits(LLVMModuleRef module);

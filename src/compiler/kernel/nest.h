/* SPDX-License-Identifier: MIT
 *
 * Two nested loops, of which the inner one has a constant number of iterations. */
#pragma once

#include <llvm-c/Core.h>
#include <stdbool.h>

/* Makes one loop of a loop and the one in it. `block` begins the outer one, and only `inner` follows it: the inner one,
 * of one block, which counts from 0 with a phi, `counter`, and has `iterations`. Returns false, and changes nothing, if
 * the loops are not of the form that nest.c needs. It deletes both blocks; what nothing uses any more may be left. */
bool nest_join(LLVMBuilderRef builder, LLVMBasicBlockRef block, LLVMBasicBlockRef inner, LLVMValueRef counter,
               long long iterations);

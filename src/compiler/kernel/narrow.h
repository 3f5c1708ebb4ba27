/* SPDX-License-Identifier: MIT
 *
 * Integers that need fewer bits than they have. */
#pragma once

#include <llvm-c/Core.h>

/* Computes them in 16 bits, in all functions of a module. */
void narrow(LLVMModuleRef module);

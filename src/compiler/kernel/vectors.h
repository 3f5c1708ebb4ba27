/* SPDX-License-Identifier: MIT */
#pragma once

#include <llvm-c/Core.h>

/* Makes shifts of what LLVM's scalarizer leaves: changes between a vector and one number of the same bits. */
void vectors_take_apart(LLVMModuleRef module);

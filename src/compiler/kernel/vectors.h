/* SPDX-License-Identifier: MIT */
#pragma once

#include <llvm-c/Core.h>

/* Turns what LLVM's scalarizer leaves, casts between a vector and one number of the same bits, into shifts. */
void vectors_take_apart(LLVMModuleRef module);

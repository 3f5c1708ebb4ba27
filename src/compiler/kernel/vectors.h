/* SPDX-License-Identifier: MIT */
#pragma once

#include <llvm-c/Core.h>

/* Turns what LLVM's scalarizer leaves, casts between a vector and one number of the same bits, into shifts. */
void vectors_take_apart(LLVMModuleRef module);

/* Loads the members of a struct with vectors, if it is only loaded for them. The scalarizer takes these apart. */
void vectors_load_members(LLVMModuleRef module);

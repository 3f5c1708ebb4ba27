/* SPDX-License-Identifier: MIT */
#pragma once

#include <llvm-c/Core.h>

/* Replaces loads of parts of vectors that were stored before them in the same block. */
void forward_parts(LLVMModuleRef module);

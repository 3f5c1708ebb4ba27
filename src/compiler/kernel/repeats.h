/* SPDX-License-Identifier: MIT */
#pragma once

#include <llvm-c/Core.h>

/* Computes values of loops again after them where that gives the same: see repeats.c. */
void repeats_after_loops(LLVMModuleRef module);

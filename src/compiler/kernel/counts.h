/* SPDX-License-Identifier: MIT
 *
 * Sums of bytes that are only compared with small numbers. */
#pragma once

#include <llvm-c/Core.h>

/* Adds them in bytes, in all functions of a module. */
void counts(LLVMModuleRef module);

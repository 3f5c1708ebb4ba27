/* SPDX-License-Identifier: MIT */
#pragma once

#include <llvm-c/Core.h>

/* Makes loads from one of several places in the argument block choices of what these hold. */
void choices_load_first(LLVMModuleRef module);

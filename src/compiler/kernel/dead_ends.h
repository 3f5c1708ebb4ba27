/* SPDX-License-Identifier: MIT */
#pragma once

#include <llvm-c/Core.h>

/* Lets control go on after calls that do not return: see dead_ends.c. */
void dead_ends_join(LLVMModuleRef module);

/* SPDX-License-Identifier: MIT
 *
 * What LLVM may know about elements of arrays that are classes, in kernels in C++. */
#pragma once

#include "ampcc.h"

/* Marks accesses to members of such elements. */
void elements_mark(const struct unit *unit, LLVMModuleRef module);

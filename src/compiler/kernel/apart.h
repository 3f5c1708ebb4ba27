/* SPDX-License-Identifier: MIT
 *
 * Keeps branches on which all threads agree apart from those on which they may differ while LLVM simplifies. */
#pragma once

#include "ampcc.h"

/* Marks branches of the kernels that have barriers. */
void apart_mark(const struct unit *unit, LLVMModuleRef module);

/* Deletes the marks. */
void apart_unmark(LLVMModuleRef module);

/* SPDX-License-Identifier: MIT
 *
 * What LLVM's C API needs several calls for. */
#pragma once

#include "ampcc.h"

/* The place in the source that `instruction` stands for; `otherwise` if it is not known. */
struct place ir_place(LLVMValueRef instruction, struct place otherwise);

/* Whether two names are of one file. */
bool ir_is_same_file(const char *a, const char *b);

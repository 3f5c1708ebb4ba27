/* SPDX-License-Identifier: MIT
 *
 * What LLVM's C API needs several calls for. */
#pragma once

#include "ampcc.h"

/* The place in the source that `instruction` stands for; `otherwise` if it is not known. */
struct place ir_place(LLVMValueRef instruction, struct place otherwise);

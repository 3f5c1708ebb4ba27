/* SPDX-License-Identifier: MIT */
#include "ir.h"

#include <llvm-c/DebugInfo.h>

struct place ir_place(LLVMValueRef instruction, struct place otherwise)
{
    unsigned length, line = LLVMGetDebugLocLine(instruction);
    const char *file = line ? LLVMGetDebugLocFilename(instruction, &length) : NULL;
    return file ? (struct place){arena_printf("%.*s", (int)length, file), line, LLVMGetDebugLocColumn(instruction)}
                : otherwise;
}

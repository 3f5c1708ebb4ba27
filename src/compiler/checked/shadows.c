/* SPDX-License-Identifier: MIT
 *
 * Lets a debugger see the variables of kernels that are compiled at -O0 with debug information. The checks need local
 * variables as SSA values, and no debugger knows for long where in the machine's code these are. So the checks get a
 * new variable, and the one that clang has described stays in memory as its shadow: it is given every value that the
 * new one is given, and volatile stores stay.
 *
 *     %x = alloca float                              %new = alloca float, %x = alloca float
 *     store float %v, ptr %x            becomes      store float %v, ptr %new
 *                                                    store volatile float %v, ptr %x
 *     %w = load float, ptr %x                        %w = load float, ptr %new
 *
 * Pointers get no shadow in C++: they lead to variables of classes, which could not be taken apart (classes.c).
 *
 * Needs: what `locals` has done. Keeps: what the code computes. */
#include "checked/checked.h"

#include <llvm-c/DebugInfo.h>

static void store_as_well(LLVMBuilderRef builder, LLVMValueRef store, LLVMValueRef shadow)
{
    LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(store));
    LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(store));
    LLVMValueRef other = LLVMBuildStore(builder, LLVMGetOperand(store, 0), shadow);
    LLVMSetAlignment(other, LLVMGetAlignment(shadow));
    LLVMSetVolatile(other, true);
}

static void add_shadow(LLVMBuilderRef builder, LLVMValueRef variable)
{
    LLVMPositionBuilderBefore(builder, variable);
    LLVMValueRef new = LLVMBuildAlloca(builder, LLVMGetAllocatedType(variable), "");
    LLVMSetAlignment(new, LLVMGetAlignment(variable));
    for (LLVMUseRef use = LLVMGetFirstUse(variable), next; use; use = next) {
        LLVMValueRef user = LLVMGetUser(use);
        next = LLVMGetNextUse(use);
        if (LLVMIsALoadInst(user)) {
            LLVMSetOperand(user, 0, new);
        } else if (LLVMIsAStoreInst(user)) {
            LLVMSetOperand(user, 1, new);
            store_as_well(builder, user, variable);
        }
    }
}

static bool gets_shadow(const struct checking *c, LLVMValueRef variable)
{
    bool is_flag = *LLVMGetValueName(variable) == '\0';
    bool is_pointer = LLVMGetTypeKind(LLVMGetAllocatedType(variable)) == LLVMPointerTypeKind;
    return !is_flag && locals_is_plain(variable) && !(c->unit->is_cpp && is_pointer);
}

void shadows_add(struct checking *c)
{
    LLVMBasicBlockRef first = LLVMGetEntryBasicBlock(c->function);
    for (LLVMValueRef i = LLVMGetFirstInstruction(first); i; i = LLVMGetNextInstruction(i))
        if (LLVMIsAAllocaInst(i) && gets_shadow(c, i))
            add_shadow(c->builder, i);
}

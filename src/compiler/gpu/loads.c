/* SPDX-License-Identifier: MIT
 *
 * Moves loads before arithmetic that needs a branch. The driver's compiler makes branches for rare arguments of
 * divisions, square roots and functions of the library, and moves no load across them: a thread would wait for memory
 * once for each. So loads after such operations in their basic block move before these, with the computation of their
 * address, but not across what may write to memory. */
#include "base/map.h"
#include "gpu/grid.h"
#include "kernel/calls.h"

enum {
    MOST = 8,   /* loads that are moved in a basic block: each takes a register */
    DEEPEST = 8 /* the longest chain of instructions that computes an address */
};

static bool takes_branches(LLVMValueRef i)
{
    const struct callee *callee = calls_of(i);
    return LLVMGetInstructionOpcode(i) == LLVMFDiv || callee->math == MATH_sqrt ||
           (callee->kind == CALL_HELPER && calls_is_pure(i));
}

static bool is_plain_load(LLVMValueRef i)
{
    return LLVMIsALoadInst(i) && !LLVMGetVolatile(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic;
}

/* Whether an instruction may write to memory or orders accesses. */
static bool may_write(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
        return !is_plain_load(i);
    case LLVMStore:
    case LLVMFence:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return true;
    case LLVMCall:
        return !calls_is_pure(i);
    default:
        return false;
    }
}

/* Whether `i` can move before all instructions in `behind`: it is a load, or serves to compute an address. */
static bool is_movable(const struct map *behind, LLVMValueRef i, int depth)
{
    if (map_get(behind, i) < 0)
        return true;
    if (depth == DEEPEST)
        return false;
    if (!is_plain_load(i) && !LLVMIsAGetElementPtrInst(i) && !LLVMIsACastInst(i) &&
        !(LLVMIsABinaryOperator(i) && LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMIntegerTypeKind))
        return false;
    for (int a = 0; a < LLVMGetNumOperands(i); a++)
        if (!is_movable(behind, LLVMGetOperand(i, (unsigned)a), depth + 1))
            return false;
    return true;
}

static void move(LLVMBuilderRef builder, struct map *behind, LLVMValueRef i)
{
    if (map_get(behind, i) < 0)
        return;
    for (int a = 0; a < LLVMGetNumOperands(i); a++)
        move(builder, behind, LLVMGetOperand(i, (unsigned)a));
    LLVMInstructionRemoveFromParent(i);
    LLVMInsertIntoBuilder(builder, i);
    map_set(behind, i, -1);
}

static void hoist_in_block(LLVMBuilderRef builder, LLVMBasicBlockRef block)
{
    LLVMValueRef first = NULL; /* the first one that needs a branch, since the last that may write */
    struct map *behind = NULL;
    int n = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i && n < MOST; i = next) {
        next = LLVMGetNextInstruction(i);
        if (may_write(i))
            first = NULL;
        else if (!first && takes_branches(i)) {
            first = i;
            behind = map_new();
        }
        if (!first)
            continue;
        map_set(behind, i, 1);
        if (is_plain_load(i) && is_movable(behind, i, 0)) {
            LLVMPositionBuilderBefore(builder, first);
            move(builder, behind, i);
            n++;
        }
    }
}

void loads_hoist(LLVMValueRef function)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(function)));
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        hoist_in_block(builder, b);
    LLVMDisposeBuilder(builder);
}

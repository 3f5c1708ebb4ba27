/* SPDX-License-Identifier: MIT
 *
 * A thread that looks for the least or the largest often stores to its own element only if there is something better:
 *
 *     x = d[i]; if (y < x) d[i] = y;      becomes      x = d[i]; d[i] = y < x ? y : x;
 *
 * Masks would do as well, but the choice is a minimum, for which processors have an instruction, and a kernel without
 * branches can have blocks of several vectors and rows.
 *
 * Needs: a branch that compares what the thread has read with what it would store, and skips nothing but that; all
 * threads have read the element, so that no other one stores to it (predicates_own), and between load and store nothing
 * may write. Others may read the element, if no thread has anything better for it. Keeps: what is in memory, as others
 * see it, too. */
#include "widen/store_back.h"

#include "kernel/stretch.h"
#include "widen/predicates.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

/* Returns the store if a node does nothing else, and then goes on to `next`, which does not mind whence; or NULL. */
static LLVMValueRef only_store(const struct cfg *cfg, int at, int next)
{
    const struct node *node = &cfg->nodes[at];
    LLVMValueRef store = node->first, end = LLVMGetBasicBlockTerminator(node->block);
    if (node->n_pred != 1 || node->n_succ != 1 || node->succ[0] != next || node->barrier ||
        cfg->nodes[next].first != LLVMGetFirstInstruction(cfg->nodes[next].block) ||
        LLVMIsAPHINode(cfg->nodes[next].first))
        return NULL;
    return LLVMIsAStoreInst(store) && !LLVMGetVolatile(store) && LLVMGetNextInstruction(store) == end ? store : NULL;
}

/* Whether a condition compares two values. */
static bool compares(LLVMValueRef condition, LLVMValueRef a, LLVMValueRef b)
{
    if (!LLVMIsACmpInst(condition))
        return false;
    LLVMValueRef left = LLVMGetOperand(condition, 0), right = LLVMGetOperand(condition, 1);
    return (left == a && right == b) || (left == b && right == a);
}

/* Returns the load of a block that has read what is where a store goes to, and is still there at the block's end; NULL
 * if there is none. */
static LLVMValueRef last_read(const struct kernel *kernel, LLVMBasicBlockRef block, LLVMValueRef store)
{
    LLVMValueRef load = NULL;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        if (LLVMIsALoadInst(i) && LLVMGetOperand(i, 0) == LLVMGetOperand(store, 1) && !LLVMGetVolatile(i) &&
            LLVMTypeOf(i) == LLVMTypeOf(LLVMGetOperand(store, 0)))
            load = i;
        else if (stretch_may_write(kernel, i))
            load = NULL;
    return load;
}

/* Does so for the branch at the end of a node. */
static bool store_back_after(LLVMBuilderRef b, const struct kernel *kernel, const struct shapes *shapes, int at)
{
    const struct cfg *cfg = shapes->cfg;
    const struct node *node = &cfg->nodes[at];
    for (int side = 0; side < 2 && node->n_succ == 2; side++) {
        LLVMValueRef store = only_store(cfg, node->succ[side], node->succ[!side]);
        LLVMValueRef old =
            store && predicates_own(kernel, shapes, store) ? last_read(kernel, node->block, store) : NULL;
        LLVMValueRef branch = LLVMGetBasicBlockTerminator(node->block), condition = LLVMGetCondition(branch);
        if (!old || !compares(condition, old, LLVMGetOperand(store, 0)))
            continue;
        LLVMValueRef value = LLVMGetOperand(store, 0);
        unsigned tbaa = LLVMGetMDKindIDInContext(LLVMGetTypeContext(LLVMTypeOf(value)), "tbaa", strlen("tbaa"));
        LLVMPositionBuilderBefore(b, branch);
        LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(store));
        value = LLVMBuildSelect(b, condition, side ? old : value, side ? value : old, "");
        LLVMInstructionRemoveFromParent(store);
        LLVMSetOperand(store, 0, value);
        LLVMInsertIntoBuilder(b, store);
        if (LLVMGetMetadata(store, tbaa) != LLVMGetMetadata(old, tbaa))
            LLVMSetMetadata(store, tbaa, NULL); /* what is there may have another type */
        LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(branch));
        LLVMBuildBr(b, cfg->nodes[node->succ[!side]].block);
        LLVMInstructionEraseFromParent(branch);
        LLVMDeleteBasicBlock(cfg->nodes[node->succ[side]].block);
        return true;
    }
    return false;
}

bool widen_store_back(const struct kernel *kernel, const struct shapes *shapes)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(shapes->cfg->function)));
    bool changed = false;
    for (int at = 0; at < shapes->cfg->n && !changed; at++)
        changed = store_back_after(b, kernel, shapes, at);
    LLVMDisposeBuilder(b);
    return changed;
}

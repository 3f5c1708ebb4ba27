/* SPDX-License-Identifier: MIT
 *
 * Joins two loops into one:
 *
 *     block: i, s = phi;
 *     inner: k, t = phi [0, s]; t' = f(i, k, t); again while k + 1 < 16;
 *     last:  i' = i + 16; s' = t'; back to block while i' < W
 *
 * becomes
 *
 *     last:  i, k, t = phi; t' = f(i, k, t); i' = i + 16; ends = k + 1 == 16;
 *            back to last while !ends || i' < W, with ends ? i', 0 : i, k + 1 and t'
 *
 * All of it is computed in each iteration, and so must be free of effects, and cheap. Where f needs the sum of the
 * counters only, another counter stands for the sum, and its next value for i', which is the same where the inner loop
 * ends. */
#include "kernel/nest.h"

#include "kernel/calls.h"
#include "kernel/ir.h"

#include <llvm-c/DebugInfo.h>

enum { MOST_CARRIED = 64 };

/* From `last`, control goes back to `block`, or to another block. */
struct nest {
    LLVMBasicBlockRef before, block, inner, last;
};

static LLVMValueRef branch_of(LLVMBasicBlockRef block)
{
    return LLVMGetBasicBlockTerminator(block);
}

static LLVMBasicBlockRef other_successor(LLVMBasicBlockRef block, LLVMBasicBlockRef than)
{
    return LLVMGetSuccessor(branch_of(block), LLVMGetSuccessor(branch_of(block), 0) == than);
}

/* Whether a block ends with a branch that has two ways. */
static bool may_branch(LLVMBasicBlockRef block)
{
    return LLVMIsABranchInst(branch_of(block)) && LLVMGetNumSuccessors(branch_of(block)) == 2;
}

static bool goes_to(LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    for (unsigned i = 0; i < LLVMGetNumSuccessors(branch_of(from)); i++)
        if (LLVMGetSuccessor(branch_of(from), i) == to)
            return true;
    return false;
}

/* ---- the form ---- */

/* Whether a block has nothing but what may run more often than it does; if `may_load`, that may read memory. */
static bool may_repeat(LLVMBasicBlockRef block, bool may_load)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != branch_of(block); i = LLVMGetNextInstruction(i)) {
        LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
        bool divides = opcode == LLVMSDiv || opcode == LLVMUDiv || opcode == LLVMSRem || opcode == LLVMURem;
        if (divides || LLVMIsAStoreInst(i) || LLVMIsAAllocaInst(i) || LLVMIsAAtomicRMWInst(i) ||
            LLVMIsAAtomicCmpXchgInst(i) || LLVMIsAFenceInst(i) ||
            (LLVMIsALoadInst(i) && (!may_load || LLVMGetVolatile(i))) ||
            (LLVMIsACallInst(i) && calls_kind(i) != CALL_HINT && !calls_is_pure(i)))
            return false;
    }
    return true;
}

/* Whether all phis of a block have one value. */
static bool has_one_predecessor(LLVMBasicBlockRef block)
{
    int n = 0;
    for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use; use = LLVMGetNextUse(use))
        n += LLVMIsATerminatorInst(LLVMGetUser(use)) != NULL;
    return n == 1;
}

/* Finds the other blocks, and lists what the loops carry. Returns how many phis these are; 0 if something else is not
 * as it has to be. */
static int find(struct nest *nest, LLVMValueRef carried[MOST_CARRIED])
{
    LLVMValueRef phi = LLVMGetFirstInstruction(nest->block);
    nest->last = other_successor(nest->inner, nest->inner);
    if (LLVMGetNumSuccessors(branch_of(nest->block)) != 1 || !may_branch(nest->inner) || !may_branch(nest->last) ||
        !has_one_predecessor(nest->last) || !goes_to(nest->last, nest->block) ||
        other_successor(nest->last, nest->block) == nest->block || !LLVMIsAPHINode(phi) ||
        LLVMCountIncoming(phi) != 2 || !may_repeat(nest->block, true) ||
        !may_repeat(nest->last, false)) /* what the address is computed from may not be there yet */
        return 0;
    nest->before = LLVMGetIncomingBlock(phi, LLVMGetIncomingBlock(phi, 0) == nest->last);
    int n = 0;
    for (; LLVMIsAPHINode(phi) && n < MOST_CARRIED; phi = LLVMGetNextInstruction(phi))
        carried[n++] = phi;
    for (phi = LLVMGetFirstInstruction(nest->inner); LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
        LLVMValueRef first = ir_incoming_from(phi, nest->block);
        bool is_outer = LLVMIsAPHINode(first) && LLVMGetInstructionParent(first) == nest->block;
        if (n == MOST_CARRIED || (!LLVMIsAConstant(first) && !is_outer))
            return 0;
        carried[n++] = phi;
    }
    return n;
}

/* ---- the counters' sum ---- */

/* Returns what the outer loop counts by as many as the inner one has iterations; NULL if there is no such value. */
static LLVMValueRef outer_counter(const struct nest *nest, LLVMValueRef inner, long long iterations)
{
    for (LLVMValueRef phi = LLVMGetFirstInstruction(nest->block); LLVMIsAPHINode(phi);
         phi = LLVMGetNextInstruction(phi)) {
        LLVMValueRef next = ir_incoming_from(phi, nest->last);
        long long by;
        if (LLVMTypeOf(phi) == LLVMTypeOf(inner) && LLVMIsABinaryOperator(next) &&
            LLVMGetInstructionOpcode(next) == LLVMAdd && LLVMGetOperand(next, 0) == phi &&
            ir_read_constant(LLVMGetOperand(next, 1), &by) && by == iterations)
            return phi;
    }
    return NULL;
}

/* Whether two values are these, in any order. */
static bool are_these(LLVMValueRef a, LLVMValueRef b, LLVMValueRef one, LLVMValueRef other)
{
    return (a == one && b == other) || (a == other && b == one);
}

/* Lets `sum` be what both count together, wherever the block adds their counters. */
static void use_sum(LLVMBuilderRef builder, LLVMBasicBlockRef block, LLVMValueRef outer, LLVMValueRef inner,
                    LLVMValueRef sum)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        LLVMValueRef from = LLVMIsAGetElementPtrInst(i) ? LLVMGetOperand(i, 0) : NULL, together = NULL;
        if (LLVMIsABinaryOperator(i) && LLVMGetInstructionOpcode(i) == LLVMAdd &&
            are_these(LLVMGetOperand(i, 0), LLVMGetOperand(i, 1), outer, inner))
            together = sum;
        else if (from && LLVMGetIntTypeWidth(LLVMTypeOf(sum)) == 64 && LLVMIsAGetElementPtrInst(from) &&
                 LLVMGetNumOperands(i) == 2 && LLVMGetNumOperands(from) == 2 &&
                 LLVMGetGEPSourceElementType(i) == LLVMGetGEPSourceElementType(from) &&
                 are_these(LLVMGetOperand(i, 1), LLVMGetOperand(from, 1), outer, inner)) {
            LLVMPositionBuilderBefore(builder, i);
            together = LLVMBuildGEP2(builder, LLVMGetGEPSourceElementType(i), LLVMGetOperand(from, 0), &sum, 1, "");
        }
        if (together)
            LLVMReplaceAllUsesWith(i, together);
    }
}

/* Whether nothing but its next value needs a counter. */
static bool is_only_counted(LLVMValueRef counter, LLVMValueRef next)
{
    for (LLVMUseRef use = LLVMGetFirstUse(counter); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (user != next && LLVMGetFirstUse(user))
            return false;
    }
    return true;
}

/* ---- one loop ---- */

/* Moves all but phis and the terminator to the builder's place. */
static void move_all(LLVMBuilderRef builder, LLVMBasicBlockRef from)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(from), next; !LLVMIsATerminatorInst(i); i = next) {
        next = LLVMGetNextInstruction(i);
        if (LLVMIsAPHINode(i))
            continue;
        LLVMMetadataRef place = LLVMInstructionGetDebugLoc(i);
        LLVMInstructionRemoveFromParent(i);
        LLVMInsertIntoBuilder(builder, i);
        LLVMInstructionSetDebugLoc(i, place);
    }
}

/* Replaces the phis of a block that has one predecessor. */
static void replace_phis(LLVMBasicBlockRef block)
{
    for (LLVMValueRef phi = LLVMGetFirstInstruction(block), next; LLVMIsAPHINode(phi); phi = next) {
        next = LLVMGetNextInstruction(phi);
        LLVMReplaceAllUsesWith(phi, LLVMGetIncomingValue(phi, 0));
        LLVMInstructionEraseFromParent(phi);
    }
}

/* Whether only what the inner loop carries uses what the outer one carries: then it need not be carried twice. */
static bool is_passed_on(const struct nest *nest, LLVMValueRef phi)
{
    bool is = LLVMGetInstructionParent(phi) == nest->block;
    for (LLVMUseRef use = LLVMGetFirstUse(phi); is && use; use = LLVMGetNextUse(use))
        is = LLVMIsAPHINode(LLVMGetUser(use)) && LLVMGetInstructionParent(LLVMGetUser(use)) == nest->inner;
    return is;
}

/* Adds what a phi of the joined loop is, which stands for `old`. `ends`: the inner loop does. */
static void connect(LLVMBuilderRef builder, const struct nest *nest, LLVMValueRef ends, LLVMValueRef old,
                    LLVMValueRef new)
{
    bool is_inner = LLVMGetInstructionParent(old) == nest->inner;
    LLVMValueRef first = ir_incoming_from(old, is_inner ? nest->block : nest->before), restart = first,
                 next = is_inner ? ir_incoming_from(old, nest->inner) : old;
    if (!is_inner) {
        restart = ir_incoming_from(old, nest->last);
    } else if (!LLVMIsAConstant(first)) {
        restart = ir_incoming_from(first, nest->last);
        first = ir_incoming_from(first, nest->before);
    }
    if (restart != next)
        next = LLVMBuildSelect(builder, ends, restart, next, "");
    LLVMAddIncoming(new, (LLVMValueRef[]){first, next}, (LLVMBasicBlockRef[]){nest->before, nest->last}, 2);
}

static void replace_successor(LLVMBasicBlockRef of, LLVMBasicBlockRef old, LLVMBasicBlockRef new)
{
    for (unsigned i = 0; i < LLVMGetNumSuccessors(branch_of(of)); i++)
        if (LLVMGetSuccessor(branch_of(of), i) == old)
            LLVMSetSuccessor(branch_of(of), i, new);
}

/* Lets the last block be a loop of its own. `ends`: the inner loop does. */
static void replace_branches(LLVMBuilderRef builder, const struct nest *nest, LLVMValueRef ends)
{
    LLVMValueRef branch = branch_of(nest->last), again = LLVMGetCondition(branch);
    if (LLVMGetSuccessor(branch, 0) != nest->block)
        again = LLVMBuildNot(builder, again, "");
    again = LLVMBuildSelect(builder, ends, again, LLVMConstInt(LLVMTypeOf(ends), 1, false), "");
    LLVMBuildCondBr(builder, again, nest->last, other_successor(nest->last, nest->block));
    LLVMInstructionEraseFromParent(branch);
    replace_successor(nest->before, nest->block, nest->last);
}

bool nest_join(LLVMBuilderRef b, LLVMBasicBlockRef block, LLVMBasicBlockRef inner, LLVMValueRef counter,
               long long iterations)
{
    struct nest nest = {.block = block, .inner = inner};
    LLVMValueRef old[MOST_CARRIED], new[MOST_CARRIED], sum = NULL;
    int n = find(&nest, old);
    if (n == 0)
        return false;
    replace_phis(nest.last);
    LLVMValueRef outer = outer_counter(&nest, counter, iterations);
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(nest.last));
    if (outer)
        sum = LLVMBuildPhi(b, LLVMTypeOf(outer), "");
    for (int p = 0; p < n; p++)
        new[p] = is_passed_on(&nest, old[p]) ? NULL : LLVMBuildPhi(b, LLVMTypeOf(old[p]), "");
    LLVMValueRef next = outer ? LLVMBuildAdd(b, sum, LLVMConstInt(LLVMTypeOf(sum), 1, false), "") : NULL;
    move_all(b, block);
    move_all(b, inner);
    if (outer) {
        LLVMValueRef values[] = {ir_incoming_from(outer, nest.before), next};
        LLVMAddIncoming(sum, values, (LLVMBasicBlockRef[]){nest.before, nest.last}, 2);
        use_sum(b, nest.last, outer, counter, sum);
        if (is_only_counted(outer, ir_incoming_from(outer, nest.last)))
            LLVMReplaceAllUsesWith(ir_incoming_from(outer, nest.last), next);
    }
    LLVMPositionBuilderBefore(b, branch_of(nest.last));
    LLVMValueRef ends = LLVMGetCondition(branch_of(inner));
    if (LLVMGetSuccessor(branch_of(inner), 0) == inner)
        ends = LLVMBuildNot(b, ends, "");
    for (int p = 0; p < n; p++)
        if (new[p])
            connect(b, &nest, ends, old[p], new[p]);
    replace_branches(b, &nest, ends);
    for (int p = 0; p < n; p++)
        if (new[p])
            LLVMReplaceAllUsesWith(old[p], new[p]);
    LLVMInstructionEraseFromParent(branch_of(block));
    LLVMInstructionEraseFromParent(branch_of(inner));
    LLVMDeleteBasicBlock(inner);
    LLVMDeleteBasicBlock(block);
    return true;
}

/* SPDX-License-Identifier: MIT
 *
 * Leaves out looks at the clock in loops that certainly end after few turns, so that LLVM can unroll them:
 *
 *     header:  i = phi [constant, before], [i + step, last]
 *              if (i < constant) go on, else leave
 *     last:    look at the clock; i + step; jump to header */
#include "base/map.h"
#include "checked/checked.h"

enum { MOST_TURNS = 64 };

/* Returns what is added to a phi, 0 if it is not known. With clang's checks, an addition also tells whether it
 * overflows. */
static long long step_of(LLVMValueRef next, LLVMValueRef phi)
{
    bool is_checked = LLVMIsAExtractValueInst(next) && LLVMGetIndices(next)[0] == 0;
    LLVMValueRef sum = is_checked ? LLVMGetOperand(next, 0) : next;
    bool is_sum =
        is_checked ? table_calls(sum, "llvm.sadd.with.overflow.i32") || table_calls(sum, "llvm.sadd.with.overflow.i64")
                   : LLVMIsABinaryOperator(sum) && LLVMGetInstructionOpcode(sum) == LLVMAdd;
    if (!is_sum || LLVMGetOperand(sum, 0) != phi || !LLVMIsAConstantInt(LLVMGetOperand(sum, 1)))
        return 0;
    return LLVMConstIntGetSExtValue(LLVMGetOperand(sum, 1));
}

/* Whether a comparison with `limit` holds for `first`, but not for long if `step` is added again and again. */
static bool ends_soon(LLVMIntPredicate predicate, long long first, long long limit, long long step)
{
    enum { LARGEST = 1 << 30 };
    bool is_up = predicate == LLVMIntSLT || predicate == LLVMIntSLE || predicate == LLVMIntULT;
    bool is_down = predicate == LLVMIntSGT || predicate == LLVMIntSGE;
    bool is_small = first >= 0 && first < LARGEST && limit >= 0 && limit < LARGEST && step > -LARGEST && step < LARGEST;
    if (!is_small || (is_up ? step <= 0 : step >= 0) || (!is_up && !is_down))
        return false;
    long long distance = is_up ? limit - first : first - limit, by = is_up ? step : -step;
    return distance > 0 && distance < MOST_TURNS * by;
}

/* Whether the loop that ends in `last` with a jump to `header` does because of a phi's value. */
static bool ends_by(LLVMValueRef phi, LLVMBasicBlockRef last, LLVMIntPredicate predicate, long long limit)
{
    bool ends = true;
    long long step = 0;
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
        if (LLVMGetIncomingBlock(phi, i) == last)
            step = step_of(LLVMGetIncomingValue(phi, i), phi);
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef first = LLVMGetIncomingValue(phi, i);
        if (LLVMGetIncomingBlock(phi, i) != last)
            ends =
                ends && LLVMIsAConstantInt(first) && ends_soon(predicate, LLVMConstIntGetSExtValue(first), limit, step);
    }
    return ends && step != 0;
}

/* Whether control gets from a basic block to another without passing a third. */
static bool reaches(LLVMBasicBlockRef from, LLVMBasicBlockRef to, LLVMBasicBlockRef without, struct map *seen)
{
    bool reached = from == to;
    LLVMValueRef end = LLVMGetBasicBlockTerminator(from);
    if (from == without || map_get(seen, from) >= 0)
        return false;
    map_set(seen, from, true);
    for (unsigned s = 0; s < LLVMGetNumSuccessors(end) && !reached; s++)
        reached = reaches(LLVMGetSuccessor(end, s), to, without, seen);
    return reached;
}

/* Whether the jump at the end of a basic block belongs to such a loop. */
static bool is_short(LLVMBasicBlockRef last)
{
    LLVMValueRef jump = LLVMGetBasicBlockTerminator(last);
    if (!LLVMIsABranchInst(jump) || LLVMIsConditional(jump))
        return false;
    LLVMBasicBlockRef header = LLVMGetSuccessor(jump, 0);
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(header);
    LLVMValueRef condition = LLVMIsABranchInst(branch) && LLVMIsConditional(branch) ? LLVMGetCondition(branch) : NULL;
    if (!condition || !LLVMIsAICmpInst(condition) || LLVMGetInstructionParent(condition) != header)
        return false;
    LLVMValueRef phi = LLVMGetOperand(condition, 0), limit = LLVMGetOperand(condition, 1);
    return LLVMIsAPHINode(phi) && LLVMGetInstructionParent(phi) == header && LLVMIsAConstantInt(limit) &&
           ends_by(phi, last, LLVMGetICmpPredicate(condition), LLVMConstIntGetSExtValue(limit)) &&
           !reaches(LLVMGetSuccessor(branch, 1), last, header, map_new());
}

void turns_leave_out(struct checking *c)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(c->entry); b; b = LLVMGetNextBasicBlock(b)) {
        bool ends = is_short(b);
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i && ends; i = next) {
            next = LLVMGetNextInstruction(i);
            if (table_calls(i, "amp__check_turn"))
                LLVMInstructionEraseFromParent(i);
        }
    }
}

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

/* What becomes of a phi from turn to turn. */
struct step {
    enum { UNKNOWN, SUM, DOUBLE, QUOTIENT } kind;
    long long by; /* that is added; a quotient is at most half */
};

static struct step step_by(LLVMOpcode op, long long by)
{
    struct step step = {UNKNOWN, by};
    if (op == LLVMAdd)
        step.kind = SUM;
    else if ((op == LLVMMul && by == 2) || (op == LLVMShl && by == 1))
        step.kind = DOUBLE;
    else if (((op == LLVMSDiv || op == LLVMUDiv) && by >= 2) || ((op == LLVMAShr || op == LLVMLShr) && by >= 1))
        step.kind = QUOTIENT;
    return step;
}

/* Returns the step from a phi to the next one. With clang's checks, arithmetic also tells whether it overflows. */
static struct step step_of(LLVMValueRef next, LLVMValueRef phi)
{
    bool is_checked = LLVMIsAExtractValueInst(next) && LLVMGetIndices(next)[0] == 0;
    LLVMValueRef i = is_checked ? LLVMGetOperand(next, 0) : next;
    bool is_sum = table_calls(i, "llvm.sadd.with.overflow.i32") || table_calls(i, "llvm.sadd.with.overflow.i64"),
         is_product = table_calls(i, "llvm.smul.with.overflow.i32") || table_calls(i, "llvm.smul.with.overflow.i64");
    if ((is_checked ? !is_sum && !is_product : !LLVMIsABinaryOperator(i)) || LLVMGetOperand(i, 0) != phi ||
        !LLVMIsAConstantInt(LLVMGetOperand(i, 1)))
        return (struct step){UNKNOWN, 0};
    LLVMOpcode op = is_sum ? LLVMAdd : is_product ? LLVMMul : LLVMGetInstructionOpcode(i);
    return step_by(op, LLVMConstIntGetSExtValue(LLVMGetOperand(i, 1)));
}

/* Whether a comparison with `limit` holds for `first`, but not for long after such steps. */
static bool ends_soon(LLVMIntPredicate predicate, long long first, long long limit, struct step step)
{
    enum { LARGEST = 1 << 30 };
    bool is_up = predicate == LLVMIntSLT || predicate == LLVMIntSLE || predicate == LLVMIntULT;
    bool is_down = predicate == LLVMIntSGT || predicate == LLVMIntSGE || predicate == LLVMIntUGT;
    long long distance = is_up ? limit - first : first - limit, by = is_up ? step.by : -step.by;
    if (first < 0 || first >= LARGEST || limit < 0 || limit >= LARGEST || distance <= 0)
        return false;
    if (step.kind == SUM)
        return (is_up || (is_down && predicate != LLVMIntUGT)) && by > 0 && by < LARGEST && distance < MOST_TURNS * by;
    if (step.kind == DOUBLE)
        return is_up && first > 0;
    return step.kind == QUOTIENT &&
           ((is_down && (limit > 0 || predicate != LLVMIntSGE)) || (predicate == LLVMIntNE && limit == 0));
}

/* Whether the loop that ends in `last` with a jump to `header` does because of a phi's value. */
static bool ends_by(LLVMValueRef phi, LLVMBasicBlockRef last, LLVMIntPredicate predicate, long long limit)
{
    bool ends = true;
    struct step step = {UNKNOWN, 0};
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
        if (LLVMGetIncomingBlock(phi, i) == last)
            step = step_of(LLVMGetIncomingValue(phi, i), phi);
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef first = LLVMGetIncomingValue(phi, i);
        if (LLVMGetIncomingBlock(phi, i) != last)
            ends =
                ends && LLVMIsAConstantInt(first) && ends_soon(predicate, LLVMConstIntGetSExtValue(first), limit, step);
    }
    return ends && step.kind != UNKNOWN;
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

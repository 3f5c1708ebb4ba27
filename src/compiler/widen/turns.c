/* SPDX-License-Identifier: MIT
 *
 * The blocks of a convoy (convoy.c) go through a loop together, iteration by iteration, and keep what they carry in
 * memory meanwhile. This pass puts some iterations into a loop of their own, so that a block saves and restores sums
 * once in so many iterations:
 *
 *     do {                           do {
 *                                        number = 0;
 *                                        do {
 *         body                               body
 *         amp__together();               } while (condition && ++number < length);
 *                                        amp__together();
 *     } while (condition);           } while (condition);
 *
 * Where the convoy's last thread, too, takes part in the last iteration of a turn, a copy of the loop does without the
 * tests whether a thread does.
 *
 * A turn reads as many places of each array as it has iterations. They are far apart, often by a power of two, and then
 * share a set of the first cache: more than it holds would push each other out.
 *
 * needs   a loop that carries something, and whose latch is its only exit; values that leave it do so through phis
 * keeps   that, for each loop that it makes */
#include "widen/turns.h"

#include "kernel/ir.h"
#include "kernel/origin.h"
#include "kernel/variant.h"

#include <llvm-c/DebugInfo.h>

enum {
    MOST_LENGTH = 4, /* eight take longer */
    MOST_PLACES = 8  /* ways of a set */
};

/* Adds a value to a set of up to MOST_PLACES, and returns whether it is new. */
static bool add_to(const void *set[MOST_PLACES], int *n, const void *value)
{
    for (int k = 0; k < *n; k++)
        if (set[k] == value)
            return false;
    if (*n < MOST_PLACES)
        set[(*n)++] = value;
    return true;
}

int turns_length(const struct plan *plan, int loop)
{
    const struct cfg *cfg = plan->cfg;
    const void *arrays[MOST_PLACES], *addresses[MOST_PLACES];
    int n_arrays = 0, n_addresses = 0;
    for (int at = cfg->loops[loop].header; at <= cfg->loops[loop].last; at++) {
        for (LLVMValueRef i = cfg->nodes[at].first; i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i)) {
            unsigned operand;
            LLVMValueRef address = ir_accessed_type(i, &operand) ? LLVMGetOperand(i, operand) : NULL;
            if (!address || shape_of(plan->truth, address).kind == SHAPE_UNIFORM)
                continue;
            struct origin origin = origin_of(plan->kernel, address);
            if (origin.kinds == ORIGIN_ARRAY && add_to(addresses, &n_addresses, address))
                add_to(arrays, &n_arrays, origin.param);
        }
    }
    /* What one iteration reads at several places of an array, others read as well, or it shares lines. */
    int length = n_arrays > 0 ? (MOST_PLACES - (n_addresses - n_arrays)) / n_arrays : 1;
    return length < 1 ? 1 : length < MOST_LENGTH ? length : MOST_LENGTH;
}

/* Returns a new phi at the beginning of a block, with one value so far. */
static LLVMValueRef new_phi(LLVMBuilderRef b, LLVMBasicBlockRef block, LLVMValueRef value, LLVMBasicBlockRef from)
{
    LLVMValueRef phi = ir_add_phi(b, block, LLVMTypeOf(value));
    LLVMAddIncoming(phi, &value, &from, 1);
    return phi;
}

static LLVMValueRef first_not_phi(LLVMBasicBlockRef block)
{
    LLVMValueRef i = LLVMGetFirstInstruction(block);
    while (LLVMIsAPHINode(i))
        i = LLVMGetNextInstruction(i);
    return i;
}

/* Replaces a phi by another one in its block. */
static void replace(LLVMValueRef old, LLVMValueRef new)
{
    LLVMReplaceAllUsesWith(old, new);
    LLVMInstructionEraseFromParent(old);
}

/* Returns the phi at the end of a turn that has a value from the last iteration. */
static LLVMValueRef at_end(LLVMBuilderRef b, const struct turns *t, LLVMValueRef value)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(t->end); i && LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
        if (LLVMGetIncomingValue(i, 0) == value)
            return i;
    return new_phi(b, t->end, value, t->latch);
}

/* Lets what the loop carries pass through the beginning and the end of a turn, too. */
static void carry(LLVMBuilderRef b, const struct turns *t)
{
    unsigned n = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(t->header); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
        n++;
    for (; n > 0; n--) {
        LLVMValueRef phi = LLVMGetPreviousInstruction(first_not_phi(t->header));
        LLVMValueRef next = ir_incoming_from(phi, t->latch);
        LLVMValueRef first = new_phi(b, t->begin, ir_incoming_from(phi, t->before), t->before);
        LLVMValueRef inner = new_phi(b, t->header, first, t->begin), last = at_end(b, t, next);
        LLVMAddIncoming(inner, &next, (LLVMBasicBlockRef[]){t->latch}, 1);
        LLVMAddIncoming(first, &last, (LLVMBasicBlockRef[]){t->end}, 1);
        replace(phi, inner);
    }
}

/* Lets what leaves the loop come from the end of a turn. */
static void leave(LLVMBuilderRef b, const struct turns *t, LLVMBasicBlockRef exit)
{
    unsigned n = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(exit); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
        n++;
    for (; n > 0; n--) {
        LLVMValueRef phi = LLVMGetPreviousInstruction(first_not_phi(exit)), new = NULL;
        for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
            LLVMValueRef value = LLVMGetIncomingValue(phi, k);
            LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, k);
            if (from == t->latch) {
                value = at_end(b, t, value);
                from = t->end;
            }
            if (new)
                LLVMAddIncoming(new, &value, &from, 1);
            else
                new = new_phi(b, exit, value, from);
        }
        replace(phi, new);
    }
}

struct turns turns_take(LLVMValueRef call, LLVMBasicBlockRef header, int length)
{
    LLVMBasicBlockRef latch = LLVMGetInstructionParent(call);
    LLVMValueRef function = LLVMGetBasicBlockParent(latch), branch = LLVMGetBasicBlockTerminator(latch);
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(call));
    LLVMTypeRef i32 = LLVMInt32TypeInContext(context);
    struct turns t = {.begin = LLVMInsertBasicBlockInContext(context, header, "turn"),
                      .header = header,
                      .latch = latch,
                      .end = LLVMAppendBasicBlockInContext(context, function, "turn.end")};
    LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
    LLVMValueRef any = LLVMGetFirstInstruction(header);
    t.before = LLVMGetIncomingBlock(any, LLVMGetIncomingBlock(any, 0) == latch);
    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(call));

    LLVMValueRef condition = LLVMGetCondition(branch);
    bool is_inverted = LLVMGetSuccessor(branch, 0) != header;
    LLVMBasicBlockRef exit = LLVMGetSuccessor(branch, !is_inverted);
    LLVMPositionBuilderBefore(b, branch);
    if (is_inverted)
        condition = LLVMBuildNot(b, condition, "");
    carry(b, &t);
    leave(b, &t, exit);
    LLVMValueRef goes_on = new_phi(b, t.end, condition, latch);

    LLVMValueRef number = new_phi(b, header, LLVMConstInt(i32, 0, false), t.begin);
    LLVMPositionBuilderBefore(b, branch);
    LLVMValueRef next = LLVMBuildNSWAdd(b, number, LLVMConstInt(i32, 1, false), "");
    LLVMAddIncoming(number, &next, &latch, 1);
    t.is_within = LLVMBuildICmp(b, LLVMIntSLT, next, LLVMConstInt(i32, (unsigned)length, false), "");
    LLVMBuildCondBr(b, LLVMBuildAnd(b, condition, t.is_within, ""), header, t.end);
    LLVMInstructionEraseFromParent(branch);

    LLVMInstructionRemoveFromParent(call);
    LLVMPositionBuilderAtEnd(b, t.end);
    LLVMInsertIntoBuilder(b, call);
    LLVMBuildCondBr(b, goes_on, t.begin, exit);
    LLVMPositionBuilderAtEnd(b, t.begin);
    LLVMBuildBr(b, header);
    LLVMValueRef enters = LLVMGetBasicBlockTerminator(t.before);
    for (unsigned k = 0; k < LLVMGetNumSuccessors(enters); k++)
        if (LLVMGetSuccessor(enters, k) == header)
            LLVMSetSuccessor(enters, k, t.begin);
    LLVMDisposeBuilder(b);
    return t;
}

static bool is_copied(const struct variant *v, LLVMBasicBlockRef block)
{
    return variant_of(v, LLVMBasicBlockAsValue(block)) != LLVMBasicBlockAsValue(block);
}

/* Copies the blocks of an iteration from one on, in which the latch is the last. */
static void copy_iteration(struct variant *v, LLVMBuilderRef b, const struct turns *t, LLVMBasicBlockRef block)
{
    if (is_copied(v, block))
        return;
    variant_copy_block(v, b, block);
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(block);
    for (unsigned k = 0; block != t->latch && k < LLVMGetNumSuccessors(branch); k++)
        copy_iteration(v, b, t, LLVMGetSuccessor(branch, k));
}

/* Lets all threads pass from a copied header to what follows its test. */
static void pass_test(LLVMBuilderRef b, LLVMBasicBlockRef header)
{
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(header);
    LLVMBasicBlockRef inside = LLVMGetSuccessor(branch, 0), end = LLVMGetSuccessor(branch, 1);
    LLVMPositionBuilderBefore(b, branch);
    LLVMBuildBr(b, inside);
    LLVMInstructionEraseFromParent(branch);
    for (LLVMValueRef i = LLVMGetFirstInstruction(end), next; LLVMIsAPHINode(i); i = next) {
        next = LLVMGetNextInstruction(i);
        replace(i, LLVMGetIncomingValue(i, LLVMGetIncomingBlock(i, 0) == header));
    }
}

void turns_add_whole(const struct turns *t, LLVMValueRef are_whole)
{
    LLVMValueRef function = LLVMGetBasicBlockParent(t->header);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(function)));
    struct variant v = variant_begin(function, function);
    copy_iteration(&v, b, t, t->header);
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
        if (is_copied(&v, block))
            variant_connect_block(&v, block);
    LLVMBasicBlockRef header = LLVMValueAsBasicBlock(variant_of(&v, LLVMBasicBlockAsValue(t->header))),
                      latch = LLVMValueAsBasicBlock(variant_of(&v, LLVMBasicBlockAsValue(t->latch)));
    for (LLVMValueRef i = LLVMGetFirstInstruction(t->end); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i)) {
        LLVMValueRef value = variant_of(&v, ir_incoming_from(i, t->latch));
        LLVMAddIncoming(i, &value, &latch, 1);
    }
    pass_test(b, header);
    LLVMSetCondition(LLVMGetBasicBlockTerminator(latch), variant_of(&v, t->is_within));
    LLVMValueRef enters = LLVMGetBasicBlockTerminator(t->begin);
    LLVMPositionBuilderBefore(b, enters);
    LLVMBuildCondBr(b, are_whole, header, t->header);
    LLVMInstructionEraseFromParent(enters);
    LLVMDisposeBuilder(b);
}

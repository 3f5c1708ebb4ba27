/* SPDX-License-Identifier: MIT
 *
 * As part of `prepare`, computes subscripts in 64 bits from values of 32 bits:
 *
 *     int i = idx[0] + 1 + first;
 *     x[i - 1]        becomes, for LLVM,        x[(long)i - 1]
 *
 * This is the same, because int does not wrap. But LLVM's passes forget that. Instcombine joins both constants, and
 * what is left, idx[0] + first, may wrap as far as anybody knows. Indvars computes how often loops run, and the sums
 * that it uses for that lose their promises. Then neighbouring threads are not known to read neighbouring elements any
 * more. Sums of extended values cannot wrap, whatever is promised.
 *
 * On every target, constants are added late, and where one is added to what another one multiplies, as in
 * x[(row + 1) * 16 + k], all is computed in 64 bits, if it needs only indices, arguments and counters. On processors,
 * where LLVM would widen the loop counters in subscripts anyway, `subscripts_widen` also widens sums and products of
 * constants, indices, arguments and counters, and whatever those counters are compared with. Values that a thread loads
 * from memory stay narrow, because gathers with narrow indices are faster.
 *
 * After loops, what is used in 32 bits again is handed out in 32 bits (`subscripts_narrow_exits`).
 *
 * Needs: entries in SSA form, the last part in loop-closed form. Leaves dead code behind. */
#include "kernel/subscripts.h"

#include "ampcc.h"
#include "base/map.h"
#include "kernel/ir.h"

#include <llvm-c/DebugInfo.h>
#include <stdbool.h>

static bool is_integer_of(LLVMValueRef value, unsigned bits)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == bits;
}

static bool is_extension(LLVMValueRef value)
{
    return LLVMIsASExtInst(value) && is_integer_of(value, 64) && is_integer_of(LLVMGetOperand(value, 0), 32);
}

/* Calls `visit` for each instruction, which may erase it. */
static void each(LLVMValueRef function, void (*visit)(void *user, LLVMValueRef instruction), void *user)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            visit(user, i);
        }
}

static void replace(LLVMValueRef instruction, LLVMValueRef by)
{
    LLVMReplaceAllUsesWith(instruction, by);
    LLVMInstructionEraseFromParent(instruction);
}

enum { DEPTH = 8, SHALLOW = 2 }; /* of sums that are widened, and of those in which counters are looked for */

/* ---- constants ---- */

/* Returns which operand of a value is a constant: 1 if both are. Instcombine has not put it on the right yet. -1:
 * none. */
static int constant_operand(LLVMValueRef value)
{
    return LLVMIsAConstantInt(LLVMGetOperand(value, 1)) ? 1 : LLVMIsAConstantInt(LLVMGetOperand(value, 0)) ? 0 : -1;
}

/* If a value is another one plus a constant, and does not wrap, returns the other one, and adds the constant. */
static LLVMValueRef without_constant(LLVMValueRef value, long long *offset)
{
    LLVMOpcode opcode = LLVMIsAInstruction(value) ? LLVMGetInstructionOpcode(value) : 0;
    if ((opcode != LLVMAdd && opcode != LLVMSub) || !LLVMGetNSW(value))
        return NULL;
    int at = constant_operand(value);
    if (at < 0 || (opcode == LLVMSub && at == 0))
        return NULL;
    long long constant = LLVMConstIntGetSExtValue(LLVMGetOperand(value, (unsigned)at));
    *offset += opcode == LLVMAdd ? constant : -constant;
    return LLVMGetOperand(value, (unsigned)(1 - at));
}

static bool is_subscript(LLVMValueRef extension)
{
    bool is = true;
    for (LLVMUseRef use = LLVMGetFirstUse(extension); use && is; use = LLVMGetNextUse(use))
        is = LLVMIsAGetElementPtrInst(LLVMGetUser(use));
    return is;
}

/* If a value is a product with a constant, and does not wrap, returns what is multiplied. */
static LLVMValueRef without_factor(LLVMValueRef value, long long *factor)
{
    LLVMOpcode opcode = LLVMIsAInstruction(value) ? LLVMGetInstructionOpcode(value) : 0;
    int at = opcode == LLVMMul && LLVMGetNSW(value) ? constant_operand(value) : -1;
    if (at < 0)
        return NULL;
    *factor = LLVMConstIntGetSExtValue(LLVMGetOperand(value, (unsigned)at));
    return LLVMGetOperand(value, (unsigned)(1 - at));
}

static bool is_sum(LLVMValueRef value)
{
    LLVMOpcode opcode = LLVMIsAInstruction(value) ? LLVMGetInstructionOpcode(value) : 0;
    return (opcode == LLVMAdd || opcode == LLVMSub) && LLVMGetNSW(value);
}

/* Whether a constant is added to what is multiplied by another one, as in (row + 1) * 16 + k: instcombine would
 * distribute that. Sets `*has_other` if the values are not only indices, arguments and counters: what comes from memory
 * stays narrow, and quotients and remainders must be seen to belong together. */
static bool adds_in_product(LLVMValueRef value, bool in_product, int depth, bool *has_other)
{
    long long number = 0;
    LLVMValueRef factor = depth ? without_factor(value, &number) : NULL;
    if (factor)
        return adds_in_product(factor, true, depth - 1, has_other);
    if (depth && is_sum(value)) {
        bool left = adds_in_product(LLVMGetOperand(value, 0), in_product, depth - 1, has_other),
             right = adds_in_product(LLVMGetOperand(value, 1), in_product, depth - 1, has_other);
        return (in_product && without_constant(value, &number)) || left || right;
    }
    *has_other |= !LLVMIsAConstantInt(value) && !LLVMIsAArgument(value) && !LLVMIsAPHINode(value);
    return false;
}

/* Computes such a value in 64 bits. */
static LLVMValueRef widen_products(LLVMBuilderRef b, LLVMTypeRef wide, LLVMValueRef value, int depth)
{
    long long number = 0;
    LLVMValueRef factor = depth ? without_factor(value, &number) : NULL;
    if (factor)
        return LLVMBuildNSWMul(b, widen_products(b, wide, factor, depth - 1),
                               LLVMConstInt(wide, (unsigned long long)number, true), "");
    if (!depth || !is_sum(value))
        return LLVMBuildSExt(b, value, wide, "");
    LLVMValueRef left = widen_products(b, wide, LLVMGetOperand(value, 0), depth - 1),
                 right = widen_products(b, wide, LLVMGetOperand(value, 1), depth - 1);
    return LLVMGetInstructionOpcode(value) == LLVMAdd ? LLVMBuildNSWAdd(b, left, right, "")
                                                      : LLVMBuildNSWSub(b, left, right, "");
}

static void add_late(void *user, LLVMValueRef i)
{
    LLVMBuilderRef builder = user;
    if (!is_extension(i) || !is_subscript(i))
        return;
    bool has_other = false;
    if (adds_in_product(LLVMGetOperand(i, 0), false, DEPTH, &has_other) && !has_other) {
        LLVMPositionBuilderBefore(builder, i);
        replace(i, widen_products(builder, LLVMTypeOf(i), LLVMGetOperand(i, 0), DEPTH));
        return;
    }
    long long offset = 0;
    LLVMValueRef rest = LLVMGetOperand(i, 0);
    for (int n = 0; n < DEPTH; n++) { /* sums in code that is never reached may be cyclic */
        LLVMValueRef next = without_constant(rest, &offset);
        rest = next ? next : rest;
    }
    if (rest == LLVMGetOperand(i, 0))
        return;
    LLVMPositionBuilderBefore(builder, i);
    LLVMValueRef wide = LLVMBuildSExt(builder, rest, LLVMTypeOf(i), "");
    replace(i, LLVMBuildNSWAdd(builder, wide, LLVMConstInt(LLVMTypeOf(i), (unsigned long long)offset, true), ""));
}

void subscripts_add_late(LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        each(f, add_late, builder);
    LLVMDisposeBuilder(builder);
}

/* ---- sums, products and counters ---- */

struct widening {
    LLVMBuilderRef builder;
    LLVMTypeRef wide;
    LLVMValueRef function;
    LLVMMetadataRef location; /* where the first use of an argument is */
    struct map *numbers;      /* of narrow values: where their wide ones are in `known` */
    int n_known;
    LLVMValueRef *known;
};

static LLVMValueRef find_known(const struct widening *w, LLVMValueRef narrow)
{
    int number = map_get(w->numbers, narrow);
    return number < 0 ? NULL : w->known[number];
}

static LLVMValueRef note(struct widening *w, LLVMValueRef narrow, LLVMValueRef wide)
{
    map_set(w->numbers, narrow, w->n_known);
    return w->known[w->n_known++] = wide;
}

static bool is_sum_or_product(LLVMValueRef value)
{
    bool is_product = LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == LLVMMul && LLVMGetNSW(value);
    return is_product || is_sum(value);
}

static bool is_of_arguments(const struct widening *w, LLVMValueRef load)
{
    LLVMValueRef address = LLVMIsALoadInst(load) ? LLVMGetOperand(load, 0) : NULL;
    while (address && LLVMIsAGetElementPtrInst(address))
        address = LLVMGetOperand(address, 0);
    return address && address == LLVMGetParam(w->function, 0);
}

static bool is_possible(const struct widening *w, LLVMValueRef value, int depth)
{
    if (find_known(w, value) || LLVMIsAConstantInt(value) || LLVMIsAArgument(value) || is_of_arguments(w, value))
        return true;
    return depth && is_sum_or_product(value) && is_possible(w, LLVMGetOperand(value, 0), depth - 1) &&
           is_possible(w, LLVMGetOperand(value, 1), depth - 1);
}

static LLVMValueRef widen(struct widening *w, LLVMValueRef value)
{
    LLVMValueRef known = find_known(w, value);
    if (known)
        return known;
    if (LLVMIsAConstantInt(value))
        return LLVMConstInt(w->wide, (unsigned long long)LLVMConstIntGetSExtValue(value), true);
    if (is_sum_or_product(value)) {
        LLVMValueRef a = widen(w, LLVMGetOperand(value, 0)), b = widen(w, LLVMGetOperand(value, 1));
        LLVMPositionBuilderBefore(w->builder, value);
        LLVMValueRef sum = LLVMBuildBinOp(w->builder, LLVMGetInstructionOpcode(value), a, b, "");
        if (LLVMIsAInstruction(sum))
            LLVMSetNSW(sum, true);
        return note(w, value, sum);
    }
    bool is_argument = LLVMIsAArgument(value) != NULL;
    LLVMPositionBuilderBefore(w->builder, is_argument ? LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(w->function))
                                                      : LLVMGetNextInstruction(value));
    if (is_argument)
        LLVMSetCurrentDebugLocation2(w->builder, w->location);
    return note(w, value, LLVMBuildSExt(w->builder, value, w->wide, ""));
}

/* If a value is a loop's counter, returns what is added to it each time. */
static LLVMValueRef step_of(LLVMValueRef phi, unsigned *latch)
{
    if (!LLVMIsAPHINode(phi) || !is_integer_of(phi, 32) || LLVMCountIncoming(phi) != 2)
        return NULL;
    for (*latch = 0; *latch < 2; ++*latch) {
        LLVMValueRef next = LLVMGetIncomingValue(phi, *latch);
        if (is_sum_or_product(next) && LLVMGetInstructionOpcode(next) == LLVMAdd && LLVMGetOperand(next, 0) == phi &&
            LLVMIsAConstantInt(LLVMGetOperand(next, 1)))
            return next;
    }
    return NULL;
}

/* Whether a value is extended to 64 bits, or a sum of it is. */
static bool is_in_subscript(LLVMValueRef value, int depth)
{
    bool is = false;
    for (LLVMUseRef use = LLVMGetFirstUse(value); use && !is; use = LLVMGetNextUse(use)) {
        LLVMValueRef of = LLVMGetUser(use);
        is = is_extension(of) || (depth && is_sum_or_product(of) && is_in_subscript(of, depth - 1));
    }
    return is;
}

static void widen_counter(void *user, LLVMValueRef phi)
{
    struct widening *w = user;
    unsigned latch;
    LLVMValueRef next = step_of(phi, &latch), first = next ? LLVMGetIncomingValue(phi, 1 - latch) : NULL;
    if (!next || !is_possible(w, first, DEPTH) || !is_in_subscript(phi, SHALLOW))
        return;
    w->location = LLVMInstructionGetDebugLoc(next);
    LLVMValueRef wide_first = widen(w, first);
    LLVMPositionBuilderBefore(w->builder, phi);
    LLVMValueRef wide = note(w, phi, LLVMBuildPhi(w->builder, w->wide, ""));
    LLVMValueRef values[2];
    LLVMBasicBlockRef blocks[2] = {LLVMGetIncomingBlock(phi, 0), LLVMGetIncomingBlock(phi, 1)};
    values[1 - latch] = wide_first;
    values[latch] = widen(w, next);
    LLVMAddIncoming(wide, values, blocks, 2);
}

static void widen_comparison(struct widening *w, LLVMValueRef comparison)
{
    LLVMValueRef a = LLVMGetOperand(comparison, 0), b = LLVMGetOperand(comparison, 1);
    LLVMIntPredicate predicate = LLVMGetICmpPredicate(comparison);
    bool is_unsigned = predicate >= LLVMIntUGT && predicate <= LLVMIntULE;
    if (is_unsigned || (!find_known(w, a) && !find_known(w, b)) || !is_possible(w, a, DEPTH) ||
        !is_possible(w, b, DEPTH))
        return;
    LLVMValueRef wide_a = widen(w, a), wide_b = widen(w, b);
    LLVMPositionBuilderBefore(w->builder, comparison);
    replace(comparison, LLVMBuildICmp(w->builder, predicate, wide_a, wide_b, ""));
}

/* Whether a value is the extension of a sum that is known not to be negative. Where it is of a single value, LLVM has
 * more use for that knowledge: it says how often a loop may run. */
static bool is_unsigned_sum(LLVMValueRef value)
{
    return LLVMIsAZExtInst(value) && LLVMGetNNeg(value) && is_integer_of(value, 64) &&
           is_integer_of(LLVMGetOperand(value, 0), 32) && is_sum_or_product(LLVMGetOperand(value, 0));
}

static void widen_use(void *user, LLVMValueRef i)
{
    struct widening *w = user;
    w->location = LLVMInstructionGetDebugLoc(i);
    LLVMValueRef of = is_extension(i) || is_unsigned_sum(i) ? LLVMGetOperand(i, 0) : NULL;
    if (of && is_possible(w, of, DEPTH) && find_known(w, of) != i)
        replace(i, widen(w, of));
    else if (LLVMIsAICmpInst(i) && is_integer_of(LLVMGetOperand(i, 0), 32))
        widen_comparison(w, i);
}

static void count(void *user, LLVMValueRef i)
{
    (void)i;
    ++*(int *)user;
}

void subscripts_widen(LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    struct widening w = {.builder = LLVMCreateBuilderInContext(context), .wide = LLVMInt64TypeInContext(context)};
    for (w.function = LLVMGetFirstFunction(module); w.function; w.function = LLVMGetNextFunction(w.function)) {
        if (LLVMIsDeclaration(w.function) || LLVMCountParams(w.function) == 0)
            continue;
        int n_values = (int)LLVMCountParams(w.function);
        each(w.function, count, &n_values);
        w.numbers = map_new();
        w.n_known = 0;
        w.known = arena_alloc((size_t)n_values * sizeof *w.known);
        each(w.function, widen_counter, &w);
        each(w.function, widen_use, &w);
    }
    LLVMDisposeBuilder(w.builder);
}

/* ---- what loops hand out ---- */

/* Returns the cast of a phi of 64 bits to 32 if nothing else uses it. */
static LLVMValueRef only_cast(LLVMValueRef phi)
{
    LLVMUseRef use = LLVMIsAPHINode(phi) && is_integer_of(phi, 64) ? LLVMGetFirstUse(phi) : NULL;
    LLVMValueRef cast = use && !LLVMGetNextUse(use) ? LLVMGetUser(use) : NULL;
    return cast && LLVMIsATruncInst(cast) && is_integer_of(cast, 32) ? cast : NULL;
}

static void narrow_exit(void *user, LLVMValueRef phi)
{
    LLVMBuilderRef builder = user;
    LLVMValueRef cast = only_cast(phi);
    if (!cast || LLVMCountIncoming(phi) != 1 || !LLVMIsAPHINode(LLVMGetIncomingValue(phi, 0)))
        return;
    LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, 0);
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(from);
    LLVMPositionBuilderBefore(builder, branch);
    LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(branch));
    LLVMValueRef narrow = LLVMBuildTrunc(builder, LLVMGetIncomingValue(phi, 0), LLVMTypeOf(cast), "");
    LLVMPositionBuilderBefore(builder, phi);
    LLVMValueRef new = LLVMBuildPhi(builder, LLVMTypeOf(cast), "");
    LLVMAddIncoming(new, &narrow, &from, 1);
    LLVMReplaceAllUsesWith(cast, new);
}

void subscripts_narrow_exits(LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        each(f, narrow_exit, builder);
    LLVMDisposeBuilder(builder);
}

/* SPDX-License-Identifier: MIT
 *
 * Kernels count neighbours, or add bytes, to find out whether there are enough:
 *
 *     int sum = a[i - 1] + a[i] + a[i + 1];      ...      sum == 3
 *
 * C adds in ints. Bytes that stay at 255 when they would be more give the same answers, as long as the numbers that the
 * sum is compared with are smaller; and a vector has four times as many.
 *
 * needs  comparisons with constants, whose places LLVM has made canonical: the constant is the second operand
 * keeps  all other values; the properties of prepared code */
#include "kernel/counts.h"

#include "base/map.h"
#include "kernel/ir.h"

#include <limits.h>

enum { BITS = 8, MOST = 255, INT_BITS = 32, LEAST_SUMS = 2 };

struct search {
    LLVMBuilderRef builder;
    LLVMTypeRef byte;
    struct map *places; /* of sums, by value */
    struct sum {
        LLVMValueRef value, narrow;
        long long most; /* that it can be; 0: not known yet */
        bool is_possible;
    } *sums;
    int n;
};

static bool is_int(LLVMValueRef value)
{
    return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMIntegerTypeKind &&
           LLVMGetIntTypeWidth(LLVMTypeOf(value)) == INT_BITS;
}

static struct sum *sum_of(const struct search *s, LLVMValueRef value)
{
    int at = LLVMIsAInstruction(value) ? map_get(s->places, value) : -1;
    return at >= 0 && s->sums[at].is_possible ? &s->sums[at] : NULL;
}

static bool is_leaf(LLVMValueRef value)
{
    long long number;
    if (ir_read_constant(value, &number))
        return number >= 0 && number < MOST;
    return LLVMIsAZExtInst(value) && LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(value, 0))) <= BITS;
}

/* Whether a comparison of a number, which is not negative, with a constant has the same result if the number stays at
 * 255. */
static bool is_comparison(LLVMValueRef user, LLVMValueRef number)
{
    long long with;
    return LLVMIsAICmpInst(user) && LLVMGetOperand(user, 0) == number &&
           ir_read_constant(LLVMGetOperand(user, 1), &with) && with >= 0 && with < MOST;
}

/* Whether LLVM asks so for a range: `sum - first < length` without signs, or `(sum & -length) == first`. It must end
 * before 255, so that what stays there is outside. */
static bool is_range(LLVMValueRef user, LLVMValueRef number)
{
    long long by, with;
    LLVMUseRef use = LLVMGetFirstUse(user);
    bool is_difference = LLVMIsABinaryOperator(user) && LLVMGetInstructionOpcode(user) == LLVMAdd;
    bool is_mask = LLVMIsABinaryOperator(user) && LLVMGetInstructionOpcode(user) == LLVMAnd;
    if ((!is_difference && !is_mask) || LLVMGetOperand(user, 0) != number ||
        !ir_read_constant(LLVMGetOperand(user, 1), &by) || !use || LLVMGetNextUse(use))
        return false;
    LLVMValueRef test = LLVMGetUser(use);
    if (!is_comparison(test, user) || !ir_read_constant(LLVMGetOperand(test, 1), &with) || by >= 0 || by <= -MOST)
        return false;
    LLVMIntPredicate predicate = LLVMGetICmpPredicate(test);
    if (is_difference)
        return (predicate == LLVMIntULT || predicate == LLVMIntUGT) && with - by < MOST;
    return (predicate == LLVMIntEQ || predicate == LLVMIntNE) && (-by & (-by - 1)) == 0 && with - by < MOST;
}

static long long most_of(const struct search *s, LLVMValueRef value)
{
    struct sum *sum = sum_of(s, value);
    if (!sum)
        return MOST;
    if (sum->most == 0) {
        sum->most = most_of(s, LLVMGetOperand(value, 0)) + most_of(s, LLVMGetOperand(value, 1));
        sum->most = sum->most < INT_MAX ? sum->most : (long long)INT_MAX + 1;
    }
    return sum->most;
}

static bool stays_possible(const struct search *s, LLVMValueRef value)
{
    if (most_of(s, value) > INT_MAX)
        return false;
    for (unsigned o = 0; o < 2; o++)
        if (!is_leaf(LLVMGetOperand(value, o)) && !sum_of(s, LLVMGetOperand(value, o)))
            return false;
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!sum_of(s, user) && !is_comparison(user, value) && !is_range(user, value))
            return false;
    }
    return true;
}

static void find_sums(struct search *s, LLVMValueRef function)
{
    int n = 0;
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1)
            s->sums = arena_alloc((size_t)(n + 1) * sizeof *s->sums);
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
                if (!LLVMIsABinaryOperator(i) || LLVMGetInstructionOpcode(i) != LLVMAdd || !is_int(i))
                    continue;
                if (pass == 0) {
                    n++;
                    continue;
                }
                s->sums[s->n] = (struct sum){.value = i, .is_possible = true};
                map_set(s->places, i, s->n++);
            }
    }
    for (bool changes = true; changes;) {
        changes = false;
        for (int k = 0; k < s->n; k++)
            if (s->sums[k].is_possible && !stays_possible(s, s->sums[k].value)) {
                s->sums[k].is_possible = false;
                changes = true;
            }
    }
}

/* How many sums a sum consists of, itself included, as far as `most`. */
static int length_of(const struct search *s, LLVMValueRef value, int most)
{
    int length = sum_of(s, value) != NULL;
    for (unsigned o = 0; length > 0 && o < 2 && length < most; o++)
        length += length_of(s, LLVMGetOperand(value, o), most - length);
    return length;
}

static LLVMValueRef narrow_of(struct search *s, LLVMValueRef value)
{
    struct sum *sum = sum_of(s, value);
    if (!sum && LLVMIsAConstantInt(value))
        return LLVMConstInt(s->byte, LLVMConstIntGetZExtValue(value), false);
    if (!sum) {
        LLVMPositionBuilderBefore(s->builder, value);
        return LLVMBuildZExt(s->builder, LLVMGetOperand(value, 0), s->byte, "");
    }
    if (sum->narrow)
        return sum->narrow;
    LLVMValueRef operands[2] = {narrow_of(s, LLVMGetOperand(value, 0)), narrow_of(s, LLVMGetOperand(value, 1))};
    LLVMPositionBuilderBefore(s->builder, value);
    return sum->narrow = ir_call_overloaded(s->builder, "llvm.uadd.sat", s->byte, operands, 2);
}

static LLVMIntPredicate without_sign(LLVMIntPredicate predicate)
{
    switch (predicate) {
    case LLVMIntSGT:
        return LLVMIntUGT;
    case LLVMIntSGE:
        return LLVMIntUGE;
    case LLVMIntSLT:
        return LLVMIntULT;
    case LLVMIntSLE:
        return LLVMIntULE;
    default:
        return predicate;
    }
}

/* Lets a comparison, or one of a range, use the byte. */
static void change_user(struct search *s, LLVMValueRef user, LLVMValueRef narrow)
{
    LLVMPositionBuilderBefore(s->builder, user);
    LLVMValueRef with = LLVMConstInt(s->byte, LLVMConstIntGetZExtValue(LLVMGetOperand(user, 1)) & MOST, false);
    if (LLVMIsAICmpInst(user)) {
        LLVMIntPredicate predicate = without_sign(LLVMGetICmpPredicate(user));
        LLVMReplaceAllUsesWith(user, LLVMBuildICmp(s->builder, predicate, narrow, with, ""));
    } else
        change_user(s, LLVMGetUser(LLVMGetFirstUse(user)),
                    LLVMBuildBinOp(s->builder, LLVMGetInstructionOpcode(user), narrow, with, ""));
    LLVMInstructionEraseFromParent(user);
}

static void change_users(struct search *s, LLVMValueRef value)
{
    LLVMUseRef next;
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = next) {
        next = LLVMGetNextUse(use);
        if (!sum_of(s, LLVMGetUser(use)))
            change_user(s, LLVMGetUser(use), narrow_of(s, value));
    }
}

static void erase_unused(struct search *s)
{
    for (bool changes = true; changes;) {
        changes = false;
        for (int k = 0; k < s->n; k++)
            if (s->sums[k].value && s->sums[k].is_possible && !LLVMGetFirstUse(s->sums[k].value)) {
                LLVMInstructionEraseFromParent(s->sums[k].value);
                s->sums[k].value = NULL;
                changes = true;
            }
    }
}

void counts(LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (!LLVMGetFirstBasicBlock(f))
            continue;
        struct search s = {LLVMCreateBuilderInContext(context), LLVMInt8TypeInContext(context), map_new(), NULL, 0};
        find_sums(&s, f);
        for (int k = 0; k < s.n; k++)
            if (s.sums[k].is_possible && length_of(&s, s.sums[k].value, LEAST_SUMS) >= LEAST_SUMS)
                change_users(&s, s.sums[k].value);
        erase_unused(&s);
        LLVMDisposeBuilder(s.builder);
    }
}

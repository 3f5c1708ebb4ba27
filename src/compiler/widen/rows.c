/* SPDX-License-Identifier: MIT
 *
 * Gives a kernel of rank 1 an index of rank 2 if its threads divide their index by a number that all of them share, as
 * programs with a flat index do:
 *
 *     int row = i / n, col = i % n;
 *
 * Then lanes lie along a row, what differs between rows is the same for all of them, and blocks have several rows; code
 * for a flat index can know none of that. The entry for a row and a column is a copy of the kernel's own, with
 *
 *     i = row * n + col        i / n = row        i % n = col
 *
 * which holds as i is not negative and n is positive. If n is a constant power of two, LLVM may have made these bits of
 * i. `lanes` makes both forms, and the divisor decides at run time.
 *
 * needs   a prepared entry
 * keeps   it; the copy is another function */
#include "widen/rows.h"

#include "../../abi/descriptor.h"
#include "kernel/entry.h"
#include "kernel/variant.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

/* ---- the divisor ---- */

LLVMValueRef rows_length(LLVMBuilderRef builder, const struct rows *rows, LLVMValueRef args)
{
    return variant_compute(builder, rows->length, args);
}

long rows_constant(const struct rows *rows, long long *offset)
{
    LLVMValueRef length = rows->length;
    *offset = -1;
    if (LLVMIsAConstantInt(length))
        return (long)LLVMConstIntGetZExtValue(length);
    while (LLVMIsASExtInst(length) || LLVMIsAZExtInst(length))
        length = LLVMGetOperand(length, 0);
    if (LLVMIsALoadInst(length) && LLVMGetIntTypeWidth(LLVMTypeOf(length)) == 32)
        entry_place(LLVMGetOperand(length, 0), offset);
    return 0;
}

/* Whether a value is the index, perhaps extended. */
static bool is_index(LLVMValueRef value, LLVMValueRef index)
{
    if (LLVMIsASExtInst(value) || LLVMIsAZExtInst(value))
        value = LLVMGetOperand(value, 0);
    return value == index;
}

static bool is_quotient(LLVMValueRef i)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    return opcode == LLVMSDiv || opcode == LLVMUDiv || opcode == LLVMLShr || opcode == LLVMAShr;
}

static bool is_remainder(LLVMValueRef i)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    return opcode == LLVMSRem || opcode == LLVMURem || opcode == LLVMAnd;
}

/* Returns the divisor of a quotient or remainder, which may be bits of a number that is not negative; NULL if it is
 * none. */
static LLVMValueRef divisor_of(LLVMValueRef i)
{
    enum { MOST_BITS = 30 };
    if ((!is_quotient(i) && !is_remainder(i)) || LLVMGetIntTypeWidth(LLVMTypeOf(i)) > 64)
        return NULL;
    LLVMValueRef by = LLVMGetOperand(i, 1);
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    if (opcode != LLVMLShr && opcode != LLVMAShr && opcode != LLVMAnd)
        return by;
    if (!LLVMIsAConstantInt(by))
        return NULL;
    unsigned long long bits = LLVMConstIntGetZExtValue(by), mask = bits;
    if (opcode != LLVMAnd)
        mask = bits <= MOST_BITS ? (1ULL << bits) - 1 : 0;
    bool is_power = (mask & (mask + 1)) == 0 && mask != 0 && mask < 1ULL << MOST_BITS;
    return is_power ? LLVMConstInt(LLVMTypeOf(i), mask + 1, false) : NULL;
}

/* Returns the int that a value extends, or the value itself. The length of a row is a positive int where it is used, so
 * there it does not matter how an int was extended. Of a narrower number it does. */
static LLVMValueRef as_int(LLVMValueRef value)
{
    bool is_extended = LLVMIsASExtInst(value) || LLVMIsAZExtInst(value);
    LLVMValueRef from = is_extended ? LLVMGetOperand(value, 0) : value;
    return LLVMGetIntTypeWidth(LLVMTypeOf(from)) >= 32 ? from : value;
}

/* Whether two values are the same length of a row. */
static bool is_same(LLVMValueRef a, LLVMValueRef b)
{
    a = as_int(a);
    b = as_int(b);
    if (LLVMIsAConstantInt(a) && LLVMIsAConstantInt(b))
        return LLVMConstIntGetSExtValue(a) == LLVMConstIntGetSExtValue(b);
    return a == b;
}

/* Whether it divides the index by what can be the length of a row. */
static bool makes_rows(LLVMValueRef i, LLVMValueRef index)
{
    LLVMValueRef divisor = divisor_of(i);
    if (!divisor || !is_index(LLVMGetOperand(i, 0), index))
        return false;
    if (!LLVMIsAConstantInt(divisor))
        return variant_is_known(divisor);
    long long length = LLVMConstIntGetSExtValue(divisor);
    return length >= AMP__LEAST_ROW && length <= INT32_MAX;
}

/* Returns the division of the index whose remainder is a column, or whose quotient a row; NULL if there is none. Of
 * several, the last of those that have both, or else the last with a remainder: it belongs to the fastest of several
 * dimensions. */
static LLVMValueRef find_division(LLVMValueRef entry)
{
    LLVMValueRef index = LLVMGetParam(entry, 1), found = NULL, quotient = NULL;
    bool has_both = false;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(entry); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            if (!makes_rows(i, index))
                continue;
            if (is_quotient(i))
                quotient = i;
            bool is_pair = quotient && is_remainder(i) && is_same(divisor_of(quotient), divisor_of(i));
            if (!found || is_pair || (is_remainder(i) && !has_both))
                found = i;
            has_both |= is_pair;
        }
    return found;
}

/* ---- the copy ---- */

/* Replaces a value in the copy by a row or a column. */
static void become(LLVMBuilderRef builder, LLVMValueRef value, LLVMValueRef part)
{
    LLVMPositionBuilderBefore(builder, value);
    LLVMReplaceAllUsesWith(value, LLVMBuildIntCast2(builder, part, LLVMTypeOf(value), true, ""));
}

/* Replaces i - i / n * n, of which `product` is i / n * n. */
static void replace_differences(LLVMBuilderRef builder, LLVMValueRef product, LLVMValueRef index, LLVMValueRef column)
{
    for (LLVMUseRef use = LLVMGetFirstUse(product), next; use; use = next) {
        LLVMValueRef user = LLVMGetUser(use);
        next = LLVMGetNextUse(use);
        if (LLVMIsAInstruction(user) && LLVMGetInstructionOpcode(user) == LLVMSub &&
            LLVMGetOperand(user, 1) == product && is_index(LLVMGetOperand(user, 0), index))
            become(builder, user, column);
    }
}

/* Whether the bits that a mask takes from the index are those of row * n, which is a power of two. */
static bool is_mask_of_row(LLVMValueRef i, LLVMValueRef divisor)
{
    LLVMValueRef mask =
        LLVMIsAConstantInt(divisor) && LLVMGetInstructionOpcode(i) == LLVMAnd ? LLVMGetOperand(i, 1) : NULL;
    if (!mask || !LLVMIsAConstantInt(mask) || LLVMGetIntTypeWidth(LLVMTypeOf(mask)) > 64)
        return false;
    unsigned long long n = LLVMConstIntGetZExtValue(divisor);
    return (n & (n - 1)) == 0 && (LLVMConstIntGetZExtValue(mask) & (n - 1)) == 0;
}

/* Replaces the quotients and remainders of the index. */
static void replace_divisions(LLVMBuilderRef builder, LLVMValueRef entry, LLVMValueRef index, LLVMValueRef divisor)
{
    LLVMValueRef row = LLVMGetParam(entry, 1), column = LLVMGetParam(entry, 2);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(entry); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if ((!is_quotient(i) && !is_remainder(i)) || !is_index(LLVMGetOperand(i, 0), index))
                continue;
            if (is_mask_of_row(i, divisor)) {
                LLVMPositionBuilderBefore(builder, i);
                LLVMValueRef length = LLVMConstInt(LLVMTypeOf(row), LLVMConstIntGetZExtValue(divisor), false);
                LLVMValueRef first = LLVMBuildNSWMul(builder, row, length, "");
                LLVMSetOperand(i, 0, LLVMBuildIntCast2(builder, first, LLVMTypeOf(i), true, ""));
                continue;
            }
            LLVMValueRef by = divisor_of(i);
            if (!by || !is_same(by, divisor))
                continue;
            for (LLVMUseRef use = LLVMGetFirstUse(i); use && is_quotient(i); use = LLVMGetNextUse(use)) {
                LLVMValueRef user = LLVMGetUser(use);
                if (LLVMIsAInstruction(user) && LLVMGetInstructionOpcode(user) == LLVMMul &&
                    is_same(LLVMGetOperand(user, LLVMGetOperand(user, 0) == i), divisor))
                    replace_differences(builder, user, index, column);
            }
            become(builder, i, is_quotient(i) ? row : column);
            LLVMInstructionEraseFromParent(i);
        }
}

/* Lets threads of the copy find their row and column. */
static void write_copy(struct variant *v, LLVMValueRef divisor)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(v->function));
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(context);
    LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(v->function)));
    LLVMValueRef length = variant_compute(builder, divisor, LLVMGetParam(v->function, 0));
    length = LLVMBuildIntCast2(builder, length, i32, true, "");
    LLVMValueRef first = LLVMBuildNSWMul(builder, LLVMGetParam(v->function, 1), length, "");
    LLVMValueRef index = LLVMBuildNSWAdd(builder, first, LLVMGetParam(v->function, 2), "");
    variant_stand_for(v, LLVMGetParam(v->entry, 0), LLVMGetParam(v->function, 0));
    variant_stand_for(v, LLVMGetParam(v->entry, 1), index);
    variant_connect(v);
    replace_divisions(builder, v->function, index, variant_of(v, divisor));
    LLVMDisposeBuilder(builder);
}

const struct rows *rows_of(LLVMModuleRef module, const struct kernel *kernel)
{
    if (kernel->tiled || kernel->box_rank != 1)
        return NULL;
    LLVMValueRef entry = LLVMGetNamedFunction(module, kernel->entry), division = find_division(entry);
    if (!division)
        return NULL;
    struct rows *rows = arena_alloc(sizeof *rows);
    LLVMMetadataRef place = LLVMInstructionGetDebugLoc(division);
    *rows = (struct rows){*kernel, divisor_of(division), place ? LLVMDILocationGetLine(place) : 0};
    rows->kernel.rank = rows->kernel.box_rank = 2;
    struct variant v = variant_copy(module, entry, "_rows", 2);
    rows->kernel.entry = LLVMGetValueName(v.function);
    write_copy(&v, rows->length);
    return rows;
}

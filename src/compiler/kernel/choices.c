/* SPDX-License-Identifier: MIT
 *
 * A kernel of C++ may choose between two views that it captures:
 *
 *     (c ? a : b)[i]
 *
 * That is a choice between two places in the argument block, from which the address of the elements, the extents and so
 * on are then loaded. The passes after this one know what lies at a fixed place there, and a pointer that comes from
 * another one could lead anywhere. So the loads go before the choice:
 *
 *     load (c ? &args.a : &args.b)      becomes      c ? load &args.a : load &args.b
 *     load &args[c ? 96 : 48]           the same
 *
 * The block can be read everywhere, and does not change. LLVM's own passes do either, so this comes after them. */
#include "kernel/choices.h"

#include "ampcc.h"
#include "base/map.h"
#include "kernel/entry.h"
#include "kernel/ir.h"

#include <limits.h>

/* A load that is being replaced. */
struct loading {
    LLVMValueRef load;
    LLVMBuilderRef builder;
    struct map *offsets; /* of phis: how far behind them it reads, */
    struct map *numbers; /* and which of these have what lies there */
    LLVMValueRef *made;
    int n_made;
};

/* Whether a number is a choice of constants. */
static bool is_choice(LLVMValueRef number)
{
    if (LLVMIsAConstantInt(number))
        return true;
    unsigned first = LLVMIsASelectInst(number) ? 1 : 0;
    if (!LLVMIsASelectInst(number) && !LLVMIsAPHINode(number))
        return false;
    for (unsigned i = first; i < (unsigned)LLVMGetNumOperands(number); i++)
        if (LLVMGetOperand(number, i) == number || LLVMIsAPHINode(LLVMGetOperand(number, i)) ||
            !is_choice(LLVMGetOperand(number, i)))
            return false;
    return true;
}

/* Whether a base is a place in the block by one such number. Then sets where it would be for 0, and the bytes of 1. */
static bool is_by_number(LLVMValueRef base, LLVMValueRef *block, long long *offset, long long *bytes)
{
    if (!LLVMIsAGetElementPtrInst(base) || LLVMGetNumOperands(base) != 2 || !is_choice(LLVMGetOperand(base, 1)))
        return false;
    long long before = *offset;
    *block = ir_base(LLVMGetOperand(base, 0), &before);
    if (!entry_is_block(*block))
        return false;
    *offset = before;
    *bytes = (long long)LLVMABISizeOfType(ir_layout_of(base), LLVMGetGEPSourceElementType(base));
    return true;
}

/* Whether an address is a place in the argument block, or a choice of such places. Notes the phis. */
static bool is_in_block(struct loading *l, LLVMValueRef address, long long offset)
{
    LLVMValueRef base = ir_base(address, &offset), block;
    long long bytes;
    if (is_by_number(base, &block, &offset, &bytes))
        return true;
    if (LLVMIsASelectInst(base))
        return is_in_block(l, LLVMGetOperand(base, 1), offset) && is_in_block(l, LLVMGetOperand(base, 2), offset);
    if (!LLVMIsAPHINode(base))
        return entry_is_block(base);
    int known = map_get(l->offsets, base);
    if (known >= 0 || offset < 0 || offset > INT_MAX)
        return known >= 0 && known == offset;
    map_set(l->offsets, base, (int)offset);
    l->n_made++;
    for (unsigned i = 0; i < LLVMCountIncoming(base); i++)
        if (!is_in_block(l, LLVMGetIncomingValue(base, i), offset))
            return false;
    return true;
}

static LLVMValueRef load_place(struct loading *l, LLVMValueRef block, long long offset, LLVMValueRef before)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(l->load));
    LLVMValueRef bytes = LLVMConstInt(LLVMInt64TypeInContext(context), (unsigned long long)offset, true);
    LLVMPositionBuilderBefore(l->builder, before);
    LLVMValueRef place = LLVMBuildInBoundsGEP2(l->builder, LLVMInt8TypeInContext(context), block, &bytes, 1, "");
    LLVMValueRef result = LLVMBuildLoad2(l->builder, LLVMTypeOf(l->load), place, "");
    LLVMSetAlignment(result, LLVMGetAlignment(l->load));
    return result;
}

static LLVMValueRef choose(struct loading *l, LLVMValueRef choice, LLVMValueRef first, LLVMValueRef second,
                           LLVMValueRef before)
{
    LLVMPositionBuilderBefore(l->builder, before);
    return LLVMBuildSelect(l->builder, LLVMGetOperand(choice, 0), first, second, "");
}

/* Returns what lies in the block so many bytes behind `offset`, times a choice of numbers. */
static LLVMValueRef value_by_number(struct loading *l, LLVMValueRef block, long long offset, LLVMValueRef number,
                                    long long bytes, LLVMValueRef before)
{
    if (LLVMIsAConstantInt(number))
        return load_place(l, block, offset + LLVMConstIntGetSExtValue(number) * bytes, before);
    if (LLVMIsASelectInst(number))
        return choose(l, number, value_by_number(l, block, offset, LLVMGetOperand(number, 1), bytes, before),
                      value_by_number(l, block, offset, LLVMGetOperand(number, 2), bytes, before), before);
    LLVMPositionBuilderBefore(l->builder, number);
    LLVMValueRef result = LLVMBuildPhi(l->builder, LLVMTypeOf(l->load), "");
    for (unsigned i = 0; i < LLVMCountIncoming(number); i++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(number, i);
        LLVMValueRef value = value_by_number(l, block, offset, LLVMGetIncomingValue(number, i), bytes,
                                             LLVMGetBasicBlockTerminator(from));
        LLVMAddIncoming(result, &value, &from, 1);
    }
    return result;
}

/* Returns what lies `offset` bytes behind an address; loads and choices are emitted before an instruction. */
static LLVMValueRef value_at(struct loading *l, LLVMValueRef address, long long offset, LLVMValueRef before)
{
    LLVMValueRef base = ir_base(address, &offset), block, result;
    long long bytes;
    if (is_by_number(base, &block, &offset, &bytes))
        return value_by_number(l, block, offset, LLVMGetOperand(base, 1), bytes, before);
    if (LLVMIsASelectInst(base))
        return choose(l, base, value_at(l, LLVMGetOperand(base, 1), offset, before),
                      value_at(l, LLVMGetOperand(base, 2), offset, before), before);
    if (!LLVMIsAPHINode(base))
        return load_place(l, base, offset, before);
    int known = map_get(l->numbers, base);
    if (known >= 0)
        return l->made[known];
    LLVMPositionBuilderBefore(l->builder, base);
    result = LLVMBuildPhi(l->builder, LLVMTypeOf(l->load), "");
    map_set(l->numbers, base, l->n_made);
    l->made[l->n_made++] = result;
    for (unsigned i = 0; i < LLVMCountIncoming(base); i++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(base, i);
        LLVMValueRef value = value_at(l, LLVMGetIncomingValue(base, i), offset, LLVMGetBasicBlockTerminator(from));
        LLVMAddIncoming(result, &value, &from, 1);
    }
    return result;
}

static void load_first(LLVMBuilderRef builder, LLVMValueRef load)
{
    struct loading l = {.load = load, .builder = builder, .offsets = map_new(), .numbers = map_new()};
    LLVMValueRef address = LLVMGetOperand(load, 0);
    long long offset = 0;
    if (LLVMGetVolatile(load) || entry_is_block(ir_base(address, &offset)) || !is_in_block(&l, address, 0))
        return;
    l.made = arena_alloc((size_t)(l.n_made + 1) * sizeof *l.made);
    l.n_made = 0;
    LLVMReplaceAllUsesWith(load, value_at(&l, address, 0, load));
    LLVMInstructionEraseFromParent(load);
}

void choices_load_first(LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b && entry_is(f); b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                if (LLVMIsALoadInst(i))
                    load_first(builder, i);
            }
    LLVMDisposeBuilder(builder);
}

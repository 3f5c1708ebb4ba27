/* SPDX-License-Identifier: MIT */
#include "kernel/variant.h"

#include "base/map.h"
#include "kernel/entry.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

/* ---- what is known before any thread runs ---- */

static bool is_known(LLVMValueRef value, int depth)
{
    if (LLVMIsAConstantInt(value))
        return true;
    if (!LLVMIsAInstruction(value) || depth == 0)
        return false;
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMSExt:
    case LLVMZExt:
        for (int i = 0; i < LLVMGetNumOperands(value); i++)
            if (!is_known(LLVMGetOperand(value, (unsigned)i), depth - 1))
                return false;
        return true;
    case LLVMLoad:
        return entry_is_argument(LLVMGetOperand(value, 0)); /* it does not change, and can always be read */
    case LLVMShl:
        return LLVMIsAConstantInt(LLVMGetOperand(value, 1)) && is_known(LLVMGetOperand(value, 0), depth - 1);
    default:
        return false;
    }
}

bool variant_is_known(LLVMValueRef value)
{
    enum { DEPTH = 6 };
    return is_known(value, DEPTH);
}

/* Takes from an instruction what it promises about its operands, which holds only where it stood. */
static void forget_promises(LLVMValueRef i)
{
    if (LLVMIsABinaryOperator(i)) {
        LLVMSetNSW(i, false);
        LLVMSetNUW(i, false);
    } else if (LLVMIsAZExtInst(i)) {
        LLVMSetNNeg(i, false);
    }
}

LLVMValueRef variant_compute(LLVMBuilderRef builder, LLVMValueRef value, LLVMValueRef args)
{
    if (LLVMIsAArgument(value))
        return args;
    if (!LLVMIsAInstruction(value))
        return value;
    LLVMValueRef copy = LLVMInstructionClone(value);
    for (int i = 0; i < LLVMGetNumOperands(value); i++)
        LLVMSetOperand(copy, (unsigned)i, variant_compute(builder, LLVMGetOperand(value, (unsigned)i), args));
    LLVMInsertIntoBuilder(builder, copy);
    LLVMInstructionSetDebugLoc(copy, NULL);
    forget_promises(copy);
    return copy;
}

/* ---- copies ---- */

void variant_stand_for(struct variant *v, LLVMValueRef old, LLVMValueRef new)
{
    map_set(v->numbers, old, v->n);
    v->values[v->n++] = new;
}

LLVMValueRef variant_of(const struct variant *v, LLVMValueRef value)
{
    int number = map_get(v->numbers, value);
    return number < 0 ? value : v->values[number];
}

static int count_values(LLVMValueRef function)
{
    int n = (int)LLVMCountParams(function);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
        n++;
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            n++;
    }
    return n;
}

struct variant variant_begin(LLVMValueRef entry, LLVMValueRef function)
{
    return (struct variant){entry, function, map_new(), arena_alloc((size_t)count_values(entry) * sizeof(LLVMValueRef)),
                            0};
}

LLVMBasicBlockRef variant_copy_block(struct variant *v, LLVMBuilderRef builder, LLVMBasicBlockRef block)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(v->function));
    LLVMBasicBlockRef copy = LLVMAppendBasicBlockInContext(context, v->function, "");
    variant_stand_for(v, LLVMBasicBlockAsValue(block), LLVMBasicBlockAsValue(copy));
    LLVMPositionBuilderAtEnd(builder, copy);
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        LLVMValueRef new = LLVMIsAPHINode(i) ? LLVMBuildPhi(builder, LLVMTypeOf(i), "") : LLVMInstructionClone(i);
        if (!LLVMIsAPHINode(i))
            LLVMInsertIntoBuilder(builder, new);
        LLVMInstructionSetDebugLoc(new, LLVMInstructionGetDebugLoc(i));
        LLVMSetValueName2(new, LLVMGetValueName(i), strlen(LLVMGetValueName(i))); /* for the report */
        variant_stand_for(v, i, new);
    }
    return copy;
}

void variant_connect_block(const struct variant *v, LLVMBasicBlockRef block)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        LLVMValueRef new = variant_of(v, i);
        for (unsigned k = 0; LLVMIsAPHINode(i) && k < LLVMCountIncoming(i); k++) {
            LLVMValueRef value = variant_of(v, LLVMGetIncomingValue(i, k));
            LLVMBasicBlockRef from =
                LLVMValueAsBasicBlock(variant_of(v, LLVMBasicBlockAsValue(LLVMGetIncomingBlock(i, k))));
            LLVMAddIncoming(new, &value, &from, 1);
        }
        for (int o = 0; !LLVMIsAPHINode(i) && o < LLVMGetNumOperands(i); o++)
            LLVMSetOperand(new, (unsigned)o, variant_of(v, LLVMGetOperand(i, (unsigned)o)));
    }
}

void variant_connect(const struct variant *v)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(v->entry); b; b = LLVMGetNextBasicBlock(b))
        variant_connect_block(v, b);
}

struct variant variant_copy(LLVMModuleRef module, LLVMValueRef entry, const char *suffix, int n_ints)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef *params = arena_alloc((size_t)(n_ints + 1) * sizeof *params);
    params[0] = LLVMPointerTypeInContext(context, 0);
    for (int p = 1; p <= n_ints; p++)
        params[p] = LLVMInt32TypeInContext(context);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), params, (unsigned)n_ints + 1, false);
    const char *name = arena_printf("%s%s", LLVMGetValueName(entry), suffix);
    struct variant v = variant_begin(entry, LLVMAddFunction(module, name, type));
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(entry); b; b = LLVMGetNextBasicBlock(b))
        variant_copy_block(&v, builder, b);
    LLVMDisposeBuilder(builder);
    return v;
}

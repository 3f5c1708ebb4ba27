/* SPDX-License-Identifier: MIT */
#include "kernel/wide.h"

#include "kernel/ir.h"

enum { WIDEST = 64 }; /* bits in which everything is computed */

struct wide wide_begin(LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    return (struct wide){.module = module,
                         .context = context,
                         .builder = LLVMCreateBuilderInContext(context),
                         .type = LLVMInt64TypeInContext(context),
                         .bit = LLVMInt1TypeInContext(context)};
}

LLVMValueRef wide_constant(const struct wide *w, long long value)
{
    return LLVMConstInt(w->type, (unsigned long long)value, true);
}

static LLVMValueRef call(const struct wide *w, const char *name, LLVMValueRef a, LLVMValueRef b)
{
    return ir_call_overloaded(w->builder, name, LLVMTypeOf(a), (LLVMValueRef[]){a, b}, 2);
}

static bool is_constant(LLVMValueRef value, long long number)
{
    return LLVMIsAConstantInt(value) && LLVMConstIntGetSExtValue(value) == number;
}

static int width_of(LLVMValueRef value, int depth);

/* Returns how many bits the exact result has, with its sign. */
static int width_of_result(LLVMOpcode operation, LLVMValueRef a, LLVMValueRef b, int depth)
{
    int of_a = width_of(a, depth), of_b = width_of(b, depth);
    return operation == LLVMMul ? of_a + of_b : (of_a > of_b ? of_a : of_b) + 1;
}

/* Returns how many bits an integer has at most, with its sign. */
static int width_of(LLVMValueRef value, int depth)
{
    enum { DEEPEST = 6 };
    int width = WIDEST;
    if (LLVMIsAConstantInt(value))
        return WIDEST - __builtin_clrsbll(LLVMConstIntGetSExtValue(value));
    if (LLVMIsASExtInst(value))
        return (int)LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(value, 0)));
    if (LLVMIsABinaryOperator(value) && depth < DEEPEST) {
        LLVMOpcode operation = LLVMGetInstructionOpcode(value);
        if (operation == LLVMAdd || operation == LLVMSub || operation == LLVMMul)
            width = width_of_result(operation, LLVMGetOperand(value, 0), LLVMGetOperand(value, 1), depth + 1);
    }
    return width < WIDEST ? width : WIDEST;
}

/* Computes `simple`, or if somebody asks for overflow, calls the intrinsic that also says whether there was any. */
static LLVMValueRef compute(struct wide *w, LLVMOpcode simple, const char *name, LLVMValueRef a, LLVMValueRef b)
{
    if (!w->overflow || width_of_result(simple, a, b, 0) <= WIDEST)
        return LLVMBuildBinOp(w->builder, simple, a, b, "");
    LLVMValueRef both = call(w, name, a, b);
    w->overflow = LLVMBuildOr(w->builder, w->overflow, LLVMBuildExtractValue(w->builder, both, 1, ""), "");
    return LLVMBuildExtractValue(w->builder, both, 0, "");
}

LLVMValueRef wide_add(struct wide *w, LLVMValueRef a, LLVMValueRef b)
{
    if (is_constant(a, 0) || is_constant(b, 0))
        return is_constant(a, 0) ? b : a;
    return compute(w, LLVMAdd, "llvm.sadd.with.overflow", a, b);
}

LLVMValueRef wide_multiply(struct wide *w, LLVMValueRef a, LLVMValueRef b)
{
    if (is_constant(a, 1) || is_constant(b, 0))
        return b;
    if (is_constant(b, 1) || is_constant(a, 0))
        return a;
    return compute(w, LLVMMul, "llvm.smul.with.overflow", a, b);
}

LLVMValueRef wide_negate(struct wide *w, LLVMValueRef a)
{
    return compute(w, LLVMSub, "llvm.ssub.with.overflow", wide_constant(w, 0), a);
}

LLVMValueRef wide_least(const struct wide *w, LLVMValueRef a, LLVMValueRef b)
{
    return call(w, "llvm.smin", a, b);
}

LLVMValueRef wide_greatest(const struct wide *w, LLVMValueRef a, LLVMValueRef b)
{
    return call(w, "llvm.smax", a, b);
}

LLVMValueRef wide_is_negative(const struct wide *w, LLVMValueRef value)
{
    return LLVMBuildICmp(w->builder, LLVMIntSLT, value, wide_constant(w, 0), "");
}

/* Divides by a positive constant and rounds down. */
LLVMValueRef wide_divide_down(const struct wide *w, LLVMValueRef value, long long divisor)
{
    if (divisor == 1)
        return value;
    LLVMValueRef rest = LLVMBuildSRem(w->builder, value, wide_constant(w, divisor), "");
    LLVMValueRef correction = LLVMBuildSExt(w->builder, wide_is_negative(w, rest), w->type, "");
    return LLVMBuildAdd(w->builder, LLVMBuildSDiv(w->builder, value, wide_constant(w, divisor), ""), correction, "");
}

LLVMValueRef wide_load(const struct wide *w, LLVMValueRef block, LLVMTypeRef type, long long offset)
{
    LLVMTypeRef byte = LLVMInt8TypeInContext(w->context);
    LLVMValueRef at = wide_constant(w, offset);
    LLVMValueRef address = LLVMBuildGEP2(w->builder, byte, block, &at, 1, "");
    LLVMValueRef value = LLVMBuildLoad2(w->builder, type, address, "");
    LLVMSetAlignment(value, 1);
    LLVMSetMetadata(value, LLVMGetMDKindIDInContext(w->context, "invariant.load", 14),
                    LLVMMetadataAsValue(w->context, LLVMMDNodeInContext2(w->context, NULL, 0)));
    return value;
}

/* SPDX-License-Identifier: MIT
 *
 * Calls: intrinsics with vector forms, glibc's vector math, and the rest lane by lane. */
#include "ir.h"
#include "widen_parts.h"

#include <string.h>

/* Intrinsics that LLVM has for vectors, too, with the vector type as their only overloaded type. `scalars` is a bit per
 * argument that stays a scalar. */
static const struct elementwise {
    const char *name;
    unsigned scalars;
} elementwise[] = {
    {"llvm.abs", 2},
    {"llvm.arithmetic.fence", 0},
    {"llvm.bitreverse", 0},
    {"llvm.bswap", 0},
    {"llvm.ceil", 0},
    {"llvm.copysign", 0},
    {"llvm.ctlz", 2},
    {"llvm.ctpop", 0},
    {"llvm.cttz", 2},
    {"llvm.fabs", 0},
    {"llvm.floor", 0},
    {"llvm.fma", 0},
    {"llvm.fmuladd", 0},
    {"llvm.fshl", 0},
    {"llvm.fshr", 0},
    {"llvm.maximum", 0},
    {"llvm.maxnum", 0},
    {"llvm.minimum", 0},
    {"llvm.minnum", 0},
    {"llvm.nearbyint", 0},
    {"llvm.rint", 0},
    {"llvm.round", 0},
    {"llvm.roundeven", 0},
    {"llvm.sadd.sat", 0},
    {"llvm.smax", 0},
    {"llvm.smin", 0},
    {"llvm.sqrt", 0},
    {"llvm.ssub.sat", 0},
    {"llvm.trunc", 0},
    {"llvm.uadd.sat", 0},
    {"llvm.umax", 0},
    {"llvm.umin", 0},
    {"llvm.usub.sat", 0},
    {"llvm.sadd.with.overflow", 0},
    {"llvm.smul.with.overflow", 0},
    {"llvm.ssub.with.overflow", 0},
    {"llvm.uadd.with.overflow", 0},
    {"llvm.umul.with.overflow", 0},
    {"llvm.usub.with.overflow", 0},
    {"llvm.is.fpclass", 2},
};

static const struct elementwise *find_elementwise(unsigned id)
{
    for (size_t i = 0; id && i < sizeof elementwise / sizeof *elementwise; i++)
        if (LLVMLookupIntrinsicID(elementwise[i].name, strlen(elementwise[i].name)) == id)
            return &elementwise[i];
    return NULL;
}

bool widen_has_vector_form(LLVMValueRef callee)
{
    return find_elementwise(LLVMGetIntrinsicID(callee)) != NULL;
}

/* Intrinsics that only inform the optimiser. */
bool widen_says_nothing(LLVMValueRef callee)
{
    static const char *const prefixes[] = {
        "llvm.dbg.",     "llvm.lifetime.",  "llvm.assume",         "llvm.experimental.noalias",
        "llvm.var.anno", "llvm.invariant.", "llvm.ptr.annotation", "llvm.donothing"};
    size_t length;
    const char *name = LLVMGetValueName2(callee, &length);
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

bool widen_is_pure_call(LLVMValueRef call)
{
    unsigned memory = LLVMGetEnumAttributeKindForName("memory", 6);
    LLVMAttributeRef attribute =
        LLVMGetCallSiteEnumAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, memory);
    if (!attribute)
        attribute = LLVMGetEnumAttributeAtIndex(LLVMGetCalledValue(call),
                                                (LLVMAttributeIndex)LLVMAttributeFunctionIndex, memory);
    return attribute && LLVMGetEnumAttributeValue(attribute) == 0;
}

bool widen_is_fence(LLVMValueRef call)
{
    static const char end[] = "_memory_fence", begin[] = "amp_";
    size_t length;
    const char *name = LLVMGetValueName2(LLVMGetCalledValue(call), &length);
    return length > sizeof end && strncmp(name, begin, sizeof begin - 1) == 0 &&
           strcmp(name + length - (sizeof end - 1), end) == 0 && !cfg_is_barrier(call);
}

/* The threads of a tile share one worker, so for them it is enough that `prepare` has moved nothing across the call.
 * The instruction keeps LLVM from doing so now: that other workers see arrays in this order, too, is a gift. */
void widen_fence(struct widener *w, LLVMValueRef call)
{
    bool is_tile_static = strstr(LLVMGetValueName(LLVMGetCalledValue(call)), "tile_static") != NULL;
    LLVMBuildFence(w->builder, LLVMAtomicOrderingAcquireRelease, is_tile_static, "");
}

bool widen_is_abort(LLVMValueRef call)
{
    return strcmp(LLVMGetValueName(LLVMGetCalledValue(call)), "amp_abort") == 0;
}

/* The first lane that is on speaks for all. The rest of the box is given up: the runtime stops the launch. */
void widen_abort(struct widener *w, LLVMValueRef call)
{
    LLVMTypeRef pointer = LLVMPointerTypeInContext(w->context, 0);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(w->context), &pointer, 1, false);
    LLVMValueRef callee = LLVMGetNamedFunction(w->module, "amp__abort"), text = LLVMGetOperand(call, 0);
    bool differs = shape_of(w->shapes, text).kind != SHAPE_UNIFORM;
    text = differs ? widen_first_lane(w, widen_get_vector(w, text, 0, 0)) : widen_get(w, text, 0, 0);
    if (!callee)
        callee = LLVMAddFunction(w->module, "amp__abort", type);
    LLVMBuildCall2(w->builder, type, callee, &text, 1, "");
    LLVMBuildRetVoid(w->builder);
    LLVMPositionBuilderAtEnd(w->builder, LLVMAppendBasicBlockInContext(w->context, w->function, "aborted"));
}

/* A part of `n` elements of a vector. */
static LLVMValueRef part_of(const struct widener *w, LLVMValueRef vector, int first, int n)
{
    LLVMValueRef elements[64];
    for (int i = 0; i < n; i++)
        elements[i] = widen_i32(w, first + i);
    return LLVMBuildShuffleVector(w->builder, vector, LLVMGetPoison(LLVMTypeOf(vector)),
                                  LLVMConstVector(elements, (unsigned)n), "");
}

/* Calls the vector version of a function of the math library. Lanes that are off compute the function of 1, which is
 * fast everywhere. */
static LLVMValueRef emit_vector_math(struct widener *w, LLVMValueRef call, int row, int vector)
{
    const char *name = widen_way(w, call)->function;
    int n = widen_way(w, call)->at_once;
    LLVMTypeRef type = LLVMTypeOf(call);
    LLVMValueRef args[2], parts[2], callee = LLVMGetNamedFunction(w->module, name);
    unsigned n_args = LLVMGetNumArgOperands(call);
    LLVMTypeRef part = LLVMVectorType(type, (unsigned)n), types[] = {part, part};
    if (!callee) {
        callee = LLVMAddFunction(w->module, name, LLVMFunctionType(part, types, n_args, false));
        ir_add_attribute(callee, IR_FUNCTION, "memory");
        ir_add_attribute(callee, IR_FUNCTION, "nounwind");
        ir_add_attribute(callee, IR_FUNCTION, "willreturn");
    }
    for (unsigned a = 0; a < n_args; a++) {
        args[a] = widen_get_vector(w, LLVMGetOperand(call, a), row, vector);
        if (w->mask)
            args[a] = LLVMBuildSelect(w->builder, w->mask, args[a], widen_splat(w, LLVMConstReal(type, 1)), "");
    }
    LLVMValueRef result = NULL;
    for (int first = 0; first < w->block.lanes; first += n) {
        for (unsigned a = 0; a < n_args; a++)
            parts[a] = n == w->block.lanes ? args[a] : part_of(w, args[a], first, n);
        LLVMValueRef one = LLVMBuildCall2(w->builder, LLVMGlobalGetValueType(callee), callee, parts, n_args, "");
        if (n == w->block.lanes)
            return one;
        /* Widen the part and blend it into the whole. */
        LLVMValueRef elements[64], merged[64];
        for (int i = 0; i < w->block.lanes; i++) {
            elements[i] = widen_i32(w, i >= first && i < first + n ? i - first : 0);
            merged[i] = widen_i32(w, i >= first && i < first + n ? w->block.lanes + i : i);
        }
        LLVMValueRef wide = LLVMBuildShuffleVector(w->builder, one, LLVMGetPoison(part),
                                                   LLVMConstVector(elements, (unsigned)w->block.lanes), "");
        result = result ? LLVMBuildShuffleVector(w->builder, result, wide,
                                                 LLVMConstVector(merged, (unsigned)w->block.lanes), "")
                        : wide;
    }
    return result;
}

LLVMValueRef widen_call(struct widener *w, LLVMValueRef call, struct shape shape, int row, int vector)
{
    enum work work = widen_way(w, call)->work;
    if (work == WORK_MATH)
        return emit_vector_math(w, call, row, vector);
    if (work != WORK_VECTOR)
        return widen_lane_by_lane(w, call, shape, !widen_is_pure_call(call), row, vector);
    const struct elementwise *known = find_elementwise(LLVMGetIntrinsicID(LLVMGetCalledValue(call)));
    LLVMValueRef args[4];
    unsigned n = LLVMGetNumArgOperands(call);
    for (unsigned a = 0; a < n; a++)
        args[a] = known->scalars & 1u << a ? LLVMGetOperand(call, a)
                                           : widen_get_vector(w, LLVMGetOperand(call, a), row, vector);
    LLVMTypeRef type = LLVMTypeOf(args[0]);
    LLVMValueRef result = widen_intrinsic(w, known->name, &type, 1, args, n);
    if (LLVMCanValueUseFastMathFlags(call))
        LLVMSetFastMathFlags(result, LLVMGetFastMathFlags(call));
    return result;
}

/* SPDX-License-Identifier: MIT
 *
 * Makes the code for calls: intrinsics with vector forms, glibc's vector math, and the rest lane by lane. */
#include "kernel/calls.h"
#include "kernel/ir.h"
#include "widen/parts.h"

/* The threads of a tile share one worker, so for them it is enough that `prepare` has moved nothing across the call.
 * The instruction keeps LLVM from moving anything across it now. As a side effect, other workers see arrays in this
 * order, too. */
static void emit_fence(struct widener *w, bool is_tile_static)
{
    LLVMBuildFence(w->builder, LLVMAtomicOrderingAcquireRelease, is_tile_static, "");
}

/* The first lane that is on reports for all. The rest of the box is abandoned: the runtime stops the launch. */
static void emit_abort(struct widener *w, LLVMValueRef call)
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

void widen_control(struct widener *w, LLVMValueRef call)
{
    switch (calls_kind(call)) {
    case CALL_FENCE:
    case CALL_TILE_FENCE:
        emit_fence(w, calls_kind(call) == CALL_TILE_FENCE);
        break;
    case CALL_ABORT:
        emit_abort(w, call);
        break;
    default: /* a barrier, which ends its node, or a hint */
        break;
    }
}

/* Returns `n` elements of a vector, from `first` on. */
static LLVMValueRef part_of(const struct widener *w, LLVMValueRef vector, int first, int n)
{
    LLVMValueRef elements[64];
    for (int i = 0; i < n; i++)
        elements[i] = widen_i32(w, first + i);
    return LLVMBuildShuffleVector(w->builder, vector, LLVMGetPoison(LLVMTypeOf(vector)),
                                  LLVMConstVector(elements, (unsigned)n), "");
}

LLVMValueRef widen_math_call(const struct widener *w, LLVMValueRef call, LLVMValueRef *args)
{
    const struct way *way = widen_way(w, call);
    LLVMTypeRef vector = LLVMVectorType(LLVMTypeOf(call), (unsigned)way->at_once), types[] = {vector, vector};
    LLVMValueRef callee = LLVMGetNamedFunction(w->module, way->function);
    unsigned n_args = LLVMGetNumArgOperands(call);
    if (!callee) {
        callee = LLVMAddFunction(w->module, way->function, LLVMFunctionType(vector, types, n_args, false));
        ir_add_attribute(callee, IR_FUNCTION, "memory");
        ir_add_attribute(callee, IR_FUNCTION, "nounwind");
        ir_add_attribute(callee, IR_FUNCTION, "willreturn");
    }
    return LLVMBuildCall2(w->builder, LLVMGlobalGetValueType(callee), callee, args, n_args, "");
}

/* Calls the vector version of a function of the math library. Lanes that are off compute the function of 1, which is
 * fast for every function. */
static LLVMValueRef emit_vector_math(struct widener *w, LLVMValueRef call, int row, int vector)
{
    int n = widen_way(w, call)->at_once;
    LLVMTypeRef type = LLVMTypeOf(call);
    LLVMValueRef args[2], parts[2];
    unsigned n_args = LLVMGetNumArgOperands(call);
    for (unsigned a = 0; a < n_args; a++) {
        args[a] = widen_get_vector(w, LLVMGetOperand(call, a), row, vector);
        if (w->mask)
            args[a] = LLVMBuildSelect(w->builder, w->mask, args[a], widen_splat(w, LLVMConstReal(type, 1)), "");
    }
    LLVMValueRef result = NULL;
    for (int first = 0; first < w->block.lanes; first += n) {
        for (unsigned a = 0; a < n_args; a++)
            parts[a] = n == w->block.lanes ? args[a] : part_of(w, args[a], first, n);
        LLVMValueRef one = widen_math_call(w, call, parts);
        if (n == w->block.lanes)
            return one;
        /* Widen the part and blend it into the whole. */
        LLVMValueRef elements[64], merged[64];
        for (int i = 0; i < w->block.lanes; i++) {
            elements[i] = widen_i32(w, i >= first && i < first + n ? i - first : 0);
            merged[i] = widen_i32(w, i >= first && i < first + n ? w->block.lanes + i : i);
        }
        LLVMValueRef wide = LLVMBuildShuffleVector(w->builder, one, LLVMGetPoison(LLVMTypeOf(one)),
                                                   LLVMConstVector(elements, (unsigned)w->block.lanes), "");
        result = result ? LLVMBuildShuffleVector(w->builder, result, wide,
                                                 LLVMConstVector(merged, (unsigned)w->block.lanes), "")
                        : wide;
    }
    return result;
}

LLVMValueRef widen_vector_call(const struct widener *w, LLVMValueRef call, LLVMValueRef *args)
{
    unsigned id = LLVMGetIntrinsicID(LLVMGetCalledValue(call));
    LLVMTypeRef type = LLVMTypeOf(args[0]);
    LLVMValueRef callee = LLVMGetIntrinsicDeclaration(w->module, id, &type, 1);
    LLVMValueRef result =
        LLVMBuildCall2(w->builder, LLVMGlobalGetValueType(callee), callee, args, LLVMGetNumArgOperands(call), "");
    ir_copy_fast_math(call, result);
    return result;
}

LLVMValueRef widen_call(struct widener *w, LLVMValueRef call, struct shape shape, int row, int vector)
{
    enum work work = widen_way(w, call)->work;
    if (work == WORK_MATH)
        return emit_vector_math(w, call, row, vector);
    if (work != WORK_VECTOR)
        return widen_lane_by_lane(w, call, shape, !calls_is_pure(call), row, vector);
    LLVMValueRef args[4];
    unsigned n = LLVMGetNumArgOperands(call);
    bool has_scalar = calls_of(call)->lanes == LANES_vector_first;
    for (unsigned a = 0; a < n; a++)
        args[a] =
            has_scalar && a == 1 ? LLVMGetOperand(call, a) : widen_get_vector(w, LLVMGetOperand(call, a), row, vector);
    return widen_vector_call(w, call, args);
}

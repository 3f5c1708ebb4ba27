/* SPDX-License-Identifier: MIT
 *
 * Instructions that only compute: one scalar or vector instruction per instance, or one per lane where LLVM has no
 * vector form. */
#include "widen_parts.h"

#include <string.h>

static void copy_flags(LLVMValueRef from, LLVMValueRef to)
{
    if (!LLVMIsAInstruction(to))
        return; /* folded to a constant */
    LLVMOpcode opcode = LLVMGetInstructionOpcode(from);
    if (LLVMGetInstructionOpcode(to) != opcode)
        return;
    switch (opcode) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
        LLVMSetNSW(to, LLVMGetNSW(from));
        LLVMSetNUW(to, LLVMGetNUW(from));
        break;
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMLShr:
    case LLVMAShr:
        LLVMSetExact(to, LLVMGetExact(from));
        break;
    case LLVMOr:
        LLVMSetIsDisjoint(to, LLVMGetIsDisjoint(from));
        break;
    case LLVMZExt:
        LLVMSetNNeg(to, LLVMGetNNeg(from));
        break;
    default:
        if (LLVMCanValueUseFastMathFlags(from))
            LLVMSetFastMathFlags(to, LLVMGetFastMathFlags(from));
        break;
    }
}

/* The divisor with twos in lanes that are off, which must not trap. Not ones: x / (m ? y : 1) is a form that LLVM's
 * code generator for AVX-512 turns into m ? x / y : x, with the division done in all lanes. */
static LLVMValueRef safe_divisor(struct widener *w, LLVMValueRef divisor)
{
    if (!w->mask || LLVMGetTypeKind(LLVMTypeOf(divisor)) != LLVMVectorTypeKind)
        return divisor;
    LLVMValueRef two = widen_splat(w, LLVMConstInt(LLVMGetElementType(LLVMTypeOf(divisor)), 2, false));
    return LLVMBuildSelect(w->builder, w->mask, divisor, two, "");
}

/* Whether a scalar is computed from lane 0's values in the place of all lanes'. */
static bool stands_for_lanes(const struct widener *w, LLVMValueRef i, struct shape shape)
{
    if (shape.kind == SHAPE_VARYING)
        return false;
    for (int o = 0; o < LLVMGetNumOperands(i); o++)
        if (shape_of(w->shapes, LLVMGetOperand(i, (unsigned)o)).kind == SHAPE_LINEAR)
            return true;
    return false;
}

/* Lane 0 may be off and its value then out of range: nothing is promised of it. */
static void drop_promises(const struct widener *w, LLVMValueRef value)
{
    if (!w->mask || !LLVMIsAInstruction(value))
        return;
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
        LLVMSetNSW(value, false);
        LLVMSetNUW(value, false);
        break;
    default:
        break;
    }
}

static LLVMValueRef emit_gep(struct widener *w, LLVMValueRef gep, struct shape shape, int row, int vector)
{
    int n = LLVMGetNumOperands(gep);
    LLVMValueRef *operands = arena_alloc((size_t)n * sizeof *operands);
    for (int i = 0; i < n; i++) {
        LLVMValueRef operand = LLVMGetOperand(gep, (unsigned)i);
        /* A struct's member stays a constant; so may whatever is uniform, as long as one operand is a vector. */
        bool wide = shape.kind == SHAPE_VARYING && shape_of(w->shapes, operand).kind != SHAPE_UNIFORM;
        operands[i] = wide ? widen_get_vector(w, operand, row, vector) : widen_get(w, operand, row, vector);
    }
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    LLVMValueRef result = LLVMBuildGEP2(w->builder, type, operands[0], operands + 1, (unsigned)n - 1, "");
    if (shape.kind == SHAPE_VARYING && w->block.lanes > 1 && LLVMGetTypeKind(LLVMTypeOf(result)) != LLVMVectorTypeKind)
        return widen_splat(w, result);
    if (LLVMIsAGetElementPtrInst(result) && !(w->mask && stands_for_lanes(w, gep, shape)))
        LLVMGEPSetNoWrapFlags(result, LLVMGEPGetNoWrapFlags(gep));
    return result;
}

/* Lane 0 of a linear value, computed in a wider type, where it does not wrap: see shape_is_exact. */
static LLVMValueRef exact(struct widener *w, LLVMValueRef value, LLVMTypeRef type, int row, int vector)
{
    if (shape_of(w->shapes, value).kind == SHAPE_UNIFORM || LLVMIsAArgument(value))
        return LLVMBuildIntCast2(w->builder, widen_get(w, value, row, vector), type, true, "");
    LLVMValueRef left = exact(w, LLVMGetOperand(value, 0), type, row, vector);
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    if (opcode == LLVMSExt)
        return left;
    if (opcode == LLVMXor)
        return LLVMBuildNot(w->builder, left, "");
    return LLVMBuildBinOp(w->builder, opcode == LLVMOr ? LLVMAdd : opcode, left,
                          exact(w, LLVMGetOperand(value, 1), type, row, vector), "");
}

/* An instruction without side effects whose instance is computed from its operands' instances. */
LLVMValueRef widen_pure(struct widener *w, LLVMValueRef i, struct shape shape, int row, int vector)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    LLVMValueRef result;
    switch (opcode) {
    case LLVMGetElementPtr:
        return emit_gep(w, i, shape, row, vector);
    case LLVMICmp:
        result = LLVMBuildICmp(w->builder, LLVMGetICmpPredicate(i),
                               widen_get_for(w, shape, LLVMGetOperand(i, 0), row, vector),
                               widen_get_for(w, shape, LLVMGetOperand(i, 1), row, vector), "");
        break;
    case LLVMFCmp:
        result = LLVMBuildFCmp(w->builder, LLVMGetFCmpPredicate(i),
                               widen_get_for(w, shape, LLVMGetOperand(i, 0), row, vector),
                               widen_get_for(w, shape, LLVMGetOperand(i, 1), row, vector), "");
        break;
    case LLVMSelect: {
        bool wide_condition = shape_of(w->shapes, LLVMGetOperand(i, 0)).kind != SHAPE_UNIFORM;
        result = widen_select(w,
                              wide_condition ? widen_get_vector(w, LLVMGetOperand(i, 0), row, vector)
                                             : widen_get(w, LLVMGetOperand(i, 0), row, vector),
                              widen_get_for(w, shape, LLVMGetOperand(i, 1), row, vector),
                              widen_get_for(w, shape, LLVMGetOperand(i, 2), row, vector));
        break;
    }
    case LLVMFNeg:
        result = LLVMBuildFNeg(w->builder, widen_get_for(w, shape, LLVMGetOperand(i, 0), row, vector), "");
        break;
    case LLVMFreeze:
        result = LLVMBuildFreeze(w->builder, widen_get_for(w, shape, LLVMGetOperand(i, 0), row, vector), "");
        break;
    case LLVMExtractValue:
        result = LLVMBuildExtractValue(w->builder, widen_get_for(w, shape, LLVMGetOperand(i, 0), row, vector),
                                       LLVMGetIndices(i)[0], "");
        break;
    case LLVMInsertValue:
        result =
            LLVMBuildInsertValue(w->builder, widen_get_for(w, shape, LLVMGetOperand(i, 0), row, vector),
                                 widen_get_for(w, shape, LLVMGetOperand(i, 1), row, vector), LLVMGetIndices(i)[0], "");
        break;
    case LLVMSDiv:
    case LLVMUDiv:
    case LLVMSRem:
    case LLVMURem:
        result = LLVMBuildBinOp(w->builder, opcode, widen_get_for(w, shape, LLVMGetOperand(i, 0), row, vector),
                                safe_divisor(w, widen_get_for(w, shape, LLVMGetOperand(i, 1), row, vector)), "");
        break;
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFRem:
        /* A disjoint `or` of linear values is the addition that it stands for. */
        if (opcode == LLVMOr && shape.kind == SHAPE_LINEAR)
            opcode = LLVMAdd;
        result = LLVMBuildBinOp(w->builder, opcode, widen_get_for(w, shape, LLVMGetOperand(i, 0), row, vector),
                                widen_get_for(w, shape, LLVMGetOperand(i, 1), row, vector), "");
        break;
    case LLVMSExt:
    case LLVMZExt:
        if (shape.kind == SHAPE_LINEAR) /* zext, too: lane 0, if off, may be negative */
            return exact(w, LLVMGetOperand(i, 0), LLVMTypeOf(i), row, vector);
        /* fall through */
    case LLVMTrunc:
    case LLVMFPExt:
    case LLVMFPTrunc:
    case LLVMFPToSI:
    case LLVMFPToUI:
    case LLVMSIToFP:
    case LLVMUIToFP:
    case LLVMBitCast:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
        result = LLVMBuildCast(w->builder, opcode, widen_get_for(w, shape, LLVMGetOperand(i, 0), row, vector),
                               widen_type(w, LLVMTypeOf(i), shape), "");
        break;
    default:
        diag_defect(w->kernel->name, "an instruction is not handled: %s", LLVMPrintValueToString(i));
    }
    copy_flags(i, result);
    if (stands_for_lanes(w, i, shape))
        drop_promises(w, result);
    return result;
}

LLVMValueRef widen_for_each_lane(struct widener *w, LLVMTypeRef result_type, bool guarded,
                                 LLVMValueRef (*per_lane)(struct widener *w, void *user, int lane), void *user)
{
    if (w->block.lanes == 1 && !w->mask)
        return per_lane(w, user, 0);
    LLVMValueRef result = result_type ? LLVMGetPoison(result_type) : NULL;
    unsigned n_members = result_type && LLVMGetTypeKind(result_type) == LLVMStructTypeKind
                             ? LLVMCountStructElementTypes(result_type)
                             : 0;
    for (int lane = 0; lane < w->block.lanes; lane++) {
        LLVMBasicBlockRef before = LLVMGetInsertBlock(w->builder), after = NULL;
        if (guarded && w->mask) {
            LLVMBasicBlockRef on = LLVMAppendBasicBlockInContext(w->context, w->function, "lane");
            after = LLVMAppendBasicBlockInContext(w->context, w->function, "lane.end");
            LLVMBuildCondBr(w->builder, widen_lane(w, w->mask, lane), on, after);
            LLVMPositionBuilderAtEnd(w->builder, on);
        }
        LLVMValueRef old = result, one = per_lane(w, user, lane);
        if (n_members) {
            for (unsigned m = 0; m < n_members; m++) {
                LLVMValueRef part = LLVMBuildExtractValue(w->builder, result, m, "");
                part = LLVMBuildInsertElement(w->builder, part, LLVMBuildExtractValue(w->builder, one, m, ""),
                                              widen_i32(w, lane), "");
                result = LLVMBuildInsertValue(w->builder, result, part, m, "");
            }
        } else if (result)
            result = LLVMBuildInsertElement(w->builder, result, one, widen_i32(w, lane), "");
        if (after) {
            LLVMBasicBlockRef on = LLVMGetInsertBlock(w->builder);
            LLVMBuildBr(w->builder, after);
            LLVMPositionBuilderAtEnd(w->builder, after);
            if (result) {
                LLVMValueRef merged = LLVMBuildPhi(w->builder, result_type, "");
                LLVMAddIncoming(merged, (LLVMValueRef[]){old, result}, (LLVMBasicBlockRef[]){before, on}, 2);
                result = merged;
            }
        }
    }
    return result;
}

/* A scalar copy of an instruction, one lane at a time. */
struct one_by_one {
    LLVMValueRef instruction;
    LLVMValueRef operands[32];
    bool wide[32];
    int n;
};

static LLVMValueRef clone_for_lane(struct widener *w, void *user, int lane)
{
    const struct one_by_one *job = user;
    LLVMValueRef operands[32];
    for (int i = 0; i < job->n; i++)
        operands[i] = job->wide[i] ? widen_lane(w, job->operands[i], lane) : job->operands[i];
    LLVMValueRef clone = LLVMInstructionClone(job->instruction);
    for (int i = 0; i < job->n; i++)
        LLVMSetOperand(clone, (unsigned)i, operands[i]);
    LLVMInsertIntoBuilder(w->builder, clone);
    return clone;
}

LLVMValueRef widen_lane_by_lane(struct widener *w, LLVMValueRef i, struct shape shape, bool guarded, int row,
                                int vector)
{
    struct one_by_one job = {.instruction = i, .n = LLVMGetNumOperands(i)};
    if (job.n > 32)
        diag_defect(w->kernel->name, "too many operands: %s", LLVMPrintValueToString(i));
    for (int o = 0; o < job.n; o++) {
        LLVMValueRef operand = LLVMGetOperand(i, (unsigned)o);
        job.wide[o] = w->block.lanes > 1 && shape_of(w->shapes, operand).kind != SHAPE_UNIFORM;
        job.operands[o] = job.wide[o] ? widen_get_vector(w, operand, row, vector) : widen_get(w, operand, row, vector);
    }
    if (shape.kind != SHAPE_VARYING)
        return clone_for_lane(w, &job, 0);
    bool has_result = LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind;
    return widen_for_each_lane(w, has_result ? widen_vector_type(w, LLVMTypeOf(i)) : NULL, guarded, clone_for_lane,
                               &job);
}

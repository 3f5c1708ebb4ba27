/* SPDX-License-Identifier: MIT
 *
 * Makes the code for instructions that only compute: one scalar or vector instruction per instance, or one per lane
 * where LLVM has no vector form. */
#include "kernel/exact.h"
#include "kernel/ir.h"
#include "widen/panel.h"
#include "widen/parts.h"

#include <string.h>

/* Returns the divisor with 2 in lanes that are off, which must not trap. It cannot be 1: LLVM's code generator for
 * AVX-512 turns x / (m ? y : 1) into m ? x / y : x and divides in all lanes. */
static LLVMValueRef safe_divisor(struct widener *w, LLVMValueRef divisor)
{
    if (!w->mask || !widen_is_vector(divisor))
        return divisor;
    LLVMValueRef two = widen_splat(w, LLVMConstInt(LLVMGetElementType(LLVMTypeOf(divisor)), 2, false));
    return LLVMBuildSelect(w->builder, w->mask, divisor, two, "");
}

/* Whether a scalar computed from lane 0's values stands for all lanes. */
static bool stands_for_lanes(const struct widener *w, LLVMValueRef i, struct shape shape)
{
    if (shape.kind == SHAPE_VARYING)
        return false;
    for (int o = 0; o < LLVMGetNumOperands(i); o++)
        if (shape_of(w->shapes, LLVMGetOperand(i, (unsigned)o)).kind == SHAPE_LINEAR)
            return true;
    return false;
}

enum promises {
    PROMISES_nothing,     /* or the code that emits it handles them */
    PROMISES_wrap,        /* not to wrap */
    PROMISES_exact,       /* to leave no remainder */
    PROMISES_disjoint,    /* that the operands have no common bits */
    PROMISES_nonnegative, /* that the operand is not negative */
    PROMISES_fast         /* what fast math assumes */
};

static const enum promises promises[] = {
#define OP(opcode, shape, exactness, code, promises) [LLVM##opcode] = PROMISES_##promises,
#include "kernel/ops.def"
#undef OP
};

/* Lets an instance promise what the instruction does. Where lane 0 stands for all lanes and may be off, its value may
 * be out of range: nothing is promised then. */
static void keep_promises(const struct widener *w, LLVMValueRef from, struct shape shape, LLVMValueRef to)
{
    if (!LLVMIsAInstruction(to) || LLVMGetInstructionOpcode(to) != LLVMGetInstructionOpcode(from))
        return; /* it was folded to a constant or another operation */
    switch (promises[LLVMGetInstructionOpcode(from)]) {
    case PROMISES_wrap:
        if (widen_may_be_off(w) && stands_for_lanes(w, from, shape))
            return;
        LLVMSetNSW(to, LLVMGetNSW(from));
        LLVMSetNUW(to, LLVMGetNUW(from));
        break;
    case PROMISES_exact:
        LLVMSetExact(to, LLVMGetExact(from));
        break;
    case PROMISES_disjoint:
        LLVMSetIsDisjoint(to, LLVMGetIsDisjoint(from));
        break;
    case PROMISES_nonnegative:
        LLVMSetNNeg(to, LLVMGetNNeg(from));
        break;
    case PROMISES_fast:
        ir_copy_fast_math(from, to);
        break;
    case PROMISES_nothing:
        break;
    }
}

/* ---- the code for instructions: the rows of ops.def ---- */

static LLVMValueRef widen_address(struct widener *w, LLVMValueRef gep, struct shape shape, int row, int vector)
{
    int n = LLVMGetNumOperands(gep);
    LLVMValueRef *operands = arena_alloc((size_t)n * sizeof *operands);
    for (int i = 0; i < n; i++) {
        LLVMValueRef operand = LLVMGetOperand(gep, (unsigned)i);
        /* The number of a struct's member stays a constant. A uniform operand may stay a scalar if another is a
         * vector. */
        bool wide = shape.kind == SHAPE_VARYING && shape_of(w->shapes, operand).kind != SHAPE_UNIFORM;
        operands[i] = wide ? widen_get_vector(w, operand, row, vector) : widen_get(w, operand, row, vector);
    }
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    LLVMValueRef result = LLVMBuildGEP2(w->builder, type, operands[0], operands + 1, (unsigned)n - 1, "");
    if (shape.kind == SHAPE_VARYING && w->block.lanes > 1 && !widen_is_vector(result))
        return widen_splat(w, result);
    if (LLVMIsAGetElementPtrInst(result) && !(widen_may_be_off(w) && stands_for_lanes(w, gep, shape)))
        LLVMGEPSetNoWrapFlags(result, LLVMGEPGetNoWrapFlags(gep));
    return result;
}

/* Returns operand `o` in the form that a result of `shape` needs. */
static LLVMValueRef operand(struct widener *w, LLVMValueRef i, unsigned o, struct shape shape, int row, int vector)
{
    return widen_get_for(w, shape, LLVMGetOperand(i, o), row, vector);
}

static LLVMValueRef widen_binary(struct widener *w, LLVMValueRef i, struct shape shape, int row, int vector)
{
    LLVMValueRef left = operand(w, i, 0, shape, row, vector), right = operand(w, i, 1, shape, row, vector);
    return LLVMBuildBinOp(w->builder, LLVMGetInstructionOpcode(i), left, right, "");
}

/* A disjoint `or` of linear values is the addition that it stands for. */
static LLVMValueRef widen_disjunction(struct widener *w, LLVMValueRef i, struct shape shape, int row, int vector)
{
    LLVMValueRef left = operand(w, i, 0, shape, row, vector), right = operand(w, i, 1, shape, row, vector);
    return LLVMBuildBinOp(w->builder, shape.kind == SHAPE_LINEAR ? LLVMAdd : LLVMOr, left, right, "");
}

/* Converts an integer, or a vector of them, to double or back. */
static LLVMValueRef to_double(struct widener *w, LLVMValueRef value, bool is_signed)
{
    LLVMTypeRef type = LLVMDoubleTypeInContext(w->context);
    if (widen_is_vector(value))
        type = LLVMVectorType(type, LLVMGetVectorSize(LLVMTypeOf(value)));
    return is_signed ? LLVMBuildSIToFP(w->builder, value, type, "") : LLVMBuildUIToFP(w->builder, value, type, "");
}

static LLVMValueRef to_integer(struct widener *w, LLVMValueRef value, LLVMTypeRef type, bool is_signed)
{
    return is_signed ? LLVMBuildFPToSI(w->builder, value, type, "") : LLVMBuildFPToUI(w->builder, value, type, "");
}

/* Divides integers of at most 32 bits in double, which is exact: a quotient that is no integer differs from the next
 * one by at least 2^-32 of its size, and rounding by 2^-53. A divisor that is the same for all lanes becomes a factor,
 * its reciprocal, a little too large, so that no product falls below a quotient that is an integer. Division by zero
 * does not trap; its result is used only where the program divides by zero. */
static LLVMValueRef divide_in_double(struct widener *w, LLVMValueRef i, LLVMValueRef left, int row, int vector)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    bool is_signed = opcode == LLVMSDiv || opcode == LLVMSRem;
    LLVMValueRef divisor = LLVMGetOperand(i, 1), wide = widen_get_vector(w, divisor, row, vector), quotient;
    if (shape_of(w->shapes, divisor).kind == SHAPE_UNIFORM) {
        LLVMTypeRef type = LLVMDoubleTypeInContext(w->context);
        LLVMValueRef one = LLVMConstReal(type, 1), above_one = LLVMConstReal(type, 1 + 0x1p-50);
        LLVMValueRef factor =
            LLVMBuildFDiv(w->builder, one, to_double(w, widen_get(w, divisor, row, vector), is_signed), "");
        factor = widen_splat(w, LLVMBuildFMul(w->builder, factor, above_one, ""));
        quotient = LLVMBuildFMul(w->builder, to_double(w, left, is_signed), factor, "");
    } else
        quotient = LLVMBuildFDiv(w->builder, to_double(w, left, is_signed), to_double(w, wide, is_signed), "");
    quotient = to_integer(w, quotient, LLVMTypeOf(left), is_signed);
    if (opcode == LLVMSDiv || opcode == LLVMUDiv)
        return quotient;
    return LLVMBuildSub(w->builder, left, LLVMBuildMul(w->builder, quotient, wide, ""), "");
}

static LLVMValueRef widen_division(struct widener *w, LLVMValueRef i, struct shape shape, int row, int vector)
{
    LLVMValueRef left = operand(w, i, 0, shape, row, vector), right = operand(w, i, 1, shape, row, vector);
    if (widen_is_vector(left) && plan_divides_in_double(i))
        return divide_in_double(w, i, left, row, vector);
    return LLVMBuildBinOp(w->builder, LLVMGetInstructionOpcode(i), left, safe_divisor(w, right), "");
}

static LLVMValueRef widen_negation(struct widener *w, LLVMValueRef i, struct shape shape, int row, int vector)
{
    return LLVMBuildFNeg(w->builder, operand(w, i, 0, shape, row, vector), "");
}

static LLVMValueRef widen_freeze(struct widener *w, LLVMValueRef i, struct shape shape, int row, int vector)
{
    return LLVMBuildFreeze(w->builder, operand(w, i, 0, shape, row, vector), "");
}

int widen_linear_side(const struct shapes *shapes, LLVMValueRef comparison)
{
    LLVMValueRef left = LLVMGetOperand(comparison, 0), right = LLVMGetOperand(comparison, 1);
    enum shape_kind a = shape_of(shapes, left).kind, b = shape_of(shapes, right).kind;
    if (LLVMGetTypeKind(LLVMTypeOf(left)) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(LLVMTypeOf(left)) > 64)
        return -1;
    return a == SHAPE_LINEAR && b == SHAPE_UNIFORM ? 0 : b == SHAPE_LINEAR && a == SHAPE_UNIFORM ? 1 : -1;
}

struct extension {
    struct widener *w;
    LLVMTypeRef type;
    int row, vector;
};

static LLVMValueRef extend(void *user, LLVMValueRef value)
{
    const struct extension *e = user;
    return LLVMBuildIntCast2(e->w->builder, widen_get(e->w, value, e->row, e->vector), e->type, true, "");
}

/* Compares the lanes' distances from lane 0 with that of the uniform value from it. Beyond all lanes' distances it does
 * not matter how far that is. */
static LLVMValueRef compare_steps(struct widener *w, LLVMValueRef i, int row, int vector)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(w->context), i8 = LLVMInt8TypeInContext(w->context);
    struct extension extension = {w, i64, row, vector};
    int side = widen_linear_side(w->shapes, i);
    LLVMValueRef linear = LLVMGetOperand(i, (unsigned)side), uniform = LLVMGetOperand(i, (unsigned)!side);
    long step = shape_of(w->shapes, linear).stride, last = step * (w->block.lanes - 1);
    LLVMValueRef lane0 = exact_compute(w->shapes, w->builder, linear, extend, &extension);
    LLVMValueRef args[] = {extend(&extension, uniform), lane0};
    args[0] = widen_intrinsic(w, "llvm.ssub.sat", &i64, 1, args, 2);
    args[1] = LLVMConstInt(i64, (unsigned long long)((last < 0 ? last : 0) - 1), true);
    args[0] = widen_intrinsic(w, "llvm.smax", &i64, 1, args, 2);
    args[1] = LLVMConstInt(i64, (unsigned long long)((last > 0 ? last : 0) + 1), true);
    LLVMValueRef distance = widen_intrinsic(w, "llvm.smin", &i64, 1, args, 2);
    distance = widen_splat(w, LLVMBuildTrunc(w->builder, distance, i8, ""));
    LLVMValueRef steps = widen_steps(w, i8, step);
    return LLVMBuildICmp(w->builder, LLVMGetICmpPredicate(i), side ? distance : steps, side ? steps : distance, "");
}

static LLVMValueRef widen_comparison(struct widener *w, LLVMValueRef i, struct shape shape, int row, int vector)
{
    if (widen_is_known(w, i))
        return w->known[map_get(w->shapes->numbers, i)];
    for (int s = 0; s < 2; s++)
        if (w->settled[s].comparison == i)
            return w->settled[s].result;
    if (widen_way(w, i)->by_steps)
        return compare_steps(w, i, row, vector);
    LLVMValueRef left = operand(w, i, 0, shape, row, vector), right = operand(w, i, 1, shape, row, vector);
    return LLVMBuildICmp(w->builder, LLVMGetICmpPredicate(i), left, right, "");
}

static LLVMValueRef widen_float_comparison(struct widener *w, LLVMValueRef i, struct shape shape, int row, int vector)
{
    LLVMValueRef left = operand(w, i, 0, shape, row, vector), right = operand(w, i, 1, shape, row, vector);
    return LLVMBuildFCmp(w->builder, LLVMGetFCmpPredicate(i), left, right, "");
}

static LLVMValueRef widen_choice(struct widener *w, LLVMValueRef i, struct shape shape, int row, int vector)
{
    bool is_wide = shape_of(w->shapes, LLVMGetOperand(i, 0)).kind != SHAPE_UNIFORM;
    LLVMValueRef condition = (is_wide ? widen_get_vector : widen_get)(w, LLVMGetOperand(i, 0), row, vector);
    LLVMValueRef yes = operand(w, i, 1, shape, row, vector), no = operand(w, i, 2, shape, row, vector);
    return widen_select(w, condition, yes, no);
}

static LLVMValueRef widen_member(struct widener *w, LLVMValueRef i, struct shape shape, int row, int vector)
{
    return LLVMBuildExtractValue(w->builder, operand(w, i, 0, shape, row, vector), LLVMGetIndices(i)[0], "");
}

static LLVMValueRef widen_with_member(struct widener *w, LLVMValueRef i, struct shape shape, int row, int vector)
{
    LLVMValueRef whole = operand(w, i, 0, shape, row, vector), member = operand(w, i, 1, shape, row, vector);
    return LLVMBuildInsertValue(w->builder, whole, member, LLVMGetIndices(i)[0], "");
}

static LLVMValueRef widen_cast(struct widener *w, LLVMValueRef i, struct shape shape, int row, int vector)
{
    return LLVMBuildCast(w->builder, LLVMGetInstructionOpcode(i), operand(w, i, 0, shape, row, vector),
                         widen_type(w, LLVMTypeOf(i), shape), "");
}

bool widen_is_exact(const struct widener *w, LLVMValueRef i)
{
    return (LLVMIsASExtInst(i) || LLVMIsAZExtInst(i)) && shape_of(w->shapes, i).kind == SHAPE_LINEAR;
}

/* For a linear value, lane 0 is computed in the wider type, where it does not wrap. This holds for zext, too: a lane 0
 * that is off may be negative. */
static LLVMValueRef widen_extension(struct widener *w, LLVMValueRef i, struct shape shape, int row, int vector)
{
    struct extension extension = {w, LLVMTypeOf(i), row, vector};
    return widen_is_exact(w, i) ? exact_compute(w->shapes, w->builder, LLVMGetOperand(i, 0), extend, &extension)
                                : widen_cast(w, i, shape, row, vector);
}

/* The value of a phi is in its slot, where the predecessors left it. */
static LLVMValueRef widen_meeting(struct widener *w, LLVMValueRef phi, struct shape shape, int row, int vector)
{
    LLVMValueRef slot = w->slots[widen_number(w, phi)].phi[widen_instance(w, row, vector)];
    return LLVMBuildLoad2(w->builder, widen_type(w, LLVMTypeOf(phi), shape), slot, "");
}

/* For instructions that make no code here. */
static LLVMValueRef widen_none(struct widener *w, LLVMValueRef i, struct shape shape, int row, int vector)
{
    (void)shape, (void)row, (void)vector;
    diag_defect(w->kernel->name, "an instruction is not handled: %s", LLVMPrintValueToString(i));
}

LLVMValueRef widen_instruction(struct widener *w, LLVMValueRef i, int row, int vector)
{
    static widen_code *const codes[] = {
#define OP(opcode, shape, exactness, code, promises) [LLVM##opcode] = widen_##code,
#include "kernel/ops.def"
#undef OP
    };
    unsigned opcode = LLVMGetInstructionOpcode(i);
    struct shape shape = shape_of(w->shapes, i);
    LLVMValueRef taken = shape_taken(w->shapes, i);
    if (taken)
        return widen_get_for(w, shape, taken, row, vector);
    if (panel_has_row_copy(w, i) && w->panel->part == PANEL_READS)
        return panel_read_row(w, i, row);
    widen_code *code = opcode < sizeof codes / sizeof *codes && codes[opcode] ? codes[opcode] : widen_none;
    LLVMValueRef result = code(w, i, shape, row, vector);
    if (result)
        keep_promises(w, i, shape, result);
    if (panel_has_row_copy(w, i))
        panel_write_row(w, i, result, row);
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

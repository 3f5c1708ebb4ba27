/* SPDX-License-Identifier: MIT
 *
 * Each instruction of the kernel becomes one instruction per instance of its value, a scalar or a vector by its shape,
 * before the next instruction follows: all threads of the block go in lockstep.
 *
 * Values that are used in another node than their own pass through slots, stack variables that LLVM's sroa turns into
 * registers again. A phi is a slot, too, that its predecessors write. So nodes can be emitted more than once, in any
 * arrangement, without regard to dominance.
 *
 * A branch that lanes may take differently does not branch. Its region, up to the node where all lanes are together
 * again, runs node by node in the order of the graph; each node has a mask of the lanes that wait for it, is skipped
 * if there are none, and hands its lanes on to its successors' masks. The last node of a loop goes back to the header
 * while lanes wait there. What lanes of a mask leave in a phi's slot is blended in, so a lane that has left a loop keeps
 * its value; only along the back edge, which all lanes take that stay in the loop, nothing needs to be kept. Since a lane can only wait at a later node or at the header of a loop that it is in, all lanes that run a
 * node are in the same iteration of all loops around it: that is why uniform values need no mask.
 *
 *     if (c) A; else B; C      becomes      mA = m & c; mB = m & ~c;
 *                                           if (any mA) A under mA;  if (any mB) B under mB;  C under m
 *
 * Needs: a prepared function (scalar, loop-closed, natural loops), its graph and shapes; rows == vectors == 1 if some
 * branch is divergent. Keeps: debug locations, fast-math and overflow flags, type-based alias information. Drops: alias
 * scopes, which speak of one thread only. */
#include "widen.h"

#include "mathlib.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

static int number_of(const struct widener *w, LLVMValueRef value)
{
    return map_get(w->shapes->numbers, value);
}

static int instance(const struct widener *w, int row, int vector)
{
    return row * w->block.vectors + vector;
}

int widen_rows(const struct widener *w, struct shape shape)
{
    return shape.rows ? w->block.rows : 1;
}

int widen_vectors(const struct widener *w, struct shape shape)
{
    return shape.kind == SHAPE_UNIFORM ? 1 : w->block.vectors;
}

/* ---- types and constants ---- */

static LLVMTypeRef vector_of(const struct widener *w, LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) != LLVMStructTypeKind)
        return LLVMVectorType(type, (unsigned)w->block.lanes);
    unsigned n = LLVMCountStructElementTypes(type);
    LLVMTypeRef *members = arena_alloc((n + 1) * sizeof *members);
    for (unsigned i = 0; i < n; i++)
        members[i] = vector_of(w, LLVMStructGetTypeAtIndex(type, i));
    return LLVMStructTypeInContext(w->context, members, n, false);
}

LLVMTypeRef widen_type(const struct widener *w, LLVMTypeRef type, struct shape shape)
{
    return shape.kind == SHAPE_VARYING ? vector_of(w, type) : type;
}

static LLVMValueRef i32(const struct widener *w, long value)
{
    return LLVMConstInt(LLVMInt32TypeInContext(w->context), (unsigned long long)value, true);
}

LLVMValueRef widen_steps(const struct widener *w, LLVMTypeRef type, long step)
{
    LLVMValueRef elements[64];
    for (int lane = 0; lane < w->block.lanes; lane++)
        elements[lane] = LLVMConstInt(type, (unsigned long long)(lane * step), true);
    return LLVMConstVector(elements, (unsigned)w->block.lanes);
}

LLVMValueRef widen_splat(const struct widener *w, LLVMValueRef scalar)
{
    if (LLVMIsConstant(scalar) && !LLVMIsAGlobalValue(scalar)) {
        LLVMValueRef elements[64];
        for (int lane = 0; lane < w->block.lanes; lane++)
            elements[lane] = scalar;
        return LLVMConstVector(elements, (unsigned)w->block.lanes);
    }
    LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(scalar), (unsigned)w->block.lanes);
    LLVMValueRef first = LLVMBuildInsertElement(w->builder, LLVMGetPoison(type), scalar, i32(w, 0), "");
    LLVMTypeRef shuffle = LLVMVectorType(LLVMInt32TypeInContext(w->context), (unsigned)w->block.lanes);
    return LLVMBuildShuffleVector(w->builder, first, LLVMGetPoison(type), LLVMConstNull(shuffle), "");
}

static LLVMValueRef all_on(const struct widener *w)
{
    return LLVMConstAllOnes(LLVMVectorType(LLVMInt1TypeInContext(w->context), (unsigned)w->block.lanes));
}

static LLVMValueRef call_intrinsic(const struct widener *w, const char *name, LLVMTypeRef *types, size_t n_types, LLVMValueRef *args,
                                   unsigned n_args)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef callee = LLVMGetIntrinsicDeclaration(w->module, id, types, n_types);
    return LLVMBuildCall2(w->builder, LLVMGlobalGetValueType(callee), callee, args, n_args, "");
}

/* Whether some lane of `mask` is on, as an i1. */
static LLVMValueRef any(const struct widener *w, LLVMValueRef mask)
{
    LLVMTypeRef type = LLVMTypeOf(mask);
    return call_intrinsic(w, "llvm.vector.reduce.or", &type, 1, &mask, 1);
}

/* a & b, also where b is poison in lanes that are off in a. */
static LLVMValueRef mask_and(const struct widener *w, LLVMValueRef a, LLVMValueRef b)
{
    return a ? LLVMBuildSelect(w->builder, a, b, LLVMConstNull(LLVMTypeOf(a)), "") : b;
}

static LLVMValueRef mask_or_all(const struct widener *w, LLVMValueRef mask)
{
    return mask ? mask : all_on(w);
}

LLVMValueRef widen_slot(struct widener *w, LLVMTypeRef type, const char *name)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(w->builder);
    LLVMMetadataRef location = LLVMGetCurrentDebugLocation2(w->builder);
    LLVMValueRef end = LLVMGetBasicBlockTerminator(w->entry);
    if (end)
        LLVMPositionBuilderBefore(w->builder, end);
    else
        LLVMPositionBuilderAtEnd(w->builder, w->entry);
    LLVMValueRef slot = LLVMBuildAlloca(w->builder, type, name);
    LLVMPositionBuilderAtEnd(w->builder, here);
    LLVMSetCurrentDebugLocation2(w->builder, location);
    return slot;
}

/* ---- reading values ---- */

static LLVMValueRef scalar_constant(struct widener *w, LLVMValueRef value)
{
    for (int i = 0; i < w->n_tile_memory; i++)
        if (w->tile_memory[i].variable == value)
            return w->tile_memory[i].memory;
    if (!LLVMIsAConstantExpr(value))
        return value;
    /* An address in a tile_static variable is no constant any more. */
    int n = LLVMGetNumOperands(value);
    LLVMValueRef *operands = arena_alloc((size_t)n * sizeof *operands);
    bool changed = false;
    for (int i = 0; i < n; i++) {
        operands[i] = scalar_constant(w, LLVMGetOperand(value, (unsigned)i));
        changed |= operands[i] != LLVMGetOperand(value, (unsigned)i);
    }
    if (!changed)
        return value;
    switch (LLVMGetConstOpcode(value)) {
    case LLVMGetElementPtr:
        return LLVMBuildGEP2(w->builder, LLVMGetGEPSourceElementType(value), operands[0], operands + 1, (unsigned)n - 1, "");
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMTrunc:
        return LLVMBuildCast(w->builder, LLVMGetConstOpcode(value), operands[0], LLVMTypeOf(value), "");
    case LLVMAdd:
    case LLVMSub:
    case LLVMXor:
        return LLVMBuildBinOp(w->builder, LLVMGetConstOpcode(value), operands[0], operands[1], "");
    default:
        diag_defect(w->kernel->name, "a constant expression over tile_static memory is not handled: %s", LLVMPrintValueToString(value));
    }
}

static LLVMValueRef emit_pure(struct widener *w, LLVMValueRef i, struct shape shape, int row, int vector);

/* Whether the value is little arithmetic on the index and the arguments' addresses: cheaper to do again than to keep. */
static bool is_cheap(const struct widener *w, LLVMValueRef value, int depth)
{
    if (!LLVMIsAInstruction(value) || w->recomputed[number_of(w, value)])
        return LLVMIsAArgument(value) || LLVMIsAConstantInt(value) || LLVMIsAGlobalVariable(value) || LLVMIsAInstruction(value);
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
    case LLVMSExt:
    case LLVMZExt:
    case LLVMTrunc:
    case LLVMICmp:
    case LLVMGetElementPtr:
        for (int i = 0; i < LLVMGetNumOperands(value); i++)
            if (depth == 0 || !is_cheap(w, LLVMGetOperand(value, (unsigned)i), depth - 1))
                return false;
        return true;
    default:
        return false;
    }
}

static void mark_recomputed(struct widener *w, LLVMValueRef value)
{
    if (!LLVMIsAInstruction(value) || w->recomputed[number_of(w, value)])
        return;
    w->recomputed[number_of(w, value)] = true;
    for (int i = 0; i < LLVMGetNumOperands(value); i++)
        mark_recomputed(w, LLVMGetOperand(value, (unsigned)i));
}

/* The instance itself: a scalar for uniform and linear values (of lane 0), a vector for varying ones. */
static LLVMValueRef get(struct widener *w, LLVMValueRef value, int row, int vector)
{
    int number = number_of(w, value);
    if (number < 0)
        return scalar_constant(w, value);
    struct shape shape = w->shapes->shapes[number];
    int i = instance(w, shape.rows ? row : 0, shape.kind == SHAPE_UNIFORM ? 0 : vector);
    if (LLVMIsAArgument(value)) {
        for (unsigned p = 0;; p++)
            if (LLVMGetParam(w->cfg->function, p) == value)
                return w->parameters[p * MAX_INSTANCES + (unsigned)i];
    }
    if (LLVMIsAAllocaInst(value))
        for (int p = 0;; p++)
            if (w->privates[p].variable == value)
                return w->privates[p].instances[instance(w, row, vector)];
    if (w->cache_node[number] != w->node + 1) {
        memset(w->cache[number], 0, sizeof w->cache[number]);
        w->cache_node[number] = w->node + 1;
    }
    if (!w->cache[number][i] && w->recomputed[number]) {
        LLVMValueRef again = emit_pure(w, value, shape, row, vector);
        w->cache[number][i] = again;
    }
    if (!w->cache[number][i]) {
        if (!w->slots[number].value[i])
            diag_defect(w->kernel->name, "no slot for %s", LLVMPrintValueToString(value));
        w->cache[number][i] = LLVMBuildLoad2(w->builder, widen_type(w, LLVMTypeOf(value), shape), w->slots[number].value[i], "");
    }
    return w->cache[number][i];
}

static LLVMValueRef splat_struct(struct widener *w, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMValueRef result = LLVMGetPoison(vector_of(w, type));
    if (LLVMIsUndef(value))
        return result;
    for (unsigned m = 0; m < LLVMCountStructElementTypes(type); m++) {
        LLVMValueRef member = LLVMBuildExtractValue(w->builder, value, m, "");
        member = LLVMGetTypeKind(LLVMTypeOf(member)) == LLVMStructTypeKind ? splat_struct(w, member) : widen_splat(w, member);
        result = LLVMBuildInsertValue(w->builder, result, member, m, "");
    }
    return result;
}

/* The same as a vector with one element per lane. */
static LLVMValueRef get_vector(struct widener *w, LLVMValueRef value, int row, int vector)
{
    struct shape shape = shape_of(w->shapes, value);
    LLVMValueRef result = get(w, value, row, vector);
    if (shape.kind == SHAPE_VARYING)
        return result;
    if (LLVMGetTypeKind(LLVMTypeOf(result)) == LLVMStructTypeKind)
        return splat_struct(w, result);
    if (shape.kind == SHAPE_LINEAR && LLVMGetTypeKind(LLVMTypeOf(result)) == LLVMPointerTypeKind) {
        LLVMValueRef steps = widen_steps(w, LLVMInt64TypeInContext(w->context), shape.stride);
        return LLVMBuildGEP2(w->builder, LLVMInt8TypeInContext(w->context), widen_splat(w, result), &steps, 1, "");
    }
    if (shape.kind == SHAPE_LINEAR)
        return LLVMBuildAdd(w->builder, widen_splat(w, result), widen_steps(w, LLVMTypeOf(result), shape.stride), "");
    return widen_splat(w, result);
}

static LLVMValueRef get_for(struct widener *w, struct shape shape, LLVMValueRef value, int row, int vector)
{
    return shape.kind == SHAPE_VARYING ? get_vector(w, value, row, vector) : get(w, value, row, vector);
}

static LLVMValueRef lane_of(const struct widener *w, LLVMValueRef vector, int lane)
{
    return LLVMBuildExtractElement(w->builder, vector, i32(w, lane), "");
}

/* ---- instructions ---- */

static bool is_simple_element(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind: {
        unsigned width = LLVMGetIntTypeWidth(type);
        return width == 8 || width == 16 || width == 32 || width == 64;
    }
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
    case LLVMPointerTypeKind:
        return true;
    default:
        return false;
    }
}

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

static void copy_tbaa(const struct widener *w, LLVMValueRef from, LLVMValueRef to)
{
    unsigned kind = LLVMGetMDKindIDInContext(w->context, "tbaa", 4);
    LLVMValueRef tbaa = LLVMGetMetadata(from, kind);
    if (tbaa)
        LLVMSetMetadata(to, kind, tbaa);
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
        operands[i] = wide ? get_vector(w, operand, row, vector) : get(w, operand, row, vector);
    }
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    LLVMValueRef result = LLVMBuildGEP2(w->builder, type, operands[0], operands + 1, (unsigned)n - 1, "");
    if (shape.kind == SHAPE_VARYING && LLVMGetTypeKind(LLVMTypeOf(result)) != LLVMVectorTypeKind)
        return widen_splat(w, result);
    if (LLVMIsAGetElementPtrInst(result) && !(w->mask && shape.kind == SHAPE_LINEAR))
        LLVMGEPSetNoWrapFlags(result, LLVMGEPGetNoWrapFlags(gep));
    return result;
}

/* Lane 0 of a linear value, computed in a wider type, where it does not wrap: see shape_is_exact. */
static LLVMValueRef exact(struct widener *w, LLVMValueRef value, LLVMTypeRef type, int row, int vector)
{
    if (shape_of(w->shapes, value).kind == SHAPE_UNIFORM || LLVMIsAArgument(value))
        return LLVMBuildIntCast2(w->builder, get(w, value, row, vector), type, true, "");
    LLVMValueRef left = exact(w, LLVMGetOperand(value, 0), type, row, vector);
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    if (opcode == LLVMSExt)
        return left;
    return LLVMBuildBinOp(w->builder, opcode == LLVMOr ? LLVMAdd : opcode, left,
                          exact(w, LLVMGetOperand(value, 1), type, row, vector), "");
}

/* An instruction without side effects whose instance is computed from its operands' instances. */
static LLVMValueRef emit_pure(struct widener *w, LLVMValueRef i, struct shape shape, int row, int vector)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    LLVMValueRef result;
    switch (opcode) {
    case LLVMGetElementPtr:
        return emit_gep(w, i, shape, row, vector);
    case LLVMICmp:
        result = LLVMBuildICmp(w->builder, LLVMGetICmpPredicate(i), get_for(w, shape, LLVMGetOperand(i, 0), row, vector),
                               get_for(w, shape, LLVMGetOperand(i, 1), row, vector), "");
        break;
    case LLVMFCmp:
        result = LLVMBuildFCmp(w->builder, LLVMGetFCmpPredicate(i), get_for(w, shape, LLVMGetOperand(i, 0), row, vector),
                               get_for(w, shape, LLVMGetOperand(i, 1), row, vector), "");
        break;
    case LLVMSelect: {
        bool wide_condition = shape_of(w->shapes, LLVMGetOperand(i, 0)).kind != SHAPE_UNIFORM;
        result = LLVMBuildSelect(w->builder,
                                 wide_condition ? get_vector(w, LLVMGetOperand(i, 0), row, vector)
                                                : get(w, LLVMGetOperand(i, 0), row, vector),
                                 get_for(w, shape, LLVMGetOperand(i, 1), row, vector),
                                 get_for(w, shape, LLVMGetOperand(i, 2), row, vector), "");
        break;
    }
    case LLVMFNeg:
        result = LLVMBuildFNeg(w->builder, get_for(w, shape, LLVMGetOperand(i, 0), row, vector), "");
        break;
    case LLVMFreeze:
        result = LLVMBuildFreeze(w->builder, get_for(w, shape, LLVMGetOperand(i, 0), row, vector), "");
        break;
    case LLVMExtractValue:
        result = LLVMBuildExtractValue(w->builder, get_for(w, shape, LLVMGetOperand(i, 0), row, vector), LLVMGetIndices(i)[0], "");
        break;
    case LLVMInsertValue:
        result = LLVMBuildInsertValue(w->builder, get_for(w, shape, LLVMGetOperand(i, 0), row, vector),
                                      get_for(w, shape, LLVMGetOperand(i, 1), row, vector), LLVMGetIndices(i)[0], "");
        break;
    case LLVMSDiv:
    case LLVMUDiv:
    case LLVMSRem:
    case LLVMURem:
        result = LLVMBuildBinOp(w->builder, opcode, get_for(w, shape, LLVMGetOperand(i, 0), row, vector),
                                safe_divisor(w, get_for(w, shape, LLVMGetOperand(i, 1), row, vector)), "");
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
        result = LLVMBuildBinOp(w->builder, opcode, get_for(w, shape, LLVMGetOperand(i, 0), row, vector),
                                get_for(w, shape, LLVMGetOperand(i, 1), row, vector), "");
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
        result = LLVMBuildCast(w->builder, opcode, get_for(w, shape, LLVMGetOperand(i, 0), row, vector),
                               widen_type(w, LLVMTypeOf(i), shape), "");
        break;
    default:
        diag_defect(w->kernel->name, "an instruction is not handled: %s", LLVMPrintValueToString(i));
    }
    copy_flags(i, result);
    if (shape.kind == SHAPE_LINEAR)
        drop_promises(w, result);
    return result;
}

/* Calls `user` once for each lane that is on; what `per_lane` returns for it, if anything, is element `lane` of the
 * result. */
static LLVMValueRef for_each_lane(struct widener *w, LLVMTypeRef result_type, bool guarded,
                                  LLVMValueRef (*per_lane)(struct widener *w, void *user, int lane), void *user)
{
    LLVMValueRef result = result_type ? LLVMGetPoison(result_type) : NULL;
    unsigned n_members = result_type && LLVMGetTypeKind(result_type) == LLVMStructTypeKind ? LLVMCountStructElementTypes(result_type) : 0;
    for (int lane = 0; lane < w->block.lanes; lane++) {
        LLVMBasicBlockRef before = LLVMGetInsertBlock(w->builder), after = NULL;
        if (guarded && w->mask) {
            LLVMBasicBlockRef on = LLVMAppendBasicBlockInContext(w->context, w->function, "lane");
            after = LLVMAppendBasicBlockInContext(w->context, w->function, "lane.end");
            LLVMBuildCondBr(w->builder, lane_of(w, w->mask, lane), on, after);
            LLVMPositionBuilderAtEnd(w->builder, on);
        }
        LLVMValueRef old = result, one = per_lane(w, user, lane);
        if (n_members) {
            for (unsigned m = 0; m < n_members; m++) {
                LLVMValueRef part = LLVMBuildExtractValue(w->builder, result, m, "");
                part = LLVMBuildInsertElement(w->builder, part, LLVMBuildExtractValue(w->builder, one, m, ""), i32(w, lane), "");
                result = LLVMBuildInsertValue(w->builder, result, part, m, "");
            }
        } else if (result)
            result = LLVMBuildInsertElement(w->builder, result, one, i32(w, lane), "");
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
        operands[i] = job->wide[i] ? lane_of(w, job->operands[i], lane) : job->operands[i];
    LLVMValueRef clone = LLVMInstructionClone(job->instruction);
    for (int i = 0; i < job->n; i++)
        LLVMSetOperand(clone, (unsigned)i, operands[i]);
    LLVMInsertIntoBuilder(w->builder, clone);
    return clone;
}

static LLVMValueRef emit_lane_by_lane(struct widener *w, LLVMValueRef i, struct shape shape, bool guarded, int row, int vector)
{
    struct one_by_one job = {.instruction = i, .n = LLVMGetNumOperands(i)};
    if (job.n > 32)
        diag_defect(w->kernel->name, "too many operands: %s", LLVMPrintValueToString(i));
    for (int o = 0; o < job.n; o++) {
        LLVMValueRef operand = LLVMGetOperand(i, (unsigned)o);
        job.wide[o] = w->block.lanes > 1 && shape_of(w->shapes, operand).kind != SHAPE_UNIFORM;
        job.operands[o] = job.wide[o] ? get_vector(w, operand, row, vector) : get(w, operand, row, vector);
    }
    if (shape.kind != SHAPE_VARYING)
        return clone_for_lane(w, &job, 0);
    bool has_result = LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind;
    return for_each_lane(w, has_result ? vector_of(w, LLVMTypeOf(i)) : NULL, guarded, clone_for_lane, &job);
}

/* ---- memory ---- */

/* The alignment argument of the masked intrinsics became an attribute of the pointer in LLVM 22. */
static LLVMValueRef masked_access(struct widener *w, const char *name, LLVMTypeRef *types, size_t n_types, LLVMValueRef value,
                                  LLVMValueRef pointer, unsigned align, LLVMValueRef mask, LLVMValueRef passthrough)
{
    LLVMValueRef args[4];
    unsigned n = 0, pointer_at;
    if (value)
        args[n++] = value;
    pointer_at = n;
    args[n++] = pointer;
#if LLVM_VERSION_MAJOR < 22
    args[n++] = i32(w, align);
#endif
    args[n++] = mask;
    if (passthrough)
        args[n++] = passthrough;
    LLVMValueRef call = call_intrinsic(w, name, types, n_types, args, n);
#if LLVM_VERSION_MAJOR >= 22
    LLVMAddCallSiteAttribute(call, pointer_at + 1,
                             LLVMCreateEnumAttribute(w->context, LLVMGetEnumAttributeKindForName("align", 5), align));
#else
    (void)pointer_at;
#endif
    return call;
}

enum access widen_access(const struct widener *w, LLVMValueRef instruction)
{
    bool store = LLVMGetInstructionOpcode(instruction) == LLVMStore;
    struct shape pointer = shape_of(w->shapes, LLVMGetOperand(instruction, store));
    LLVMTypeRef type = store ? LLVMTypeOf(LLVMGetOperand(instruction, 0)) : LLVMTypeOf(instruction);
    if (LLVMGetVolatile(instruction) || LLVMGetOrdering(instruction) != LLVMAtomicOrderingNotAtomic)
        return ACCESS_LANE_BY_LANE;
    if (pointer.kind == SHAPE_UNIFORM)
        return ACCESS_UNIFORM;
    if (!is_simple_element(type))
        return ACCESS_LANE_BY_LANE;
    long size = (long)LLVMStoreSizeOfType(w->layout, type), apart = pointer.stride / size;
    if (pointer.kind != SHAPE_LINEAR || pointer.stride % size)
        return ACCESS_GATHER;
    if (apart == 1)
        return ACCESS_CONTIGUOUS;
    /* Masked loads of narrow elements come with AVX-512, of others with AVX2. */
    bool can_skip = w->vector_bits >= (size < 4 ? 512 : 256);
    return apart > 1 && apart <= MAX_APART && apart * w->block.lanes <= 64 && can_skip ? ACCESS_STRIDED : ACCESS_GATHER;
}

/* Elements `apart` elements from one another: as many whole vectors, of which only these elements are touched, and a
 * shuffle. The others may lie behind the end of the array or be another thread's. */
static LLVMValueRef strided_mask(const struct widener *w, int apart)
{
    LLVMValueRef bits[64];
    for (int i = 0; i < w->block.lanes * apart; i++)
        bits[i] = LLVMConstInt(LLVMInt1TypeInContext(w->context), i % apart == 0, false);
    return LLVMConstVector(bits, (unsigned)(w->block.lanes * apart));
}

static LLVMValueRef strided_load(struct widener *w, LLVMTypeRef type, LLVMValueRef at, unsigned align, int apart)
{
    LLVMTypeRef all = LLVMVectorType(type, (unsigned)(w->block.lanes * apart)), types[] = {all, LLVMTypeOf(at)};
    LLVMValueRef loaded = masked_access(w, "llvm.masked.load", types, 2, NULL, at, align, strided_mask(w, apart), LLVMGetPoison(all));
    LLVMValueRef steps = widen_steps(w, LLVMInt32TypeInContext(w->context), apart);
    return LLVMBuildShuffleVector(w->builder, loaded, LLVMGetPoison(all), steps, "");
}

static LLVMValueRef strided_store(struct widener *w, LLVMValueRef value, LLVMValueRef at, unsigned align, int apart)
{
    LLVMValueRef from[64];
    for (int i = 0; i < w->block.lanes * apart; i++)
        from[i] = i % apart ? LLVMGetPoison(LLVMInt32TypeInContext(w->context)) : i32(w, i / apart);
    LLVMValueRef spread = LLVMBuildShuffleVector(w->builder, value, LLVMGetPoison(LLVMTypeOf(value)),
                                                 LLVMConstVector(from, (unsigned)(w->block.lanes * apart)), "");
    LLVMTypeRef types[] = {LLVMTypeOf(spread), LLVMTypeOf(at)};
    return masked_access(w, "llvm.masked.store", types, 2, spread, at, align, strided_mask(w, apart), NULL);
}

/* Whether the address is known to lie in tile or private memory. A tile runs on one worker, its lanes in lockstep, so
 * plain operations lane by lane are atomic there. */
static bool is_local(LLVMValueRef address)
{
    while (LLVMIsAGetElementPtrInst(address) || (LLVMIsAConstantExpr(address) && LLVMGetConstOpcode(address) == LLVMGetElementPtr))
        address = LLVMGetOperand(address, 0);
    return LLVMIsAAllocaInst(address) || (LLVMIsAGlobalVariable(address) && !LLVMIsGlobalConstant(address));
}

/* Whether `user` writes no memory but the tile's or its own. */
static bool writes_local_only(LLVMValueRef instruction)
{
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMStore:
        return is_local(LLVMGetOperand(instruction, 1));
    case LLVMAtomicRMW:
        return is_local(LLVMGetOperand(instruction, 0));
    case LLVMCall:
    case LLVMAtomicCmpXchg:
    case LLVMFence:
        return false;
    default:
        return true;
    }
}

/* Whether a load, or a value made from it, only serves atomic operations on local memory, perhaps as part of an address.
 * Those go lane by lane, and so may the load, right where they are: nothing in between writes what it reads. */
static bool serves_lanes(LLVMValueRef value)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMGetInstructionParent(user) != LLVMGetInstructionParent(value))
            return false;
        bool address = LLVMIsAGetElementPtrInst(user) || LLVMIsACastInst(user);
        if (address ? !serves_lanes(user) : LLVMGetInstructionOpcode(user) != LLVMAtomicRMW)
            return false;
        for (LLVMValueRef i = value; i != user; i = LLVMGetNextInstruction(i))
            if (!writes_local_only(i))
                return false;
        if (!writes_local_only(user))
            return false;
    }
    return LLVMGetFirstUse(value) != NULL;
}

static bool is_loaded_by_lane(const struct widener *w, LLVMValueRef load)
{
    return LLVMIsALoadInst(load) && !w->mask && widen_access(w, load) == ACCESS_CONTIGUOUS && !is_local(LLVMGetOperand(load, 0)) &&
           serves_lanes(load);
}

static LLVMValueRef emit_load(struct widener *w, LLVMValueRef load, struct shape shape, int row, int vector)
{
    LLVMValueRef address = LLVMGetOperand(load, 0), at, result;
    LLVMTypeRef type = LLVMTypeOf(load), wide = widen_type(w, type, shape);
    unsigned align = LLVMGetAlignment(load);
    enum access access = widen_access(w, load);
    if (access == ACCESS_LANE_BY_LANE)
        return emit_lane_by_lane(w, load, shape, true, row, vector);
    if (is_loaded_by_lane(w, load))
        return LLVMGetPoison(wide); /* value_of_lane does it */
    if (access == ACCESS_UNIFORM || (access == ACCESS_CONTIGUOUS && !w->mask)) {
        result = LLVMBuildLoad2(w->builder, access == ACCESS_UNIFORM ? type : wide, get(w, address, row, vector), "");
        LLVMSetAlignment(result, align);
        if (access == ACCESS_UNIFORM && shape.kind == SHAPE_VARYING)
            return widen_splat(w, result);
    } else if (access == ACCESS_STRIDED && !w->mask) {
        int apart = (int)(shape_of(w->shapes, address).stride / (long)LLVMStoreSizeOfType(w->layout, type));
        return strided_load(w, type, get(w, address, row, vector), align, apart);
    } else {
        bool contiguous = access == ACCESS_CONTIGUOUS;
        at = contiguous ? get(w, address, row, vector) : get_vector(w, address, row, vector);
        LLVMTypeRef types[] = {wide, LLVMTypeOf(at)};
        result = masked_access(w, contiguous ? "llvm.masked.load" : "llvm.masked.gather", types, 2, NULL, at, align,
                               mask_or_all(w, w->mask), LLVMGetPoison(wide));
    }
    copy_tbaa(w, load, result);
    return result;
}

/* The value of some lane that is on: the threads all store to one place, and any of them may be the last. */
static LLVMValueRef last_lane(struct widener *w, LLVMValueRef vector)
{
    if (!w->mask)
        return lane_of(w, vector, w->block.lanes - 1);
    LLVMTypeRef bits = LLVMIntTypeInContext(w->context, (unsigned)w->block.lanes);
    LLVMValueRef args[] = {LLVMBuildBitCast(w->builder, w->mask, bits, ""), LLVMConstInt(LLVMInt1TypeInContext(w->context), 1, false)};
    LLVMValueRef zeros = call_intrinsic(w, "llvm.ctlz", &bits, 1, args, 2);
    zeros = LLVMBuildIntCast2(w->builder, zeros, LLVMInt32TypeInContext(w->context), false, "");
    return LLVMBuildExtractElement(w->builder, vector, LLVMBuildSub(w->builder, i32(w, w->block.lanes - 1), zeros, ""), "");
}

static void emit_store(struct widener *w, LLVMValueRef store, int row, int vector)
{
    LLVMValueRef value = LLVMGetOperand(store, 0), address = LLVMGetOperand(store, 1), at, result;
    unsigned align = LLVMGetAlignment(store);
    enum access access = widen_access(w, store);
    if (access == ACCESS_LANE_BY_LANE) {
        emit_lane_by_lane(w, store, (struct shape){.kind = w->block.lanes > 1 ? SHAPE_VARYING : SHAPE_UNIFORM}, true, row, vector);
        return;
    }
    if (access == ACCESS_UNIFORM) {
        LLVMValueRef one = shape_of(w->shapes, value).kind == SHAPE_UNIFORM ? get(w, value, row, vector)
                                                                            : last_lane(w, get_vector(w, value, row, vector));
        result = LLVMBuildStore(w->builder, one, get(w, address, row, vector));
        LLVMSetAlignment(result, align);
        copy_tbaa(w, store, result);
        return;
    }
    LLVMValueRef wide = get_vector(w, value, row, vector);
    if (access == ACCESS_STRIDED && !w->mask) {
        int apart = (int)(shape_of(w->shapes, address).stride / (long)LLVMStoreSizeOfType(w->layout, LLVMTypeOf(value)));
        strided_store(w, wide, get(w, address, row, vector), align, apart);
        return;
    }
    bool contiguous = access == ACCESS_CONTIGUOUS;
    at = contiguous ? get(w, address, row, vector) : get_vector(w, address, row, vector);
    if (contiguous && !w->mask) {
        result = LLVMBuildStore(w->builder, wide, at);
        LLVMSetAlignment(result, align);
    } else {
        LLVMTypeRef types[] = {LLVMTypeOf(wide), LLVMTypeOf(at)};
        result = masked_access(w, contiguous ? "llvm.masked.store" : "llvm.masked.scatter", types, 2, wide, at, align,
                               mask_or_all(w, w->mask), NULL);
    }
    copy_tbaa(w, store, result);
}

/* ---- atomics ---- */

/* old `operation` value */
static LLVMValueRef combine_values(struct widener *w, LLVMAtomicRMWBinOp operation, LLVMValueRef old, LLVMValueRef value)
{
    LLVMIntPredicate predicate = LLVMIntEQ;
    switch (operation) {
    case LLVMAtomicRMWBinOpXchg:
        return value;
    case LLVMAtomicRMWBinOpAdd:
        return LLVMBuildAdd(w->builder, old, value, "");
    case LLVMAtomicRMWBinOpSub:
        return LLVMBuildSub(w->builder, old, value, "");
    case LLVMAtomicRMWBinOpAnd:
        return LLVMBuildAnd(w->builder, old, value, "");
    case LLVMAtomicRMWBinOpOr:
        return LLVMBuildOr(w->builder, old, value, "");
    case LLVMAtomicRMWBinOpXor:
        return LLVMBuildXor(w->builder, old, value, "");
    case LLVMAtomicRMWBinOpFAdd:
        return LLVMBuildFAdd(w->builder, old, value, "");
    case LLVMAtomicRMWBinOpFSub:
        return LLVMBuildFSub(w->builder, old, value, "");
    case LLVMAtomicRMWBinOpMax:
        predicate = LLVMIntSGT;
        break;
    case LLVMAtomicRMWBinOpMin:
        predicate = LLVMIntSLT;
        break;
    case LLVMAtomicRMWBinOpUMax:
        predicate = LLVMIntUGT;
        break;
    case LLVMAtomicRMWBinOpUMin:
        predicate = LLVMIntULT;
        break;
    default:
        diag_defect(w->kernel->name, "an atomic operation is not handled");
    }
    return LLVMBuildSelect(w->builder, LLVMBuildICmp(w->builder, predicate, old, value, ""), old, value, "");
}

/* The value of one lane. Addresses and casts are made again from their operands' lanes: taking apart vectors of addresses
 * costs more. */
static LLVMValueRef value_of_lane(struct widener *w, LLVMValueRef value, int row, int vector, int lane)
{
    struct shape shape = shape_of(w->shapes, value);
    if (shape.kind == SHAPE_UNIFORM)
        return get(w, value, row, vector);
    if (LLVMIsAInstruction(value) && map_get(w->cfg->first_node, LLVMGetInstructionParent(value)) == w->node) {
        LLVMValueRef operands[4];
        int n = LLVMGetNumOperands(value);
        if (LLVMIsAGetElementPtrInst(value) && n <= 4) {
            for (int i = 0; i < n; i++)
                operands[i] = value_of_lane(w, LLVMGetOperand(value, (unsigned)i), row, vector, lane);
            return LLVMBuildGEP2(w->builder, LLVMGetGEPSourceElementType(value), operands[0], operands + 1, (unsigned)n - 1, "");
        }
        if (is_loaded_by_lane(w, value)) {
            LLVMValueRef at = get(w, LLVMGetOperand(value, 0), row, vector), index = i32(w, lane);
            LLVMValueRef place = LLVMBuildGEP2(w->builder, LLVMTypeOf(value), at, &index, 1, "");
            LLVMValueRef one = LLVMBuildLoad2(w->builder, LLVMTypeOf(value), place, "");
            LLVMSetAlignment(one, LLVMGetAlignment(value));
            return one;
        }
        if (LLVMIsACastInst(value))
            return LLVMBuildCast(w->builder, LLVMGetInstructionOpcode(value),
                                 value_of_lane(w, LLVMGetOperand(value, 0), row, vector, lane), LLVMTypeOf(value), "");
    }
    return lane_of(w, get_vector(w, value, row, vector), lane);
}

struct local_atomic {
    LLVMValueRef instruction;
    int row, vector;
};

static LLVMValueRef local_atomic_for_lane(struct widener *w, void *user, int lane)
{
    const struct local_atomic *job = user;
    LLVMValueRef address = value_of_lane(w, LLVMGetOperand(job->instruction, 0), job->row, job->vector, lane);
    LLVMValueRef value = value_of_lane(w, LLVMGetOperand(job->instruction, 1), job->row, job->vector, lane);
    LLVMValueRef old = LLVMBuildLoad2(w->builder, LLVMTypeOf(value), address, "");
    LLVMBuildStore(w->builder, combine_values(w, LLVMGetAtomicRMWBinOp(job->instruction), old, value), address);
    return old;
}

/* The name of the reduction that combines lanes as `operation` would one after another; NULL for floating point, where
 * the order shows, and for what does not combine. */
static const char *reduction_of(LLVMAtomicRMWBinOp operation)
{
    switch (operation) {
    case LLVMAtomicRMWBinOpAdd:
    case LLVMAtomicRMWBinOpSub:
        return "llvm.vector.reduce.add";
    case LLVMAtomicRMWBinOpAnd:
        return "llvm.vector.reduce.and";
    case LLVMAtomicRMWBinOpOr:
        return "llvm.vector.reduce.or";
    case LLVMAtomicRMWBinOpXor:
        return "llvm.vector.reduce.xor";
    case LLVMAtomicRMWBinOpMax:
        return "llvm.vector.reduce.smax";
    case LLVMAtomicRMWBinOpMin:
        return "llvm.vector.reduce.smin";
    case LLVMAtomicRMWBinOpUMax:
        return "llvm.vector.reduce.umax";
    case LLVMAtomicRMWBinOpUMin:
        return "llvm.vector.reduce.umin";
    default:
        return NULL;
    }
}

/* What leaves any value as it is under `operation`. */
static LLVMValueRef neutral_element(LLVMAtomicRMWBinOp operation, LLVMTypeRef type)
{
    unsigned long long top = 1ULL << (LLVMGetIntTypeWidth(type) - 1);
    switch (operation) {
    case LLVMAtomicRMWBinOpAnd:
    case LLVMAtomicRMWBinOpUMin:
        return LLVMConstAllOnes(type);
    case LLVMAtomicRMWBinOpMax:
        return LLVMConstInt(type, top, false);
    case LLVMAtomicRMWBinOpMin:
        return LLVMConstInt(type, top - 1, false);
    default:
        return LLVMConstNull(type);
    }
}

static LLVMValueRef emit_atomic(struct widener *w, LLVMValueRef atomic, struct shape shape, int row, int vector)
{
    LLVMValueRef address = LLVMGetOperand(atomic, 0), value = LLVMGetOperand(atomic, 1);
    LLVMAtomicRMWBinOp operation = LLVMGetAtomicRMWBinOp(atomic);
    if (is_local(address)) {
        struct local_atomic job = {atomic, row, vector};
        for (unsigned o = 0; o < 2; o++) /* read them here, not under a lane's condition */
            get(w, LLVMGetOperand(atomic, o), row, vector);
        if (w->block.lanes == 1)
            return local_atomic_for_lane(w, &job, 0);
        return for_each_lane(w, vector_of(w, LLVMTypeOf(value)), true, local_atomic_for_lane, &job);
    }
    if (w->block.lanes == 1 || widen_work(w, atomic) == WORK_LANE_BY_LANE)
        return emit_lane_by_lane(w, atomic, shape, true, row, vector);
    /* All lanes go to one place, and nobody asks what was there: one operation for all. */
    LLVMValueRef wide = get_vector(w, value, row, vector);
    if (w->mask)
        wide = LLVMBuildSelect(w->builder, w->mask, wide, widen_splat(w, neutral_element(operation, LLVMTypeOf(value))), "");
    LLVMTypeRef type = LLVMTypeOf(wide);
    LLVMValueRef all = call_intrinsic(w, reduction_of(operation), &type, 1, &wide, 1);
    LLVMBuildAtomicRMW(w->builder, operation, get(w, address, row, vector), all, LLVMGetOrdering(atomic),
                       LLVMIsAtomicSingleThread(atomic));
    return LLVMGetPoison(vector_of(w, LLVMTypeOf(value)));
}

/* ---- calls ---- */

/* Intrinsics that LLVM has for vectors, too, with the vector type as their only overloaded type. `scalars` is a bit per
 * argument that stays a scalar. */
static const struct elementwise {
    const char *name;
    unsigned scalars;
} elementwise[] = {
    {"llvm.abs", 2},       {"llvm.bitreverse", 0}, {"llvm.bswap", 0},    {"llvm.ceil", 0},      {"llvm.copysign", 0},
    {"llvm.ctlz", 2},      {"llvm.ctpop", 0},      {"llvm.cttz", 2},     {"llvm.fabs", 0},      {"llvm.floor", 0},
    {"llvm.fma", 0},       {"llvm.fmuladd", 0},    {"llvm.fshl", 0},     {"llvm.fshr", 0},      {"llvm.maximum", 0},
    {"llvm.maxnum", 0},    {"llvm.minimum", 0},    {"llvm.minnum", 0},   {"llvm.nearbyint", 0}, {"llvm.rint", 0},
    {"llvm.round", 0},     {"llvm.roundeven", 0},  {"llvm.sadd.sat", 0}, {"llvm.smax", 0},      {"llvm.smin", 0},
    {"llvm.sqrt", 0},      {"llvm.ssub.sat", 0},   {"llvm.trunc", 0},    {"llvm.uadd.sat", 0},  {"llvm.umax", 0},
    {"llvm.umin", 0},      {"llvm.usub.sat", 0},   {"llvm.sadd.with.overflow", 0},
    {"llvm.smul.with.overflow", 0},                {"llvm.ssub.with.overflow", 0},
    {"llvm.uadd.with.overflow", 0},                {"llvm.umul.with.overflow", 0},
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

/* Intrinsics that only inform the optimiser. */
static bool says_nothing(LLVMValueRef callee)
{
    static const char *const prefixes[] = {"llvm.dbg.",     "llvm.lifetime.",  "llvm.assume",          "llvm.experimental.noalias",
                                           "llvm.var.anno", "llvm.invariant.", "llvm.ptr.annotation",  "llvm.donothing"};
    size_t length;
    const char *name = LLVMGetValueName2(callee, &length);
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

static bool is_pure_call(LLVMValueRef call)
{
    unsigned memory = LLVMGetEnumAttributeKindForName("memory", 6);
    LLVMAttributeRef attribute = LLVMGetCallSiteEnumAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, memory);
    if (!attribute)
        attribute = LLVMGetEnumAttributeAtIndex(LLVMGetCalledValue(call), (LLVMAttributeIndex)LLVMAttributeFunctionIndex, memory);
    return attribute && LLVMGetEnumAttributeValue(attribute) == 0;
}

/* A part of `n` elements of a vector. */
static LLVMValueRef part_of(const struct widener *w, LLVMValueRef vector, int first, int n)
{
    LLVMValueRef elements[64];
    for (int i = 0; i < n; i++)
        elements[i] = i32(w, first + i);
    return LLVMBuildShuffleVector(w->builder, vector, LLVMGetPoison(LLVMTypeOf(vector)), LLVMConstVector(elements, (unsigned)n), "");
}

/* The name of the vector version of a function of the math library, which takes `*n` lanes at once; NULL if there is
 * none. */
static const char *vector_math(const struct widener *w, LLVMValueRef call, int *n)
{
    const struct math_function *function = mathlib_find(LLVMGetValueName(LLVMGetCalledValue(call)));
    LLVMTypeRef type = LLVMTypeOf(call);
    bool is_float = LLVMGetTypeKind(type) == LLVMFloatTypeKind;
    if (!w->has_libmvec || !function || (!is_float && LLVMGetTypeKind(type) != LLVMDoubleTypeKind))
        return NULL;
    *n = w->vector_bits / (is_float ? 32 : 64);
    if (*n > w->block.lanes)
        *n = w->block.lanes;
    return mathlib_vector_name(function, is_float, *n);
}

enum work widen_work(const struct widener *w, LLVMValueRef i)
{
    int n;
    bool varying = w->block.lanes > 1 && shape_of(w->shapes, i).kind == SHAPE_VARYING;
    if (LLVMGetInstructionOpcode(i) != LLVMCall) {
        bool combined = LLVMIsAAtomicRMWInst(i) && !is_local(LLVMGetOperand(i, 0)) && !LLVMGetFirstUse(i) &&
                        shape_of(w->shapes, LLVMGetOperand(i, 0)).kind == SHAPE_UNIFORM && reduction_of(LLVMGetAtomicRMWBinOp(i));
        return w->block.lanes == 1 || combined ? WORK_ONCE : WORK_LANE_BY_LANE;
    }
    if (cfg_is_barrier(i) || says_nothing(LLVMGetCalledValue(i)))
        return WORK_NONE;
    if (!varying)
        return WORK_ONCE;
    if (find_elementwise(LLVMGetIntrinsicID(LLVMGetCalledValue(i))))
        return WORK_VECTOR;
    return vector_math(w, i, &n) ? WORK_MATH : WORK_LANE_BY_LANE;
}

/* Calls the vector version of a function of the math library. Lanes that are off compute the function of 1, which is
 * fast everywhere. */
static LLVMValueRef emit_vector_math(struct widener *w, LLVMValueRef call, int row, int vector)
{
    int n;
    const char *name = vector_math(w, call, &n);
    LLVMTypeRef type = LLVMTypeOf(call);
    LLVMValueRef args[2], parts[2], callee = LLVMGetNamedFunction(w->module, name);
    unsigned n_args = LLVMGetNumArgOperands(call);
    LLVMTypeRef part = LLVMVectorType(type, (unsigned)n), types[] = {part, part};
    if (!callee) {
        callee = LLVMAddFunction(w->module, name, LLVMFunctionType(part, types, n_args, false));
        static const char *const attributes[] = {"memory", "nounwind", "willreturn"};
        for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
            LLVMAddAttributeAtIndex(callee, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                    LLVMCreateEnumAttribute(w->context, LLVMGetEnumAttributeKindForName(attributes[i], strlen(attributes[i])), 0));
    }
    for (unsigned a = 0; a < n_args; a++) {
        args[a] = get_vector(w, LLVMGetOperand(call, a), row, vector);
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
            elements[i] = i32(w, i >= first && i < first + n ? i - first : 0);
            merged[i] = i32(w, i >= first && i < first + n ? w->block.lanes + i : i);
        }
        LLVMValueRef wide = LLVMBuildShuffleVector(w->builder, one, LLVMGetPoison(part), LLVMConstVector(elements, (unsigned)w->block.lanes), "");
        result = result ? LLVMBuildShuffleVector(w->builder, result, wide, LLVMConstVector(merged, (unsigned)w->block.lanes), "") : wide;
    }
    return result;
}

static LLVMValueRef emit_call(struct widener *w, LLVMValueRef call, struct shape shape, int row, int vector)
{
    enum work work = widen_work(w, call);
    if (work == WORK_MATH)
        return emit_vector_math(w, call, row, vector);
    if (work != WORK_VECTOR)
        return emit_lane_by_lane(w, call, shape, !is_pure_call(call), row, vector);
    const struct elementwise *known = find_elementwise(LLVMGetIntrinsicID(LLVMGetCalledValue(call)));
    LLVMValueRef args[4];
    unsigned n = LLVMGetNumArgOperands(call);
    for (unsigned a = 0; a < n; a++)
        args[a] = known->scalars & 1u << a ? LLVMGetOperand(call, a) : get_vector(w, LLVMGetOperand(call, a), row, vector);
    LLVMTypeRef type = LLVMTypeOf(args[0]);
    LLVMValueRef result = call_intrinsic(w, known->name, &type, 1, args, n);
    if (LLVMCanValueUseFastMathFlags(call))
        LLVMSetFastMathFlags(result, LLVMGetFastMathFlags(call));
    return result;
}

/* ---- nodes ---- */

static void keep(struct widener *w, int number, int i, LLVMValueRef value)
{
    if (w->cache_node[number] != w->node + 1) {
        memset(w->cache[number], 0, sizeof w->cache[number]);
        w->cache_node[number] = w->node + 1;
    }
    w->cache[number][i] = value;
    if (w->crosses[number])
        LLVMBuildStore(w->builder, value, w->slots[number].value[i]);
}

static void emit_instruction(struct widener *w, LLVMValueRef i)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    if (opcode == LLVMAlloca || opcode == LLVMFence ||
        (opcode == LLVMCall && (cfg_is_barrier(i) || says_nothing(LLVMGetCalledValue(i)))))
        return;
    int number = number_of(w, i);
    struct shape shape = w->shapes->shapes[number];
    bool effect = opcode == LLVMStore || opcode == LLVMAtomicRMW || opcode == LLVMAtomicCmpXchg ||
                  (opcode == LLVMCall && !is_pure_call(i));
    int rows = effect ? w->block.rows : widen_rows(w, shape), vectors = effect ? w->block.vectors : widen_vectors(w, shape);
    for (int row = 0; row < rows; row++)
        for (int vector = 0; vector < vectors; vector++) {
            LLVMValueRef result;
            if (opcode == LLVMStore) {
                emit_store(w, i, row, vector);
                continue;
            }
            if (opcode == LLVMPHI) {
                int at = instance(w, row, vector);
                result = LLVMBuildLoad2(w->builder, widen_type(w, LLVMTypeOf(i), shape), w->slots[number].phi[at], "");
            } else if (opcode == LLVMLoad)
                result = emit_load(w, i, shape, row, vector);
            else if (opcode == LLVMCall)
                result = emit_call(w, i, shape, row, vector);
            else if (opcode == LLVMAtomicRMW)
                result = emit_atomic(w, i, shape, row, vector);
            else if (opcode == LLVMAtomicCmpXchg)
                result = emit_lane_by_lane(w, i, shape, true, row, vector);
            else
                result = emit_pure(w, i, shape, row, vector);
            if (LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind)
                keep(w, number, instance(w, row, vector), result);
        }
}

/* What comes into the phis of a node along an edge, one value per instance. */
struct incoming {
    int n;
    struct {
        LLVMValueRef slot, value;
        bool varying;
    } items[256];
};

/* Reads what goes along the edge. All is read before any is written: one phi may be the other's new value. */
static void read_phis(struct widener *w, int from, int to, struct incoming *incoming)
{
    const struct node *target = &w->cfg->nodes[to];
    incoming->n = 0;
    if (target->first != LLVMGetFirstInstruction(target->block) || w->cfg->nodes[from].barrier)
        return;
    for (LLVMValueRef phi = target->first; LLVMGetInstructionOpcode(phi) == LLVMPHI; phi = LLVMGetNextInstruction(phi)) {
        struct shape shape = shape_of(w->shapes, phi);
        LLVMValueRef source = NULL;
        for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
            if (LLVMGetIncomingBlock(phi, k) == w->cfg->nodes[from].block)
                source = LLVMGetIncomingValue(phi, k);
        for (int row = 0; row < widen_rows(w, shape); row++)
            for (int vector = 0; vector < widen_vectors(w, shape); vector++) {
                if (incoming->n == sizeof incoming->items / sizeof *incoming->items)
                    diag_defect(w->kernel->name, "too many values meet in one place");
                incoming->items[incoming->n].slot = w->slots[number_of(w, phi)].phi[instance(w, row, vector)];
                incoming->items[incoming->n].value = get_for(w, shape, source, row, vector);
                incoming->items[incoming->n++].varying = shape.kind == SHAPE_VARYING;
            }
    }
}

/* Leaves it in the phis; with `mask`, only for the lanes that go along the edge. */
static void write_phis(struct widener *w, const struct incoming *incoming, LLVMValueRef mask)
{
    for (int i = 0; i < incoming->n; i++) {
        LLVMValueRef value = incoming->items[i].value, slot = incoming->items[i].slot;
        if (mask) {
            LLVMValueRef old = LLVMBuildLoad2(w->builder, LLVMTypeOf(value), slot, "");
            value = LLVMBuildSelect(w->builder, incoming->items[i].varying ? mask : any(w, mask), value, old, "");
        }
        LLVMBuildStore(w->builder, value, slot);
    }
}

/* The mask that an edge's phis are written under: all lanes that are still in a loop take its only back edge. */
static LLVMValueRef edge_mask(const struct widener *w, int from, int to, LLVMValueRef mask)
{
    int n_back_edges = 0;
    for (int p = 0; p < w->cfg->nodes[to].n_pred; p++)
        n_back_edges += cfg_is_back_edge(w->cfg, w->cfg->nodes[to].pred[p], to);
    return cfg_is_back_edge(w->cfg, from, to) && n_back_edges == 1 ? NULL : mask;
}

static LLVMTypeRef mask_type(const struct widener *w)
{
    return LLVMVectorType(LLVMInt1TypeInContext(w->context), (unsigned)w->block.lanes);
}

/* The first node of the masked region that `node` is in, and the next one behind it; -1 behind the last. */
static int next_in_region(const struct widener *w, int node, int from)
{
    for (int at = from; at < w->cfg->n; at++)
        if (w->shapes->masked[at] && w->in_copy[at] && w->shapes->exit[at] == w->shapes->exit[node])
            return at;
    return -1;
}

static LLVMBasicBlockRef block_of_exit(const struct widener *w, int node, LLVMBasicBlockRef end)
{
    return w->shapes->exit[node] < w->cfg->n ? w->blocks[w->shapes->exit[node]] : end;
}

/* Goes on behind a masked node, or into its region: back to a header where lanes wait, else to the next node. */
static void go_on(struct widener *w, int node, LLVMBasicBlockRef end)
{
    for (int l = w->cfg->nodes[node].loop; l >= 0; l = w->cfg->loops[l].parent) {
        int header = w->cfg->loops[l].header;
        if (w->cfg->loops[l].last != node || !w->shapes->masked[header])
            continue;
        LLVMValueRef waiting = LLVMBuildLoad2(w->builder, mask_type(w), w->mask_slots[header], "");
        LLVMBasicBlockRef leave = LLVMAppendBasicBlockInContext(w->context, w->function, "loop.end");
        LLVMBuildCondBr(w->builder, any(w, waiting), w->bodies[header], leave);
        LLVMPositionBuilderAtEnd(w->builder, leave);
    }
    int next = next_in_region(w, node, node + 1);
    LLVMBuildBr(w->builder, next >= 0 ? w->blocks[next] : block_of_exit(w, node, end));
}

/* Adds `mask` to the lanes that wait for `node`. */
static void send(struct widener *w, int node, LLVMValueRef mask)
{
    if (!w->shapes->masked[node])
        return; /* the region's end: everybody comes */
    LLVMValueRef waiting = LLVMBuildLoad2(w->builder, mask_type(w), w->mask_slots[node], "");
    LLVMBuildStore(w->builder, LLVMBuildOr(w->builder, waiting, mask, ""), w->mask_slots[node]);
}

/* Empties the masks of the region of `node` when lanes come into it from outside. */
static int enter_region(struct widener *w, int node)
{
    int first = next_in_region(w, node, 0);
    for (int at = first; at >= 0; at = next_in_region(w, node, at + 1))
        LLVMBuildStore(w->builder, LLVMConstNull(mask_type(w)), w->mask_slots[at]);
    return first;
}

/* Follows an edge that all lanes take, from a node that is not masked. */
static void follow(struct widener *w, const struct incoming *incoming, int to)
{
    write_phis(w, incoming, NULL);
    if (!w->shapes->masked[to]) {
        LLVMBuildBr(w->builder, w->blocks[to]);
        return;
    }
    int first = enter_region(w, to);
    send(w, to, mask_or_all(w, w->base_mask));
    LLVMBuildBr(w->builder, w->blocks[first]);
}

static LLVMValueRef uniform_condition(struct widener *w, LLVMValueRef condition)
{
    LLVMValueRef value = get(w, condition, 0, 0);
    return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVectorTypeKind ? lane_of(w, value, 0) : value;
}

static void emit_branch(struct widener *w, int node, LLVMBasicBlockRef end)
{
    const struct node *n = &w->cfg->nodes[node];
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(n->block);
    bool masked = w->shapes->masked[node];
    struct incoming incoming[2];
    for (int s = 0; s < n->n_succ; s++)
        read_phis(w, node, n->succ[s], &incoming[s]);
    if (n->n_succ == 0) {
        if (masked)
            go_on(w, node, end);
        else if (LLVMGetInstructionOpcode(terminator) == LLVMUnreachable)
            LLVMBuildUnreachable(w->builder);
        else
            LLVMBuildBr(w->builder, end);
        return;
    }
    if (n->n_succ == 1) {
        if (!masked) {
            follow(w, &incoming[0], n->succ[0]);
            return;
        }
        write_phis(w, &incoming[0], edge_mask(w, node, n->succ[0], w->mask));
        send(w, n->succ[0], w->mask);
        go_on(w, node, end);
        return;
    }
    LLVMValueRef condition = LLVMGetCondition(terminator);
    /* succ[] follows the order of the terminator's successors unless both were one. */
    if (!masked && !w->shapes->divergent[node]) {
        LLVMBasicBlockRef sides[2];
        for (int s = 0; s < 2; s++)
            sides[s] = LLVMAppendBasicBlockInContext(w->context, w->function, "edge");
        /* Among the body's blocks: gdb takes every address range of an inlined function for a call of it. */
        for (int s = 0; s < 2; s++)
            LLVMMoveBasicBlockAfter(sides[s], LLVMGetInsertBlock(w->builder));
        LLVMBuildCondBr(w->builder, uniform_condition(w, condition), sides[0], sides[1]);
        for (int s = 0; s < 2; s++) {
            LLVMPositionBuilderAtEnd(w->builder, sides[s]);
            follow(w, &incoming[s], n->succ[s]);
        }
        return;
    }
    LLVMValueRef taken = get_vector(w, condition, 0, 0), mask = mask_or_all(w, w->mask);
    LLVMValueRef masks[] = {mask_and(w, mask, taken), mask_and(w, mask, LLVMBuildNot(w->builder, taken, ""))};
    for (int s = 0; s < 2; s++)
        write_phis(w, &incoming[s], edge_mask(w, node, n->succ[s], masks[s]));
    if (masked) {
        for (int s = 0; s < 2; s++)
            send(w, n->succ[s], masks[s]);
        go_on(w, node, end);
        return;
    }
    int inside = w->shapes->masked[n->succ[0]] ? n->succ[0] : n->succ[1];
    int first = enter_region(w, inside);
    for (int s = 0; s < 2; s++)
        send(w, n->succ[s], masks[s]);
    LLVMBuildBr(w->builder, w->blocks[first]);
}

static void emit_node(struct widener *w, int node, LLVMBasicBlockRef end, barrier_function *at_barrier, void *user)
{
    const struct node *n = &w->cfg->nodes[node];
    w->node = node;
    LLVMPositionBuilderAtEnd(w->builder, w->blocks[node]);
    LLVMSetCurrentDebugLocation2(w->builder, w->no_location);
    w->mask = w->base_mask;
    if (w->shapes->masked[node]) {
        LLVMBasicBlockRef skip = LLVMAppendBasicBlockInContext(w->context, w->function, "skip");
        LLVMValueRef waiting = LLVMBuildLoad2(w->builder, mask_type(w), w->mask_slots[node], "");
        w->bodies[node] = LLVMAppendBasicBlockInContext(w->context, w->function, "masked");
        LLVMBuildCondBr(w->builder, any(w, waiting), w->bodies[node], skip);
        LLVMPositionBuilderAtEnd(w->builder, skip);
        go_on(w, node, end);
        LLVMPositionBuilderAtEnd(w->builder, w->bodies[node]);
        w->mask = LLVMBuildLoad2(w->builder, mask_type(w), w->mask_slots[node], "");
        LLVMBuildStore(w->builder, LLVMConstNull(mask_type(w)), w->mask_slots[node]);
    }
    for (LLVMValueRef i = n->first; i != n->end; i = LLVMGetNextInstruction(i)) {
        LLVMMetadataRef location = LLVMInstructionGetDebugLoc(i);
        LLVMSetCurrentDebugLocation2(w->builder, location ? location : w->no_location);
        if (!LLVMIsATerminatorInst(i))
            emit_instruction(w, i);
    }
    if (!n->barrier)
        emit_branch(w, node, end);
    else if (at_barrier)
        at_barrier(user, n->succ[0]);
    else
        LLVMBuildBr(w->builder, w->blocks[n->succ[0]]);
}

/* What is blended into a phi must not hang on what the last block of threads left there. */
static void forget_phis(struct widener *w)
{
    for (int at = 0; at < w->cfg->n; at++)
        for (LLVMValueRef i = w->cfg->nodes[at].first; w->in_copy[at] && LLVMGetInstructionOpcode(i) == LLVMPHI; i = LLVMGetNextInstruction(i))
            for (int k = 0; k < w->block.rows * w->block.vectors; k++) {
                LLVMValueRef slot = w->slots[number_of(w, i)].phi[k];
                if (slot)
                    LLVMBuildStore(w->builder, LLVMGetPoison(LLVMGetAllocatedType(slot)), slot);
            }
}

void widen_nodes(struct widener *w, const bool *in_copy, int start, LLVMBasicBlockRef end, barrier_function *at_barrier,
                 void *user)
{
    w->in_copy = in_copy;
    for (int at = 0; at < w->cfg->n; at++)
        if (in_copy[at])
            w->blocks[at] = LLVMAppendBasicBlockInContext(w->context, w->function, LLVMGetBasicBlockName(w->cfg->nodes[at].block));
    memset(w->cache_node, 0, (size_t)w->shapes->n_values * sizeof(int));
    forget_phis(w);
    LLVMBuildBr(w->builder, w->blocks[start]);
    for (int at = 0; at < w->cfg->n; at++)
        if (in_copy[at])
            emit_node(w, at, end, at_barrier, user);
}

/* ---- slots ---- */

static int add_exact_uses(const struct widener *w, LLVMValueRef value, LLVMValueRef *uses, int n)
{
    if (shape_of(w->shapes, value).kind == SHAPE_UNIFORM || LLVMIsAArgument(value)) {
        if (n == MAX_USES)
            diag_defect(w->kernel->name, "too many operands: %s", LLVMPrintValueToString(value));
        uses[n++] = value;
        return n;
    }
    for (int i = 0; i < LLVMGetNumOperands(value); i++)
        n = add_exact_uses(w, LLVMGetOperand(value, (unsigned)i), uses, n);
    return n;
}

int widen_uses(const struct widener *w, LLVMValueRef instruction, LLVMValueRef *uses)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
    if ((opcode == LLVMSExt || opcode == LLVMZExt) && shape_of(w->shapes, instruction).kind == SHAPE_LINEAR)
        return add_exact_uses(w, LLVMGetOperand(instruction, 0), uses, 0);
    int n = LLVMGetNumOperands(instruction);
    if (n > MAX_USES)
        diag_defect(w->kernel->name, "too many operands: %s", LLVMPrintValueToString(instruction));
    for (int i = 0; i < n; i++)
        uses[i] = LLVMGetOperand(instruction, (unsigned)i);
    return n;
}

static void make_slots(struct widener *w, LLVMValueRef value, LLVMValueRef *slots, const char *name)
{
    struct shape shape = shape_of(w->shapes, value);
    for (int row = 0; row < widen_rows(w, shape); row++)
        for (int vector = 0; vector < widen_vectors(w, shape); vector++)
            slots[instance(w, row, vector)] = widen_slot(w, widen_type(w, LLVMTypeOf(value), shape), name);
}

void widen_begin(struct widener *w)
{
    int n = w->shapes->n_values;
    struct map *home = map_new();
    w->slots = arena_alloc((size_t)n * sizeof *w->slots);
    w->crosses = arena_alloc((size_t)n);
    w->recomputed = arena_alloc((size_t)n);
    w->cache = arena_alloc((size_t)n * sizeof *w->cache);
    w->cache_node = arena_alloc((size_t)n * sizeof(int));
    w->blocks = arena_alloc((size_t)w->cfg->n * sizeof *w->blocks);
    w->bodies = arena_alloc((size_t)w->cfg->n * sizeof *w->bodies);
    w->mask_slots = arena_alloc((size_t)w->cfg->n * sizeof *w->mask_slots);
    for (int at = 0; at < w->cfg->n; at++)
        for (LLVMValueRef i = w->cfg->nodes[at].first; i != w->cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
            map_set(home, i, at);
    for (int at = 0; at < w->cfg->n; at++) {
        if (w->shapes->masked[at])
            w->mask_slots[at] = widen_slot(w, mask_type(w), "mask");
        for (LLVMValueRef i = w->cfg->nodes[at].first; i != w->cfg->nodes[at].end; i = LLVMGetNextInstruction(i)) {
            bool is_phi = LLVMGetInstructionOpcode(i) == LLVMPHI;
            if (is_phi)
                make_slots(w, i, w->slots[number_of(w, i)].phi, "phi");
            LLVMValueRef uses[MAX_USES];
            int n_uses = widen_uses(w, i, uses);
            for (int o = 0; o < n_uses; o++) {
                LLVMValueRef operand = uses[o];
                if (!LLVMIsAInstruction(operand) || LLVMIsAAllocaInst(operand))
                    continue;
                int user = is_phi ? map_get(w->cfg->last_node, LLVMGetIncomingBlock(i, (unsigned)o)) : at, number = number_of(w, operand);
                if (number < 0 || map_get(home, operand) == user || w->crosses[number] || w->recomputed[number])
                    continue;
                if (w->recompute && is_cheap(w, operand, 4)) {
                    mark_recomputed(w, operand);
                    continue;
                }
                w->crosses[number] = true;
                make_slots(w, operand, w->slots[number].value, "slot");
            }
        }
    }
}

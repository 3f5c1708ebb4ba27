/* SPDX-License-Identifier: MIT
 *
 * Makes types and constants for lanes, and reads the instances of values where they are used. */
#include "widen/parts.h"

#include "kernel/calls.h"
#include "kernel/entry.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

int widen_number(const struct widener *w, LLVMValueRef value)
{
    return map_get(w->shapes->numbers, value);
}

const struct way *widen_way(const struct widener *w, LLVMValueRef instruction)
{
    return &w->ways[widen_number(w, instruction)];
}

int widen_instance(const struct widener *w, int row, int vector)
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

LLVMTypeRef widen_vector_type(const struct widener *w, LLVMTypeRef type)
{
    if (w->block.lanes == 1)
        return type;
    if (LLVMGetTypeKind(type) != LLVMStructTypeKind)
        return LLVMVectorType(type, (unsigned)w->block.lanes);
    unsigned n = LLVMCountStructElementTypes(type);
    LLVMTypeRef *members = arena_alloc((n + 1) * sizeof *members);
    for (unsigned i = 0; i < n; i++)
        members[i] = widen_vector_type(w, LLVMStructGetTypeAtIndex(type, i));
    return LLVMStructTypeInContext(w->context, members, n, false);
}

LLVMTypeRef widen_type(const struct widener *w, LLVMTypeRef type, struct shape shape)
{
    return shape.kind == SHAPE_VARYING ? widen_vector_type(w, type) : type;
}

LLVMValueRef widen_i32(const struct widener *w, long value)
{
    return LLVMConstInt(LLVMInt32TypeInContext(w->context), (unsigned long long)value, true);
}

LLVMValueRef widen_steps_of(LLVMTypeRef type, long step, int n)
{
    LLVMValueRef elements[64];
    for (int i = 0; i < n; i++)
        elements[i] = LLVMConstInt(type, (unsigned long long)(i * step), true);
    return LLVMConstVector(elements, (unsigned)n);
}

LLVMValueRef widen_steps(const struct widener *w, LLVMTypeRef type, long step)
{
    return widen_steps_of(type, step, w->block.lanes);
}

LLVMValueRef widen_splat_of(const struct widener *w, LLVMValueRef scalar, int n)
{
    if (LLVMIsConstant(scalar) && !LLVMIsAGlobalValue(scalar)) {
        LLVMValueRef elements[64];
        for (int i = 0; i < n; i++)
            elements[i] = scalar;
        return LLVMConstVector(elements, (unsigned)n);
    }
    LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(scalar), (unsigned)n);
    LLVMValueRef first = LLVMBuildInsertElement(w->builder, LLVMGetPoison(type), scalar, widen_i32(w, 0), "");
    LLVMTypeRef shuffle = LLVMVectorType(LLVMInt32TypeInContext(w->context), (unsigned)n);
    return LLVMBuildShuffleVector(w->builder, first, LLVMGetPoison(type), LLVMConstNull(shuffle), "");
}

LLVMValueRef widen_splat(const struct widener *w, LLVMValueRef scalar)
{
    return w->block.lanes == 1 ? scalar : widen_splat_of(w, scalar, w->block.lanes);
}

static LLVMValueRef all_on(const struct widener *w)
{
    return LLVMConstAllOnes(LLVMVectorType(LLVMInt1TypeInContext(w->context), (unsigned)w->block.lanes));
}

LLVMValueRef widen_intrinsic(const struct widener *w, const char *name, LLVMTypeRef *types, size_t n_types,
                             LLVMValueRef *args, unsigned n_args)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef callee = LLVMGetIntrinsicDeclaration(w->module, id, types, n_types);
    return LLVMBuildCall2(w->builder, LLVMGlobalGetValueType(callee), callee, args, n_args, "");
}

LLVMValueRef widen_any(const struct widener *w, LLVMValueRef mask)
{
    LLVMTypeRef type = LLVMTypeOf(mask);
    return widen_intrinsic(w, "llvm.vector.reduce.or", &type, 1, &mask, 1);
}

LLVMValueRef widen_all(const struct widener *w, LLVMValueRef mask)
{
    LLVMTypeRef type = LLVMTypeOf(mask);
    return widen_intrinsic(w, "llvm.vector.reduce.and", &type, 1, &mask, 1);
}

bool widen_is_vector(LLVMValueRef value)
{
    return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVectorTypeKind;
}

LLVMValueRef widen_mask_and(const struct widener *w, LLVMValueRef a, LLVMValueRef b)
{
    if (!a || !b)
        return a ? a : b;
    if (widen_is_vector(a) && !widen_is_vector(b))
        b = widen_splat(w, b);
    return LLVMBuildSelect(w->builder, a, b, LLVMConstNull(LLVMTypeOf(b)), "");
}

LLVMValueRef widen_read(const struct widener *w, LLVMValueRef slot)
{
    return slot ? LLVMBuildLoad2(w->builder, LLVMGetAllocatedType(slot), slot, "") : NULL;
}

bool widen_may_be_off(const struct widener *w)
{
    return w->mask || (shape_runs_predicated(w->shapes, w->node) && !w->is_whole);
}

LLVMValueRef widen_predicate(const struct widener *w, int row, int vector)
{
    LLVMValueRef slot = w->predicates[w->node][widen_instance(w, row, vector)];
    LLVMValueRef mask = widen_mask_and(w, w->base_mask, w->is_whole ? NULL : widen_read(w, slot));
    return mask && !widen_is_vector(mask) ? widen_splat(w, mask) : mask;
}

LLVMValueRef widen_mask_or_all(const struct widener *w, LLVMValueRef mask)
{
    return mask ? mask : all_on(w);
}

LLVMBasicBlockRef widen_block_here(const struct widener *w, const char *name)
{
    LLVMBasicBlockRef block = LLVMAppendBasicBlockInContext(w->context, w->function, name);
    LLVMMoveBasicBlockAfter(block, LLVMGetInsertBlock(w->builder)); /* for debuggers, as in emit_branch */
    return block;
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

/* ---- locations ---- */

/* A copy has a call site of its own, a column of the entry: a debugger sets one breakpoint per call of an inlined
 * function, and every copy needs one. */
LLVMMetadataRef widen_location(const struct widener *w, LLVMMetadataRef location)
{
    if (!location)
        return w->no_location;
    LLVMMetadataRef caller = LLVMDILocationGetInlinedAt(location);
    unsigned column = caller ? LLVMDILocationGetColumn(location) : w->copy;
    return LLVMDIBuilderCreateDebugLocation(w->context, LLVMDILocationGetLine(location), column,
                                            LLVMDILocationGetScope(location),
                                            caller ? widen_location(w, caller) : NULL);
}

/* ---- reading values ---- */

unsigned long long widen_tile_stride(LLVMTargetDataRef layout, LLVMValueRef variable)
{
    unsigned align = LLVMGetAlignment(variable);
    return (LLVMABISizeOfType(layout, LLVMGlobalGetValueType(variable)) + align - 1) / align * align;
}

/* Returns where the variable lies in the memory of the row's tile. */
static LLVMValueRef place_in_tile(struct widener *w, const struct tile_memory *memory, int row)
{
    int tile = w->block.tiles > 1 ? row / (w->block.rows / w->block.tiles) : 0;
    unsigned long long offset = (unsigned long long)tile * widen_tile_stride(w->layout, memory->variable);
    LLVMValueRef at = LLVMConstInt(LLVMInt64TypeInContext(w->context), offset, false);
    return tile ? LLVMBuildInBoundsGEP2(w->builder, LLVMInt8TypeInContext(w->context), memory->memory, &at, 1, "")
                : memory->memory;
}

static LLVMValueRef scalar_constant(struct widener *w, LLVMValueRef value, int row)
{
    for (int i = 0; i < w->n_tile_memory; i++)
        if (w->tile_memory[i].variable == value)
            return place_in_tile(w, &w->tile_memory[i], row);
    if (!LLVMIsAConstantExpr(value))
        return value;
    /* An address in a tile_static variable is no longer a constant. */
    int n = LLVMGetNumOperands(value);
    LLVMValueRef *operands = arena_alloc((size_t)n * sizeof *operands);
    bool changed = false;
    for (int i = 0; i < n; i++) {
        operands[i] = scalar_constant(w, LLVMGetOperand(value, (unsigned)i), row);
        changed |= operands[i] != LLVMGetOperand(value, (unsigned)i);
    }
    if (!changed)
        return value;
    switch (LLVMGetConstOpcode(value)) {
    case LLVMGetElementPtr:
        return LLVMBuildGEP2(w->builder, LLVMGetGEPSourceElementType(value), operands[0], operands + 1, (unsigned)n - 1,
                             "");
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMTrunc:
        return LLVMBuildCast(w->builder, LLVMGetConstOpcode(value), operands[0], LLVMTypeOf(value), "");
    case LLVMAdd:
    case LLVMSub:
    case LLVMXor:
        return LLVMBuildBinOp(w->builder, LLVMGetConstOpcode(value), operands[0], operands[1], "");
    default:
        diag_defect(w->kernel->name, "a constant expression over tile_static memory is not handled: %s",
                    LLVMPrintValueToString(value));
    }
}

/* A value is cheap if it is little arithmetic on the index and the arguments' addresses. */
bool widen_is_cheap(const struct widener *w, LLVMValueRef value, int depth)
{
    if (!LLVMIsAInstruction(value) || w->recomputed[widen_number(w, value)])
        return LLVMIsAArgument(value) || LLVMIsAConstantInt(value) || LLVMIsAGlobalVariable(value) ||
               LLVMIsAInstruction(value);
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMOr:
    case LLVMShl:
    case LLVMSExt:
    case LLVMZExt:
    case LLVMTrunc:
    case LLVMICmp:
    case LLVMGetElementPtr:
        for (int i = 0; i < LLVMGetNumOperands(value); i++)
            if (depth == 0 || !widen_is_cheap(w, LLVMGetOperand(value, (unsigned)i), depth - 1))
                return false;
        return true;
    default:
        return false;
    }
}

void widen_recompute(struct widener *w, LLVMValueRef value)
{
    if (!LLVMIsAInstruction(value) || w->recomputed[widen_number(w, value)])
        return;
    w->recomputed[widen_number(w, value)] = true;
    for (int i = 0; i < LLVMGetNumOperands(value); i++)
        widen_recompute(w, LLVMGetOperand(value, (unsigned)i));
}

LLVMValueRef widen_get(struct widener *w, LLVMValueRef value, int row, int vector)
{
    int number = widen_number(w, value);
    if (number < 0)
        return scalar_constant(w, value, row);
    struct shape shape = w->shapes->shapes[number];
    int i = widen_instance(w, shape.rows ? row : 0, shape.kind == SHAPE_UNIFORM ? 0 : vector);
    if (LLVMIsAArgument(value))
        return w->parameters[entry_param_number(value) * MAX_INSTANCES + i];
    if (calls_kind(value) == CALL_LANES)
        return LLVMConstInt(LLVMTypeOf(value), (unsigned long long)w->block.lanes, false);
    if (LLVMIsAAllocaInst(value))
        for (int p = 0;; p++)
            if (w->privates[p].variable == value)
                return w->privates[p].instances[widen_instance(w, row, vector)];
    if (w->cache_node[number] != w->node + 1) {
        memset(w->cache[number], 0, sizeof w->cache[number]);
        w->cache_node[number] = w->node + 1;
    }
    if (!w->cache[number][i] && w->recomputed[number]) {
        LLVMValueRef again = widen_instruction(w, value, row, vector);
        w->cache[number][i] = again;
    }
    if (!w->cache[number][i]) {
        if (!w->slots[number].value[i])
            diag_defect(w->kernel->name, "no slot for %s", LLVMPrintValueToString(value));
        w->cache[number][i] =
            LLVMBuildLoad2(w->builder, widen_type(w, LLVMTypeOf(value), shape), w->slots[number].value[i], "");
    }
    return w->cache[number][i];
}

LLVMValueRef widen_select(struct widener *w, LLVMValueRef mask, LLVMValueRef a, LLVMValueRef b)
{
    LLVMTypeRef type = LLVMTypeOf(a);
    if (LLVMGetTypeKind(type) != LLVMStructTypeKind)
        return LLVMBuildSelect(w->builder, mask, a, b, "");
    LLVMValueRef result = LLVMGetPoison(type);
    for (unsigned m = 0; m < LLVMCountStructElementTypes(type); m++) {
        LLVMValueRef member = widen_select(w, mask, LLVMBuildExtractValue(w->builder, a, m, ""),
                                           LLVMBuildExtractValue(w->builder, b, m, ""));
        result = LLVMBuildInsertValue(w->builder, result, member, m, "");
    }
    return result;
}

static LLVMValueRef splat_struct(struct widener *w, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMValueRef result = LLVMGetPoison(widen_vector_type(w, type));
    if (LLVMIsUndef(value))
        return result;
    for (unsigned m = 0; m < LLVMCountStructElementTypes(type); m++) {
        LLVMValueRef member = LLVMBuildExtractValue(w->builder, value, m, "");
        member = LLVMGetTypeKind(LLVMTypeOf(member)) == LLVMStructTypeKind ? splat_struct(w, member)
                                                                           : widen_splat(w, member);
        result = LLVMBuildInsertValue(w->builder, result, member, m, "");
    }
    return result;
}

LLVMValueRef widen_get_vector(struct widener *w, LLVMValueRef value, int row, int vector)
{
    struct shape shape = shape_of(w->shapes, value);
    LLVMValueRef result = widen_get(w, value, row, vector);
    if (shape.kind == SHAPE_VARYING || w->block.lanes == 1)
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

LLVMValueRef widen_get_for(struct widener *w, struct shape shape, LLVMValueRef value, int row, int vector)
{
    return shape.kind == SHAPE_VARYING ? widen_get_vector(w, value, row, vector) : widen_get(w, value, row, vector);
}

LLVMValueRef widen_lane(const struct widener *w, LLVMValueRef vector, int lane)
{
    return w->block.lanes == 1 ? vector : LLVMBuildExtractElement(w->builder, vector, widen_i32(w, lane), "");
}

LLVMValueRef widen_first_lane(const struct widener *w, LLVMValueRef vector)
{
    if (!w->mask || w->block.lanes == 1)
        return widen_lane(w, vector, 0);
    LLVMTypeRef bits = LLVMIntTypeInContext(w->context, (unsigned)w->block.lanes);
    LLVMValueRef args[] = {LLVMBuildBitCast(w->builder, w->mask, bits, ""),
                           LLVMConstInt(LLVMInt1TypeInContext(w->context), 1, false)};
    return LLVMBuildExtractElement(w->builder, vector, widen_intrinsic(w, "llvm.cttz", &bits, 1, args, 2), "");
}

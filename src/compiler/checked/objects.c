/* SPDX-License-Identifier: MIT
 *
 * Finds the object that a pointer points into. The language has no pointers in memory, so once variables are SSA values
 * every pointer leads back to the variables that it may point into; where it may be one of several, the object goes the
 * same way as the pointer. */
#include "base/map.h"
#include "checked/checked.h"
#include "kernel/entry.h"
#include "kernel/ir.h"

#include <llvm-c/DebugInfo.h>

static LLVMValueRef object_of(struct checking *c, LLVMValueRef pointer);

static bool is_step(LLVMValueRef value)
{
    return LLVMIsAGetElementPtrInst(value) || LLVMIsAFreezeInst(value) || LLVMIsACastInst(value) ||
           (LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == LLVMGetElementPtr);
}

static void keep(struct checking *c, LLVMValueRef pointer, LLVMValueRef object)
{
    map_set(c->numbers, pointer, c->n_found);
    c->found[c->n_found++] = object;
}

/* Makes a phi of objects for one of pointers. */
static LLVMValueRef object_of_phi(struct checking *c, LLVMValueRef pointer)
{
    unsigned n = LLVMCountIncoming(pointer);
    LLVMPositionBuilderBefore(c->builder, pointer);
    LLVMValueRef phi = LLVMBuildPhi(c->builder, c->pointer, "");
    keep(c, pointer, phi);
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef value = object_of(c, LLVMGetIncomingValue(pointer, i));
        LLVMBasicBlockRef block = LLVMGetIncomingBlock(pointer, i);
        LLVMAddIncoming(phi, &value, &block, 1);
    }
    return phi;
}

static LLVMValueRef object_of_select(struct checking *c, LLVMValueRef pointer)
{
    LLVMValueRef yes = object_of(c, LLVMGetOperand(pointer, 1)), no = object_of(c, LLVMGetOperand(pointer, 2));
    LLVMPositionBuilderBefore(c->builder, pointer);
    LLVMValueRef object = LLVMBuildSelect(c->builder, LLVMGetOperand(pointer, 0), yes, no, "");
    keep(c, pointer, object);
    return object;
}

static LLVMValueRef tile_object(const struct checking *c, LLVMValueRef global)
{
    int first = c->n_objects - c->n_tile_variables;
    for (int t = 0; t < c->n_tile_variables; t++)
        if (c->tile_variables[t] == global)
            return table_object(c, first + t);
    return c->nothing;
}

static LLVMValueRef constant_object(struct checking *c, LLVMValueRef global)
{
    LLVMValueRef object = table_constant_object(c, global);
    keep(c, global, object);
    return object;
}

static LLVMValueRef object_of(struct checking *c, LLVMValueRef pointer)
{
    while (is_step(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    int number = map_get(c->numbers, pointer);
    if (number >= 0)
        return c->found[number];
    if (LLVMIsAPHINode(pointer))
        return object_of_phi(c, pointer);
    if (LLVMIsASelectInst(pointer))
        return object_of_select(c, pointer);
    const struct param *param = LLVMIsALoadInst(pointer) ? entry_argument(c->kernel, LLVMGetOperand(pointer, 0)) : NULL;
    if (param && param->kind == PARAM_ARRAY)
        return table_object(c, c->object_of_param[param - c->kernel->params]);
    if (ir_is_in_tile_memory(pointer))
        return tile_object(c, pointer);
    if (LLVMIsAGlobalVariable(pointer) && LLVMIsGlobalConstant(pointer))
        return constant_object(c, pointer);
    return LLVMIsUndef(pointer) || LLVMIsAConstantPointerNull(pointer) ? c->nothing : c->anything;
}

/* Notes the objects of local variables. */
static void take_locals(struct checking *c)
{
    for (LLVMUseRef use = LLVMGetFirstUse(c->note_local); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef call = LLVMGetUser(use);
        if (LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)) == c->entry)
            keep(c, LLVMGetOperand(call, 0), LLVMGetOperand(call, 1));
    }
}

/* Removes the calls of a function from the entry, after it has replaced their results. */
static void drop_calls(struct checking *c, LLVMValueRef function)
{
    for (LLVMUseRef use = LLVMGetFirstUse(function), next; use; use = next) {
        LLVMValueRef call = LLVMGetUser(use);
        next = LLVMGetNextUse(use);
        if (LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)) != c->entry)
            continue;
        if (function == c->find_object)
            LLVMReplaceAllUsesWith(call, object_of(c, LLVMGetOperand(call, 0)));
        LLVMInstructionEraseFromParent(call);
    }
}

void objects_resolve(struct checking *c)
{
    int n = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(c->entry); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            n++;
    for (LLVMValueRef g = LLVMGetFirstGlobal(c->module); g; g = LLVMGetNextGlobal(g))
        n++;
    c->numbers = map_new();
    c->found = arena_alloc((size_t)n * sizeof *c->found);
    c->n_found = 0;
    LLVMSetCurrentDebugLocation2(c->builder, NULL);
    take_locals(c);
    drop_calls(c, c->find_object);
    drop_calls(c, c->note_local);
}

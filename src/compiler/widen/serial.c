/* SPDX-License-Identifier: MIT
 *
 * Emits a loop over the lanes that are on. Its body is a copy of the node's instructions, which are those of one
 * thread, and what comes from other nodes is taken from the lane. Unlike what `widen_for_each_lane` makes of a single
 * instruction, there is one copy for all lanes, and nothing comes back. */
#include "widen/serial.h"

#include "kernel/calls.h"
#include "kernel/entry.h"
#include "kernel/ir.h"
#include "kernel/origin.h"
#include "kernel/variant.h"
#include "widen/parts.h"

#include <llvm-c/DebugInfo.h>

/* A function of the math library would give a lane alone another result than all lanes together. */
static bool can_copy(const struct kernel *k, const struct body *body, LLVMValueRef i)
{
    unsigned operand;
    if (LLVMIsACallInst(i))
        return calls_is_pure(i) && plan_way(body, i)->work != WORK_MATH;
    if (!ir_accessed_type(i, &operand))
        return !LLVMIsAPHINode(i) && !LLVMIsAAllocaInst(i) && !LLVMIsAFenceInst(i);
    LLVMValueRef address = LLVMGetOperand(i, operand);
    bool is_plain = (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) && !LLVMGetVolatile(i) &&
                    LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic;
    return is_plain && (entry_is_argument(address) || origin_of(k, address).kinds == ORIGIN_ARRAY);
}

bool serial_can(const struct kernel *kernel, const struct body *body, int node)
{
    const struct node *n = &body->shapes->cfg->nodes[node];
    struct map *inside = map_new();
    for (LLVMValueRef i = n->first; i != n->end && !LLVMIsATerminatorInst(i); i = LLVMGetNextInstruction(i))
        map_set(inside, i, 1);
    if (n->loop >= 0 || body->block.rows > 1 || body->block.vectors > 1)
        return false;
    for (LLVMValueRef i = n->first; i != n->end && !LLVMIsATerminatorInst(i); i = LLVMGetNextInstruction(i)) {
        for (int o = 0; o < LLVMGetNumOperands(i); o++)
            if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(i, (unsigned)o))) == LLVMStructTypeKind)
                return false;
        for (LLVMUseRef use = LLVMGetFirstUse(i); use; use = LLVMGetNextUse(use))
            if (map_get(inside, LLVMGetUser(use)) < 0)
                return false;
        if (!can_copy(kernel, body, i))
            return false;
    }
    return true;
}

/* Lists what a node uses of other nodes. */
static int list_used(const struct widener *w, const struct node *n, LLVMValueRef *used)
{
    int n_used = 0;
    struct map *seen = map_new();
    for (LLVMValueRef i = n->first; i != n->end && !LLVMIsATerminatorInst(i); i = LLVMGetNextInstruction(i))
        for (int o = 0; o < LLVMGetNumOperands(i); o++) {
            LLVMValueRef value = LLVMGetOperand(i, (unsigned)o);
            bool is_number = LLVMIsAConstantInt(value) || LLVMIsAConstantFP(value);
            if (LLVMIsAFunction(value) || is_number || map_get(w->node_of, value) == w->node ||
                map_get(seen, value) >= 0)
                continue;
            map_set(seen, value, 1);
            used[n_used++] = value;
        }
    return n_used;
}

/* Returns a lane's element of a value, of which `instance` is what all lanes have. */
static LLVMValueRef of_lane(const struct widener *w, LLVMValueRef value, LLVMValueRef instance, LLVMValueRef lane)
{
    struct shape shape = shape_of(w->shapes, value);
    if (shape.kind == SHAPE_VARYING)
        return LLVMBuildExtractElement(w->builder, instance, lane, "");
    if (shape.kind == SHAPE_UNIFORM)
        return instance;
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMValueRef stride = LLVMConstInt(LLVMTypeOf(lane), (unsigned long long)shape.stride, true);
    LLVMValueRef farther = LLVMBuildMul(w->builder, lane, stride, "");
    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
        return LLVMBuildGEP2(w->builder, LLVMInt8TypeInContext(w->context), instance, &farther, 1, "");
    return LLVMBuildAdd(w->builder, instance, LLVMBuildIntCast2(w->builder, farther, type, true, ""), "");
}

/* Adds a copy of an instruction, whose operands' places others take. */
static void copy(const struct widener *w, struct variant *v, LLVMValueRef i)
{
    LLVMValueRef new = LLVMInstructionClone(i);
    for (int o = 0; o < LLVMGetNumOperands(i); o++)
        LLVMSetOperand(new, (unsigned)o, variant_of(v, LLVMGetOperand(i, (unsigned)o)));
    LLVMInsertIntoBuilder(w->builder, new);
    LLVMInstructionSetDebugLoc(new, widen_location(w, LLVMInstructionGetDebugLoc(i)));
    variant_stand_for(v, i, new);
}

void serial_emit(struct widener *w, int node, LLVMValueRef mask)
{
    const struct node *n = &w->cfg->nodes[node];
    LLVMBuilderRef b = w->builder;
    size_t most = 0;
    for (LLVMValueRef i = n->first; i != n->end; i = LLVMGetNextInstruction(i))
        most += 1 + (size_t)LLVMGetNumOperands(i);
    struct variant v = {w->cfg->function, w->function, map_new(), arena_alloc(most * sizeof *v.values), 0};
    LLVMValueRef *used = arena_alloc(most * sizeof *used), *instances = arena_alloc(most * sizeof *instances);
    int n_used = list_used(w, n, used);
    for (int u = 0; u < n_used; u++)
        instances[u] = widen_get(w, used[u], 0, 0);
    LLVMTypeRef i64 = LLVMInt64TypeInContext(w->context), i1 = LLVMInt1TypeInContext(w->context);
    LLVMValueRef all = LLVMBuildBitCast(b, mask, LLVMIntTypeInContext(w->context, (unsigned)w->block.lanes), "");
    all = LLVMBuildIntCast2(b, all, i64, false, "");
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b), each = widen_block_here(w, "each"),
                      done = widen_block_here(w, "done");
    LLVMBuildBr(b, each);

    LLVMPositionBuilderAtEnd(b, each);
    LLVMValueRef left = LLVMBuildPhi(b, i64, "left"), one = LLVMConstInt(i64, 1, false);
    LLVMValueRef lane = widen_intrinsic(w, "llvm.cttz", &i64, 1, (LLVMValueRef[]){left, LLVMConstInt(i1, 1, false)}, 2);
    for (int u = 0; u < n_used; u++)
        variant_stand_for(&v, used[u], of_lane(w, used[u], instances[u], lane));
    for (LLVMValueRef i = n->first; i != n->end && !LLVMIsATerminatorInst(i); i = LLVMGetNextInstruction(i))
        copy(w, &v, i);
    LLVMSetCurrentDebugLocation2(b, w->no_location);
    LLVMValueRef rest = LLVMBuildAnd(b, left, LLVMBuildSub(b, left, one, ""), "");
    LLVMBuildCondBr(b, LLVMBuildIsNotNull(b, rest, ""), each, done);
    LLVMAddIncoming(left, (LLVMValueRef[]){all, rest}, (LLVMBasicBlockRef[]){before, each}, 2);
    LLVMPositionBuilderAtEnd(b, done);
}

/* SPDX-License-Identifier: MIT
 *
 * Lets kernels tell the runtime where control goes: to barriers, fences and amp_abort, around loops, which may run
 * forever, and out of the kernel, because a thread that has left reaches no barrier. */
#include "base/map.h"
#include "checked/checked.h"
#include "driver/driver.h"
#include "kernel/calls.h"
#include "kernel/ir.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

/* ---- calls ---- */

/* Calls a function of the runtime. */
static void call_runtime(struct checking *c, const char *name, LLVMValueRef *args, unsigned n)
{
    LLVMTypeRef types[2];
    for (unsigned i = 0; i < n; i++)
        types[i] = LLVMTypeOf(args[i]);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(c->context), types, n, false);
    LLVMValueRef function = LLVMGetNamedFunction(c->module, name);
    if (!function)
        function = LLVMAddFunction(c->module, name, type);
    LLVMBuildCall2(c->builder, type, function, args, n, "");
}

static void position_before(struct checking *c, LLVMValueRef instruction)
{
    LLVMPositionBuilderBefore(c->builder, instruction);
    LLVMSetCurrentDebugLocation2(c->builder, LLVMInstructionGetDebugLoc(instruction));
}

/* Replaces a call by one of a function of the runtime. */
static void replace(struct checking *c, LLVMValueRef call, const char *name, LLVMValueRef *args, unsigned n)
{
    position_before(c, call);
    call_runtime(c, name, args, n);
    LLVMInstructionEraseFromParent(call);
}

/* Which memory a barrier or fence orders: 1 for arrays, 2 for tile_static variables. */
static LLVMValueRef orders(const struct checking *c, LLVMValueRef call)
{
    const char *name = LLVMGetValueName(LLVMGetCalledValue(call));
    return LLVMConstInt(c->i32, strstr(name, "global") ? 1 : strstr(name, "tile_static") ? 2 : 3, false);
}

static void lower(struct checking *c, LLVMValueRef i)
{
    LLVMValueRef args[2];
    switch (calls_kind(i)) {
    case CALL_BARRIER:
        args[0] = table_site(c, i, USE_READ);
        args[1] = orders(c, i);
        replace(c, i, "amp__check_barrier", args, 2);
        break;
    case CALL_ABORT:
        args[0] = LLVMGetOperand(i, 0);
        replace(c, i, "amp__check_abort", args, 1);
        break;
    case CALL_FENCE:
    case CALL_TILE_FENCE:
        args[0] = orders(c, i);
        replace(c, i, "amp__check_fence", args, 1);
        break;
    default:
        break;
    }
}

/* An atomic operation may see that other threads have passed their fences. */
static void note_observation(struct checking *c, LLVMValueRef i)
{
    if (!LLVMIsAAtomicRMWInst(i) && !LLVMIsAAtomicCmpXchgInst(i))
        return;
    position_before(c, LLVMGetNextInstruction(i));
    call_runtime(c, "amp__check_observe", NULL, 0);
}

/* clang's checks of arithmetic do not say in which function they are. */
static void note_helper(struct checking *c, LLVMValueRef i)
{
    LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
    if (!callee || !LLVMIsAFunction(callee) || !LLVMIsDeclaration(callee) ||
        !has_prefix(LLVMGetValueName(callee), "amp__check_"))
        return;
    LLVMValueRef name = table_text(c, ir_source_name(c->function));
    position_before(c, i);
    call_runtime(c, "amp__check_helper", &name, 1);
}

static bool has_fences(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (calls_of_function(f)->kind == CALL_FENCE || calls_of_function(f)->kind == CALL_TILE_FENCE)
            return true;
    return false;
}

/* ---- loops ---- */

enum { UNSEEN = -1, OPEN, DONE };

/* Makes the variable that counts turns of a function's loops. */
static LLVMValueRef make_turns(struct checking *c)
{
    LLVMPositionBuilderBefore(c->builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(c->function)));
    LLVMSetCurrentDebugLocation2(c->builder, NULL);
    LLVMValueRef turns = LLVMBuildAlloca(c->builder, c->i32, "");
    table_call(c, "amp__check_begin_turns", &turns, 1);
    return turns;
}

/* Puts a call before each jump back to a basic block that is still open in a walk over the function. */
static void note_loops(struct checking *c, LLVMBasicBlockRef block, LLVMValueRef turns, struct map *states)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    bool jumps_back = false;
    map_set(states, block, OPEN);
    for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++) {
        LLVMBasicBlockRef next = LLVMGetSuccessor(end, i);
        if (map_get(states, next) == UNSEEN)
            note_loops(c, next, turns, states);
        else
            jumps_back = jumps_back || map_get(states, next) == OPEN;
    }
    map_set(states, block, DONE);
    if (!jumps_back)
        return;
    LLVMValueRef args[] = {turns, table_site(c, end, USE_READ)};
    position_before(c, end);
    table_call(c, "amp__check_turn", args, 2);
}

/* ---- returns ---- */

/* Whether an instruction begins a `return`: clang jumps to a basic block of that name, or notes that it will. */
static bool is_return(LLVMValueRef i)
{
    if (LLVMIsAStoreInst(i))
        return has_prefix(LLVMGetValueName(LLVMGetOperand(i, 1)), "cleanup.dest.slot") &&
               LLVMIsAConstantInt(LLVMGetOperand(i, 0)) && LLVMConstIntGetZExtValue(LLVMGetOperand(i, 0)) == 1;
    return LLVMIsABranchInst(i) && !LLVMIsConditional(i) &&
           has_prefix(LLVMGetBasicBlockName(LLVMGetSuccessor(i, 0)), "return");
}

/* A kernel returns at its end, unless it says otherwise. */
static void note_returns(struct checking *c)
{
    LLVMPositionBuilderBefore(c->builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(c->function)));
    LLVMSetCurrentDebugLocation2(c->builder, NULL);
    LLVMValueRef end = LLVMBuildAlloca(c->builder, c->i32, ""), first = LLVMGetNextInstruction(end);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(c->function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            if (!is_return(i) && !LLVMIsAReturnInst(i))
                continue;
            position_before(c, LLVMIsAReturnInst(i) ? first : i);
            LLVMBuildStore(c->builder, table_site(c, LLVMGetBasicBlockTerminator(b), USE_READ), end);
            if (!LLVMIsAReturnInst(i))
                continue;
            position_before(c, i);
            LLVMValueRef site = LLVMBuildLoad2(c->builder, c->i32, end, "");
            call_runtime(c, "amp__check_returns", &site, 1);
        }
}

void control_note(struct checking *c)
{
    bool observes = has_fences(c->module);
    if (c->kernel && c->kernel->tiled)
        note_returns(c);
    note_loops(c, LLVMGetEntryBasicBlock(c->function), make_turns(c), map_new());
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(c->function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (observes)
                note_observation(c, i);
            if (!c->kernel)
                note_helper(c, i);
            lower(c, i);
        }
}

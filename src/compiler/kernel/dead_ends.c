/* SPDX-License-Identifier: MIT
 *
 * Gives control a way on after calls that do not return. clang sees
 *
 *     if (x < 0)
 *         amp_abort("negative");
 *     amp_tile_barrier_wait(t.barrier);
 *
 * as a branch whose sides never meet again, so the barrier would seem to depend on a condition, and lanes would never
 * be together again. Nothing comes back from the call, so control may go anywhere after it: it goes to the first basic
 * block that all threads reach which do not make the call, the nearest one that post-dominates the branches around the
 * call, as if the call returned.
 *
 * Needs: functions as clang leaves them, before anything is inlined, so that a helper's calls stay in the helper.
 * Breaks: nothing. LLVM knows that the intrinsics that trap do not return, and would end the path there again, so they
 * are put into a function. */
#include "kernel/dead_ends.h"

#include "ampcc.h"
#include "base/map.h"
#include "kernel/calls.h"
#include "kernel/ir.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

struct graph {
    int n;
    LLVMBasicBlockRef *blocks;
    struct map *numbers;
    bool *returns;    /* by basic block: some path from here reaches the end of the function */
    bool **followers; /* by basic block: those that every such path passes, including itself */
};

/* Returns the call before `unreachable` at the end of a basic block; NULL if the basic block ends otherwise. */
static LLVMValueRef last_call(LLVMBasicBlockRef block)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block), call = LLVMGetPreviousInstruction(end);
    if (!LLVMIsAUnreachableInst(end) || !call || calls_kind(call) == CALL_NONE)
        return NULL;
    return calls_kind(call) == CALL_TRAP || !LLVMGetIntrinsicID(LLVMGetCalledValue(call)) ? call : NULL;
}

static const char trap_name[] = "amp__trap";

/* Returns the function that traps. LLVM sees that it does not return only after control flow is settled. */
static LLVMValueRef trap_function(LLVMModuleRef module)
{
    LLVMValueRef function = LLVMGetNamedFunction(module, trap_name);
    if (function)
        return function;
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, false);
    function = LLVMAddFunction(module, trap_name, type);
    LLVMSetLinkage(function, LLVMInternalLinkage);
    ir_add_attribute(function, IR_FUNCTION, "noinline");
    ir_add_attribute(function, IR_FUNCTION, "nounwind");
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, function, ""));
    ir_call_intrinsic(builder, calls_name(CALL_TRAP), NULL, 0);
    LLVMBuildUnreachable(builder);
    LLVMDisposeBuilder(builder);
    return function;
}

static int successor(const struct graph *g, int at, unsigned i)
{
    return map_get(g->numbers, LLVMGetSuccessor(LLVMGetBasicBlockTerminator(g->blocks[at]), i));
}

static unsigned count_successors(const struct graph *g, int at)
{
    return LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(g->blocks[at]));
}

static void find_followers(struct graph *g)
{
    for (int at = 0; at < g->n; at++) {
        g->returns[at] = LLVMIsAReturnInst(LLVMGetBasicBlockTerminator(g->blocks[at])) != NULL;
        g->followers[at] = arena_alloc((size_t)g->n);
        memset(g->followers[at], !g->returns[at], (size_t)g->n);
        g->followers[at][at] = true;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int at = g->n - 1; at >= 0; at--)
            for (unsigned s = 0; s < count_successors(g, at); s++) {
                int to = successor(g, at, s);
                if (!g->returns[to])
                    continue;
                changed |= !g->returns[at];
                g->returns[at] = true;
                for (int x = 0; x < g->n; x++) {
                    bool follows = x == at || (g->followers[at][x] && g->followers[to][x]);
                    changed |= follows != g->followers[at][x];
                    g->followers[at][x] = follows;
                }
            }
    }
}

static int count_followers(const struct graph *g, int at)
{
    int n = 0;
    for (int x = 0; x < g->n; x++)
        n += g->followers[at][x];
    return n;
}

/* Returns the basic block that all threads reach which do not reach the dead end `end`; -1 if there is none. */
static int find_meeting(const struct graph *g, int end)
{
    /* 1. Find the basic blocks that lead only to dead ends, and to this one. */
    bool *leads = arena_alloc((size_t)g->n), *common = arena_alloc((size_t)g->n), any = false;
    leads[end] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (int at = 0; at < g->n; at++)
            for (unsigned s = 0; s < count_successors(g, at) && !leads[at] && !g->returns[at]; s++)
                changed |= leads[at] = leads[successor(g, at, s)];
    }
    /* 2. Find what follows all branches that could have gone there, and choose the first of it. */
    memset(common, true, (size_t)g->n);
    for (int at = 0; at < g->n; at++)
        for (unsigned s = 0; s < count_successors(g, at) && g->returns[at]; s++)
            if (leads[successor(g, at, s)]) {
                any = true;
                for (int x = 0; x < g->n; x++)
                    common[x] &= x != at && g->followers[at][x];
            }
    int first = -1, most = 0;
    for (int x = 0; x < g->n && any; x++)
        if (common[x] && g->returns[x] && count_followers(g, x) > most) {
            first = x;
            most = count_followers(g, x);
        }
    return first;
}

/* Gives each branch to a shared trap a trap of its own: what follows it may then be nearer, and may use values that
 * were computed between the branches. */
static void split_traps(LLVMValueRef function, LLVMBuilderRef builder)
{
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef call = last_call(block);
        if (!call || call != LLVMGetFirstInstruction(block) || calls_kind(call) != CALL_TRAP)
            continue;
        bool is_first = true;
        for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)), next; use; use = next) {
            LLVMValueRef branch = LLVMGetUser(use);
            next = LLVMGetNextUse(use);
            for (unsigned s = 0; s < LLVMGetNumSuccessors(branch) && !is_first; s++) {
                if (LLVMGetSuccessor(branch, s) != block)
                    continue;
                LLVMBasicBlockRef copy =
                    LLVMAppendBasicBlockInContext(LLVMGetTypeContext(LLVMTypeOf(function)), function, "");
                LLVMPositionBuilderAtEnd(builder, copy);
                LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(branch)); /* the call gets it, too */
                LLVMInsertIntoBuilder(builder, LLVMInstructionClone(call));
                LLVMBuildUnreachable(builder);
                LLVMSetSuccessor(branch, s, copy);
                break;
            }
            is_first = false;
        }
    }
}

static void add_poison(LLVMBasicBlockRef block, LLVMBasicBlockRef from)
{
    for (LLVMValueRef phi = LLVMGetFirstInstruction(block); LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
        LLVMValueRef poison = LLVMGetPoison(LLVMTypeOf(phi));
        LLVMAddIncoming(phi, &poison, &from, 1);
    }
}

static void join(LLVMValueRef function, LLVMBuilderRef builder)
{
    split_traps(function, builder);
    struct graph g = {.n = (int)LLVMCountBasicBlocks(function), .numbers = map_new()};
    int n_ends = 0;
    g.blocks = arena_alloc((size_t)g.n * sizeof *g.blocks);
    LLVMGetBasicBlocks(function, g.blocks);
    for (int at = 0; at < g.n; at++) {
        map_set(g.numbers, g.blocks[at], at);
        n_ends += last_call(g.blocks[at]) != NULL;
    }
    if (n_ends == 0)
        return;
    g.returns = arena_alloc((size_t)g.n);
    g.followers = arena_alloc((size_t)g.n * sizeof *g.followers);
    find_followers(&g);
    int *meetings = arena_alloc((size_t)g.n * sizeof(int));
    for (int at = 0; at < g.n; at++)
        meetings[at] = last_call(g.blocks[at]) ? find_meeting(&g, at) : -1;

    unsigned noreturn = LLVMGetEnumAttributeKindForName("noreturn", 8);
    for (int at = 0; at < g.n; at++) {
        LLVMValueRef call = last_call(g.blocks[at]), end = LLVMGetBasicBlockTerminator(g.blocks[at]);
        if (!call)
            continue;
        if (calls_kind(call) == CALL_TRAP) {
            LLVMPositionBuilderBefore(builder, call);
            LLVMValueRef trap = trap_function(LLVMGetGlobalParent(function));
            LLVMValueRef new_call = LLVMBuildCall2(builder, LLVMGlobalGetValueType(trap), trap, NULL, 0, "");
            LLVMInstructionSetDebugLoc(new_call, LLVMInstructionGetDebugLoc(call));
            LLVMInstructionEraseFromParent(call);
            call = new_call;
        }
        LLVMRemoveCallSiteEnumAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, noreturn);
        LLVMRemoveEnumAttributeAtIndex(LLVMGetCalledValue(call), (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                       noreturn);
        LLVMPositionBuilderBefore(builder, end);
        LLVMTypeRef result = LLVMGetReturnType(LLVMGlobalGetValueType(function));
        if (meetings[at] >= 0) {
            LLVMBuildBr(builder, g.blocks[meetings[at]]);
            add_poison(g.blocks[meetings[at]], g.blocks[at]);
        } else if (LLVMGetTypeKind(result) == LLVMVoidTypeKind)
            LLVMBuildRetVoid(builder);
        else
            LLVMBuildRet(builder, LLVMGetPoison(result));
        LLVMInstructionEraseFromParent(end);
    }
}

void dead_ends_join(LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && strcmp(LLVMGetValueName(f), trap_name) != 0)
            join(f, builder);
    LLVMDisposeBuilder(builder);
}

/* SPDX-License-Identifier: MIT
 *
 * Lets neighbouring threads of a kernel without tiles run a loop together, turn by turn, so that they share the lines
 * of the caches that they read:
 *
 *     for (int k = 0; k < W; k++)
 *         sum += a[row][k] * b[k][col];     16 threads read one line of b, and the same element of a
 *     c[row][col] = sum;                    one thread after another
 *
 * A new function runs the threads from the kernel's beginning to the end of the loop, and keeps what the loop hands
 * out. Each thread then begins as always, and takes that when it comes to the loop. The function has no effect: where
 * something is to be reported or recorded, or takes long, it gives up, and the threads run the loop one by one. So
 * it is made only for a loop that computes, loads from arrays that nobody writes, and ends for all these threads in the
 * same turn. In each turn it has the code of all threads; that of one is
 *
 *     header ... last     with one way out, from either, besides those where it gives up
 *
 * needs   entries into which everything is inlined, with the checks
 * keeps   nothing
 * breaks  nothing */
#include "base/map.h"
#include "checked/checked.h"
#include "driver/driver.h"
#include "kernel/calls.h"
#include "kernel/cfg.h"
#include "kernel/entry.h"
#include "kernel/ir.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

enum {
    THREADS = 16,            /* AMP__CHECK_TOGETHER of src/abi/checked.h, as the next is AMP__CHECK_KEPT */
    MOST_KEPT = 8,           /* values that a loop hands out */
    KEPT_BYTES = 8,          /* of each */
    MOST_INSTRUCTIONS = 160, /* of the loop */
    VARYING = 2              /* how a value differs between a thread and the next: 0, 1, or anything else */
};

struct ahead {
    struct checking *c;
    const struct cfg *cfg;
    int header, last, exiting; /* nodes of the loop */
    LLVMBasicBlockRef after;   /* where the loop leads to */
    bool *is_run;              /* by nodes: of the loop and those before it, without those where it gives up */
    struct map *same;          /* the phis of the header that are the same for all threads */

    LLVMValueRef function;
    LLVMBasicBlockRef give_up, done;
    LLVMBasicBlockRef *blocks[THREADS]; /* the threads' code, by nodes */
    LLVMValueRef *values[THREADS];      /* the threads' values, by numbers */
    struct map *numbers;
    int n_values;
};

static bool is_in_loop(const struct ahead *a, int node)
{
    return a->header <= node && node <= a->last;
}

static int node_of(const struct ahead *a, LLVMBasicBlockRef block)
{
    return map_get(a->cfg->first_node, block);
}

static bool is_run_block(const struct ahead *a, LLVMBasicBlockRef block)
{
    int node = node_of(a, block);
    return node >= 0 && a->is_run[node];
}

static LLVMValueRef next_phi(LLVMValueRef phi)
{
    LLVMValueRef next = LLVMGetNextInstruction(phi);
    return LLVMIsAPHINode(next) ? next : NULL;
}

static LLVMValueRef first_phi(LLVMBasicBlockRef block)
{
    LLVMValueRef first = LLVMGetFirstInstruction(block);
    return LLVMIsAPHINode(first) ? first : NULL;
}

/* ---- whether it pays and may be done ---- */

bool ahead_has_no_effect(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMStore:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMFence:
    case LLVMAlloca:
    case LLVMVAArg:
    case LLVMInvoke:
    case LLVMSwitch:
    case LLVMRet:
    case LLVMUnreachable:
        return false;
    case LLVMLoad:
        return !LLVMGetVolatile(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic;
    case LLVMCall:
        return calls_is_pure(i);
    default:
        return true;
    }
}

/* Whether a node is one that checks reach rarely: it calls the library. */
static bool is_rare(const struct node *node)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(node->block); i; i = LLVMGetNextInstruction(i)) {
        LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
        const char *name = callee && LLVMIsAFunction(callee) ? LLVMGetValueName(callee) : "";
        if (has_prefix(name, "amp__check_") || has_prefix(name, "check_"))
            return true;
    }
    return false;
}

/* Returns the only value that a phi has in the nodes that are run; NULL if there are several. */
static LLVMValueRef only_value(const struct ahead *a, LLVMValueRef phi)
{
    LLVMValueRef value = NULL;
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        if (!is_run_block(a, LLVMGetIncomingBlock(phi, k)))
            continue;
        if (value)
            return NULL;
        value = LLVMGetIncomingValue(phi, k);
    }
    return value;
}

static int step_of(const struct ahead *a, LLVMValueRef value, int depth);

static int step_of_sum(const struct ahead *a, LLVMValueRef i, int depth)
{
    int left = step_of(a, LLVMGetOperand(i, 0), depth), right = step_of(a, LLVMGetOperand(i, 1), depth);
    return left != VARYING && right != VARYING && left + right < VARYING ? left + right : VARYING;
}

/* The greatest step of an instruction's operands, where nothing is known about how they are combined. */
static int step_of_others(const struct ahead *a, LLVMValueRef i, int depth)
{
    for (unsigned o = 0; o < (unsigned)LLVMGetNumOperands(i); o++)
        if (step_of(a, LLVMGetOperand(i, o), depth) != 0)
            return VARYING;
    return 0;
}

static int step_of_call(const struct ahead *a, LLVMValueRef i, int depth)
{
    if (!calls_is_pure(i))
        return VARYING;
    if (table_calls(i, "llvm.sadd.with.overflow.i32") || table_calls(i, "llvm.sadd.with.overflow.i64"))
        return step_of_sum(a, i, depth);
    for (unsigned o = 0; o < LLVMGetNumArgOperands(i); o++)
        if (step_of(a, LLVMGetOperand(i, o), depth) != 0)
            return VARYING;
    return 0;
}

/* How much greater a value is for the next thread. For pointers that is in elements. */
static int step_of(const struct ahead *a, LLVMValueRef value, int depth)
{
    enum { DEEPEST = 12 };
    LLVMValueRef other;
    if (LLVMIsAArgument(value))
        return entry_param(a->c->kernel, entry_param_number(value)).dimension == MAX_TILE_RANK - 1 &&
               entry_param_number(value) > 0;
    if (!LLVMIsAInstruction(value))
        return 0;
    if (depth == DEEPEST)
        return VARYING;
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMPHI:
        if (LLVMGetInstructionParent(value) == a->cfg->nodes[a->header].block)
            return map_get(a->same, value) > 0 ? 0 : VARYING;
        other = only_value(a, value);
        return other ? step_of(a, other, depth + 1) : VARYING;
    case LLVMSExt:
    case LLVMZExt:
        return step_of(a, LLVMGetOperand(value, 0), depth + 1);
    case LLVMExtractValue:
        return LLVMGetIndices(value)[0] == 0 ? step_of(a, LLVMGetOperand(value, 0), depth + 1)
                                             : step_of_others(a, value, depth + 1);
    case LLVMAdd:
    case LLVMGetElementPtr:
        return LLVMGetNumOperands(value) == 2 ? step_of_sum(a, value, depth + 1) : step_of_others(a, value, depth + 1);
    case LLVMCall:
        return step_of_call(a, value, depth + 1);
    case LLVMAlloca:
    case LLVMFreeze:
        return VARYING;
    default:
        return ahead_has_no_effect(value) ? step_of_others(a, value, depth + 1) : VARYING;
    }
}

/* Finds the phis of the header that are the same for all threads: all, but those that get something else. */
static void find_same_phis(struct ahead *a)
{
    a->same = map_new();
    LLVMValueRef first = first_phi(a->cfg->nodes[a->header].block);
    for (LLVMValueRef phi = first; phi; phi = next_phi(phi))
        map_set(a->same, phi, true);
    for (bool changed = true; changed;) {
        changed = false;
        for (LLVMValueRef phi = first; phi; phi = next_phi(phi))
            for (unsigned k = 0; k < LLVMCountIncoming(phi) && map_get(a->same, phi) > 0; k++)
                if (step_of(a, LLVMGetIncomingValue(phi, k), 0) != 0) {
                    map_set(a->same, phi, false);
                    changed = true;
                }
    }
}

/* Finds the nodes that are run: those from which the loop's last node is reached without an effect. Returns false if an
 * effect is not rare. */
static bool find_run(struct ahead *a)
{
    bool is_pure = true;
    int n = 0;
    a->is_run = arena_alloc((size_t)a->cfg->n * sizeof *a->is_run);
    memset(a->is_run, 0, (size_t)a->cfg->n * sizeof *a->is_run);
    for (int i = a->last; i >= 0; i--) {
        const struct node *node = &a->cfg->nodes[i];
        bool runs = i == a->last, has_effect = false;
        for (int s = 0; s < node->n_succ; s++)
            runs = runs || (node->succ[s] > i && node->succ[s] <= a->last && a->is_run[node->succ[s]]);
        for (LLVMValueRef k = LLVMGetFirstInstruction(node->block); k && runs; k = LLVMGetNextInstruction(k)) {
            has_effect = has_effect || !ahead_has_no_effect(k);
            n += i >= a->header;
        }
        is_pure = is_pure && (!runs || !has_effect || is_rare(node));
        a->is_run[i] = runs && !has_effect;
    }
    return is_pure && n <= MOST_INSTRUCTIONS && a->is_run[a->last] && a->is_run[a->header] && a->is_run[0];
}

/* Finds the way out of the loop. Returns false if there is none, or several. */
static bool find_exit(struct ahead *a)
{
    a->exiting = -1;
    for (int i = a->header; i <= a->last; i++)
        for (int s = 0; s < a->cfg->nodes[i].n_succ && a->is_run[i]; s++) {
            int to = a->cfg->nodes[i].succ[s];
            if (is_in_loop(a, to) || is_rare(&a->cfg->nodes[to]))
                continue;
            if (a->exiting >= 0 || (i != a->header && i != a->last))
                return false;
            a->exiting = i;
            a->after = a->cfg->nodes[to].block;
        }
    return a->exiting >= 0 &&
           step_of(a, LLVMGetCondition(LLVMGetBasicBlockTerminator(a->cfg->nodes[a->exiting].block)), 0) == 0;
}

/* Whether the loop hands out only what is known where it is left. */
static bool can_keep_results(const struct ahead *a)
{
    int n = 0;
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(a->c->module);
    for (LLVMValueRef phi = first_phi(a->after); phi; phi = next_phi(phi)) {
        LLVMValueRef value = LLVMGetIncomingValue(phi, 0);
        bool is_of_header = LLVMIsAPHINode(value) && LLVMGetInstructionParent(value) == a->cfg->nodes[a->header].block;
        if (LLVMCountIncoming(phi) != 1 || !ir_is_element(LLVMTypeOf(phi)) ||
            LLVMStoreSizeOfType(layout, LLVMTypeOf(phi)) > KEPT_BYTES || n++ == MOST_KEPT)
            return false;
        if (a->exiting != a->last && LLVMIsAInstruction(value) && !is_of_header &&
            is_in_loop(a, node_of(a, LLVMGetInstructionParent(value))))
            return false;
    }
    return n > 0;
}

/* Whether a node's only predecessor outside of the loop leads nowhere else. */
static bool has_preheader(const struct ahead *a)
{
    const struct node *header = &a->cfg->nodes[a->header];
    int n = 0;
    bool is_alone = true;
    for (int p = 0; p < header->n_pred; p++) {
        bool is_before = header->pred[p] < a->header;
        n += is_before;
        is_alone = is_alone && (is_before ? a->cfg->nodes[header->pred[p]].n_succ == 1 : header->pred[p] == a->last);
    }
    return n == 1 && is_alone && header->n_pred == 2;
}

/* Whether neighbouring threads load elements side by side, each turn others. */
static bool shares_lines(const struct ahead *a)
{
    for (int i = a->header; i <= a->last; i++)
        for (LLVMValueRef k = LLVMGetFirstInstruction(a->cfg->nodes[i].block); k && a->is_run[i];
             k = LLVMGetNextInstruction(k)) {
            LLVMValueRef pointer = LLVMIsALoadInst(k) ? LLVMGetOperand(k, 0) : NULL;
            LLVMTargetDataRef layout = LLVMGetModuleDataLayout(a->c->module);
            if (pointer && LLVMIsAGetElementPtrInst(pointer) && step_of(a, pointer, 0) == 1 &&
                LLVMABISizeOfType(layout, LLVMGetGEPSourceElementType(pointer)) ==
                    LLVMABISizeOfType(layout, LLVMTypeOf(k)))
                return true;
        }
    return false;
}

bool ahead_is_plain(LLVMValueRef entry)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(entry); b; b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
        if (!LLVMIsABranchInst(end) && !LLVMIsAReturnInst(end) && !LLVMIsAUnreachableInst(end))
            return false;
    }
    return true;
}

/* Takes the only loop that is run. Returns false if there are others. */
static bool choose_loop(struct ahead *a)
{
    const struct loop *first = NULL;
    for (int l = 0; l < a->cfg->n_loops; l++)
        if (!first || a->cfg->loops[l].header < first->header)
            first = &a->cfg->loops[l];
    if (!first)
        return false;
    a->header = first->header;
    a->last = first->last;
    for (int l = 0; l < a->cfg->n_loops; l++)
        if (&a->cfg->loops[l] != first && a->cfg->loops[l].header <= first->last)
            return false;
    return has_preheader(a);
}

/* ---- the code ---- */

static LLVMValueRef copy_of(const struct ahead *a, int thread, LLVMValueRef value)
{
    int number = map_get(a->numbers, value);
    return number < 0 ? value : a->values[thread][number];
}

static void set_copy(struct ahead *a, int thread, LLVMValueRef value, LLVMValueRef copy)
{
    a->values[thread][map_get(a->numbers, value)] = copy;
}

static void number_values(struct ahead *a)
{
    a->numbers = map_new();
    for (unsigned p = 0; p < LLVMCountParams(a->c->entry); p++)
        map_set(a->numbers, LLVMGetParam(a->c->entry, p), a->n_values++);
    for (int i = 0; i <= a->last; i++)
        for (LLVMValueRef k = LLVMGetFirstInstruction(a->cfg->nodes[i].block); k && a->is_run[i];
             k = LLVMGetNextInstruction(k))
            map_set(a->numbers, k, a->n_values++);
    for (int t = 0; t < THREADS; t++)
        a->values[t] = arena_alloc((size_t)a->n_values * sizeof *a->values[t]);
}

static LLVMBasicBlockRef new_block(const struct ahead *a)
{
    return LLVMAppendBasicBlockInContext(a->c->context, a->function, "");
}

/* Makes the threads' parameters of the entry from the arguments and the first thread's place. */
static void begin(struct ahead *a)
{
    struct checking *c = a->c;
    for (int p = 0; p < entry_n_params(c->kernel); p++) {
        struct entry_param param = entry_param(c->kernel, p);
        bool is_block = param.meaning == ENTRY_ARGUMENTS, is_last = param.dimension == MAX_TILE_RANK - 1;
        LLVMValueRef at = LLVMConstInt(c->i64, (unsigned)param.dimension, false), place = NULL;
        if (!is_block)
            place = LLVMBuildLoad2(c->builder, c->i32,
                                   LLVMBuildGEP2(c->builder, c->i32, LLVMGetParam(a->function, 1), &at, 1, ""), "");
        for (int t = 0; t < THREADS; t++) {
            LLVMValueRef number = LLVMConstInt(c->i32, (unsigned)t, false);
            struct entry_thread thread = {.args = LLVMGetParam(a->function, 0)};
            if (!is_block)
                thread.place = is_last ? LLVMBuildNSWAdd(c->builder, place, number, "") : place;
            set_copy(a, t, LLVMGetParam(c->entry, (unsigned)p), entry_value(c->builder, c->kernel, &param, &thread));
        }
    }
    LLVMBuildBr(c->builder, a->blocks[0][0]);
}

/* Makes the phis of the loop's header, for all threads in the first one's. */
static void begin_loop(struct ahead *a)
{
    LLVMPositionBuilderAtEnd(a->c->builder, a->blocks[0][a->header]);
    for (LLVMValueRef phi = first_phi(a->cfg->nodes[a->header].block); phi; phi = next_phi(phi))
        for (int t = 0; t < THREADS; t++)
            set_copy(a, t, phi,
                     t > 0 && map_get(a->same, phi) > 0 ? copy_of(a, 0, phi)
                                                        : LLVMBuildPhi(a->c->builder, LLVMTypeOf(phi), ""));
}

/* Lets the loop go on with what the last turn gave. */
static void end_loop(struct ahead *a)
{
    int before = a->cfg->nodes[a->header].pred[0] == a->last ? a->cfg->nodes[a->header].pred[1]
                                                             : a->cfg->nodes[a->header].pred[0];
    for (LLVMValueRef phi = first_phi(a->cfg->nodes[a->header].block); phi; phi = next_phi(phi))
        for (int t = 0; t < THREADS; t++)
            for (unsigned k = 0; k < 2 && (t == 0 || map_get(a->same, phi) <= 0); k++) {
                int from = node_of(a, LLVMGetIncomingBlock(phi, k)) == a->last ? a->last : before;
                LLVMValueRef value = copy_of(a, t, LLVMGetIncomingValue(phi, k));
                LLVMAddIncoming(copy_of(a, t, phi), &value, &a->blocks[THREADS - 1][from], 1);
            }
}

static void copy_phi(struct ahead *a, int thread, LLVMValueRef phi)
{
    LLVMValueRef only = only_value(a, phi);
    LLVMValueRef copy = only ? copy_of(a, thread, only) : LLVMBuildPhi(a->c->builder, LLVMTypeOf(phi), "");
    for (unsigned k = 0; k < LLVMCountIncoming(phi) && !only; k++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, k);
        LLVMValueRef value = copy_of(a, thread, LLVMGetIncomingValue(phi, k));
        if (is_run_block(a, from))
            LLVMAddIncoming(copy, &value, &a->blocks[thread][node_of(a, from)], 1);
    }
    set_copy(a, thread, phi, copy);
}

static void copy_instruction(struct ahead *a, int thread, LLVMValueRef i)
{
    LLVMValueRef copy = LLVMInstructionClone(i);
    LLVMInstructionSetDebugLoc(copy, NULL);
    LLVMInsertIntoBuilder(a->c->builder, copy);
    for (unsigned o = 0; o < (unsigned)LLVMGetNumOperands(i); o++)
        LLVMSetOperand(copy, o, copy_of(a, thread, LLVMGetOperand(i, o)));
    set_copy(a, thread, i, copy);
}

/* Where a thread goes from a node to another: from the end of its part of a turn to the next thread's. */
static LLVMBasicBlockRef target_of(const struct ahead *a, int thread, int from, LLVMBasicBlockRef block)
{
    int to = node_of(a, block), next = (thread + 1) % THREADS;
    if (from == a->exiting && block == a->after)
        return a->done;
    if (to == a->header)
        return from == a->last ? a->blocks[next][to] : a->blocks[next][next > 0 ? 0 : to];
    return to <= a->last && a->is_run[to] ? a->blocks[thread][to] : a->give_up;
}

/* Ends a node's copy. One thread decides for all whether the loop ends: the first one that comes to where it may. */
static void copy_end(struct ahead *a, int thread, int node)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(a->cfg->nodes[node].block);
    LLVMBasicBlockRef to[2] = {NULL, NULL};
    for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++)
        to[s] = target_of(a, thread, node, LLVMGetSuccessor(end, s));
    bool decides = thread == (a->exiting == a->last ? THREADS - 1 : 0);
    if (node == a->exiting && !decides)
        LLVMBuildBr(a->c->builder, to[to[0] == a->done]);
    else if (to[1])
        LLVMBuildCondBr(a->c->builder, copy_of(a, thread, LLVMGetCondition(end)), to[0], to[1]);
    else
        LLVMBuildBr(a->c->builder, to[0]);
}

static void copy_node(struct ahead *a, int thread, int node)
{
    LLVMBasicBlockRef block = a->cfg->nodes[node].block;
    LLVMPositionBuilderAtEnd(a->c->builder, a->blocks[thread][node]);
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != LLVMGetBasicBlockTerminator(block);
         i = LLVMGetNextInstruction(i))
        if (!LLVMIsAPHINode(i))
            copy_instruction(a, thread, i);
        else if (node != a->header)
            copy_phi(a, thread, i);
    copy_end(a, thread, node);
}

/* Returns where a value is kept that the loop hands out. */
static LLVMValueRef kept_at(const struct ahead *a, LLVMValueRef kept, int value, int thread)
{
    LLVMValueRef at = LLVMConstInt(a->c->i64, (unsigned)(value * THREADS + thread), false);
    return LLVMBuildInBoundsGEP2(a->c->builder, a->c->i64, kept, &at, 1, "");
}

/* Makes the function, which returns whether it came to the end of the loop. */
static void make_function(struct ahead *a)
{
    struct checking *c = a->c;
    LLVMSetCurrentDebugLocation2(c->builder, NULL);
    LLVMBasicBlockRef first = LLVMAppendBasicBlockInContext(c->context, a->function, "");
    number_values(a);
    a->give_up = new_block(a);
    a->done = new_block(a);
    for (int t = 0; t < THREADS; t++) {
        a->blocks[t] = arena_alloc((size_t)a->cfg->n * sizeof *a->blocks[t]);
        for (int i = 0; i <= a->last; i++)
            a->blocks[t][i] = a->is_run[i] ? new_block(a) : NULL;
    }
    LLVMPositionBuilderAtEnd(c->builder, first);
    begin(a);
    begin_loop(a);
    for (int t = 0; t < THREADS; t++)
        for (int i = 0; i <= a->last; i++)
            if (a->is_run[i])
                copy_node(a, t, i);
    end_loop(a);
    LLVMPositionBuilderAtEnd(c->builder, a->give_up);
    LLVMBuildRet(c->builder, LLVMConstInt(c->i32, 0, false));
    LLVMPositionBuilderAtEnd(c->builder, a->done);
    int value = 0;
    for (LLVMValueRef phi = first_phi(a->after); phi; phi = next_phi(phi), value++)
        for (int t = 0; t < THREADS; t++)
            LLVMBuildStore(c->builder, copy_of(a, t, LLVMGetIncomingValue(phi, 0)),
                           kept_at(a, LLVMGetParam(a->function, 2), value, t));
    LLVMBuildRet(c->builder, LLVMConstInt(c->i32, 1, false));
}

/* Lets the entry take what the loop handed out, if it has run ahead. */
static void take_kept(struct ahead *a)
{
    struct checking *c = a->c;
    const struct node *header = &a->cfg->nodes[a->header];
    LLVMValueRef now = LLVMGetNamedGlobal(c->module, "amp__check_now");
    LLVMTypeRef type = LLVMGlobalGetValueType(now);
    LLVMBasicBlockRef take = LLVMAppendBasicBlockInContext(c->context, c->entry, "");
    LLVMValueRef jump = LLVMGetBasicBlockTerminator(a->cfg->nodes[header->pred[header->pred[0] == a->last]].block);
    LLVMPositionBuilderBefore(c->builder, jump);
    LLVMValueRef field = LLVMBuildStructGEP2(c->builder, type, now, LLVMCountStructElementTypes(type) - 2, "");
    LLVMValueRef kept = LLVMBuildLoad2(c->builder, c->pointer, field, "");
    LLVMBuildCondBr(c->builder, LLVMBuildIsNull(c->builder, kept, ""), header->block, take);
    LLVMInstructionEraseFromParent(jump);
    LLVMPositionBuilderAtEnd(c->builder, take);
    int value = 0;
    for (LLVMValueRef phi = first_phi(a->after); phi; phi = next_phi(phi), value++) {
        LLVMValueRef taken = LLVMBuildLoad2(c->builder, LLVMTypeOf(phi), kept_at(a, kept, value, 0), "");
        LLVMAddIncoming(phi, &taken, &take, 1);
    }
    LLVMBuildBr(c->builder, a->after);
}

/* ---- all kernels ---- */

static const char *name_of(LLVMValueRef entry)
{
    return arena_printf("%s.ahead", LLVMGetValueName(entry));
}

/* A debugger could not stop in such a loop. */
static bool is_wanted(const struct checking *c)
{
    return c->unit->options->opt_level > 0 && !c->unit->options->debug;
}

LLVMValueRef ahead_declare(struct checking *c)
{
    LLVMTypeRef params[] = {c->pointer, c->pointer, c->pointer};
    if (c->kernel->tiled || !is_wanted(c))
        return LLVMConstNull(c->pointer);
    return LLVMAddFunction(c->module, name_of(c->entry), LLVMFunctionType(c->i32, params, 3, false));
}

static bool make(struct ahead *a)
{
    if (!ahead_is_plain(a->c->entry) || !(a->cfg = cfg_build(a->c->entry)) || !choose_loop(a) || !find_run(a))
        return false;
    find_same_phis(a);
    if (!find_exit(a) || !can_keep_results(a) || !shares_lines(a))
        return false;
    make_function(a);
    take_kept(a);
    return true;
}

void ahead_make(struct checking *c)
{
    if (!is_wanted(c))
        return;
    ir_run_passes(c->module, c->image->machine,
                  "function(simplifycfg,loop-simplify,loop(loop-deletion),simplifycfg,loop-simplify,lcssa)");
    for (int k = 0; k < c->unit->n_kernels; k++) {
        c->kernel = &c->unit->kernels[k];
        c->entry = LLVMGetNamedFunction(c->module, c->kernel->entry);
        struct ahead ahead = {.c = c, .function = LLVMGetNamedFunction(c->module, name_of(c->entry))};
        if (!ahead.function)
            continue;
        LLVMSetLinkage(ahead.function, LLVMInternalLinkage);
        if (make(&ahead))
            continue;
        LLVMReplaceAllUsesWith(ahead.function, LLVMConstNull(c->pointer));
        LLVMDeleteFunction(ahead.function);
    }
}

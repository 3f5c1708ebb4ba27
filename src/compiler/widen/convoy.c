/* SPDX-License-Identifier: MIT
 *
 * Programs written for GPUs let all threads stride over an array together:
 *
 *     for (int i = idx[0]; i < n; i += n_threads)
 *         sum += a[i];
 *
 * A block that runs the loop to its end reads a piece from each of many pages, as far apart as caches like least: it
 * takes up to nine times as long as reading in order. So the blocks of a convoy, which are neighbours, go through the
 * loop together, and in each iteration read what lies side by side. In a tiled kernel a convoy consists of tiles.
 *
 * The pass copies the entry and, in the copy, lets the counter of the convoy's first thread decide for all of them. No
 * other counter is less, so this thread leaves the loop last; threads that are done before it do nothing. Each
 * iteration ends with a call that counts as a barrier, and regions.c does the rest:
 *
 *     if (i0 < n)                    first = i of the convoy's first thread;  if (first < n)
 *         do {                           do {
 *             body                           i = first + (i0 - its);  if (i < n) body
 *             i += step;                     first += step;  amp__together();
 *         } while (i < n);               } while (first < n);
 *
 * turns.c then lets a block do some iterations before the next one's turn, and `lanes` makes both forms. At run time
 * the second one is used if the array is large, the steps are long, and nothing can wrap around. A loop down columns
 * (columns.c), which all threads run equally often, only gets the call.
 *
 * needs   a prepared entry
 * keeps   it; the copy is another function */
#include "widen/convoy.h"

#include "kernel/entry.h"
#include "kernel/ir.h"
#include "kernel/origin.h"
#include "kernel/variant.h"
#include "widen/turns.h"
#include "widen/widen.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

enum {
    LEAST_LIMIT = 1 << 16,  /* elements: fewer stay in the cache, */
    LEAST_STEP = 1 << 10,   /* and these lie near each other */
    FARTHEST = 1 << 24,     /* more than a counter is ahead of the first thread's */
    MOST_FACTOR = 16,       /* by which the counter may grow from thread to thread */
    MOST_THREADS = 1 << 17, /* of a convoy, */
    MOST_BACK = 1 << 8,     /* and if a row should still be in the first cache when the next one reads it; */
    MOST_BYTES = 1 << 18    /* that they keep from one turn to the next, and that the memory of their tiles takes */
};

/* ---- the loop ---- */

/* A value that grows by the same from thread to thread: base + of_index * index, or, in a tile, base + of_tile * tile +
 * of_index * place. */
struct growth {
    long base, of_index, of_tile;
};

static bool add_growth(struct growth *to, struct growth other, long times)
{
    to->base += times * other.base;
    to->of_index += times * other.of_index;
    to->of_tile += times * other.of_tile;
    return true;
}

static bool find_growth(const struct kernel *k, LLVMValueRef value, long times, int depth, struct growth *growth)
{
    enum { MOST = 1 << 16 };
    if (times > MOST || depth == 0)
        return false;
    if (LLVMIsAConstantInt(value)) {
        long long constant = LLVMConstIntGetSExtValue(value);
        return constant >= 0 && constant <= MOST && add_growth(growth, (struct growth){.base = constant}, times);
    }
    if (LLVMIsAArgument(value)) {
        struct entry_param param = entry_param(k, entry_param_number(value));
        long size = k->tiled ? k->tile[0] : 0;
        switch (param.meaning) {
        case ENTRY_GLOBAL:
            return add_growth(growth, (struct growth){.of_index = 1, .of_tile = size}, times);
        case ENTRY_LOCAL:
            return add_growth(growth, (struct growth){.of_index = 1}, times);
        case ENTRY_TILE:
            return add_growth(growth, (struct growth){.of_tile = 1}, times);
        case ENTRY_ORIGIN:
            return add_growth(growth, (struct growth){.of_tile = size}, times);
        default:
            return false;
        }
    }
    if (!LLVMIsAInstruction(value))
        return false;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    if (opcode == LLVMOr && LLVMGetIsDisjoint(value))
        opcode = LLVMAdd;
    LLVMValueRef left = LLVMGetOperand(value, 0);
    if (opcode == LLVMSExt || opcode == LLVMZExt)
        return find_growth(k, left, times, depth - 1, growth);
    bool is_wide = LLVMGetIntTypeWidth(LLVMTypeOf(value)) >= 64; /* what grows from ints by MOST does not wrap around */
    if ((opcode != LLVMAdd && opcode != LLVMMul && opcode != LLVMShl) ||
        (!is_wide && LLVMGetInstructionOpcode(value) != LLVMOr && !LLVMGetNSW(value)))
        return false;
    LLVMValueRef right = LLVMGetOperand(value, 1);
    if (opcode == LLVMAdd)
        return find_growth(k, left, times, depth - 1, growth) && find_growth(k, right, times, depth - 1, growth);
    long long constant = LLVMIsAConstantInt(right) ? LLVMConstIntGetSExtValue(right) : -1;
    if (constant < 0 || constant > MOST || (opcode == LLVMShl && constant > 16))
        return false;
    return find_growth(k, left, times * (opcode == LLVMMul ? constant : 1L << constant), depth - 1, growth);
}

/* Whether a value grows, slowly, with the thread's index. */
static bool grows(const struct kernel *k, LLVMValueRef value, struct growth *growth)
{
    enum { DEPTH = 8 };
    *growth = (struct growth){0};
    if (!find_growth(k, value, 1, DEPTH, growth) || growth->of_index < 1 || growth->of_index > MOST_FACTOR)
        return false;
    return growth->of_tile <= MOST_FACTOR * (k->tiled ? k->tile[0] : 0);
}

/* The parts of such a loop, in the kernel's own entry. */
struct stride {
    int loop;
    LLVMBasicBlockRef guard, before, header, latch, exit, after; /* `guard` goes to `before` or to `after` */
    LLVMValueRef counter, start, step, limit;
    LLVMValueRef guard_limit; /* the limit as the guard compares it with the start: perhaps another type */
    LLVMValueRef test;        /* the comparison of the counter with the limit */
    struct growth growth;     /* of the start */
    bool is_unsigned;
};

/* Whether two values are the same as far as convoys run. How one is extended makes no difference then: starts are not
 * negative, nor are limits (convoy_pays). */
static bool is_same(LLVMValueRef a, LLVMValueRef b)
{
    if (LLVMIsAConstantInt(a) && LLVMIsAConstantInt(b))
        return LLVMConstIntGetSExtValue(a) == LLVMConstIntGetSExtValue(b);
    return ir_without_extension(a) == ir_without_extension(b);
}

/* Whether a branch goes to `inside` exactly if a value is less than another. */
static bool is_less_branch(LLVMValueRef branch, LLVMBasicBlockRef inside, LLVMValueRef *value, LLVMValueRef *limit,
                           bool *is_unsigned)
{
    LLVMValueRef test = LLVMIsABranchInst(branch) && LLVMIsConditional(branch) ? LLVMGetCondition(branch) : NULL;
    if (!test || !LLVMIsAICmpInst(test) || LLVMGetSuccessor(branch, 0) != inside ||
        LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(test, 0))) != LLVMIntegerTypeKind ||
        LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(test, 0))) > 64)
        return false;
    LLVMIntPredicate predicate = LLVMGetICmpPredicate(test);
    bool is_swapped = predicate == LLVMIntSGT || predicate == LLVMIntUGT;
    *is_unsigned = predicate == LLVMIntULT || predicate == LLVMIntUGT;
    *value = LLVMGetOperand(test, is_swapped);
    *limit = LLVMGetOperand(test, !is_swapped);
    return is_swapped || predicate == LLVMIntSLT || predicate == LLVMIntULT;
}

/* Whether a value is known before the kernel runs, and stands before the loop. */
static bool is_before(const struct stride *s, const struct cfg *cfg, LLVMValueRef value)
{
    LLVMBasicBlockRef block = LLVMIsAInstruction(value) ? LLVMGetInstructionParent(value) : NULL;
    return variant_is_known(value) &&
           !(block && cfg_in_loop(cfg, map_get(cfg->first_node, LLVMBasicBlockAsValue(block)), s->loop));
}

/* Finds how the loop counts: its counter is the phi to which something known is added for the comparison at its end. */
static bool find_counter(struct stride *s, LLVMValueRef next)
{
    if (!LLVMIsAInstruction(next) || LLVMGetInstructionOpcode(next) != LLVMAdd)
        return false;
    for (unsigned o = 0; o < 2; o++) {
        LLVMValueRef phi = LLVMGetOperand(next, o);
        if (!LLVMIsAPHINode(phi) || LLVMGetInstructionParent(phi) != s->header || LLVMCountIncoming(phi) != 2)
            continue;
        unsigned back = LLVMGetIncomingBlock(phi, 0) == s->latch ? 0 : 1;
        s->counter = phi;
        s->step = LLVMGetOperand(next, 1 - o);
        s->start = LLVMGetIncomingValue(phi, 1 - back);
        s->before = LLVMGetIncomingBlock(phi, 1 - back);
        return LLVMGetIncomingValue(phi, back) == next;
    }
    return false;
}

/* Whether something in a block may run for all threads of a convoy if it runs for the first one. What can fault must do
 * the same for all of them. */
static bool may_run_for_all(const struct shapes *shapes, LLVMValueRef i)
{
    if (LLVMIsATerminatorInst(i))
        return !LLVMIsConditional(i);
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    if (opcode == LLVMPHI || opcode == LLVMCall || opcode == LLVMStore || opcode == LLVMAtomicRMW ||
        opcode == LLVMAtomicCmpXchg || opcode == LLVMAlloca || opcode == LLVMFence)
        return false;
    bool may_fault =
        opcode == LLVMLoad || opcode == LLVMSDiv || opcode == LLVMUDiv || opcode == LLVMSRem || opcode == LLVMURem;
    for (int o = 0; may_fault && o < LLVMGetNumOperands(i); o++) {
        struct shape shape = shape_of(shapes, LLVMGetOperand(i, (unsigned)o));
        if (shape.kind != SHAPE_UNIFORM || shape.rows)
            return false;
    }
    return opcode != LLVMLoad || (!LLVMGetVolatile(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic);
}

/* Finds the branch before the loop that tests whether it is entered, and what lies between. */
static bool find_guard(struct stride *s, const struct plan *plan)
{
    const struct cfg *cfg = plan->cfg;
    const struct shapes *shapes =
        plan->kernel->tiled ? shape_analyse(plan->kernel, cfg, SHAPE_TILES, NULL) : plan->truth;
    const struct node *before = &cfg->nodes[map_get(cfg->last_node, LLVMBasicBlockAsValue(s->before))];
    if (before->block != s->before || before->first != LLVMGetFirstInstruction(s->before) || before->n_pred != 1)
        return false;
    for (LLVMValueRef i = before->first; i; i = LLVMGetNextInstruction(i))
        if (!may_run_for_all(shapes, i))
            return false;
    const struct node *guard = &cfg->nodes[before->pred[0]];
    s->guard = guard->block;
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(s->guard), start;
    bool is_unsigned;
    if (guard->barrier || plan->truth->masked[before->pred[0]] ||
        !is_less_branch(branch, s->before, &start, &s->guard_limit, &is_unsigned) || is_unsigned != s->is_unsigned ||
        !is_same(start, s->start) || !is_same(s->guard_limit, s->limit))
        return false;
    s->after = LLVMGetSuccessor(branch, 1);
    return cfg->nodes[map_get(cfg->first_node, LLVMBasicBlockAsValue(s->exit))].n_pred == 1;
}

/* Whether an access in the loop is to neighbouring elements of an array. */
static bool is_along_array(const struct plan *plan, LLVMValueRef i)
{
    unsigned address;
    LLVMTypeRef type = ir_accessed_type(i, &address);
    if (!type || (!LLVMIsALoadInst(i) && !LLVMIsAStoreInst(i)))
        return false;
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(LLVMGetGlobalParent(plan->cfg->function));
    struct shape pointer = shape_of(plan->truth, LLVMGetOperand(i, address));
    return pointer.kind == SHAPE_LINEAR && pointer.stride == (long)LLVMStoreSizeOfType(layout, type) &&
           origin_of(plan->kernel, LLVMGetOperand(i, address)).kinds == ORIGIN_ARRAY;
}

/* Whether the loop does nothing for which it matters how far other threads are, and what it carries is kept for each
 * thread already. */
static bool can_be_joined(const struct plan *plan, const struct stride *s, bool is_asked_for)
{
    const struct cfg *cfg = plan->cfg;
    const struct loop *loop = &cfg->loops[s->loop];
    bool any = is_asked_for;
    if (cfg_minds_others(cfg, s->loop))
        return false;
    for (int at = loop->header; at <= loop->last; at++)
        for (LLVMValueRef i = cfg->nodes[at].first; i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
            any = any || is_along_array(plan, i);
    for (LLVMValueRef i = LLVMGetFirstInstruction(s->header); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
        if (i != s->counter && (shape_of(plan->truth, i).kind != SHAPE_VARYING || LLVMCountIncoming(i) != 2))
            return false;
    return any;
}

static bool is_below(LLVMValueRef value, long least)
{
    return LLVMIsAConstantInt(value) && LLVMConstIntGetSExtValue(value) < least;
}

/* Whether a loop of the graph is one that threads stride through together. */
static bool find_stride(const struct plan *plan, int loop, bool is_asked_for, struct stride *s)
{
    const struct cfg *cfg = plan->cfg;
    const struct shapes *shapes = plan->truth;
    int latch = cfg_latch(cfg, loop);
    if (latch < 0 || cfg_only_exit(cfg, loop) != latch || !shapes->divergent[latch])
        return false;
    LLVMValueRef next, branch = LLVMGetBasicBlockTerminator(cfg->nodes[latch].block);
    *s = (struct stride){.loop = loop, .latch = cfg->nodes[latch].block};
    s->header = cfg->nodes[cfg->loops[loop].header].block;
    if (!is_less_branch(branch, s->header, &next, &s->limit, &s->is_unsigned) || !is_before(s, cfg, s->limit) ||
        !find_counter(s, next) || !is_before(s, cfg, s->step) || !grows(plan->kernel, s->start, &s->growth))
        return false;
    s->test = LLVMGetCondition(branch);
    s->exit = LLVMGetSuccessor(branch, 1);
    const struct kernel *k = plan->kernel;
    bool is_small = is_below(s->limit, LEAST_LIMIT) || is_below(s->step, k->tiled ? k->tile[0] : LEAST_STEP);
    return (is_asked_for || !is_small) && find_guard(s, plan) && can_be_joined(plan, s, is_asked_for);
}

/* ---- the copy ---- */

/* A value that threads carry, at the begin and at the end of an iteration. */
struct carried {
    LLVMValueRef before, after, begin, end;
    struct carried *next;
};

struct writer {
    struct variant v;
    LLVMBuilderRef b;
    const struct stride *s;
    bool is_tiled;
    LLVMBasicBlockRef before, header, latch, exit; /* of the copy */
    LLVMBasicBlockRef begin, end, left;            /* new: where an iteration begins and ends, and after the last one */
    struct carried *carried;
    LLVMValueRef next, test; /* new: the first thread's counter after an iteration, and whether a thread takes part */
    LLVMValueRef call;       /* new: what ends an iteration */
};

static LLVMBasicBlockRef block_of(const struct writer *w, LLVMBasicBlockRef block)
{
    return LLVMValueAsBasicBlock(variant_of(&w->v, LLVMBasicBlockAsValue(block)));
}

static void set_incoming(LLVMValueRef phi, LLVMValueRef a, LLVMBasicBlockRef from_a, LLVMValueRef b,
                         LLVMBasicBlockRef from_b)
{
    LLVMAddIncoming(phi, (LLVMValueRef[]){a, b}, (LLVMBasicBlockRef[]){from_a, from_b}, 2);
}

/* Computes the start of the convoy's first thread. */
static LLVMValueRef first_start(const struct writer *w, LLVMTypeRef type)
{
    const struct growth *growth = &w->s->growth;
    LLVMValueRef first = LLVMBuildIntCast2(w->b, LLVMGetLastParam(w->v.function), type, true, "");
    long factor = w->is_tiled ? growth->of_tile : growth->of_index;
    LLVMValueRef start = LLVMBuildNSWMul(w->b, first, LLVMConstInt(type, (unsigned long long)factor, false), "");
    return LLVMBuildNSWAdd(w->b, start, LLVMConstInt(type, (unsigned long long)growth->base, false), "");
}

static LLVMValueRef compare(const struct writer *w, LLVMValueRef value, LLVMValueRef limit)
{
    limit = LLVMBuildIntCast2(w->b, limit, LLVMTypeOf(value), !w->s->is_unsigned, "");
    return LLVMBuildICmp(w->b, w->s->is_unsigned ? LLVMIntULT : LLVMIntSLT, value, limit, "");
}

/* Whether a thread's counter is below the limit, if the first thread's is `first`. Lanes compare their distances from
 * it, which are small numbers. */
static LLVMValueRef is_near(const struct writer *w, LLVMValueRef distance, LLVMValueRef limit, LLVMValueRef first)
{
    LLVMTypeRef type = LLVMTypeOf(first);
    LLVMValueRef far = LLVMConstInt(type, FARTHEST, false);
    LLVMValueRef left = LLVMBuildIntCast2(w->b, limit, type, !w->s->is_unsigned, "");
    left = LLVMBuildNSWSub(w->b, left, first, "");
    left = LLVMBuildSelect(w->b, LLVMBuildICmp(w->b, LLVMIntSLT, left, far, ""), left, far, "");
    return LLVMBuildICmp(w->b, LLVMIntSLT, distance, LLVMBuildIntCast2(w->b, left, LLVMTypeOf(distance), true, ""), "");
}

/* Carries a value from iteration to iteration of the convoy: `after` where a thread has done one, and `before`,
 * which is NULL if it does not matter, until then. A thread that has left keeps it. */
static const struct carried *carry(struct writer *w, LLVMValueRef before, LLVMValueRef after)
{
    for (const struct carried *c = w->carried; c; c = c->next)
        if (c->after == after && (c->before == before || !before))
            return c;
    struct carried *c = arena_alloc(sizeof *c);
    LLVMTypeRef type = LLVMTypeOf(after);
    *c = (struct carried){before, after, ir_add_phi(w->b, w->begin, type), ir_add_phi(w->b, w->end, type), w->carried};
    set_incoming(c->begin, before ? before : LLVMGetPoison(type), w->before, c->end, w->end);
    set_incoming(c->end, after, w->latch, c->begin, w->begin);
    return w->carried = c;
}

/* Lets threads find what they carry where an iteration begins. */
static void carry_phis(struct writer *w, LLVMValueRef counter)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(w->s->header); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i)) {
        LLVMValueRef phi = variant_of(&w->v, i), begin = counter;
        if (i != w->s->counter)
            begin = carry(w, ir_incoming_from(phi, w->before), ir_incoming_from(phi, w->latch))->begin;
        LLVMReplaceAllUsesWith(phi, begin);
    }
}

/* Lets threads that entered the loop find what it leaves behind, and go to its exit, and others to where those are that
 * pass by the loop. */
static void carry_results(struct writer *w)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(w->s->exit); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i)) {
        LLVMValueRef phi = variant_of(&w->v, i), result = carry(w, NULL, LLVMGetIncomingValue(phi, 0))->end;
        LLVMValueRef left = ir_add_phi(w->b, w->left, LLVMTypeOf(phi)),
                     new = ir_add_phi(w->b, w->exit, LLVMTypeOf(phi));
        LLVMAddIncoming(left, &result, (LLVMBasicBlockRef[]){w->end}, 1);
        LLVMAddIncoming(new, &left, (LLVMBasicBlockRef[]){w->left}, 1);
        LLVMReplaceAllUsesWith(phi, new);
    }
    for (LLVMValueRef i = LLVMGetFirstInstruction(w->s->after); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i)) {
        LLVMValueRef phi = variant_of(&w->v, i), value = NULL;
        for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
            if (LLVMGetIncomingBlock(phi, k) == block_of(w, w->s->guard))
                value = LLVMGetIncomingValue(phi, k);
        LLVMAddIncoming(phi, &value, (LLVMBasicBlockRef[]){w->left}, 1);
    }
}

/* Erases the phis of a block, which have been replaced. They stay until all are: `carried` knows values by address. */
static void erase_phis(const struct writer *w, LLVMBasicBlockRef block)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
        LLVMInstructionEraseFromParent(variant_of(&w->v, i));
}

/* Adds the call that ends an iteration; turns.c lets it end some. */
static void end_iteration(struct writer *w, LLVMModuleRef module, LLVMMetadataRef place)
{
    static const char name[] = "amp__together";
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(LLVMGetModuleContext(module)), NULL, 0, false);
    LLVMValueRef callee = LLVMGetNamedFunction(module, name);
    callee = callee ? callee : LLVMAddFunction(module, name, type);
    w->call = LLVMBuildCall2(w->b, type, callee, NULL, 0, "");
    LLVMInstructionSetDebugLoc(w->call, place);
}

static void write_copy(struct writer *w, LLVMModuleRef module)
{
    const struct stride *s = w->s;
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMMetadataRef place = LLVMInstructionGetDebugLoc(s->test);
    w->before = block_of(w, s->before);
    w->header = block_of(w, s->header);
    w->latch = block_of(w, s->latch);
    w->exit = block_of(w, s->exit);
    w->begin = LLVMInsertBasicBlockInContext(context, w->header, "iteration");
    w->end = LLVMAppendBasicBlockInContext(context, w->v.function, "iteration.end");
    w->left = LLVMAppendBasicBlockInContext(context, w->v.function, "left");
    LLVMTypeRef type = LLVMTypeOf(s->counter);
    LLVMValueRef limit = variant_of(&w->v, s->limit), step = variant_of(&w->v, s->step);

    /* 1. The first thread decides whether the convoy enters the loop, and has the others' distances from it. */
    LLVMValueRef enters = LLVMGetBasicBlockTerminator(block_of(w, s->guard));
    LLVMPositionBuilderBefore(w->b, enters);
    LLVMSetCurrentDebugLocation2(w->b, place);
    LLVMValueRef own = variant_of(&w->v, ir_without_extension(s->start));
    LLVMValueRef start = first_start(w, LLVMTypeOf(own)), guard_limit = variant_of(&w->v, s->guard_limit);
    LLVMSetCondition(enters,
                     compare(w, LLVMBuildIntCast2(w->b, start, LLVMTypeOf(guard_limit), true, ""), guard_limit));
    LLVMValueRef goes = LLVMGetBasicBlockTerminator(w->before);
    LLVMPositionBuilderBefore(w->b, goes);
    LLVMValueRef distance = LLVMBuildNSWSub(w->b, own, start, "");
    LLVMValueRef near = LLVMBuildIntCast2(w->b, distance, LLVMInt32TypeInContext(context), true, "");
    distance = LLVMBuildIntCast2(w->b, distance, type, true, "");
    start = LLVMBuildIntCast2(w->b, start, type, true, "");
    LLVMValueRef enters_too = is_near(w, near, limit, start);
    LLVMSetSuccessor(goes, 0, w->begin);

    /* 2. An iteration begins: threads whose counters are below the limit take part. */
    LLVMPositionBuilderAtEnd(w->b, w->begin);
    LLVMValueRef first = LLVMBuildPhi(w->b, type, ""), counter = LLVMBuildNSWAdd(w->b, first, distance, "");
    w->test = is_near(w, near, limit, first);
    LLVMBuildCondBr(w->b, w->test, w->header, w->end);

    /* 3. It ends. What stands after the call belongs to the next one. */
    LLVMPositionBuilderAtEnd(w->b, w->end);
    end_iteration(w, module, place);
    w->next = LLVMBuildNSWAdd(w->b, first, step, "");
    LLVMBuildCondBr(w->b, compare(w, w->next, limit), w->begin, w->left);
    set_incoming(first, start, w->before, w->next, w->end);
    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(w->latch));
    LLVMPositionBuilderAtEnd(w->b, w->latch);
    LLVMBuildBr(w->b, w->end);
    LLVMPositionBuilderAtEnd(w->b, w->left);
    LLVMBuildCondBr(w->b, enters_too, w->exit, block_of(w, s->after));
    carry_phis(w, counter);
    carry_results(w);
    erase_phis(w, s->header);
    erase_phis(w, s->exit);
    w->header = w->begin;
}

/* Ends each iteration of a loop down columns. */
static void write_columns(struct writer *w, LLVMModuleRef module, const struct convoy *convoy)
{
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(convoy->columns.latch);
    LLVMPositionBuilderBefore(w->b, LLVMGetBasicBlockTerminator(block_of(w, convoy->columns.latch)));
    end_iteration(w, module, LLVMInstructionGetDebugLoc(branch));
    w->header = block_of(w, convoy->columns.header);
}

/* ---- what other files ask ---- */

/* Begins the copy of an entry that gets convoys. */
static struct writer begin_copy(LLVMModuleRef module, const struct plan *plan, struct convoy *convoy)
{
    convoy->kernel.has_convoys = true;
    struct writer w = {variant_copy(module, plan->cfg->function, "_convoy", entry_n_params(&convoy->kernel) - 1),
                       LLVMCreateBuilderInContext(LLVMGetModuleContext(module)), .is_tiled = plan->kernel->tiled};
    convoy->kernel.entry = LLVMGetValueName(w.v.function);
    for (unsigned p = 0; p < LLVMCountParams(w.v.entry); p++)
        variant_stand_for(&w.v, LLVMGetParam(w.v.entry, p), LLVMGetParam(w.v.function, p));
    variant_connect(&w.v);
    return w;
}

static bool find_any_stride(const struct plan *plan, bool is_asked_for, struct stride *s)
{
    for (int loop = 0; loop < plan->cfg->n_loops; loop++)
        if (find_stride(plan, loop, is_asked_for, s))
            return true;
    return false;
}

/* Returns how many threads a convoy has at most, whatever the plan. */
static long most_threads(const struct kernel *k, const struct options *options)
{
    enum { MOST_BLOCK = 1 << 10 }; /* threads */
    long asked = (long)options->convoys * (k->tiled ? k->tile[0] : MOST_BLOCK);
    return asked > 0 && asked < MOST_THREADS ? asked : MOST_THREADS;
}

/* Gives turns a loop without tests for where all threads of a convoy take part in all iterations. */
static void add_whole_turns(const struct writer *w, const struct turns *turns, int length, const struct plan *plan,
                            const struct options *options)
{
    const struct kernel *k = plan->kernel;
    const struct growth *growth = &w->s->growth;
    long n = most_threads(k, options), farthest = n * growth->of_index; /* that a counter is ahead of the first one's */
    if (k->tiled)
        farthest = n / k->tile[0] * growth->of_tile + k->tile[0] * growth->of_index;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(w->call)));
    LLVMPositionBuilderBefore(w->b, LLVMGetBasicBlockTerminator(turns->begin));
    LLVMValueRef limit = LLVMBuildIntCast2(w->b, variant_of(&w->v, w->s->limit), i64, !w->s->is_unsigned, ""),
                 step = LLVMBuildIntCast2(w->b, variant_of(&w->v, w->s->step), i64, true, ""),
                 counter = LLVMGetOperand(w->next, 0);
    LLVMValueRef first = LLVMBuildIntCast2(w->b, ir_incoming_from(counter, turns->begin), i64, true, "");
    LLVMValueRef left = LLVMBuildNSWSub(w->b, limit, first, "");
    left = LLVMBuildNSWSub(w->b, left, LLVMConstInt(i64, (unsigned long long)farthest, false), "");
    unsigned shift = 0; /* divides by `length`, or a little more */
    while (1 << shift < length)
        shift++;
    left = LLVMBuildAShr(w->b, left, LLVMConstInt(i64, shift, false), "");
    turns_add_whole(turns, LLVMBuildICmp(w->b, LLVMIntSLE, step, left, ""));
}

/* Whether a loop reads an array elsewhere than it writes it: most probably what the iteration before has written. */
static bool reads_back(const struct plan *plan, int loop)
{
    const struct cfg *cfg = plan->cfg;
    struct map *written = map_new(); /* arrays, and addresses in them */
    for (int pass = 0; pass < 2; pass++)
        for (int at = cfg->loops[loop].header; at <= cfg->loops[loop].last; at++)
            for (LLVMValueRef i = cfg->nodes[at].first; i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i)) {
                bool is_store = LLVMIsAStoreInst(i) != NULL;
                if (!cfg_in_loop(cfg, at, loop) || (!is_store && !LLVMIsALoadInst(i)))
                    continue;
                LLVMValueRef address = LLVMGetOperand(i, is_store);
                const struct param *param = origin_of(plan->kernel, address).param;
                if (param && pass == 0 && is_store) {
                    map_set(written, param, 1);
                    map_set(written, address, 1);
                } else if (param && pass == 1 && map_get(written, param) >= 0 && map_get(written, address) < 0)
                    return true;
            }
    return false;
}

const struct convoy *convoy_of(LLVMModuleRef module, const struct plan *plan, const struct options *options)
{
    struct stride s;
    struct convoy *convoy = arena_alloc(sizeof *convoy);
    *convoy = (struct convoy){.kernel = *plan->kernel, .is_asked_for = options->convoys > 0};
    if (plan->kernel->rank != 1 || options->convoys < 0 || cfg_calls(plan->cfg, CALL_ABORT)) /* would not free memory */
        return NULL;
    convoy->has_columns = !find_any_stride(plan, convoy->is_asked_for, &s);
    if (convoy->has_columns && !columns_find(plan, convoy->is_asked_for, &convoy->columns))
        return NULL;
    struct writer w = begin_copy(module, plan, convoy);
    if (convoy->has_columns) {
        write_columns(&w, module, convoy);
        convoy->is_dense = convoy->columns.is_dense;
    } else {
        w.s = &s;
        write_copy(&w, module);
        convoy->limit = s.limit;
        convoy->step = s.step;
        convoy->is_unsigned = s.is_unsigned;
        convoy->is_dense = plan->kernel->tiled && is_below(s.step, LEAST_STEP);
        convoy->test = w.test;
    }
    convoy->call = w.call;
    int loop = convoy->has_columns ? convoy->columns.loop : s.loop;
    convoy->has_inner_loops = !cfg_is_innermost(plan->cfg, loop);
    convoy->reads_back = reads_back(plan, loop);
    convoy->turn = convoy->is_dense || convoy->has_inner_loops ? 1 : turns_length(plan, loop);
    if (convoy->turn > 1) {
        struct turns turns = turns_take(w.call, w.header, convoy->turn);
        if (!convoy->has_columns)
            add_whole_turns(&w, &turns, convoy->turn, plan, options);
    }
    LLVMDisposeBuilder(w.b);
    return convoy;
}

static LLVMValueRef strides_pay(LLVMBuilderRef b, const struct convoy *convoy, LLVMValueRef args)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(args)));
    unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(convoy->step));
    long long most = (bits < 64 ? (1LL << (bits - 1)) : 1LL << 62) - FARTHEST;
    LLVMValueRef limit = variant_compute(b, convoy->limit, args), step = variant_compute(b, convoy->step, args);
    limit = LLVMBuildIntCast2(b, LLVMBuildFreeze(b, limit, ""), i64, !convoy->is_unsigned, "");
    step = LLVMBuildIntCast2(b, LLVMBuildFreeze(b, step, ""), i64, true, "");
    LLVMValueRef largest = LLVMBuildSub(b, LLVMConstInt(i64, (unsigned long long)most, false), step, "");
#define BOTH(x, y) LLVMBuildAnd(b, x, y, "")
#define LESS(x, y) LLVMBuildICmp(b, LLVMIntSLT, x, y, "")
    LLVMValueRef least_limit = LLVMConstInt(i64, convoy->is_asked_for ? 0 : LEAST_LIMIT, false),
                 least_step = LLVMConstInt(i64, convoy->is_asked_for || convoy->is_dense ? 0 : LEAST_STEP, false),
                 fits = BOTH(LESS(least_step, step), LESS(limit, largest)), is_large = LESS(least_limit, limit);
    return BOTH(fits, convoy->is_asked_for ? is_large : BOTH(is_large, LESS(step, limit)));
#undef LESS
#undef BOTH
}

LLVMValueRef convoy_pays(LLVMBuilderRef b, const struct convoy *convoy, LLVMValueRef args, LLVMValueRef n_threads)
{
    if (!convoy->has_columns)
        return strides_pay(b, convoy, args);
    return convoy->is_asked_for ? LLVMConstAllOnes(LLVMInt1TypeInContext(LLVMGetTypeContext(LLVMTypeOf(args))))
                                : columns_pay(b, &convoy->columns, args, n_threads);
}

/* Whether only phis use a phi: they share its memory. */
static bool is_passed_on(LLVMValueRef phi)
{
    bool any = false;
    for (LLVMUseRef use = LLVMGetFirstUse(phi); use; use = LLVMGetNextUse(use)) {
        any = true;
        if (!LLVMIsAPHINode(LLVMGetUser(use)))
            return false;
    }
    return any;
}

/* Whether a value lives longer than its node: others use it, or the next iteration of a loop does. */
static bool is_kept(const struct cfg *cfg, const struct map *node_of, LLVMValueRef value, int at)
{
    if (LLVMIsAPHINode(value) && is_passed_on(value))
        return false;
    if (LLVMIsAPHINode(value) && cfg->nodes[at].loop >= 0 && cfg->loops[cfg->nodes[at].loop].header == at)
        return true;
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsAPHINode(user) && map_get(node_of, user) != at)
            return true;
        for (unsigned e = 0; LLVMIsAPHINode(user) && e < LLVMCountIncoming(user); e++)
            if (LLVMGetIncomingValue(user, e) == value && map_get(cfg->last_node, LLVMGetIncomingBlock(user, e)) != at)
                return true;
    }
    return false;
}

/* Returns how many bytes a thread may keep from one iteration to the next, at most: its variables, and values. What
 * does not vary is kept once for a tile. */
static long bytes_kept(const struct plan *plan, LLVMTargetDataRef layout)
{
    const struct cfg *cfg = plan->cfg;
    struct map *node_of = map_new();
    long bytes = 0, of_tile = 0, size = plan->kernel->tiled ? plan->kernel->tile[0] : 0;
    for (int at = 0; at < cfg->n; at++)
        for (LLVMValueRef i = cfg->nodes[at].first; i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
            map_set(node_of, i, at);
    for (int at = 0; at < cfg->n; at++)
        for (LLVMValueRef i = cfg->nodes[at].first; i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i)) {
            if (LLVMIsAAllocaInst(i))
                bytes += (long)shape_private_size(i);
            if (LLVMTypeIsSized(LLVMTypeOf(i)) && is_kept(cfg, node_of, i, at))
                *(shape_of(plan->body.shapes, i).kind == SHAPE_VARYING ? &bytes : &of_tile) +=
                    (long)LLVMABISizeOfType(layout, LLVMTypeOf(i));
        }
    if (size > 0)
        bytes += (of_tile + size - 1) / size;
    return bytes > 0 ? bytes : 1;
}

static long bytes_of_tile(const struct plan *plan, LLVMTargetDataRef layout)
{
    LLVMModuleRef module = LLVMGetGlobalParent(plan->cfg->function);
    long bytes = 1;
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
        if (ir_is_in_tile_memory(g))
            bytes += (long)widen_tile_stride(layout, g);
    return bytes;
}

int convoy_most(const struct convoy *convoy, const struct plan *plan, LLVMTargetDataRef layout,
                const struct options *options)
{
    const struct kernel *k = plan->kernel;
    const struct shapes *shapes = plan->body.shapes;
    for (int at = 0; at < plan->cfg->n; at++) { /* tiles of a convoy meet the same barriers */
        LLVMValueRef branch = LLVMGetBasicBlockTerminator(plan->cfg->nodes[at].block);
        if (plan->cfg->nodes[at].n_succ == 2 && shapes->controls_barrier[at] &&
            shape_of(shapes, LLVMGetCondition(branch)).rows)
            return 0;
    }
    long threads = k->tiled ? k->tile[0] : plan->body.block.lanes * plan->body.block.vectors; /* of a tile, or block */
    long bytes = threads * bytes_kept(plan, layout) + (k->tiled ? bytes_of_tile(plan, layout) : 0);
    long most = most_threads(k, options) / threads;
    most = MOST_BYTES / bytes < most ? MOST_BYTES / bytes : most;
    if (options->convoys > 0)
        return (int)(options->convoys < most ? options->convoys : most);
    if (convoy->reads_back && !k->tiled && most > MOST_BACK / threads)
        most = MOST_BACK / threads;
    return convoy->is_dense && most > 1 ? 1 : (int)most;
}

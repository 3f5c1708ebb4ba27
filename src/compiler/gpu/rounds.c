/* SPDX-License-Identifier: MIT
 *
 * Makes the loop of a kernel whose threads stage what they read in common (widen/stage.c). In place of the loop:
 *
 *     n = the number of iterations
 *     copy the elements of the first round into the first half of the memory; barrier
 *     for each whole round:
 *         load this thread's share of the next round
 *         run the round's iterations with the half that is full
 *         store the share into the other half; barrier
 *     run the iterations that are left with the half that is full; barrier
 *
 * The loads stand at the start of a round and the stores at its end, which hides the latency of memory. The last round
 * needs no more loads, but a branch around them would let the driver's compiler sink them below the arithmetic. So
 * every round loads; past the last iteration, or the last point, it copies the last one again. Where the GPU has
 * asynchronous copies, one instruction at the start of a round loads and stores, and the end of the round waits for it.
 *
 * Needs: a copy of all other nodes by the same widener, whose slots both use. */
#include "base/map.h"
#include "gpu/grid.h"
#include "kernel/entry.h"
#include "kernel/ir.h"
#include "widen/parts.h"
#include "widen/stage.h"

#include <string.h>

static LLVMValueRef i32(const struct rounds *r, long value)
{
    return widen_i32(r->w, value);
}

static LLVMBasicBlockRef new_block(const struct rounds *r, const char *name)
{
    return LLVMAppendBasicBlockInContext(r->w->context, r->w->function, name);
}

/* ---- values again ---- */

/* For which point and iteration values are computed again. */
struct again {
    const struct rounds *rounds;
    LLVMValueRef index[3]; /* by dimension */
    LLVMValueRef counter;
    struct map *numbers; /* of values that are already there */
    LLVMValueRef values[256];
    int n;
};

static struct again begin_again(const struct rounds *r, LLVMValueRef counter)
{
    return (struct again){r, {r->first[0], r->first[1], r->first[2]}, counter, map_new(), {NULL}, 0};
}

static LLVMValueRef compute(struct again *again, LLVMValueRef value)
{
    const struct widener *w = again->rounds->w;
    if (LLVMIsAConstant(value))
        return value;
    if (value == again->rounds->use->stage->counts.counter)
        return again->counter;
    if (LLVMIsAArgument(value)) {
        struct entry_param param = entry_param(w->kernel, entry_param_number(value));
        struct entry_thread thread = {LLVMGetParam(w->function, RUN_ARGS), again->index[param.dimension], NULL};
        return entry_value(w->builder, w->kernel, &param, &thread);
    }
    int number = map_get(again->numbers, value);
    if (number >= 0)
        return again->values[number];
    int n = LLVMGetNumOperands(value);
    LLVMValueRef *operands = arena_alloc((size_t)n * sizeof *operands);
    for (int o = 0; o < n; o++)
        operands[o] = compute(again, LLVMGetOperand(value, (unsigned)o));
    LLVMValueRef result = LLVMInstructionClone(value);
    for (int o = 0; o < n; o++)
        LLVMSetOperand(result, (unsigned)o, operands[o]);
    LLVMInsertIntoBuilder(w->builder, result);
    if (again->n < (int)(sizeof again->values / sizeof *again->values)) {
        map_set(again->numbers, value, again->n);
        again->values[again->n++] = result;
    }
    return result;
}

/* ---- the shares ---- */

/* An element that a thread copies: its place among the points, and its iteration in the round. */
struct piece {
    LLVMValueRef place, iteration;
};

static int n_threads(const struct rounds *r)
{
    return r->use->stage->side * r->use->stage->side;
}

static int n_pieces(const struct rounds *r, const struct staged *load)
{
    return load->places * r->use->stage->depth / n_threads(r);
}

/* Returns piece number `number` of a thread's share. Neighbouring threads copy elements that are neighbours in
 * memory. */
static struct piece piece_of(const struct rounds *r, const struct staged *load, int number)
{
    LLVMBuilderRef builder = r->w->builder;
    int depth = r->use->stage->depth, apart = n_threads(r) / depth;
    LLVMValueRef thread = LLVMBuildNUWAdd(
        builder, LLVMBuildNUWMul(builder, r->thread[1], i32(r, r->use->stage->side), ""), r->thread[2], "");
    LLVMValueRef fast = i32(r, load->along_counter ? depth : apart);
    LLVMValueRef low = LLVMBuildURem(builder, thread, fast, ""), high = LLVMBuildUDiv(builder, thread, fast, "");
    LLVMValueRef place = LLVMBuildNUWAdd(builder, load->along_counter ? high : low, i32(r, (long)number * apart), "");
    return (struct piece){place, load->along_counter ? low : high};
}

/* How the loop counts, on entry. */
struct entered {
    LLVMValueRef counter; /* its value, */
    LLVMValueRef last;    /* and the number of the last iteration, of the same type */
};

/* Returns where a piece is in the arrays, in the round that begins with iteration `begin`. */
static LLVMValueRef source_of(const struct rounds *r, const struct staged *load, const struct piece *piece,
                              const struct entered *entered, LLVMValueRef begin)
{
    LLVMBuilderRef builder = r->w->builder;
    LLVMTypeRef type = LLVMTypeOf(begin);
    LLVMValueRef iteration = LLVMBuildIntCast2(builder, piece->iteration, type, false, "");
    iteration = LLVMBuildAdd(builder, begin, iteration, "");
    iteration = ir_combine(builder, LLVMAtomicRMWBinOpUMin, iteration, entered->last);
    LLVMValueRef step = LLVMConstInt(type, (unsigned long long)r->use->stage->counts.step, true);
    LLVMValueRef distance = LLVMBuildMul(builder, iteration, step, "");
    struct again again = begin_again(r, LLVMBuildAdd(builder, entered->counter, distance, ""));
    int d = load->dimension;
    again.index[d] = stage_index(builder, r->first[d], piece->place, r->end[d]);
    return compute(&again, LLVMGetOperand(load->load, 0));
}

static LLVMValueRef target_of(const struct rounds *r, int l, const struct piece *piece, LLVMValueRef half)
{
    const struct staged *load = &r->use->stage->loads[l];
    LLVMValueRef at[] = {i32(r, 0), half, piece->iteration, piece->place};
    return LLVMBuildInBoundsGEP2(r->w->builder, stage_type(r->use->stage, load), r->use->memory[l], at, 4, "");
}

static bool is_copied_async(const struct rounds *r, const struct staged *load)
{
    bool is_aligned = LLVMGetAlignment(load->load) >= (unsigned)load->bytes; /* members of packed structs are not */
    return r->image->facts.copies_async && load->bytes >= 4 && is_aligned;
}

/* Begins to copy the thread's share of the round that begins with iteration `begin` into a half of the memory. What is
 * on its way in registers is left in `values`. */
static void begin_copies(const struct rounds *r, const struct entered *entered, LLVMValueRef begin, LLVMValueRef half,
                         LLVMValueRef *values)
{
    for (int l = 0; l < r->use->stage->n; l++) {
        const struct staged *load = &r->use->stage->loads[l];
        for (int i = 0; i < n_pieces(r, load); i++) {
            struct piece piece = piece_of(r, load, i);
            LLVMValueRef source = source_of(r, load, &piece, entered, begin);
            if (is_copied_async(r, load)) {
                r->image->target->begin_copy(r->w->builder, target_of(r, l, &piece, half), source, load->bytes);
                continue;
            }
            *values = LLVMBuildLoad2(r->w->builder, LLVMTypeOf(load->load), source, "");
            LLVMSetAlignment(*values++, LLVMGetAlignment(load->load));
        }
    }
}

/* Ends these copies, and waits for those of the other threads. */
static void end_copies(const struct rounds *r, LLVMValueRef half, const LLVMValueRef *values)
{
    bool any = false;
    for (int l = 0; l < r->use->stage->n; l++) {
        const struct staged *load = &r->use->stage->loads[l];
        any |= is_copied_async(r, load);
        for (int i = 0; i < n_pieces(r, load) && !is_copied_async(r, load); i++) {
            struct piece piece = piece_of(r, load, i);
            LLVMValueRef store = LLVMBuildStore(r->w->builder, *values++, target_of(r, l, &piece, half));
            LLVMSetAlignment(store, (unsigned)load->bytes);
        }
    }
    if (any)
        r->image->target->end_copies(r->w->builder);
    r->image->target->barrier(r->w->builder);
}

static int count_pieces(const struct rounds *r)
{
    int n = 0;
    for (int l = 0; l < r->use->stage->n; l++)
        n += n_pieces(r, &r->use->stage->loads[l]);
    return n;
}

/* ---- the loop ---- */

/* Returns the number of the last iteration, from 0 on, when the loop is entered with this counter. A loop of one basic
 * block runs it at least once. */
static LLVMValueRef last_iteration(const struct rounds *r, LLVMValueRef counter)
{
    const struct stretch *counts = &r->use->stage->counts;
    LLVMBuilderRef builder = r->w->builder;
    LLVMTypeRef type = LLVMTypeOf(counter);
    struct again again = begin_again(r, NULL);
    LLVMValueRef bound = compute(&again, counts->bound), zero = LLVMConstNull(type), one = LLVMConstInt(type, 1, false),
                 step = LLVMConstInt(type, (unsigned long long)counts->step, false);
    LLVMValueRef next = LLVMBuildAdd(builder, counter, step, ""), distance = LLVMBuildSub(builder, bound, next, "");
    if (counts->predicate == LLVMIntNE) /* steps of 1 */
        return distance;
    LLVMValueRef goes_on = LLVMBuildICmp(builder, counts->predicate, next, bound, "");
    bool is_last_too = counts->predicate == LLVMIntSLE || counts->predicate == LLVMIntULE;
    LLVMValueRef last = is_last_too ? distance : LLVMBuildSub(builder, distance, one, "");
    last = LLVMBuildAdd(builder, LLVMBuildUDiv(builder, last, step, ""), one, "");
    return LLVMBuildSelect(builder, goes_on, last, zero, "");
}

static LLVMValueRef new_memory(const struct rounds *r, const struct staged *load)
{
    LLVMTypeRef type = stage_type(r->use->stage, load);
    int space = r->image->target->tile_space;
    LLVMValueRef memory = LLVMAddGlobalInAddressSpace(r->image->module, type, "staged", (unsigned)space);
    LLVMSetInitializer(memory, LLVMGetUndef(type));
    LLVMSetLinkage(memory, LLVMInternalLinkage);
    LLVMSetAlignment(memory, 16);
    return memory;
}

/* Emits `n` iterations, at least one, with a half of the memory; leaves the builder in `done`. */
static void emit_iterations(struct rounds *r, LLVMValueRef n, LLVMValueRef half, LLVMBasicBlockRef done)
{
    struct widener *w = r->w;
    struct stage_use *use = r->use;
    int node = w->cfg->loops[use->stage->counts.loop].header;
    bool *only = arena_alloc((size_t)w->cfg->n);
    only[node] = true;
    LLVMValueRef count = widen_slot(w, LLVMTypeOf(n), "iteration");
    LLVMBuildStore(w->builder, i32(r, 0), count);
    LLVMBasicBlockRef begin = new_block(r, "iteration");
    LLVMBuildBr(w->builder, begin);
    LLVMPositionBuilderAtEnd(w->builder, begin);
    use->is_round = true;
    use->next = new_block(r, "next");
    use->half = half;
    use->iteration = LLVMBuildLoad2(w->builder, LLVMTypeOf(n), count, "");
    memset(use->groups, 0, sizeof use->groups);
    widen_nodes(w, only, node, NULL, NULL, NULL);
    LLVMPositionBuilderAtEnd(w->builder, use->next);
    LLVMValueRef next = LLVMBuildNUWAdd(w->builder, use->iteration, i32(r, 1), "");
    LLVMBuildStore(w->builder, next, count);
    LLVMValueRef back = LLVMBuildCondBr(w->builder, LLVMBuildICmp(w->builder, LLVMIntEQ, next, n, ""), done, begin);
    ir_mark_loop(back, LLVMIsAConstant(n) ? "llvm.loop.unroll.full" : "llvm.loop.unroll.disable", NULL);
    LLVMPositionBuilderAtEnd(w->builder, done);
}

/* Returns the node to which control leaves the loop. */
static int exit_of(const struct rounds *r)
{
    const struct cfg *cfg = r->w->cfg;
    int header = cfg->loops[r->use->stage->counts.loop].header;
    return cfg->nodes[header].succ[cfg->nodes[header].succ[0] == header];
}

void rounds_emit(struct rounds *r)
{
    struct widener *w = r->w;
    const struct stage *stage = r->use->stage;
    LLVMBuilderRef builder = w->builder;
    LLVMTypeRef type = LLVMTypeOf(stage->counts.counter), narrow = LLVMInt32TypeInContext(w->context);
    LLVMValueRef slot = w->slots[widen_number(w, stage->counts.counter)].phi[0];
    LLVMValueRef *values = arena_alloc((size_t)count_pieces(r) * sizeof *values);
    LLVMBasicBlockRef first = r->use->entered, round = new_block(r, "round"), end = new_block(r, "round.end"),
                      rest = new_block(r, "rest"), some = new_block(r, "rest.some"), last = new_block(r, "rest.end");
    r->use->thread = r->thread;
    for (int l = 0; l < stage->n; l++)
        r->use->memory[l] = new_memory(r, &stage->loads[l]);

    /* The number of iterations itself may be too large for the counter's type. */
    LLVMPositionBuilderAtEnd(builder, first);
    LLVMValueRef one = LLVMConstInt(type, 1, false), zero = LLVMConstNull(type),
                 depth = LLVMConstInt(type, (unsigned long long)stage->depth, false),
                 below = LLVMConstInt(type, (unsigned long long)stage->depth - 1, false);
    struct entered entered = {LLVMBuildLoad2(builder, type, slot, ""), NULL};
    entered.last = last_iteration(r, entered.counter);
    LLVMValueRef left = LLVMBuildAnd(builder, LLVMBuildAdd(builder, entered.last, one, ""), below, "");
    LLVMValueRef rounds = LLVMBuildUDiv(builder, entered.last, depth, "");
    rounds = LLVMBuildAdd(builder, rounds, LLVMBuildZExt(builder, LLVMBuildIsNull(builder, left, ""), type, ""), "");
    begin_copies(r, &entered, zero, i32(r, 0), values);
    end_copies(r, i32(r, 0), values);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(builder);
    LLVMBuildCondBr(builder, LLVMBuildIsNull(builder, rounds, ""), rest, round);

    LLVMPositionBuilderAtEnd(builder, round);
    LLVMValueRef number = LLVMBuildPhi(builder, type, "");
    LLVMValueRef further = LLVMBuildNUWAdd(builder, number, one, "");
    LLVMValueRef half = LLVMBuildIntCast2(builder, LLVMBuildAnd(builder, number, one, ""), narrow, false, "");
    LLVMValueRef other = LLVMBuildSub(builder, i32(r, 1), half, "");
    begin_copies(r, &entered, LLVMBuildMul(builder, further, depth, ""), other, values);
    emit_iterations(r, i32(r, stage->depth), half, end);
    end_copies(r, other, values);
    LLVMBuildCondBr(builder, LLVMBuildICmp(builder, LLVMIntEQ, further, rounds, ""), rest, round);
    LLVMBasicBlockRef from[] = {before, end};
    LLVMAddIncoming(number, (LLVMValueRef[]){zero, further}, from, 2);

    LLVMPositionBuilderAtEnd(builder, rest);
    LLVMBuildCondBr(builder, LLVMBuildIsNull(builder, left, ""), last, some);
    LLVMPositionBuilderAtEnd(builder, some);
    half = LLVMBuildIntCast2(builder, LLVMBuildAnd(builder, rounds, one, ""), narrow, false, "");
    emit_iterations(r, LLVMBuildIntCast2(builder, left, narrow, false, ""), half, last);
    r->image->target->barrier(builder); /* the loop may be entered again */
    LLVMBuildBr(builder, w->blocks[exit_of(r)]);
}

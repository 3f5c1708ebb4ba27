/* SPDX-License-Identifier: MIT
 *
 * Runs a tile that takes several blocks. Each region, from one barrier to the next ones, gets a copy of the nodes that
 * it reaches and a loop over the blocks of the tile around it. A block's slots that are live at a barrier are saved, by
 * block; a value that is the same for all threads of the tile is saved once. Such a value goes from one region to the
 * next through a pair of variables, because a block must not see what the previous block left for the next region.
 * Where only the first threads of a tile have something to do, the blocks after theirs are left out; and if these
 * threads, or those of a window (windows.c), would gather and scatter, a loop over single threads takes the place of
 * that over blocks. Since every region has its own copy, barriers may stand in any uniform control flow. Splitting
 * loops in place, as is often done, would need them in special positions.
 *
 * The tiles of a convoy run a region one after another before any of them runs the next one; without tiles, its blocks
 * do (convoy.c). What they save lies side by side. */
#include "widen/regions.h"

#include "kernel/entry.h"
#include "kernel/ir.h"
#include "widen/cost.h"
#include "widen/parts.h"
#include "widen/requests.h"
#include "widen/strip.h"
#include "widen/windows.h"

#include <stdlib.h>
#include <string.h>

/* The regions of a tile that has more than one block. */
struct regions {
    struct run *r;
    struct widener *w;                      /* for blocks of the tile, */
    struct widener *one;                    /* and for one thread after another; NULL if no region may run so */
    struct requests_use requests;           /* none if the plan has none */
    struct widener *current;                /* that of the region being emitted */
    int n_blocks;                           /* of `w`: those of a tile, or of a convoy without tiles */
    const struct members_of_convoy *convoy; /* NULL: a tile runs alone */
    LLVMValueRef first_block;               /* the number of the tile's first one among those of the convoy */
    int n, *starts;                         /* the node that each region starts at */
    LLVMBasicBlockRef *entries;             /* of each region */
    LLVMBasicBlockRef block_end;            /* of the region being emitted */
    LLVMValueRef next;                      /* slot: the region that comes next, or n when the tile is done */
    LLVMValueRef block_number;              /* in the region being emitted, */
    LLVMValueRef thread_number;             /* or that of the thread, among those of the convoy's blocks */
    bool **live;                            /* by node and value: needed at the start of the node */
    bool *stays; /* by value: its array has it from the beginning of the region being emitted */
    struct saved {
        LLVMValueRef memory; /* by block and instance; for a value of the tile, what the blocks of a region read */
        LLVMValueRef out;    /* for a value of the tile, what they leave for the next region; otherwise NULL */
    } *saved;                /* by value; `memory` is NULL if the value lives across no barrier */
};

static void compute_liveness(struct regions *g)
{
    const struct cfg *cfg = g->r->cfg;
    const struct shapes *shapes = g->w->shapes;
    size_t n_values = (size_t)shapes->n_values;
    g->live = arena_alloc((size_t)cfg->n * sizeof *g->live);
    bool **uses = arena_alloc((size_t)cfg->n * sizeof *uses), **makes = arena_alloc((size_t)cfg->n * sizeof *makes);
    for (int at = 0; at < cfg->n; at++) {
        g->live[at] = arena_alloc(n_values);
        uses[at] = arena_alloc(n_values);
        makes[at] = arena_alloc(n_values);
    }
    for (int at = 0; at < cfg->n; at++)
        for (LLVMValueRef i = cfg->nodes[at].first; i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i)) {
            bool is_phi = LLVMGetInstructionOpcode(i) == LLVMPHI;
            LLVMValueRef *operands;
            int n_operands = widen_uses(g->w, i, &operands);
            for (int o = 0; o < n_operands; o++) {
                int value = map_get(shapes->numbers, operands[o]);
                int user = is_phi ? map_get(cfg->last_node, LLVMGetIncomingBlock(i, (unsigned)o)) : at;
                if (value >= 0 && user >= 0 && g->w->crosses[value])
                    uses[user][value] = true;
            }
            makes[at][map_get(shapes->numbers, i)] = true;
        }
    for (bool changed = true; changed;) {
        changed = false;
        for (int at = cfg->n - 1; at >= 0; at--)
            for (size_t value = 0; value < n_values; value++) {
                bool live = uses[at][value];
                for (int s = 0; s < cfg->nodes[at].n_succ; s++)
                    live |= g->live[cfg->nodes[at].succ[s]][value];
                live &= !makes[at][value];
                changed |= live != g->live[at][value];
                g->live[at][value] = live;
            }
    }
}

/* Returns how a value of `type` lies in memory: truth values are bytes. If one of many loaded bits is used, LLVM's
 * vector-combine makes a load of one bit, and the code generator then treats the whole byte as that bit. */
static LLVMTypeRef memory_type(const struct run *r, LLVMTypeRef type)
{
    LLVMTypeRef parts[2];
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(type) == 1 ? LLVMInt8TypeInContext(r->context) : type;
    case LLVMVectorTypeKind:
        return LLVMVectorType(memory_type(r, LLVMGetElementType(type)), LLVMGetVectorSize(type));
    case LLVMStructTypeKind: /* a result and whether it overflowed */
        if (LLVMCountStructElementTypes(type) != 2)
            return type;
        for (unsigned i = 0; i < 2; i++)
            parts[i] = memory_type(r, LLVMStructGetTypeAtIndex(type, i));
        return LLVMStructTypeInContext(r->context, parts, 2, false);
    default:
        return type;
    }
}

/* Converts a value to `type`, from or to the type that it has in memory. */
static LLVMValueRef convert(const struct run *r, LLVMValueRef value, LLVMTypeRef type)
{
    if (LLVMTypeOf(value) == type)
        return value;
    if (LLVMGetTypeKind(type) != LLVMStructTypeKind)
        return LLVMBuildIntCast2(r->builder, value, type, false, "");
    LLVMValueRef result = LLVMGetPoison(type);
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef part = LLVMBuildExtractValue(r->builder, value, i, "");
        result = LLVMBuildInsertValue(r->builder, result, convert(r, part, LLVMStructGetTypeAtIndex(type, i)), i, "");
    }
    return result;
}

/* Whether a value lives across a barrier. */
static bool is_saved(const struct regions *g, int value)
{
    for (int s = 0; s < g->n; s++)
        if (g->live[g->starts[s]][value])
            return true;
    return false;
}

static LLVMTypeRef saved_type(const struct regions *g, int value)
{
    return memory_type(g->r, LLVMGetAllocatedType(g->w->slots[value].value[0]));
}

/* Whether a value is saved for each block, in an array. */
static bool has_array(const struct saved *saved)
{
    return saved->memory && !saved->out;
}

/* Whether two values are needed after the same barrier. */
static bool live_together(const struct regions *g, int a, int b)
{
    for (int s = 0; s < g->n; s++)
        if (g->live[g->starts[s]][a] && g->live[g->starts[s]][b])
            return true;
    return false;
}

/* Whether two values have as many instances: one that is the same for all rows is saved for the first of them only. */
static bool same_instances(const struct regions *g, int a, int b)
{
    struct shape of_a = g->w->shapes->shapes[a], of_b = g->w->shapes->shapes[b];
    return widen_rows(g->w, of_a) == widen_rows(g->w, of_b) && widen_vectors(g->w, of_a) == widen_vectors(g->w, of_b);
}

/* Lets the values that share an array with `a` share that of `b`, unless two of them are live together. `first` has the
 * first value of each array. */
static void share_array(const struct regions *g, int *first, int a, int b)
{
    int n = g->w->shapes->n_values, of_a = first[a], of_b = first[b];
    if (of_a < 0 || of_b < 0 || of_a == of_b || saved_type(g, a) != saved_type(g, b) || !same_instances(g, a, b))
        return;
    for (int x = 0; x < n; x++)
        for (int y = 0; y < n && first[x] == of_a; y++)
            if (first[y] == of_b && live_together(g, x, y))
                return;
    for (int x = 0; x < n; x++)
        if (first[x] == of_a)
            first[x] = of_b;
}

/* Chooses which values share an array: those that a loop carries from one to the next. A region that does not change
 * such a value then need not move it. Returns for each value the first one of its array; -1 if it needs none. */
static int *choose_arrays(const struct regions *g)
{
    const struct cfg *cfg = g->r->cfg;
    const struct shapes *shapes = g->w->shapes, *truth = shapes->known ? shapes : g->r->plan->truth;
    int *first = arena_alloc((size_t)shapes->n_values * sizeof *first);
    for (int value = 0; value < shapes->n_values; value++) {
        bool is_of_tile = truth->shapes[value].kind == SHAPE_UNIFORM && !truth->shapes[value].rows;
        first[value] = is_of_tile || !is_saved(g, value) ? -1 : value;
    }
    for (int at = 0; at < cfg->n; at++)
        for (LLVMValueRef i = cfg->nodes[at].first; i != cfg->nodes[at].end && LLVMIsAPHINode(i);
             i = LLVMGetNextInstruction(i))
            for (unsigned e = 0; e < LLVMCountIncoming(i); e++) {
                int source = map_get(shapes->numbers, LLVMGetIncomingValue(i, e));
                if (source >= 0)
                    share_array(g, first, source, map_get(shapes->numbers, i));
            }
    return first;
}

static void make_saved(struct regions *g)
{
    struct widener *w = g->w;
    int *first = choose_arrays(g), count = g->n_blocks * w->block.rows * w->block.vectors;
    if (g->convoy && g->r->kernel->tiled)
        count *= g->convoy->most;
    g->saved = arena_alloc((size_t)w->shapes->n_values * sizeof *g->saved);
    for (int value = 0; value < w->shapes->n_values; value++)
        if (first[value] == value)
            g->saved[value].memory = run_new_array(g->r, w, saved_type(g, value), count, 0, "tile.saved");
    for (int value = 0; value < w->shapes->n_values; value++)
        if (first[value] >= 0) {
            g->saved[value].memory = g->saved[first[value]].memory;
        } else if (is_saved(g, value)) {
            LLVMTypeRef type = LLVMGetAllocatedType(w->slots[value].value[0]);
            g->saved[value].memory = widen_slot(w, type, "tile.in");
            g->saved[value].out = widen_slot(w, type, "tile.out");
        }
}

/* Whether a thread finds its own of a value in the array: an element, or what lane 0 has, from which it follows. */
static bool has_element(const struct regions *g, int value)
{
    if (!has_array(&g->saved[value]) || g->w->block.rows > 1)
        return false;
    LLVMTypeKind kind = LLVMGetTypeKind(saved_type(g, value));
    bool is_linear = g->w->shapes->shapes[value].kind == SHAPE_LINEAR;
    return is_linear ? kind == LLVMIntegerTypeKind || kind == LLVMPointerTypeKind : kind == LLVMVectorTypeKind;
}

/* Restores such a value for the current thread. */
static void restore_element(const struct regions *g, int value)
{
    LLVMBuilderRef b = g->r->builder;
    LLVMTypeRef type = saved_type(g, value), i64 = LLVMInt64TypeInContext(g->r->context);
    struct shape shape = g->w->shapes->shapes[value];
    bool is_linear = shape.kind == SHAPE_LINEAR;
    LLVMValueRef slot = g->one->slots[value].value[0], at = g->thread_number;
    LLVMValueRef lanes = run_number(g->r, g->w->block.lanes);
    if (is_linear)
        at = LLVMBuildUDiv(b, at, lanes, "");
    else
        type = LLVMGetElementType(type);
    LLVMValueRef element = LLVMBuildLoad2(b, type, LLVMBuildGEP2(b, type, g->saved[value].memory, &at, 1, ""), "");
    if (is_linear) {
        LLVMValueRef by = LLVMBuildZExt(b, LLVMBuildURem(b, g->thread_number, lanes, ""), i64, "");
        by = LLVMBuildMul(b, by, LLVMConstInt(i64, (unsigned long long)shape.stride, true), "");
        element = LLVMGetTypeKind(type) == LLVMPointerTypeKind
                      ? LLVMBuildGEP2(b, LLVMInt8TypeInContext(g->r->context), element, &by, 1, "")
                      : LLVMBuildAdd(b, element, LLVMBuildIntCast2(b, by, type, true, ""), "");
    }
    LLVMBuildStore(b, convert(g->r, element, LLVMGetAllocatedType(slot)), slot);
}

/* Saves the slots that are live at `node`, or restores them, for the current block, or thread, which changes none that
 * have arrays. */
static void save_or_restore(struct regions *g, int node, bool save)
{
    struct run *r = g->r;
    struct widener *w = g->current;
    int n_instances = w->block.rows * w->block.vectors;
    for (int value = 0; value < w->shapes->n_values; value++) {
        if (!g->live[node][value])
            continue;
        if (w == g->one && !g->saved[value].out) {
            if (!save && has_element(g, value) && w->slots[value].value[0])
                restore_element(g, value);
            continue;
        }
        if (save && g->stays[value])
            continue;
        for (int i = 0; i < n_instances; i++) {
            LLVMValueRef slot = w->slots[value].value[i], place = g->saved[value].memory;
            if (!slot)
                continue;
            LLVMTypeRef type = LLVMGetAllocatedType(slot), saved_type = type;
            if (g->saved[value].out)
                place = save ? g->saved[value].out : place;
            else {
                LLVMValueRef at = LLVMBuildMul(r->builder, g->block_number, run_number(r, n_instances), "");
                at = run_add(r, at, run_number(r, i));
                saved_type = memory_type(r, type);
                place = LLVMBuildGEP2(r->builder, saved_type, place, &at, 1, "");
            }
            LLVMValueRef loaded = LLVMBuildLoad2(r->builder, save ? type : saved_type, save ? slot : place, "");
            LLVMBuildStore(r->builder, convert(r, loaded, save ? saved_type : type), save ? place : slot);
        }
    }
}

static void leave_region(void *user, int next_node)
{
    struct regions *g = user;
    if (!g->r->variables) /* debuggers stop at the barrier */
        LLVMSetCurrentDebugLocation2(g->r->builder, g->r->no_location);
    save_or_restore(g, next_node, true);
    int next = 0;
    while (g->starts[next] != next_node)
        next++;
    LLVMBuildStore(g->r->builder, run_number(g->r, next), g->next);
    LLVMBuildBr(g->r->builder, g->block_end);
}

/* Decides about the loop over the blocks of a region. The code is repeated for each block if it is short and the
 * block's number makes masks constant, mostly all lanes or none. A tree reduction depends on this for its speed. LLVM
 * itself does not unroll a loop around as many accesses as blocks of many rows have, so it need not compute the
 * cost. Such blocks leave no registers for what all of them read: LLVM would copy it from the tile's memory to the
 * stack before the loop. */
static void choose_unrolling(const struct regions *g, const bool *has, struct counter *blocks)
{
    enum { MOST_BLOCKS = 16, MOST_INSTRUCTIONS = 512, MANY_BLOCKS = 4, MANY_ACCESSES = 32 };
    const struct shapes *shapes = g->w->shapes;
    bool any_divergent = false, asks_for_places = true;
    int n = 0, n_accesses = 0;
    for (int at = 0; at < g->r->cfg->n; at++) {
        const struct node *node = &g->r->cfg->nodes[at];
        if (!has[at])
            continue;
        any_divergent |= shapes->divergent[at];
        asks_for_places &= !shapes->divergent[at] ||
                           shape_compares_places(shapes, LLVMGetCondition(LLVMGetBasicBlockTerminator(node->block)));
        for (LLVMValueRef i = node->first; i != node->end; i = LLVMGetNextInstruction(i), n++)
            n_accesses += LLVMIsALoadInst(i) || LLVMIsAStoreInst(i);
    }
    bool is_short = g->n_blocks <= MOST_BLOCKS && n * g->n_blocks <= MOST_INSTRUCTIONS;
    blocks->is_unrolled = any_divergent && asks_for_places && is_short;
    n_accesses *= g->w->block.rows * g->w->block.vectors;
    blocks->stays_rolled = g->n_blocks >= MANY_BLOCKS && n_accesses >= MANY_ACCESSES;
    blocks->hoists_nothing = g->w->block.rows > 1 && n_accesses >= MANY_ACCESSES;
}

/* Whether blocks, or threads, can be left out that do not take the branch of a region's first node: they take no other
 * branch either, and the nodes of all threads have no effects, and compute nothing for later regions that each block
 * has for itself. */
static bool can_leave_out(const struct regions *g, const bool *has, int start)
{
    const struct cfg *cfg = g->r->cfg;
    const struct shapes *shapes = g->w->shapes;
    bool *is_skipped = arena_alloc((size_t)cfg->n);
    for (int branch = 0; branch < cfg->n; branch++)
        for (int at = 0; has[branch] && at < cfg->n; at++)
            if (shapes->masked[at] && (branch == start || windows_is_for_first(g->r->kernel, shapes, branch)))
                is_skipped[at] |= shapes->regions[branch][at];
    for (int at = 0; at < cfg->n; at++) {
        const struct node *node = &cfg->nodes[at];
        for (LLVMValueRef i = node->first; has[at] && !is_skipped[at] && i != node->end;
             i = LLVMGetNextInstruction(i)) {
            if (i == node->barrier || LLVMIsATerminatorInst(i))
                continue;
            const struct saved *saved = &g->saved[map_get(shapes->numbers, i)];
            if (widen_has_effect(i) || has_array(saved) || (LLVMIsALoadInst(i) && LLVMGetVolatile(i)))
                return false;
        }
    }
    return true;
}

/* Whether the threads of a region can run one after another: what it reads from earlier regions is the same for all
 * threads, or each finds its own in an array; what it leaves for later ones is the same. */
static bool can_run_one_by_one(const struct regions *g, const bool *has, int start)
{
    const struct widener *one = g->one;
    if (!one || one->n_privates > 0)
        return false;
    for (int at = 0; at < g->r->cfg->n; at++)
        for (LLVMValueRef i = g->r->cfg->nodes[at].first; has[at] && i != g->r->cfg->nodes[at].end;
             i = LLVMGetNextInstruction(i)) {
            int number = map_get(one->shapes->numbers, i);
            if (g->saved[number].memory && !(g->saved[number].out && one->slots[number].value[0]))
                return false;
            LLVMValueRef *operands;
            int n_operands = widen_uses(one, i, &operands);
            for (int o = 0; o < n_operands; o++) {
                int used = map_get(one->shapes->numbers, operands[o]);
                if (used < 0 || !one->crosses[used])
                    continue;
                bool is_from_outside = !has[map_get(one->node_of, operands[o])] || g->live[start][used];
                if (is_from_outside && !g->saved[used].out && !has_element(g, used))
                    return false;
            }
        }
    return true;
}

/* Whether an instruction reads nothing that the nodes in `before` compute, unless it is computed again. */
static bool reads_nothing_of(const struct regions *g, const bool *before, LLVMValueRef i)
{
    LLVMValueRef *operands;
    int n_operands = widen_uses(g->one, i, &operands);
    for (int o = 0; o < n_operands; o++) {
        int maker = LLVMIsAInstruction(operands[o]) ? map_get(g->one->node_of, operands[o]) : -1;
        if (maker >= 0 && before[maker] && !g->one->recomputed[map_get(g->one->shapes->numbers, operands[o])])
            return false;
    }
    return true;
}

/* Finds where in a region the threads that take its first branch meet the others. What follows need not be in the loop
 * over them, because only the first thread does anything there. Sets `before` to the nodes up to there. Returns -1 if
 * the region cannot be divided so: if what follows, or a later region, needs what these nodes compute. */
static int meeting_of(const struct regions *g, const bool *has, int start, bool *before)
{
    const struct cfg *cfg = g->r->cfg;
    int meeting = -1;
    for (int at = 0; at < cfg->n; at++)
        before[at] = has[at] && (at == start || g->w->shapes->regions[start][at]);
    for (int at = 0; at < cfg->n; at++) {
        const struct node *node = &cfg->nodes[at];
        if (before[at] && (node->barrier || node->n_succ == 0))
            return -1;
        for (int s = 0; has[at] && !node->barrier && s < node->n_succ; s++) {
            if (before[at] == before[node->succ[s]])
                continue;
            if (!before[at] || (meeting >= 0 && meeting != node->succ[s]))
                return -1;
            meeting = node->succ[s];
        }
    }
    if (meeting < 0 || LLVMIsAPHINode(cfg->nodes[meeting].first))
        return -1;
    for (int at = 0; at < cfg->n; at++)
        for (LLVMValueRef i = cfg->nodes[at].first; has[at] && i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
            if (before[at] ? g->saved[map_get(g->one->shapes->numbers, i)].memory != NULL
                           : !reads_nothing_of(g, before, i))
                return -1;
    return meeting;
}

/* Returns the number of the tile's first thread. */
static LLVMValueRef first_thread(const struct regions *g)
{
    int width = g->w->block.lanes * g->w->block.vectors;
    return LLVMBuildNSWMul(g->r->builder, g->first_block, run_number(g->r, width), "");
}

/* Emits what follows, for the first thread. */
static void emit_rest(struct regions *g, int start, const bool *has, const bool *before, int meeting,
                      const LLVMValueRef tile[3])
{
    struct run *r = g->r;
    bool *rest = arena_alloc((size_t)r->cfg->n);
    for (int at = 0; at < r->cfg->n; at++)
        rest[at] = has[at] && !before[at];
    LLVMValueRef zero = run_number(r, 0);
    g->block_number = g->first_block;
    g->thread_number = first_thread(g);
    g->block_end = run_new_block(r, "block.end");
    run_set_index(r, g->one, (LLVMValueRef[]){zero, zero, zero}, tile);
    save_or_restore(g, start, false);
    widen_nodes(g->one, rest, meeting, g->block_end, leave_region, g);
    LLVMPositionBuilderAtEnd(r->builder, g->block_end);
    LLVMSetCurrentDebugLocation2(r->builder, r->no_location);
}

/* Computes, in `type`, what a value is for the first thread of the tile, before the loop over its threads. Returns NULL
 * if it is made of something else than the thread's place and what is kept for the tile. */
static LLVMValueRef value_of_first(const struct regions *g, int start, LLVMValueRef value, LLVMTypeRef type, int depth)
{
    LLVMBuilderRef b = g->r->builder;
    if (LLVMIsAConstantInt(value))
        return LLVMConstInt(type, (unsigned long long)LLVMConstIntGetSExtValue(value), true);
    if (LLVMIsAArgument(value)) {
        bool is_place = entry_param(g->r->kernel, entry_param_number(value)).meaning == ENTRY_LOCAL;
        return is_place ? LLVMConstNull(type) : NULL;
    }
    int number = map_get(g->one->shapes->numbers, value);
    if (number >= 0 && g->live[start][number] && g->saved[number].out)
        return LLVMBuildSExt(b, LLVMBuildLoad2(b, LLVMTypeOf(value), g->saved[number].memory, ""), type, "");
    LLVMOpcode opcode = LLVMIsAInstruction(value) ? LLVMGetInstructionOpcode(value) : LLVMRet;
    bool is_sum = (opcode == LLVMAdd || opcode == LLVMSub) && LLVMGetNSW(value);
    if (depth == 0 || (opcode != LLVMSExt && opcode != LLVMTrunc && !is_sum))
        return NULL;
    LLVMValueRef left = value_of_first(g, start, LLVMGetOperand(value, 0), type, depth - 1);
    if (left && opcode == LLVMTrunc)
        return LLVMBuildSExt(b, LLVMBuildTrunc(b, left, LLVMTypeOf(value), ""), type, "");
    if (!left || opcode == LLVMSExt)
        return left;
    LLVMValueRef right = value_of_first(g, start, LLVMGetOperand(value, 1), type, depth - 1);
    return !right ? NULL : opcode == LLVMAdd ? LLVMBuildAdd(b, left, right, "") : LLVMBuildSub(b, left, right, "");
}

/* Limits a number to those from 0 to the threads of a tile, and makes an int of it. */
static LLVMValueRef limited(const struct regions *g, LLVMValueRef number)
{
    LLVMBuilderRef b = g->r->builder;
    LLVMTypeRef type = LLVMTypeOf(number);
    LLVMValueRef zero = LLVMConstNull(type), all = LLVMConstInt(type, (unsigned long long)g->r->kernel->tile[0], false);
    number = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntSLT, number, zero, ""), zero, number, "");
    number = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntSGT, number, all, ""), all, number, "");
    return LLVMBuildTrunc(b, number, run_int(g->r), "");
}

/* Computes which threads are on a side: [limits[0], limits[1]). Returns false if that is not known before the loop over
 * them. */
static bool find_limits_of_side(const struct regions *g, int start, const struct side *side, LLVMValueRef limits[2])
{
    enum { DEPTH = 4 };
    LLVMBuilderRef b = g->r->builder;
    unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(side->bound));
    LLVMTypeRef type = LLVMIntTypeInContext(g->r->context, bits > 32 ? 128 : 64); /* in which nothing wraps */
    if (labs(side->stride) != 1 || bits > 64)
        return false;
    LLVMValueRef first = value_of_first(g, start, side->value, type, DEPTH),
                 bound = first ? value_of_first(g, start, side->bound, type, DEPTH) : NULL;
    if (!bound)
        return false;
    LLVMValueRef zero = LLVMConstNull(type), one = LLVMConstInt(type, 1, false),
                 all = LLVMConstInt(type, (unsigned long long)g->r->kernel->tile[0], false);
    if (side->is_unsigned)
        bound = LLVMBuildAnd(b, bound, LLVMConstInt(type, ~0ULL >> (64 - bits), false), "");
    /* The values are those of [low, high). */
    LLVMValueRef low = side->kind == SIDE_WITHIN ? zero : NULL, high = NULL;
    if (side->kind == SIDE_ABOVE)
        low = side->is_inclusive ? bound : LLVMBuildAdd(b, bound, one, "");
    else
        high = side->is_inclusive ? LLVMBuildAdd(b, bound, one, "") : bound;
    if (side->stride > 0) { /* low <= first + thread < high */
        limits[0] = low ? LLVMBuildSub(b, low, first, "") : zero;
        limits[1] = high ? LLVMBuildSub(b, high, first, "") : all;
    } else { /* low <= first - thread < high */
        limits[0] = high ? LLVMBuildAdd(b, LLVMBuildSub(b, first, high, ""), one, "") : zero;
        limits[1] = low ? LLVMBuildAdd(b, LLVMBuildSub(b, first, low, ""), one, "") : all;
    }
    limits[0] = limited(g, limits[0]);
    limits[1] = limited(g, limits[1]);
    return true;
}

/* Computes which threads are in a window, in the same way. */
static bool find_limits(const struct regions *g, int start, const struct window *window, LLVMValueRef limits[2])
{
    LLVMBuilderRef b = g->r->builder;
    if (!find_limits_of_side(g, start, &window->sides[0], limits))
        return false;
    for (int s = 1; s < window->n; s++) {
        LLVMValueRef other[2];
        if (!find_limits_of_side(g, start, &window->sides[s], other))
            return false;
        LLVMValueRef is_later = LLVMBuildICmp(b, LLVMIntSGT, other[0], limits[0], ""),
                     is_earlier = LLVMBuildICmp(b, LLVMIntSLT, other[1], limits[1], "");
        limits[0] = LLVMBuildSelect(b, is_later, other[0], limits[0], "");
        limits[1] = LLVMBuildSelect(b, is_earlier, other[1], limits[1], "");
    }
    return true;
}

/* Whether all edges inside a region bring a phi what its array already holds. */
static bool gets_what_stays(const struct regions *g, const bool *has, const bool *stays, LLVMValueRef phi)
{
    LLVMValueRef memory = g->saved[map_get(g->w->shapes->numbers, phi)].memory;
    for (unsigned e = 0; e < LLVMCountIncoming(phi); e++) {
        int source = map_get(g->w->shapes->numbers, LLVMGetIncomingValue(phi, e));
        if (has[map_get(g->r->cfg->last_node, LLVMGetIncomingBlock(phi, e))] &&
            (source < 0 || !stays[source] || g->saved[source].memory != memory))
            return false;
    }
    return true;
}

/* Returns which of the values that blocks save in arrays a region leaves unchanged. */
static bool *find_what_stays(const struct regions *g, const bool *has)
{
    const struct cfg *cfg = g->r->cfg;
    int n = g->w->shapes->n_values;
    bool *stays = arena_alloc((size_t)n);
    for (int value = 0; value < n; value++)
        stays[value] = has_array(&g->saved[value]);
    for (int at = 0; at < cfg->n; at++)
        for (LLVMValueRef i = cfg->nodes[at].first; has[at] && i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
            stays[map_get(g->w->shapes->numbers, i)] = false;
    for (bool changed = true; changed;) {
        changed = false;
        for (int at = 0; at < cfg->n; at++)
            for (LLVMValueRef i = cfg->nodes[at].first; has[at] && i != cfg->nodes[at].end && LLVMIsAPHINode(i);
                 i = LLVMGetNextInstruction(i)) {
                int value = map_get(g->w->shapes->numbers, i);
                if (!stays[value] && has_array(&g->saved[value]) && gets_what_stays(g, has, stays, i))
                    changed = stays[value] = true;
            }
    }
    return stays;
}

/* Lets the next region read what the blocks of this one leave for the tile. */
static void hand_on(struct regions *g)
{
    struct run *r = g->r;
    for (int value = 0; value < g->w->shapes->n_values; value++)
        if (g->saved[value].out) {
            LLVMTypeRef type = LLVMGetAllocatedType(g->saved[value].out);
            LLVMBuildStore(r->builder, LLVMBuildLoad2(r->builder, type, g->saved[value].out, ""),
                           g->saved[value].memory);
        }
}

/* Computes the first thread of a block, which is local in a tile. */
static void find_first(const struct regions *g, LLVMValueRef block, const LLVMValueRef tile[3], LLVMValueRef first[3])
{
    const struct run *r = g->r;
    const struct kernel *k = r->kernel;
    const struct widener *w = g->current;
    int size[3] = {1, 1, 1}, width = w->block.lanes * w->block.vectors;
    if (!k->tiled) {
        first[0] = tile[0];
        first[1] = tile[1];
        first[2] = run_add(r, tile[2], LLVMBuildNSWMul(r->builder, block, run_number(r, width), ""));
        return;
    }
    for (int d = 0; d < k->rank; d++)
        size[3 - k->rank + d] = k->tile[d];
    if (k->rank == 1) { /* without division, addresses grow by the same amount from block to block */
        first[0] = first[1] = run_number(r, 0);
        first[2] = LLVMBuildNSWMul(r->builder, block, run_number(r, width), "");
        return;
    }
    int across = (size[2] + width - 1) / width, down = size[1] / w->block.rows;
    LLVMValueRef rest = LLVMBuildUDiv(r->builder, block, run_number(r, across), "");
    first[0] = LLVMBuildUDiv(r->builder, rest, run_number(r, down), "");
    first[1] = LLVMBuildMul(r->builder, LLVMBuildURem(r->builder, rest, run_number(r, down), ""),
                            run_number(r, w->block.rows), "");
    first[2] =
        LLVMBuildMul(r->builder, LLVMBuildURem(r->builder, block, run_number(r, across), ""), run_number(r, width), "");
}

/* Returns the nodes of a region. */
static bool *nodes_of(const struct regions *g, int region)
{
    const struct run *r = g->r;
    bool *has = arena_alloc((size_t)r->cfg->n);
    int *work = arena_alloc((size_t)r->cfg->n * sizeof(int)), n_work = 0;
    has[work[n_work++] = g->starts[region]] = true;
    while (n_work > 0) {
        const struct node *node = &r->cfg->nodes[work[--n_work]];
        for (int s = 0; s < node->n_succ && !node->barrier; s++)
            if (!has[node->succ[s]])
                has[work[n_work++] = node->succ[s]] = true;
    }
    return has;
}

/* How a region's threads run, if only some have something to do. */
struct choice {
    bool one_by_one;        /* one after another; otherwise in blocks */
    bool can_stop;          /* the loop may stop after a block, or thread, whose last thread has nothing to do */
    bool has_limits;        /* instead, the loop is over those threads that have something to do: */
    LLVMValueRef limits[2]; /* from the first one up to the second one */
    struct window window;   /* whose branch they take */
    bool *before;           /* the nodes up to where they meet the others, */
    int meeting;            /* which is there; -1: the loop has all of the region's nodes */
};

static struct choice choose(const struct regions *g, const bool *has, int start)
{
    const struct run *r = g->r;
    struct choice c = {.before = arena_alloc((size_t)r->cfg->n), .meeting = -1};
    if (r->kernel->box_rank > 1 || !windows_find(g->w->shapes, start, &c.window) || !can_leave_out(g, has, start))
        return c;
    c.can_stop = windows_are_first(&c.window);
    bool is_better = c.can_stop ? cost_is_tree(r->kernel, &r->image->facts, &r->plan->body, g->w->layout, has)
                                : r->plan->windows && r->plan->windows[start];
    if (!is_better || !can_run_one_by_one(g, has, start))
        return c;
    c.meeting = meeting_of(g, has, start, c.before);
    c.has_limits = c.meeting >= 0 && find_limits(g, start, &c.window, c.limits);
    c.one_by_one = c.can_stop || c.has_limits;
    if (!c.one_by_one)
        c.meeting = -1;
    for (int at = 0; c.one_by_one && at < r->cfg->n; at++)
        if (has[at] && (at == start || g->w->shapes->masked[at]))
            r->plan->one_by_one[at] = true;
    return c;
}

/* Lets the loop over the threads of a window compute no comparison that is known for them. Trees gain nothing by it. */
static void settle(const struct regions *g, const struct choice *choice)
{
    LLVMTypeRef i1 = LLVMInt1TypeInContext(g->r->context);
    for (int i = 0; choice->has_limits && !choice->can_stop && i < choice->window.n; i++) {
        const struct side *side = &choice->window.sides[i];
        g->one->settled[i] = (struct settled){side->comparison, LLVMConstInt(i1, side->result, false)};
    }
}

static void emit_region(struct regions *g, int region, const LLVMValueRef first_tile[3], LLVMBasicBlockRef tile_done)
{
    struct run *r = g->r;
    const struct kernel *k = r->kernel;

    /* 1. Find the nodes up to the next barriers. */
    bool *has = nodes_of(g, region);

    /* 2. For each block, set its place in the tile, restore its values and emit the nodes. */
    g->stays = find_what_stays(g, has);
    LLVMPositionBuilderAtEnd(r->builder, g->entries[region]);
    LLVMBuildStore(r->builder, run_number(r, g->n), g->next);
    if (g->requests.requests)
        requests_ask(g->w, &g->requests, has);
    int start = g->starts[region];
    struct choice choice = choose(g, has, start);
    struct widener *w = g->current = choice.one_by_one ? g->one : g->w;
    LLVMValueRef tile[] = {first_tile[0], first_tile[1], first_tile[2]};
    struct counter tiles = {NULL};
    g->first_block = run_number(r, 0);
    if (g->convoy && k->tiled) {
        tiles = run_begin_outer_loop(r, run_number(r, 0), g->convoy->count, "tile");
        tile[2] = run_add(r, tile[2], tiles.index);
        g->first_block = LLVMBuildNSWMul(r->builder, tiles.index, run_number(r, g->n_blocks), "");
        run_set_tile_memory(r, tiles.index);
    }
    LLVMValueRef from = choice.has_limits ? choice.limits[0] : run_number(r, 0);
    LLVMValueRef n_blocks = choice.has_limits ? choice.limits[1]
                            : g->convoy && !k->tiled
                                ? g->convoy->count
                                : run_number(r, choice.one_by_one ? k->tile[k->box_rank - 1] : g->n_blocks);
    struct counter blocks = run_begin_loop(r, from, n_blocks, 1, "block");
    if (!choice.one_by_one)
        choose_unrolling(g, has, &blocks);
    g->block_number = run_add(r, g->first_block, blocks.index);
    g->thread_number = run_add(r, first_thread(g), blocks.index);
    g->block_end = run_new_block(r, "block.end");
    int width = w->block.lanes * w->block.vectors, last = k->tiled ? k->tile[k->rank - 1] : width;
    LLVMValueRef first[3];
    find_first(g, blocks.index, tile, first);
    w->base_mask = last % width ? run_lanes_below(w, r, first[2], run_number(r, last)) : NULL;
    run_set_index(r, w, first, k->tiled ? tile : NULL);
    run_place_privates(r, w, g->block_number);
    if (w->strip)
        w->strip->block = blocks.index;
    save_or_restore(g, start, false);
    if (choice.meeting >= 0) {
        w->blocks[choice.meeting] = g->block_end;
        blocks.stays_rolled = choice.has_limits && !choice.can_stop; /* windows are too short to unroll */
    }
    settle(g, &choice);
    widen_nodes(w, choice.meeting >= 0 ? choice.before : has, start, g->block_end, leave_region, g);
    memset(w->settled, 0, sizeof w->settled);
    LLVMPositionBuilderAtEnd(r->builder, g->block_end);
    LLVMSetCurrentDebugLocation2(r->builder, r->no_location);
    if (choice.can_stop && !choice.has_limits && !blocks.is_unrolled) {
        LLVMValueRef last = choice.one_by_one ? w->divided : widen_lane(w, w->divided, w->block.lanes - 1);
        run_leave_unless(r, &blocks, choice.window.inside == 0 ? last : LLVMBuildNot(r->builder, last, ""));
    }
    run_end_loop(r, &blocks);
    strip_end_region(w, has);
    if (choice.meeting >= 0)
        emit_rest(g, start, has, choice.before, choice.meeting, tile);
    if (g->convoy && k->tiled) {
        run_end_loop(r, &tiles);
        run_set_tile_memory(r, NULL);
    }

    /* 3. Keep what the blocks leave for the tile, and go to the next region. */
    hand_on(g);
    LLVMValueRef next = LLVMBuildLoad2(r->builder, run_int(r), g->next, "next");
    LLVMValueRef to = LLVMBuildSwitch(r->builder, next, tile_done, (unsigned)g->n);
    for (int s = 0; s < g->n; s++)
        LLVMAddCase(to, run_number(r, s), g->entries[s]);
}

void regions_emit(struct run *r, struct widener *w, int n_blocks, const LLVMValueRef tile[3],
                  const struct members_of_convoy *convoy)
{
    struct regions g = {.r = r, .w = w, .n_blocks = n_blocks, .convoy = convoy};
    struct widener one;
    if (r->plan->single.block.lanes) {
        one = run_new_body(r, &r->plan->single, r->plan->single.block, convoy ? n_blocks * convoy->most : n_blocks);
        g.one = &one;
    }
    g.starts = arena_alloc((size_t)(r->cfg->n + 1) * sizeof(int));
    g.starts[g.n++] = 0;
    for (int at = 0; at < r->cfg->n; at++)
        if (r->cfg->nodes[at].barrier)
            g.starts[g.n++] = r->cfg->nodes[at].succ[0];
    g.entries = arena_alloc((size_t)g.n * sizeof *g.entries);
    for (int s = 0; s < g.n; s++)
        g.entries[s] = run_new_block(r, "region");
    g.next = widen_slot(w, run_int(r), "next");
    if (r->plan->requests && !convoy)
        g.requests = requests_begin(w, r->plan->requests, r->args, tile);
    compute_liveness(&g);
    make_saved(&g);
    LLVMBasicBlockRef tile_done = run_new_block(r, "tile.end");
    LLVMBuildBr(r->builder, g.entries[0]);
    for (int s = 0; s < g.n; s++)
        emit_region(&g, s, tile, tile_done);
    LLVMPositionBuilderAtEnd(r->builder, tile_done);
}

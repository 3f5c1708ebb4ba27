/* SPDX-License-Identifier: MIT
 *
 * In a matrix whose elements depend on their neighbours above and to the left, programs written for GPUs go from
 * diagonal to diagonal, and each thread has a column:
 *
 *     do {                                           do {
 *                                                        barrier;
 *         int row = diagonal - thread;                   int row = diagonal - thread;
 *         if (row >= 0 && row < 16)                      if (row >= 0 && row < 16)
 *             tile[row][thread] = ...;                       tile[row][thread] = ...;
 *         barrier;                                       barrier;
 *     } while (++diagonal < 31);                     } while (++diagonal < 31);
 *                                                    barrier;
 *
 * Lanes would have to gather and scatter along the diagonal, and many of them would be off. A loop over those threads
 * alone that have something to do is faster. Their branch must then be the first thing in its region, and what comes
 * after the loop must belong to another region. The pass therefore adds two barriers: one where the loop body starts,
 * and one after the loop.
 *
 * needs   loops whose latch is their only exit
 * keeps   that; barriers only where all threads arrive */
#include "widen/windows.h"

#include "kernel/entry.h"
#include "widen/cost.h"
#include "widen/widen.h"

#include <stdlib.h>

/* Finds the threads for which a comparison has that result. */
static bool find_side(const struct shapes *shapes, LLVMValueRef comparison, bool result, struct side *side)
{
    if (!LLVMIsAICmpInst(comparison))
        return false;
    bool is_swapped = shape_of(shapes, LLVMGetOperand(comparison, 0)).kind == SHAPE_UNIFORM;
    *side = (struct side){.comparison = comparison,
                          .value = LLVMGetOperand(comparison, is_swapped),
                          .bound = LLVMGetOperand(comparison, !is_swapped),
                          .result = result};
    struct shape value = shape_of(shapes, side->value), bound = shape_of(shapes, side->bound);
    if (value.kind != SHAPE_LINEAR || !value.no_wrap || value.rows || bound.kind != SHAPE_UNIFORM || bound.rows)
        return false;
    side->stride = value.stride;
    LLVMIntPredicate predicate = LLVMGetICmpPredicate(comparison);
    bool is_less =
        predicate == LLVMIntSLT || predicate == LLVMIntULT || predicate == LLVMIntSLE || predicate == LLVMIntULE;
    bool is_more =
        predicate == LLVMIntSGT || predicate == LLVMIntUGT || predicate == LLVMIntSGE || predicate == LLVMIntUGE;
    bool or_equal =
        predicate == LLVMIntSLE || predicate == LLVMIntULE || predicate == LLVMIntSGE || predicate == LLVMIntUGE;
    if (!is_less && !is_more)
        return false;
    is_less = is_less == (result != is_swapped);
    side->is_inclusive = or_equal == result;
    side->kind = is_less ? SIDE_BELOW : SIDE_ABOVE;
    side->is_unsigned = predicate >= LLVMIntUGT && predicate <= LLVMIntULE;
    if (!side->is_unsigned || value.positive)
        return true;
    bool is_positive = LLVMIsAConstantInt(side->bound) ? LLVMConstIntGetSExtValue(side->bound) >= 0 : bound.positive;
    side->kind = SIDE_WITHIN;
    return is_less && is_positive;
}

/* Finds the two conditions that both hold where `condition` has that result. Returns false if there are none. */
static bool find_both(LLVMValueRef condition, bool result, LLVMValueRef both[2])
{
    LLVMOpcode opcode = LLVMIsAInstruction(condition) ? LLVMGetInstructionOpcode(condition) : LLVMRet;
    both[0] = LLVMIsAInstruction(condition) ? LLVMGetOperand(condition, 0) : NULL;
    if (opcode == (result ? LLVMAnd : LLVMOr)) {
        both[1] = LLVMGetOperand(condition, 1);
        return true;
    }
    if (opcode != LLVMSelect) /* a && b is a ? b : false; a || b is a ? true : b */
        return false;
    LLVMValueRef other = LLVMGetOperand(condition, result ? 2 : 1);
    both[1] = LLVMGetOperand(condition, result ? 1 : 2);
    return LLVMIsAConstantInt(other) && (LLVMConstIntGetZExtValue(other) != 0) != result;
}

bool windows_find(const struct shapes *shapes, int node, struct window *window)
{
    const struct node *n = &shapes->cfg->nodes[node];
    if (!shapes->divergent[node] || shapes->masked[node] || shapes->masked[n->succ[0]] == shapes->masked[n->succ[1]])
        return false;
    LLVMValueRef condition = LLVMGetCondition(LLVMGetBasicBlockTerminator(n->block)), both[2];
    *window = (struct window){.n = 1, .inside = shapes->masked[n->succ[0]] ? 0 : 1};
    bool result = window->inside == 0;
    if (!find_both(condition, result, both))
        return find_side(shapes, condition, result, &window->sides[0]);
    window->n = 2;
    return find_side(shapes, both[0], result, &window->sides[0]) &&
           find_side(shapes, both[1], result, &window->sides[1]);
}

bool windows_is_for_first(const struct kernel *kernel, const struct shapes *shapes, int node)
{
    const struct node *n = &shapes->cfg->nodes[node];
    if (!shapes->divergent[node] || shapes->masked[node] || shapes->masked[n->succ[1]])
        return false;
    LLVMValueRef condition = LLVMGetCondition(LLVMGetBasicBlockTerminator(n->block));
    if (!LLVMIsAICmpInst(condition) || LLVMGetICmpPredicate(condition) != LLVMIntEQ)
        return false;
    LLVMValueRef place = LLVMGetOperand(condition, 0), zero = LLVMGetOperand(condition, 1);
    return LLVMIsAArgument(place) && LLVMIsAConstantInt(zero) && LLVMIsNull(zero) &&
           entry_param(kernel, entry_param_number(place)).meaning == ENTRY_LOCAL;
}

bool windows_are_first(const struct window *window)
{
    const struct side *side = &window->sides[0];
    return window->n == 1 &&
           (side->stride > 0 ? side->kind == SIDE_BELOW : side->stride < 0 && side->kind == SIDE_ABOVE);
}

/* Sets `has` to the nodes of a loop from one on, up to barriers. */
static void find_pass(const struct cfg *cfg, int from, bool *has)
{
    has[from] = true;
    for (int s = 0; s < cfg->nodes[from].n_succ && !cfg->nodes[from].barrier; s++)
        if (!has[cfg->nodes[from].succ[s]])
            find_pass(cfg, cfg->nodes[from].succ[s], has);
}

/* Whether nodes contain an instruction. */
static bool contain(const struct cfg *cfg, const bool *nodes, LLVMValueRef instruction)
{
    for (int at = 0; at < cfg->n; at++)
        for (LLVMValueRef i = cfg->nodes[at].first;
             nodes[at] && cfg->nodes[at].block == LLVMGetInstructionParent(instruction) && i != cfg->nodes[at].end;
             i = LLVMGetNextInstruction(i))
            if (i == instruction)
                return true;
    return false;
}

/* Returns the nodes that only threads of the window run whose branch ends `start`, or the first thread. */
static bool *find_own(const struct plan *plan, int start, const bool *pass)
{
    const struct shapes *truth = plan->truth;
    bool *own = arena_alloc((size_t)plan->cfg->n);
    for (int branch = 0; branch < plan->cfg->n; branch++)
        for (int at = 0; pass[branch] && at < plan->cfg->n; at++)
            if (truth->masked[at] && (branch == start || windows_is_for_first(plan->kernel, truth, branch)))
                own[at] |= truth->regions[branch][at];
    return own;
}

/* Whether a value that differs between threads is kept for later: comparisons of places are made again where
 * they are used. */
static bool is_kept(const struct shapes *shapes, LLVMValueRef i)
{
    return shape_of(shapes, i).kind == SHAPE_VARYING &&
           !(LLVMIsAICmpInst(i) && shape_of(shapes, LLVMGetOperand(i, 0)).kind != SHAPE_VARYING &&
             shape_of(shapes, LLVMGetOperand(i, 1)).kind != SHAPE_VARYING);
}

/* Whether threads outside of a window do something in these nodes, or a thread computes something there that it needs
 * later. */
static bool concerns_others(const struct plan *plan, int start, const bool *pass)
{
    const struct cfg *cfg = plan->cfg;
    const bool *own = find_own(plan, start, pass);
    for (int at = 0; at < cfg->n; at++)
        for (LLVMValueRef i = cfg->nodes[at].first; pass[at] && i != cfg->nodes[at].end;
             i = LLVMGetNextInstruction(i)) {
            if (!own[at] && i != cfg->nodes[at].barrier && widen_has_effect(i))
                return true;
            bool may_keep = is_kept(plan->truth, i);
            for (LLVMUseRef use = LLVMGetFirstUse(i); use && may_keep; use = LLVMGetNextUse(use))
                if (!contain(cfg, pass, LLVMGetUser(use)))
                    return true;
        }
    return false;
}

/* Whether the threads of a window, whose branch ends `start`, should run these nodes one after another. */
static bool suits(const struct plan *plan, const struct facts *facts, LLVMTargetDataRef layout, int start,
                  const bool *pass)
{
    struct window window;
    if (!windows_find(plan->truth, start, &window))
        return false;
    for (int i = 0; i < window.n; i++)
        if (labs(window.sides[i].stride) != 1)
            return false;
    if (concerns_others(plan, start, pass))
        return false;
    return windows_are_first(&window) ? cost_is_tree(plan->kernel, facts, &plan->tried, layout, pass)
                                      : cost_is_wavefront(plan->kernel, facts, &plan->tried, layout, pass);
}

/* Whether a kernel can have windows. */
static bool can_have(const struct plan *plan)
{
    return plan->kernel->tiled && plan->kernel->box_rank == 1 && !plan->is_described;
}

/* Puts a copy of a barrier at the beginning of a basic block. */
static void put_barrier(LLVMBuilderRef b, LLVMBasicBlockRef block, LLVMValueRef barrier)
{
    LLVMValueRef at = LLVMGetFirstInstruction(block);
    while (LLVMIsAPHINode(at))
        at = LLVMGetNextInstruction(at);
    LLVMPositionBuilderBefore(b, at);
    LLVMInsertIntoBuilder(b, LLVMInstructionClone(barrier));
}

/* Whether a loop carries something that each thread has for itself, which regions.c would not leave out. */
static bool carries_values(const struct plan *plan, int loop)
{
    LLVMValueRef i = plan->cfg->nodes[plan->cfg->loops[loop].header].first;
    while (LLVMIsAPHINode(i) && shape_of(plan->truth, i).kind == SHAPE_UNIFORM)
        i = LLVMGetNextInstruction(i);
    return LLVMIsAPHINode(i) != NULL;
}

/* Puts barriers around the window with which the passes of a loop begin, if there is one and its threads should run one
 * after another. */
static bool split(const struct plan *plan, const struct facts *facts, LLVMTargetDataRef layout, int loop)
{
    const struct cfg *cfg = plan->cfg;
    int latch = cfg_latch(cfg, loop), header = cfg->loops[loop].header;
    bool *pass = arena_alloc((size_t)cfg->n);
    if (latch < 0 || cfg_only_exit(cfg, loop) != latch || carries_values(plan, loop))
        return false;
    find_pass(cfg, header, pass);
    LLVMValueRef barrier = NULL;
    for (int at = header; at <= cfg->loops[loop].last; at++)
        if (pass[at] && cfg->nodes[at].barrier)
            barrier = cfg->nodes[at].barrier;
    int after = cfg->nodes[latch].succ[cfg_in_loop(cfg, cfg->nodes[latch].succ[0], loop)];
    if (!barrier || plan->truth->masked[after] || !suits(plan, facts, layout, header, pass))
        return false;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(barrier)));
    put_barrier(b, cfg->nodes[header].block, barrier);
    put_barrier(b, cfg->nodes[after].block, barrier);
    LLVMDisposeBuilder(b);
    return true;
}

bool windows_split(const struct plan *plan, const struct facts *facts, LLVMTargetDataRef layout)
{
    bool changed = false;
    for (int loop = 0; can_have(plan) && loop < plan->cfg->n_loops; loop++)
        changed |= split(plan, facts, layout, loop);
    return changed;
}

bool *windows_nodes(const struct plan *plan, const struct facts *facts, LLVMTargetDataRef layout)
{
    const struct cfg *cfg = plan->cfg;
    bool *nodes = arena_alloc((size_t)cfg->n), has_any = false;
    for (int at = -1; can_have(plan) && at < cfg->n; at++) {
        int start = at < 0 ? 0 : cfg->nodes[at].barrier ? cfg->nodes[at].succ[0] : -1;
        if (start < 0 || !plan->truth->divergent[start])
            continue;
        bool *pass = arena_alloc((size_t)cfg->n);
        find_pass(cfg, start, pass);
        if (!suits(plan, facts, layout, start, pass))
            continue;
        for (int n = 0; n < cfg->n; n++)
            nodes[n] |= pass[n] && (n == start || plan->truth->masked[n]);
        has_any = true;
    }
    return has_any ? nodes : NULL;
}

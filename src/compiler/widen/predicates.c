/* SPDX-License-Identifier: MIT
 *
 * Where lanes may part, a block has one vector: masks belong to it, and it decides which nodes are skipped. Programs
 * that copy pieces of arrays to tile memory part at the guard of each access only:
 *
 *     part[row][col] = y < height && i + col < width ? a[y][i + col] : 0;
 *
 * Their loops, which use what was copied, are several times as fast in blocks of many rows. So such a guard need not
 * be a branch. Its nodes run one after another for all lanes; only loads and stores have masks, each instance its own,
 * and where paths meet, values are selected:
 *
 *     if (c) x = a[i];      becomes      m = c; t = a[i] under m; x = m ? t : x;
 *
 * Without tiles, this spares branches by data, which processors cannot predict, and a block can have several vectors.
 *
 * Needs: nodes that end where all paths meet; in them nothing but accesses to neighbouring elements, and what can be
 * computed for lanes that are off. Keeps: everything else; `shapes` itself. */
#include "widen/predicates.h"

#include "kernel/calls.h"
#include "kernel/entry.h"
#include "kernel/ir.h"
#include "kernel/origin.h"

#include <string.h>

bool predicates_has_atomics(const struct cfg *cfg)
{
    for (int at = 0; at < cfg->n; at++)
        for (LLVMValueRef i = cfg->nodes[at].first; i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
            if (LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i) ||
                ((LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) && LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic))
                return true;
    return false;
}

bool predicates_own(const struct kernel *kernel, const struct shapes *shapes, LLVMValueRef store)
{
    const struct cfg *cfg = shapes->cfg;
    LLVMValueRef address = LLVMGetOperand(store, 1);
    int to = map_get(cfg->first_node, LLVMGetInstructionParent(store));
    if (kernel->tiled || origin_of(kernel, address).kinds != ORIGIN_ARRAY ||
        (kernel->box_rank > 1 && !shape_of(shapes, address).rows) || predicates_has_atomics(cfg)) /* or rows share it */
        return false;
    for (LLVMUseRef use = LLVMGetFirstUse(address); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef load = LLVMGetUser(use);
        int at = LLVMIsALoadInst(load) ? map_get(cfg->first_node, LLVMGetInstructionParent(load)) : -1;
        if (at >= 0 && at != to && !shapes->masked[at] && !LLVMGetVolatile(load) &&
            LLVMTypeOf(load) == LLVMTypeOf(LLVMGetOperand(store, 0)) && cfg_dominates(cfg, at, to))
            return true;
    }
    return false;
}

/* Whether a load or store is to neighbouring elements, and the target has masks for it. `parts_rows`: some rows may
 * have no thread that reaches it, so each row needs an access of its own, not one for all. */
static bool can_have_mask(const struct kernel *kernel, const struct facts *facts, const struct shapes *shapes,
                          LLVMValueRef access, bool parts_rows)
{
    bool is_store = LLVMIsAStoreInst(access) != NULL;
    LLVMValueRef address = LLVMGetOperand(access, is_store);
    LLVMTypeRef type = is_store ? LLVMTypeOf(LLVMGetOperand(access, 0)) : LLVMTypeOf(access);
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(LLVMGetGlobalParent(shapes->cfg->function));
    if (!is_store && entry_is_argument(address))
        return true;
    if (LLVMGetVolatile(access) || LLVMGetOrdering(access) != LLVMAtomicOrderingNotAtomic || !ir_is_element(type))
        return false;
    struct shape shape = shape_of(shapes, address);
    int size = (int)LLVMStoreSizeOfType(layout, type);
    int kinds = origin_of(kernel, address).kinds;
    bool is_seen = kinds == ORIGIN_ARRAY || (kinds == ORIGIN_TILE && (!is_store || facts->has_masks));
    bool has_mask = facts_can_mask(facts, size);
    if (!kernel->tiled && is_store) /* AVX2's stores under masks would take longer than branches */
        has_mask = facts->has_masks || predicates_own(kernel, shapes, access);
    else if (!kernel->tiled && kinds == ORIGIN_ARRAY)
        has_mask = true;
    return is_seen && shape.kind == SHAPE_LINEAR && shape.stride == size && has_mask &&
           (shape.rows || (!is_store && !parts_rows));
}

/* Whether an instruction may run for lanes that are off. */
static bool is_harmless(LLVMValueRef i)
{
    LLVMValueRef divisor;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
        divisor = LLVMGetOperand(i, 1);
        return LLVMIsAConstantInt(divisor) && LLVMConstIntGetSExtValue(divisor) != 0 &&
               LLVMConstIntGetSExtValue(divisor) != -1;
    case LLVMGetElementPtr:
    case LLVMICmp:
    case LLVMFCmp:
    case LLVMSelect:
    case LLVMFreeze:
    case LLVMFNeg:
    case LLVMPHI:
        return true;
    case LLVMCall:
        return calls_is_pure(i) && calls_of(i)->lanes == LANES_vector;
    default:
        return LLVMIsABinaryOperator(i) || LLVMIsACastInst(i);
    }
}

/* Whether the nodes between a branch and where all paths meet can be predicated. */
static bool suits(const struct kernel *kernel, const struct facts *facts, const struct shapes *shapes, int head)
{
    enum { MOST_INSTRUCTIONS = 24 };
    const struct cfg *cfg = shapes->cfg;
    int meeting = cfg->nodes[head].ipdom, length = 0;
    if (meeting <= head + 1 || meeting >= cfg->n || cfg->nodes[meeting].loop != cfg->nodes[head].loop ||
        cfg->nodes[meeting].first != LLVMGetFirstInstruction(cfg->nodes[meeting].block) ||
        LLVMGetInstructionOpcode(LLVMGetBasicBlockTerminator(cfg->nodes[head].block)) != LLVMBr)
        return false;
    bool *parts_rows = arena_alloc((size_t)cfg->n); /* by node: rows part at some branch before it */
    for (int at = head + 1; at < meeting; at++) {
        const struct node *node = &cfg->nodes[at];
        LLVMValueRef end = LLVMGetBasicBlockTerminator(node->block);
        if (node->barrier || node->loop != cfg->nodes[head].loop ||
            node->first != LLVMGetFirstInstruction(node->block) || node->n_succ == 0 ||
            LLVMGetInstructionOpcode(end) != LLVMBr)
            return false;
        for (int p = 0; p < node->n_pred; p++) {
            const struct node *before = &cfg->nodes[node->pred[p]];
            LLVMValueRef branch = LLVMGetBasicBlockTerminator(before->block);
            if (node->pred[p] < head || node->pred[p] >= at)
                return false;
            parts_rows[at] |=
                parts_rows[node->pred[p]] || (before->n_succ == 2 && shape_of(shapes, LLVMGetCondition(branch)).rows);
        }
        for (LLVMValueRef i = node->first; i != node->end && i != end; i = LLVMGetNextInstruction(i), length++)
            if (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i) ? !can_have_mask(kernel, facts, shapes, i, parts_rows[at])
                                                          : !is_harmless(i))
                return false;
    }
    for (int at = head; at < meeting; at++)
        for (int s = 0; s < cfg->nodes[at].n_succ; s++)
            if (cfg->nodes[at].succ[s] <= at || cfg->nodes[at].succ[s] > meeting)
                return false;
    for (int p = 0; p < cfg->nodes[meeting].n_pred; p++)
        if (cfg->nodes[meeting].pred[p] < head || cfg->nodes[meeting].pred[p] >= meeting)
            return false;
    return length <= MOST_INSTRUCTIONS;
}

/* Whether threads of a block may take a branch differently. */
static bool parts(const struct shapes *shapes, int node)
{
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(shapes->cfg->nodes[node].block);
    return shapes->cfg->nodes[node].n_succ == 2 && !shapes->controls_barrier[node] &&
           (shapes->divergent[node] || shape_of(shapes, LLVMGetCondition(branch)).rows);
}

/* Whether predicates begin with a branch: threads part there, or at one from which paths go on to the same place. */
static bool is_head(const struct shapes *shapes, int node)
{
    const struct cfg *cfg = shapes->cfg;
    bool is = parts(shapes, node), can_be = cfg->nodes[node].n_succ == 2 && !shapes->controls_barrier[node];
    for (int at = node + 1; can_be && !is && at < cfg->nodes[node].ipdom; at++)
        is = cfg->nodes[at].ipdom == cfg->nodes[node].ipdom && parts(shapes, at);
    return is;
}

const struct shapes *predicates_find(const struct kernel *kernel, const struct facts *facts,
                                     const struct shapes *shapes)
{
    const struct cfg *cfg = shapes->cfg;
    struct shapes *result = arena_alloc(sizeof *result);
    *result = *shapes;
    int *predicate = arena_alloc((size_t)cfg->n * sizeof *predicate);
    result->masked = arena_alloc((size_t)cfg->n);
    result->exit = arena_alloc((size_t)cfg->n * sizeof *result->exit);
    memcpy(result->exit, shapes->exit, (size_t)cfg->n * sizeof *result->exit);
    for (int head = 0; head < cfg->n; head++) {
        if (!is_head(shapes, head))
            continue;
        if (!suits(kernel, facts, shapes, head))
            return NULL;
        int meeting = cfg->nodes[head].ipdom;
        for (int at = head; at < meeting; at++) {
            predicate[at] = head + 1;
            result->masked[at] = at > head;
            result->exit[at] = meeting;
        }
        head = meeting - 1;
    }
    result->predicate = predicate;
    result->any_divergent = result->any_rows_branch = false;
    return result;
}

/* SPDX-License-Identifier: MIT */
#include "widen/whole.h"

#include "ampcc.h"
#include "base/map.h"

/* Whether a condition only compares the threads' places with what is the same for all of them. `seen` has those that
 * have been asked for. */
static bool is_of_place(const struct shapes *shapes, LLVMValueRef condition, struct map *seen)
{
    if (shape_of(shapes, condition).kind != SHAPE_VARYING || map_get(seen, condition) >= 0)
        return true;
    map_set(seen, condition, 1);
    if (LLVMIsAICmpInst(condition))
        return shape_of(shapes, LLVMGetOperand(condition, 0)).kind != SHAPE_VARYING &&
               shape_of(shapes, LLVMGetOperand(condition, 1)).kind != SHAPE_VARYING;
    LLVMOpcode opcode = LLVMIsAInstruction(condition) ? LLVMGetInstructionOpcode(condition) : 0;
    if (opcode != LLVMAnd && opcode != LLVMOr && opcode != LLVMXor && opcode != LLVMSelect && opcode != LLVMPHI &&
        opcode != LLVMFreeze)
        return false;
    for (int o = 0; o < LLVMGetNumOperands(condition); o++)
        if (!is_of_place(shapes, LLVMGetOperand(condition, (unsigned)o), seen))
            return false;
    return true;
}

static bool is_in_masked_loop(const struct shapes *shapes, int node)
{
    for (int l = shapes->cfg->nodes[node].loop; l >= 0; l = shapes->cfg->loops[l].parent)
        if (shapes->masked[shapes->cfg->loops[l].header])
            return true;
    return false;
}

/* Whether lanes come to the node, or do not, only because of their places; `of_place` says that of the nodes before. */
static bool depends_on_place(const struct shapes *shapes, int node, const bool *of_place)
{
    const struct node *n = &shapes->cfg->nodes[node];
    for (int p = 0; p < n->n_pred && shapes->masked[node]; p++) {
        int from = n->pred[p];
        LLVMValueRef branch = LLVMGetBasicBlockTerminator(shapes->cfg->nodes[from].block);
        if (from >= node || !of_place[from] ||
            (shapes->cfg->nodes[from].n_succ > 1 && !is_of_place(shapes, LLVMGetCondition(branch), map_new())))
            return false;
    }
    return true;
}

/* Whether the node has accesses that are cheaper without a mask, and is short. */
static bool gains(const struct body *body, int node)
{
    enum { MOST_INSTRUCTIONS = 64 };
    const struct node *n = &body->shapes->cfg->nodes[node];
    int accesses = 0, length = 0;
    for (LLVMValueRef i = n->first; i != n->end; i = LLVMGetNextInstruction(i), length++)
        if (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) {
            enum access access = plan_way(body, i)->access;
            accesses += access != ACCESS_UNIFORM && access < ACCESS_APART;
        }
    return accesses > 0 && !n->barrier && length <= MOST_INSTRUCTIONS;
}

const bool *whole_nodes(const struct body *body, const struct facts *facts)
{
    const struct shapes *shapes = body->shapes;
    bool *whole = arena_alloc((size_t)shapes->cfg->n), *of_place = arena_alloc((size_t)shapes->cfg->n);
    for (int at = 0; at < shapes->cfg->n; at++) {
        of_place[at] = !is_in_masked_loop(shapes, at) && depends_on_place(shapes, at, of_place);
        whole[at] = !facts->has_masks && body->block.lanes > 1 && shapes->masked[at] && of_place[at] && gains(body, at);
    }
    return whole;
}

/* SPDX-License-Identifier: MIT */
#include "widen/whole.h"

#include "ampcc.h"
#include "base/map.h"
#include "widen/serial.h"

struct places {
    const struct shapes *shapes;
    bool *of_place;   /* by node, of those before: whether lanes come there, or do not, only because of their places */
    struct map *seen; /* conditions that have been asked for */
};

static bool is_of_place(const struct places *places, LLVMValueRef condition);

/* Whether the threads' places alone decide by which edge lanes come to a node. */
static bool edges_are_of_place(const struct places *places, int node)
{
    const struct cfg *cfg = places->shapes->cfg;
    for (int p = 0; p < cfg->nodes[node].n_pred; p++) {
        int from = cfg->nodes[node].pred[p];
        LLVMValueRef branch = LLVMGetBasicBlockTerminator(cfg->nodes[from].block);
        bool parts = cfg->nodes[from].n_succ > 1;
        if (!places->of_place[from] || (parts && !is_of_place(places, LLVMGetCondition(branch))))
            return false;
    }
    return true;
}

/* Whether a condition only compares the threads' places with what is the same for all of them. */
static bool is_of_place(const struct places *places, LLVMValueRef condition)
{
    const struct shapes *shapes = places->shapes;
    if (shape_of(shapes, condition).kind != SHAPE_VARYING || map_get(places->seen, condition) >= 0)
        return true;
    map_set(places->seen, condition, 1);
    if (!LLVMIsAInstruction(condition))
        return false;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(condition);
    if (opcode == LLVMICmp)
        return shape_compares_places(shapes, condition);
    if (opcode == LLVMPHI) {
        int node = map_get(shapes->cfg->first_node, LLVMGetInstructionParent(condition));
        if (!edges_are_of_place(places, node))
            return false;
    } else if (opcode != LLVMAnd && opcode != LLVMOr && opcode != LLVMXor && opcode != LLVMSelect &&
               opcode != LLVMFreeze)
        return false;
    for (int o = 0; o < LLVMGetNumOperands(condition); o++)
        if (!is_of_place(places, LLVMGetOperand(condition, (unsigned)o)))
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

/* Whether the node has so many gathers and scatters that become scalars without a mask that a test of whether all lanes
 * are on costs nothing beside it. */
static bool mostly_gathers(const struct body *body, int node)
{
    enum { MOST_INSTRUCTIONS = 1000, LEAST = 8, SHARE = 16 };
    const struct node *n = &body->shapes->cfg->nodes[node];
    int gathers = 0, length = 0;
    for (LLVMValueRef i = n->first; i != n->end; i = LLVMGetNextInstruction(i), length++)
        gathers += (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) && plan_way(body, i)->by_scalars;
    return gathers >= LEAST && gathers * SHARE >= length && length <= MOST_INSTRUCTIONS && !n->barrier;
}

/* Whether a store under a mask becomes a branch and a store for each lane, because there is no such instruction. */
static bool is_branches(const struct facts *facts, const struct body *body, LLVMValueRef store)
{
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(store, 0));
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(LLVMGetGlobalParent(body->shapes->cfg->function));
    const struct way *way = plan_way(body, store);
    return (way->access == ACCESS_CONTIGUOUS || way->access == ACCESS_REVERSED) && !way->blends &&
           !facts_can_mask(facts, (long)LLVMStoreSizeOfType(layout, type));
}

/* Whether a node does little but such stores: one branch for each lane that is on is then cheaper than one for each
 * lane and store, and easier to predict. */
static bool mostly_branches(const struct facts *facts, const struct body *body, int node)
{
    enum { SHARE = 2 };
    const struct node *n = &body->shapes->cfg->nodes[node];
    int stores = 0, others = 0;
    for (LLVMValueRef i = n->first; i != n->end; i = LLVMGetNextInstruction(i))
        if (LLVMIsAStoreInst(i) && is_branches(facts, body, i))
            stores++;
        else
            others += LLVMIsAStoreInst(i) || shape_of(body->shapes, i).kind == SHAPE_VARYING;
    return stores > 0 && others <= SHARE * stores && !n->barrier;
}

void whole_nodes(const struct kernel *kernel, const struct facts *facts, struct body *body)
{
    const struct shapes *shapes = body->shapes;
    if (body->block.lanes == 1 || !shapes->any_divergent)
        return;
    struct places places = {shapes, arena_alloc((size_t)shapes->cfg->n), NULL};
    bool *whole = arena_alloc((size_t)shapes->cfg->n), *serial = arena_alloc((size_t)shapes->cfg->n);
    for (int at = 0; at < shapes->cfg->n; at++) {
        bool is_once = !is_in_masked_loop(shapes, at);
        places.seen = map_new();
        places.of_place[at] = !shapes->masked[at] || (is_once && edges_are_of_place(&places, at));
        bool parts = shapes->masked[at] && is_once && (mostly_gathers(body, at) || mostly_branches(facts, body, at));
        whole[at] = shapes->masked[at] && ((places.of_place[at] && gains(body, at)) || parts);
        serial[at] = parts && serial_can(kernel, body, at);
    }
    body->whole = whole;
    body->serial = serial;
}

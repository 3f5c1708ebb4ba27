/* SPDX-License-Identifier: MIT
 *
 * Each instruction of the kernel becomes one instruction per instance of its value, a scalar or a vector by its shape,
 * before the next instruction follows: all threads of the block run in lockstep.
 *
 * Values used outside their own node pass through slots, stack variables that LLVM's sroa turns into registers again. A
 * phi is a slot, too, which its predecessors write. So nodes can be emitted more than once, in any arrangement, without
 * regard to dominance.
 *
 * A branch that lanes may take differently does not branch. Its region, up to the node where all lanes are together
 * again, runs node by node in the order of the graph; each node has a mask of the lanes that wait for it, is skipped if
 * there are none, and hands its lanes on to its successors' masks. The last node of a loop goes back to the header
 * while lanes wait there. What the lanes of a mask leave in a phi's slot is blended in, so that a lane that has left a
 * loop keeps its value. Along the back edge nothing needs to be kept: all lanes that stay in the loop take it. Since a
 * lane can only wait at a later node or at the header of a loop that it is in, all lanes that run a node are in the
 * same iteration of all loops around it: that is why uniform values need no mask.
 *
 *     if (c) A; else B; C      becomes      mA = m & c; mB = m & ~c;
 *                                           if (any mA) A under mA;  if (any mB) B under mB;  C under m
 *
 * A node that only adds to sums in registers (sums.h) is not skipped, but runs for no lane. Some nodes (whole.h) have a
 * second version without a mask, for when all lanes are on: if (all mA) A; else A under mA.
 *
 * The nodes of some guards (predicates.h) run for all lanes instead, one after another; their accesses have masks.
 *
 * Needs: a prepared function (scalar, loop-closed, natural loops), its graph and shapes; rows == vectors == 1 if some
 * branch is divergent and not predicated. Keeps: debug locations, fast-math and overflow flags, type-based alias
 * information. Drops: alias scopes, which describe only one thread. */
#include "kernel/calls.h"
#include "kernel/entry.h"
#include "kernel/exact.h"
#include "kernel/origin.h"
#include "widen/panel.h"
#include "widen/parts.h"
#include "widen/serial.h"
#include "widen/stage.h"
#include "widen/stretch_sums.h"
#include "widen/strip.h"
#include "widen/variables.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

/* ---- nodes ---- */

static void keep(struct widener *w, int number, int i, LLVMValueRef value)
{
    if (w->cache_node[number] != w->node + 1) {
        memset(w->cache[number], 0, sizeof w->cache[number]);
        w->cache_node[number] = w->node + 1;
    }
    w->cache[number][i] = value;
    if (w->crosses[number])
        LLVMBuildStore(w->builder, value, w->slots[number].value[i]);
}

bool widen_has_effect(LLVMValueRef i)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    return opcode == LLVMStore || opcode == LLVMAtomicRMW || opcode == LLVMAtomicCmpXchg ||
           (opcode == LLVMCall && !calls_is_pure(i));
}

/* Whether an instruction is a load or store that reaches memory in this way. */
static bool accesses_by(const struct widener *w, LLVMValueRef i, enum access access)
{
    return (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) && widen_way(w, i)->access == access;
}

/* Emits one instance of a store, which runs only if the instance is a point of the domain. What it needs comes before
 * the branch, because other instances may need it, too. */
static void store_inside(struct widener *w, LLVMValueRef i, int row, int vector)
{
    for (unsigned o = 0; o < 2; o++)
        widen_get(w, LLVMGetOperand(i, o), row, vector);
    LLVMBasicBlockRef inside = widen_block_here(w, "inside"), after = widen_block_here(w, "after");
    LLVMBuildCondBr(w->builder, w->is_inside(w, row, vector), inside, after);
    LLVMPositionBuilderAtEnd(w->builder, inside);
    widen_instruction(w, i, row, vector);
    LLVMBuildBr(w->builder, after);
    LLVMPositionBuilderAtEnd(w->builder, after);
}

static void emit_members(struct widener *w, const struct members *members)
{
    bool is_load = LLVMIsALoadInst(members->at) != NULL;
    struct shape shape = shape_of(w->shapes, members->at);
    int rows = is_load ? widen_rows(w, shape) : w->block.rows,
        vectors = is_load ? widen_vectors(w, shape) : w->block.vectors;
    for (int row = 0; row < rows; row++)
        for (int vector = 0; vector < vectors; vector++) {
            LLVMValueRef values[MAX_MEMBERS];
            if (!is_load) {
                widen_store_members(w, members, row, vector);
                continue;
            }
            widen_load_members(w, members, row, vector, values);
            for (int k = 0; k < members->n; k++)
                keep(w, widen_number(w, members->accesses[k]), widen_instance(w, row, vector), values[k]);
        }
}

/* Whether each instance of an access has a mask of its own. */
static bool has_own_mask(const struct widener *w, LLVMValueRef i)
{
    bool is_access = LLVMIsALoadInst(i) || LLVMIsAStoreInst(i);
    if (!is_access || !shape_runs_predicated(w->shapes, w->node) ||
        (LLVMIsALoadInst(i) && entry_is_argument(LLVMGetOperand(i, 0))))
        return false;
    if (!accesses_by(w, i, ACCESS_CONTIGUOUS))
        diag_defect(w->kernel->name, "a predicated access is not to neighbouring elements: %s",
                    LLVMPrintValueToString(i));
    return true;
}

static void emit_instruction(struct widener *w, LLVMValueRef i)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    if (opcode == LLVMAlloca)
        return;
    if (opcode == LLVMCall && widen_way(w, i)->work == WORK_NONE) {
        widen_control(w, i);
        return;
    }
    const struct members *members = widen_members(w, i);
    if (members) {
        if (members->at == i)
            emit_members(w, members);
        return;
    }
    int number = widen_number(w, i);
    struct shape shape = w->shapes->shapes[number];
    LLVMValueRef results[MAX_INSTANCES];
    bool is_done = accesses_by(w, i, ACCESS_STRETCHES);
    bool is_masked_alone = has_own_mask(w, i);
    if (is_done)
        widen_stretches(w, i, results);
    int rows = widen_has_effect(i) ? w->block.rows : widen_rows(w, shape),
        vectors = widen_has_effect(i) ? w->block.vectors : widen_vectors(w, shape);
    for (int row = 0; row < rows; row++)
        for (int vector = 0; vector < vectors; vector++) {
            int at = widen_instance(w, row, vector);
            if (w->is_inside && opcode == LLVMStore) {
                store_inside(w, i, row, vector);
                continue;
            }
            if (is_masked_alone)
                w->mask = widen_predicate(w, row, vector);
            LLVMValueRef result = is_done                           ? results[at]
                                  : accesses_by(w, i, ACCESS_GUESS) ? widen_guess(w, i, shape, row, vector)
                                                                    : widen_instruction(w, i, row, vector);
            if (LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind)
                keep(w, number, at, result);
        }
    if (is_masked_alone)
        w->mask = w->base_mask;
}

/* The values that come into the phis of a node along an edge, one per instance. */
struct incoming {
    int n;
    struct {
        LLVMValueRef slot, value;
        bool varying;
        int row, vector, rows, vectors; /* the instances that share the slot: the first, and how many */
    } *items;
};

/* Returns the loop that the edge enters; -1 if it enters none. */
static int entered_loop(const struct widener *w, int from, int to)
{
    int l = w->cfg->nodes[to].loop;
    return l >= 0 && w->cfg->loops[l].header == to && !cfg_in_loop(w->cfg, from, l) ? l : -1;
}

/* Lists the loads in `loop`, but not in loops inside, that load ahead; returns how many there are. */
static int loads_ahead(const struct widener *w, int loop, LLVMValueRef *loads)
{
    int n = 0;
    for (int at = loop < 0 ? w->cfg->n : w->cfg->loops[loop].header; at < w->cfg->n && at <= w->cfg->loops[loop].last;
         at++)
        for (LLVMValueRef i = w->cfg->nodes[at].first; i != w->cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
            if (w->cfg->nodes[at].loop == loop && accesses_by(w, i, ACCESS_STRETCHES)) {
                if (loads)
                    loads[n] = i;
                n++;
            }
    return n;
}

/* Reads the values that go along the edge. All are read before any is written: one phi may be another's new value. */
static void read_phis(struct widener *w, int from, int to, struct incoming *incoming)
{
    const struct node *target = &w->cfg->nodes[to];
    int n_phis = 0;
    for (LLVMValueRef phi = target->first; LLVMGetInstructionOpcode(phi) == LLVMPHI; phi = LLVMGetNextInstruction(phi))
        n_phis++;
    int loop = entered_loop(w, from, to), n_loads = loads_ahead(w, loop, NULL);
    int n = n_phis * w->block.rows * w->block.vectors + n_loads;
    LLVMValueRef *loads = arena_alloc((size_t)(n_loads + 1) * sizeof *loads);
    incoming->n = 0;
    incoming->items = arena_alloc((size_t)(n + 1) * sizeof *incoming->items);
    loads_ahead(w, loop, loads);
    for (int i = 0; i < n_loads; i++) { /* nothing is loaded ahead yet */
        incoming->items[incoming->n].slot = widen_stretch_slot(w, loads[i]);
        incoming->items[incoming->n].value = widen_stretch_empty(w, loads[i]);
        incoming->items[incoming->n++].varying = false;
    }
    if (target->first != LLVMGetFirstInstruction(target->block) || w->cfg->nodes[from].barrier)
        return;
    for (LLVMValueRef phi = target->first; LLVMGetInstructionOpcode(phi) == LLVMPHI;
         phi = LLVMGetNextInstruction(phi)) {
        struct shape shape = shape_of(w->shapes, phi);
        LLVMValueRef source = NULL;
        for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
            if (LLVMGetIncomingBlock(phi, k) == w->cfg->nodes[from].block)
                source = LLVMGetIncomingValue(phi, k);
        for (int row = 0; row < widen_rows(w, shape); row++)
            for (int vector = 0; vector < widen_vectors(w, shape); vector++) {
                incoming->items[incoming->n].slot = w->slots[widen_number(w, phi)].phi[widen_instance(w, row, vector)];
                incoming->items[incoming->n].value = widen_get_for(w, shape, source, row, vector);
                incoming->items[incoming->n].row = row;
                incoming->items[incoming->n].vector = vector;
                incoming->items[incoming->n].rows = widen_rows(w, shape) == 1 ? w->block.rows : 1;
                incoming->items[incoming->n].vectors = widen_vectors(w, shape) == 1 ? w->block.vectors : 1;
                incoming->items[incoming->n++].varying = shape.kind == SHAPE_VARYING;
            }
    }
}

static void write_phi(struct widener *w, const struct incoming *incoming, int i, LLVMValueRef mask)
{
    LLVMValueRef value = incoming->items[i].value, slot = incoming->items[i].slot;
    if (mask) {
        LLVMValueRef old = LLVMBuildLoad2(w->builder, LLVMTypeOf(value), slot, "");
        bool is_one = !incoming->items[i].varying && widen_is_vector(mask);
        value = widen_select(w, is_one ? widen_any(w, mask) : mask, value, old);
    }
    LLVMBuildStore(w->builder, value, slot);
}

/* Writes them to the phis; with `mask`, only for the lanes that go along the edge. */
static void write_phis(struct widener *w, const struct incoming *incoming, LLVMValueRef mask)
{
    for (int i = 0; i < incoming->n; i++)
        write_phi(w, incoming, i, mask);
}

/* Returns the mask for writing the phis of an edge. A loop's only back edge needs none: all lanes still in the loop
 * take it. */
static LLVMValueRef edge_mask(const struct widener *w, int from, int to, LLVMValueRef mask)
{
    int n_back_edges = 0;
    for (int p = 0; p < w->cfg->nodes[to].n_pred; p++)
        n_back_edges += cfg_is_back_edge(w->cfg, w->cfg->nodes[to].pred[p], to);
    return cfg_is_back_edge(w->cfg, from, to) && n_back_edges == 1 ? NULL : mask;
}

static LLVMTypeRef mask_type(const struct widener *w)
{
    return LLVMVectorType(LLVMInt1TypeInContext(w->context), (unsigned)w->block.lanes);
}

/* Returns the first node from `from` on in the masked region of `node`; -1 if there are no more. */
static int next_in_region(const struct widener *w, int node, int from)
{
    for (int at = from; at < w->cfg->n; at++)
        if (w->shapes->masked[at] && w->in_copy[at] && w->shapes->exit[at] == w->shapes->exit[node])
            return at;
    return -1;
}

static LLVMBasicBlockRef block_of_exit(const struct widener *w, int node, LLVMBasicBlockRef end)
{
    return w->shapes->exit[node] < w->cfg->n ? w->blocks[w->shapes->exit[node]] : end;
}

/* Goes on after a masked node, or into its region: back to a header where lanes wait, otherwise to the next node. */
static void go_on(struct widener *w, int node, LLVMBasicBlockRef end)
{
    for (int l = w->cfg->nodes[node].loop; l >= 0; l = w->cfg->loops[l].parent) {
        int header = w->cfg->loops[l].header;
        if (w->cfg->loops[l].last != node || !w->shapes->masked[header])
            continue;
        LLVMValueRef waiting = LLVMBuildLoad2(w->builder, mask_type(w), w->mask_slots[header], "");
        LLVMBasicBlockRef leave = LLVMAppendBasicBlockInContext(w->context, w->function, "loop.end");
        LLVMBuildCondBr(w->builder, widen_any(w, waiting), w->bodies[header], leave);
        LLVMPositionBuilderAtEnd(w->builder, leave);
    }
    int next = next_in_region(w, node, node + 1);
    LLVMBuildBr(w->builder, next >= 0 ? w->blocks[next] : block_of_exit(w, node, end));
}

/* Adds `mask` to the lanes that wait for `node`. */
static void send(struct widener *w, int node, LLVMValueRef mask)
{
    if (!w->shapes->masked[node])
        return; /* the region's end: all lanes come there */
    LLVMValueRef waiting = LLVMBuildLoad2(w->builder, mask_type(w), w->mask_slots[node], "");
    LLVMBuildStore(w->builder, LLVMBuildOr(w->builder, waiting, mask, ""), w->mask_slots[node]);
}

/* Empties the masks of the region of `node` when lanes come into it from outside. */
static int enter_region(struct widener *w, int node)
{
    int first = next_in_region(w, node, 0);
    for (int at = first; at >= 0; at = next_in_region(w, node, at + 1))
        LLVMBuildStore(w->builder, LLVMConstNull(mask_type(w)), w->mask_slots[at]);
    return first;
}

/* Follows an edge that all lanes take from a node that is not masked. */
static void follow(struct widener *w, const struct incoming *incoming, int from, int to, LLVMBasicBlockRef end)
{
    write_phis(w, incoming, NULL);
    if (!w->shapes->masked[to]) {
        LLVMBuildBr(w->builder, w->stage   ? stage_follow(w, to)
                                : w->panel ? panel_follow(w, from, to, end)
                                           : w->blocks[to]);
        return;
    }
    int first = enter_region(w, to);
    send(w, to, widen_mask_or_all(w, w->base_mask));
    LLVMBuildBr(w->builder, w->blocks[first]);
}

static LLVMValueRef uniform_condition(struct widener *w, LLVMValueRef condition)
{
    LLVMValueRef value = widen_get(w, condition, 0, 0);
    return widen_is_vector(value) ? widen_lane(w, value, 0) : value;
}

/* Whether so much is handed out along an edge out of a loop that it is worth a branch which skips that where no lane
 * leaves. */
static bool hands_out_much(const struct widener *w, int from, int to, const struct incoming *incoming)
{
    enum { LEAST = 128 }; /* bytes */
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(LLVMGetGlobalParent(w->function));
    unsigned long long bytes = 0;
    for (int i = 0; i < incoming->n; i++)
        if (incoming->items[i].varying)
            bytes += LLVMABISizeOfType(layout, LLVMTypeOf(incoming->items[i].value));
    return bytes >= LEAST && w->cfg->nodes[from].loop >= 0 && !cfg_in_loop(w->cfg, to, w->cfg->nodes[from].loop);
}

/* Sends lanes along an edge of a branch in a masked region, with the values that they take along. */
static void send_along(struct widener *w, int from, int to, const struct incoming *incoming, LLVMValueRef mask)
{
    LLVMBasicBlockRef after = NULL;
    if (hands_out_much(w, from, to, incoming)) {
        after = widen_block_here(w, "stays");
        LLVMBasicBlockRef leaves = widen_block_here(w, "leaves");
        LLVMBuildCondBr(w->builder, widen_any(w, mask), leaves, after);
        LLVMPositionBuilderAtEnd(w->builder, leaves);
    }
    write_phis(w, incoming, edge_mask(w, from, to, mask));
    send(w, to, mask);
    if (after) {
        LLVMBuildBr(w->builder, after);
        LLVMPositionBuilderAtEnd(w->builder, after);
    }
}

static void store_in_slot(struct widener *w, LLVMValueRef *slot, LLVMValueRef value, const char *name)
{
    *slot = *slot ? *slot : widen_slot(w, LLVMTypeOf(value), name);
    LLVMBuildStore(w->builder, value, *slot);
}

/* Whether a condition is `result` for all threads of the block. Lanes without a thread may have anything. */
static LLVMValueRef holds_for_all(struct widener *w, LLVMValueRef condition, bool result)
{
    struct shape shape = shape_of(w->shapes, condition);
    LLVMValueRef all = NULL;
    for (int row = 0; row < widen_rows(w, shape); row++)
        for (int vector = 0; vector < widen_vectors(w, shape); vector++) {
            LLVMValueRef one = widen_get(w, condition, row, vector);
            one = result ? one : LLVMBuildNot(w->builder, one, "");
            if (w->base_mask && widen_is_vector(one))
                one = LLVMBuildSelect(w->builder, w->base_mask, one, LLVMConstAllOnes(LLVMTypeOf(one)), "");
            all = all ? LLVMBuildAnd(w->builder, all, one, "") : one;
        }
    return widen_is_vector(all) ? widen_all(w, all) : all;
}

/* The first node from which threads come to `node`, in the order in which nodes run. */
static int first_before(const struct cfg *cfg, int node)
{
    int first = cfg->nodes[node].pred[0];
    for (int p = 1; p < cfg->nodes[node].n_pred; p++)
        if (cfg->nodes[node].pred[p] < first)
            first = cfg->nodes[node].pred[p];
    return first;
}

/* The threads that take an edge, of two instances or edges. */
static LLVMValueRef either(struct widener *w, LLVMValueRef a, LLVMValueRef b)
{
    if (widen_is_vector(a) != widen_is_vector(b)) {
        a = widen_is_vector(a) ? a : widen_splat(w, a);
        b = widen_is_vector(b) ? b : widen_splat(w, b);
    }
    return LLVMBuildOr(w->builder, a, b, "");
}

/* Returns the mask for what an edge brings to a phi. Where instances share its memory, those that come here have the
 * same value, and others have none. */
static LLVMValueRef mask_of_phi(struct widener *w, const struct incoming *incoming, int i, LLVMValueRef *edge)
{
    LLVMValueRef mask = NULL;
    for (int row = 0; row < incoming->items[i].rows; row++)
        for (int vector = 0; vector < incoming->items[i].vectors; vector++) {
            int at = widen_instance(w, incoming->items[i].row + row, incoming->items[i].vector + vector);
            mask = mask ? either(w, mask, edge[at]) : edge[at];
        }
    return mask;
}

/* Adds the threads that an edge brings to a predicated node to those that other edges have brought. */
static void bring(struct widener *w, int node, bool is_first, LLVMValueRef *edge, LLVMValueRef all_on)
{
    for (int at = 0; at < w->block.rows * w->block.vectors; at++) {
        LLVMValueRef mask = edge[at];
        if (w->cfg->nodes[node].n_pred > 1 && !widen_is_vector(mask))
            mask = widen_splat(w, mask);
        if (!is_first)
            mask = either(w, widen_read(w, w->predicates[node][at]), mask);
        store_in_slot(w, &w->predicates[node][at], mask, "predicate");
    }
    if (!is_first)
        all_on = LLVMBuildOr(w->builder, widen_read(w, w->all_on[node]), all_on, "");
    store_in_slot(w, &w->all_on[node], all_on, "all.on");
}

/* Goes on after a node that is predicated or leads to such nodes: to the next of them, or where their paths meet. The
 * first one that may go to a node leaves its values for all lanes, the others replace them in theirs. */
static void emit_predicates(struct widener *w, int node)
{
    const struct node *n = &w->cfg->nodes[node];
    int meeting = w->shapes->exit[node];
    struct incoming incoming[2];
    LLVMValueRef edges[2][MAX_INSTANCES], all = widen_read(w, w->all_on[node]), all_on[] = {all, all};
    LLVMValueRef condition = n->n_succ == 2 ? LLVMGetCondition(LLVMGetBasicBlockTerminator(n->block)) : NULL;
    for (int s = 0; s < n->n_succ; s++) {
        read_phis(w, node, n->succ[s], &incoming[s]);
        if (condition && n->succ[s] < meeting)
            all_on[s] = widen_mask_and(w, all, holds_for_all(w, condition, s == 0));
    }
    for (int row = 0; row < w->block.rows; row++)
        for (int vector = 0; vector < w->block.vectors; vector++) {
            int at = widen_instance(w, row, vector);
            LLVMValueRef mask = widen_read(w, w->predicates[node][at]);
            LLVMValueRef taken = condition ? widen_get(w, condition, row, vector) : NULL;
            edges[0][at] = widen_mask_and(w, mask, taken);
            edges[1][at] = taken ? widen_mask_and(w, mask, LLVMBuildNot(w->builder, taken, "")) : NULL;
        }
    for (int s = 0; s < n->n_succ; s++) {
        bool is_first = node == first_before(w->cfg, n->succ[s]);
        bool is_only = is_first || (w->is_whole && n->n_succ == 1);
        for (int i = 0; i < incoming[s].n; i++)
            write_phi(w, &incoming[s], i, is_only ? NULL : mask_of_phi(w, &incoming[s], i, edges[s]));
        if (n->succ[s] < meeting)
            bring(w, n->succ[s], is_first, edges[s], all_on[s]);
    }
    LLVMBuildBr(w->builder, w->blocks[node + 1]);
}

static void emit_branch(struct widener *w, int node, LLVMBasicBlockRef end)
{
    if (shape_is_predicated(w->shapes, node)) {
        emit_predicates(w, node);
        return;
    }
    const struct node *n = &w->cfg->nodes[node];
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(n->block);
    bool masked = w->shapes->masked[node];
    struct incoming incoming[2];
    for (int s = 0; s < n->n_succ; s++)
        read_phis(w, node, n->succ[s], &incoming[s]);
    if (n->n_succ == 0) {
        if (masked)
            go_on(w, node, end);
        else if (LLVMGetInstructionOpcode(terminator) == LLVMUnreachable)
            LLVMBuildUnreachable(w->builder);
        else
            LLVMBuildBr(w->builder, end);
        return;
    }
    if (n->n_succ == 1) {
        if (!masked) {
            follow(w, &incoming[0], node, n->succ[0], end);
            return;
        }
        write_phis(w, &incoming[0], edge_mask(w, node, n->succ[0], w->mask));
        send(w, n->succ[0], widen_mask_or_all(w, w->mask));
        go_on(w, node, end);
        return;
    }
    if (w->stage && w->stage->is_round) {
        for (int s = 0; s < 2; s++)
            write_phis(w, &incoming[s], NULL);
        LLVMBuildBr(w->builder, w->stage->next);
        return;
    }
    LLVMValueRef condition = LLVMGetCondition(terminator);
    /* succ[] has the order of the terminator's successors, unless both are the same. */
    if (!masked && !w->shapes->divergent[node]) {
        LLVMBasicBlockRef sides[2];
        for (int s = 0; s < 2; s++)
            sides[s] = LLVMAppendBasicBlockInContext(w->context, w->function, "edge");
        /* It goes among the body's basic blocks, because gdb mistakes every address range of an inlined function for a
         * call of it. */
        for (int s = 0; s < 2; s++)
            LLVMMoveBasicBlockAfter(sides[s], LLVMGetInsertBlock(w->builder));
        LLVMValueRef taken = uniform_condition(w, condition);
        if (node == w->start)
            w->divided = taken;
        LLVMBuildCondBr(w->builder, taken, sides[0], sides[1]);
        for (int s = 0; s < 2; s++) {
            LLVMPositionBuilderAtEnd(w->builder, sides[s]);
            follow(w, &incoming[s], node, n->succ[s], end);
        }
        return;
    }
    LLVMValueRef taken = widen_get_vector(w, condition, 0, 0), mask = widen_mask_or_all(w, w->mask);
    if (node == w->start)
        w->divided = taken;
    LLVMValueRef masks[] = {widen_mask_and(w, mask, taken),
                            widen_mask_and(w, mask, LLVMBuildNot(w->builder, taken, ""))};
    if (masked) {
        for (int s = 0; s < 2; s++)
            send_along(w, node, n->succ[s], &incoming[s], masks[s]);
        go_on(w, node, end);
        return;
    }
    for (int s = 0; s < 2; s++)
        write_phis(w, &incoming[s], edge_mask(w, node, n->succ[s], masks[s]));
    int inside = w->shapes->masked[n->succ[0]] ? n->succ[0] : n->succ[1];
    int first = enter_region(w, inside);
    for (int s = 0; s < 2; s++)
        send(w, n->succ[s], masks[s]);
    LLVMBuildBr(w->builder, w->blocks[first]);
}

static void emit_at_its_place(struct widener *w, LLVMValueRef i)
{
    LLVMSetCurrentDebugLocation2(w->builder, widen_location(w, LLVMInstructionGetDebugLoc(i)));
    emit_instruction(w, i);
}

/* Emits what a value of the node needs, and it itself, before the rest. What is done so is in `done`. */
static void emit_early(struct widener *w, LLVMValueRef value, struct map *done)
{
    if (!LLVMIsAInstruction(value) || map_get(w->node_of, value) != w->node || map_get(done, value) >= 0)
        return;
    map_set(done, value, 1);
    for (int o = 0; o < LLVMGetNumOperands(value) && !LLVMIsAPHINode(value); o++)
        emit_early(w, LLVMGetOperand(value, (unsigned)o), done);
    const struct members *members = widen_members(w, value);
    if (members)
        emit_early(w, members->at, done);
    emit_at_its_place(w, value);
}

/* Copies what the strip's loads of a node read, before the rest: that begins basic blocks, and LLVM makes better code
 * of what is in one. Returns what of the node is done; NULL: nothing. */
static struct map *copy_early(struct widener *w, int node)
{
    const struct node *n = &w->cfg->nodes[node];
    struct map *done = NULL;
    for (LLVMValueRef i = n->first; i != n->end; i = LLVMGetNextInstruction(i))
        if (strip_has(w, i)) {
            done = done ? done : map_new();
            emit_early(w, LLVMGetOperand(i, 0), done);
            LLVMSetCurrentDebugLocation2(w->builder, widen_location(w, LLVMInstructionGetDebugLoc(i)));
            strip_copy(w, i);
        }
    return done;
}

/* Whether a node's version under a mask runs for one lane after another. */
static bool is_serial(const struct widener *w, int node)
{
    return w->serial && w->serial[node];
}

/* Emits what a node does for all lanes of `w->mask` together. */
static void emit_instructions(struct widener *w, int node)
{
    const struct node *n = &w->cfg->nodes[node];
    struct map *done = copy_early(w, node);
    for (LLVMValueRef i = n->first; i != n->end; i = LLVMGetNextInstruction(i))
        if (!LLVMIsATerminatorInst(i) && !(done && map_get(done, i) >= 0))
            emit_at_its_place(w, i);
}

/* Whether tile memory gets vectors in which the paths of a branch meet. */
static bool stores_merged(const struct widener *w)
{
    for (int at = 0; at < w->cfg->n; at++)
        for (LLVMValueRef i = w->cfg->nodes[at].first; i != w->cfg->nodes[at].end; i = LLVMGetNextInstruction(i)) {
            if (!LLVMIsAStoreInst(i) || !LLVMIsAPHINode(LLVMGetOperand(i, 0)))
                continue;
            int meeting = map_get(w->node_of, LLVMGetOperand(i, 0)), loop = w->cfg->nodes[meeting].loop;
            bool is_carried = loop >= 0 && w->cfg->loops[loop].header == meeting;
            if (!is_carried && origin_of(w->kernel, LLVMGetOperand(i, 1)).kinds == ORIGIN_TILE)
                return true;
        }
    return false;
}

/* Finds the tile_static variables of which all lanes read one element, in a kernel that stores such vectors. */
static void find_changing(struct widener *w)
{
    w->changes_at_barriers = arena_alloc((size_t)w->n_tile_memory + 1);
    bool is_needed = stores_merged(w);
    for (int at = 0; at < w->cfg->n && is_needed; at++)
        for (LLVMValueRef i = w->cfg->nodes[at].first; i != w->cfg->nodes[at].end; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef variable = LLVMIsALoadInst(i) && accesses_by(w, i, ACCESS_UNIFORM)
                                        ? origin_of(w->kernel, LLVMGetOperand(i, 0)).variable
                                        : NULL;
            for (int m = 0; m < w->n_tile_memory && variable; m++)
                w->changes_at_barriers[m] |= w->tile_memory[m].variable == variable;
        }
}

/* Tells LLVM that variables may change at a barrier within a block. It would take what is read after it from the
 * registers that were stored before. Where paths meet in a vector, it makes that one large integer and shifts it for
 * each element: a product in guarded tiles takes more than twice as long. */
static void leave_in_memory(struct widener *w)
{
    enum { MAY_WRITE_ARGUMENTS = 3 }; /* reads and writes what its arguments point to, and nothing else */
    static const char memory[] = "memory";
    LLVMTypeRef pointer = LLVMPointerTypeInContext(w->context, 0);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(w->context), &pointer, 1, false);
    for (int i = 0; i < w->n_tile_memory; i++)
        if (w->changes_at_barriers[i]) {
            LLVMValueRef nothing = LLVMGetInlineAsm(type, "", 0, "r", 1, true, false, LLVMInlineAsmDialectATT, false);
            LLVMValueRef call = LLVMBuildCall2(w->builder, type, nothing, &w->tile_memory[i].memory, 1, "");
            unsigned kind = LLVMGetEnumAttributeKindForName(memory, sizeof memory - 1);
            LLVMAddCallSiteAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                     LLVMCreateEnumAttribute(w->context, kind, MAY_WRITE_ARGUMENTS));
        }
}

/* Emits what a node does, and how it goes on, for the lanes of `mask`; NULL: all of them. */
static void emit_version(struct widener *w, int node, LLVMValueRef mask, LLVMBasicBlockRef end,
                         barrier_function *at_barrier, void *user)
{
    const struct node *n = &w->cfg->nodes[node];
    w->mask = mask;
    if (mask && is_serial(w, node))
        serial_emit(w, node, mask);
    else
        emit_instructions(w, node);
    if (!n->barrier)
        emit_branch(w, node, end);
    else if (at_barrier)
        at_barrier(user, n->succ[0]);
    else {
        strip_end_node(w, node);
        leave_in_memory(w);
        LLVMBuildBr(w->builder, w->blocks[n->succ[0]]);
    }
}

/* Emits a version without a mask, for when all lanes are on. What it has read does not dominate the other one, so it is
 * forgotten. */
static void emit_whole(struct widener *w, int node, LLVMValueRef mask, LLVMBasicBlockRef end)
{
    LLVMBasicBlockRef whole = widen_block_here(w, "whole"), part = widen_block_here(w, "part");
    LLVMBuildCondBr(w->builder, widen_all(w, mask), whole, part);
    LLVMPositionBuilderAtEnd(w->builder, whole);
    emit_version(w, node, NULL, end, NULL, NULL);
    memset(w->cache_node, 0, (size_t)w->shapes->n_values * sizeof(int));
    LLVMPositionBuilderAtEnd(w->builder, part);
    LLVMSetCurrentDebugLocation2(w->builder, w->no_location);
}

/* Emits a predicated node: a version for when all lanes of all instances are on, and one under masks. */
static void emit_both_versions(struct widener *w, int node, LLVMBasicBlockRef end)
{
    LLVMBasicBlockRef whole = widen_block_here(w, "whole"), part = widen_block_here(w, "part");
    LLVMBuildCondBr(w->builder, widen_read(w, w->all_on[node]), whole, part);
    LLVMPositionBuilderAtEnd(w->builder, whole);
    w->is_whole = true;
    emit_version(w, node, w->base_mask, end, NULL, NULL);
    w->is_whole = false;
    memset(w->cache_node, 0, (size_t)w->shapes->n_values * sizeof(int));
    LLVMPositionBuilderAtEnd(w->builder, part);
    LLVMSetCurrentDebugLocation2(w->builder, w->no_location);
    emit_version(w, node, w->base_mask, end, NULL, NULL);
}

/* Whether a predicated node accesses memory under masks, which it would not if all lanes were on. */
static bool has_predicated_access(const struct widener *w, int node)
{
    const struct node *n = &w->cfg->nodes[node];
    bool has = false;
    for (LLVMValueRef i = n->first; i != n->end; i = LLVMGetNextInstruction(i))
        has |= shape_runs_predicated(w->shapes, node) && accesses_by(w, i, ACCESS_CONTIGUOUS) &&
               !widen_way(w, i)->is_between && !widen_way(w, i)->owns;
    return has;
}

/* Returns how a node goes along rows; NULL: it does not. No panel, stage or strip has what it loads. */
static const struct stretch_sums *stretch_sums_of(const struct widener *w, int node)
{
    return w->stretch_sums ? w->stretch_sums[node] : NULL;
}

/* Emits the iterations of a loop along rows that run in vectors, and the tests whether there are any, and they may.
 * `w->mask` says which lanes begin the loop. */
static void emit_stretch_sums(struct widener *w, int node)
{
    const struct node *n = &w->cfg->nodes[node];
    const struct stretch_sums *sums = w->stretch_sums[node];
    struct map *done = map_new();
    emit_at_its_place(w, sums->stretch->counter);
    LLVMValueRef count = stretch_sums_count(w, sums);
    LLVMBasicBlockRef vectors = widen_block_here(w, "vectors"), rest = widen_block_here(w, "rest");
    w->blocks[node] = rest; /* where control goes after an iteration: it has been tried */
    LLVMValueRef none = LLVMConstNull(LLVMTypeOf(count));
    LLVMBuildCondBr(w->builder, LLVMBuildICmp(w->builder, LLVMIntNE, count, none, ""), vectors, rest);
    LLVMPositionBuilderAtEnd(w->builder, vectors);
    for (LLVMValueRef i = n->first; i != n->end; i = LLVMGetNextInstruction(i))
        if (LLVMIsAPHINode(i))
            emit_early(w, i, done);
        else if (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i))
            emit_early(w, LLVMGetOperand(i, LLVMIsAStoreInst(i) != NULL), done);
    if (sums->n_stores > 0) {
        LLVMBasicBlockRef along = widen_block_here(w, "in_order");
        LLVMBuildCondBr(w->builder, stretch_sums_keep_order(w, sums, count), along, rest);
        LLVMPositionBuilderAtEnd(w->builder, along);
    }
    stretch_sums_emit(w, sums, count);
    LLVMBuildBr(w->builder, rest);
    LLVMPositionBuilderAtEnd(w->builder, rest);
    LLVMSetCurrentDebugLocation2(w->builder, w->no_location);
    memset(w->cache_node, 0, (size_t)w->shapes->n_values * sizeof(int));
}

/* Does so for a loop that lanes leave at different times, if some lane comes to it. */
static void emit_parted_sums(struct widener *w, int node)
{
    w->mask = LLVMBuildLoad2(w->builder, mask_type(w), w->mask_slots[node], "");
    LLVMBasicBlockRef first = widen_block_here(w, "first"), none = widen_block_here(w, "none");
    LLVMBuildCondBr(w->builder, widen_any(w, w->mask), first, none);
    LLVMPositionBuilderAtEnd(w->builder, first);
    emit_stretch_sums(w, node);
    LLVMBuildBr(w->builder, none);
    LLVMPositionBuilderAtEnd(w->builder, none);
}

/* If a node is all of a loop and that shall be unrolled, emits so many iterations, and the test whether they may begin.
 * The builder then stands where other iterations go on. */
static void emit_unrolled(struct widener *w, int node, LLVMBasicBlockRef end)
{
    int loop = w->cfg->nodes[node].loop;
    if (loop < 0 || w->cfg->loops[loop].header != node || w->cfg->loops[loop].last != node || w->panel || w->stage)
        return;
    int n_loads = loads_ahead(w, loop, NULL);
    LLVMValueRef *loads = arena_alloc((size_t)(n_loads + 1) * sizeof *loads);
    loads_ahead(w, loop, loads);
    int length = widen_unroll_length(w, node, loads, n_loads);
    if (length == 0)
        return;
    w->mask = w->base_mask;
    emit_at_its_place(w, widen_way(w, loads[0])->stretch->counter);
    LLVMBasicBlockRef unrolled = widen_block_here(w, "unrolled"), rest = widen_block_here(w, "rest");
    LLVMBuildCondBr(w->builder, widen_unrolled_may_begin(w, loads[0]), unrolled, rest);
    LLVMPositionBuilderAtEnd(w->builder, unrolled);
    memset(w->cache_node, 0, (size_t)w->shapes->n_values * sizeof(int));
    for (w->unrolled = 1; w->unrolled <= length; w->unrolled++) {
        struct incoming incoming;
        emit_instructions(w, node);
        if (w->unrolled < length) {
            read_phis(w, node, node, &incoming);
            write_phis(w, &incoming, NULL);
        } else
            emit_branch(w, node, end);
        memset(w->cache_node, 0, (size_t)w->shapes->n_values * sizeof(int));
    }
    w->unrolled = 0;
    LLVMPositionBuilderAtEnd(w->builder, rest);
    LLVMSetCurrentDebugLocation2(w->builder, w->no_location);
}

/* Whether a masked node runs without a test whether lanes wait for it: it only adds to sums in registers, and a branch
 * that nobody can foresee would take longer. What it uses may then not have been computed, so no address may be. */
static bool runs_untested(const struct widener *w, int node)
{
    enum { FEW = 8 };
    const struct node *n = &w->cfg->nodes[node];
    int length = 0, sums = 0;
    for (LLVMValueRef i = n->first; i != n->end && !LLVMIsATerminatorInst(i); i = LLVMGetNextInstruction(i)) {
        LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
        const struct way *way = widen_way(w, i);
        bool is_sum = LLVMIsAAtomicRMWInst(i) && way->work == WORK_SUM && !way->moves;
        bool is_division = opcode == LLVMSDiv || opcode == LLVMUDiv || opcode == LLVMSRem || opcode == LLVMURem;
        bool is_simple = is_sum || LLVMIsAGetElementPtrInst(i) || LLVMIsACastInst(i) || LLVMIsACmpInst(i) ||
                         (LLVMIsABinaryOperator(i) && !is_division) ||
                         (LLVMIsALoadInst(i) && entry_is_argument(LLVMGetOperand(i, 0)));
        sums += is_sum;
        if (!is_simple || ++length > FEW)
            return false;
    }
    return sums > 0 && w->sum_chains > 0 && !n->barrier && n->n_succ == 1;
}

static void emit_node(struct widener *w, int node, LLVMBasicBlockRef end, barrier_function *at_barrier, void *user)
{
    w->node = node;
    LLVMPositionBuilderAtEnd(w->builder, w->blocks[node]);
    LLVMSetCurrentDebugLocation2(w->builder, w->no_location);
    LLVMValueRef mask = w->base_mask;
    if (w->shapes->masked[node] && !shape_is_predicated(w->shapes, node)) {
        if (stretch_sums_of(w, node))
            emit_parted_sums(w, node);
        LLVMBasicBlockRef skip = LLVMAppendBasicBlockInContext(w->context, w->function, "skip");
        LLVMValueRef waiting = LLVMBuildLoad2(w->builder, mask_type(w), w->mask_slots[node], "");
        w->bodies[node] = LLVMAppendBasicBlockInContext(w->context, w->function, "masked");
        bool is_tested = !runs_untested(w, node);
        LLVMValueRef runs =
            is_tested ? widen_any(w, waiting) : LLVMConstInt(LLVMInt1TypeInContext(w->context), 1, false);
        LLVMBuildCondBr(w->builder, runs, w->bodies[node], skip);
        LLVMPositionBuilderAtEnd(w->builder, skip);
        go_on(w, node, end);
        LLVMPositionBuilderAtEnd(w->builder, w->bodies[node]);
        mask = LLVMBuildLoad2(w->builder, mask_type(w), w->mask_slots[node], "");
        LLVMBuildStore(w->builder, LLVMConstNull(mask_type(w)), w->mask_slots[node]);
        if (is_tested && w->whole && w->whole[node] && !w->base_mask)
            emit_whole(w, node, mask, end);
    } else if (has_predicated_access(w, node)) {
        emit_both_versions(w, node, end);
        return;
    } else if (stretch_sums_of(w, node)) {
        w->mask = w->base_mask;
        emit_stretch_sums(w, node);
    } else
        emit_unrolled(w, node, end);
    emit_version(w, node, mask, end, at_barrier, user);
}

/* What is blended into a phi must not depend on what the previous block of threads left there. */
static void forget_phis(struct widener *w)
{
    for (int at = 0; at < w->cfg->n; at++)
        for (LLVMValueRef i = w->cfg->nodes[at].first;
             w->in_copy[at] && at != w->start && LLVMGetInstructionOpcode(i) == LLVMPHI; i = LLVMGetNextInstruction(i))
            for (int k = 0; k < w->block.rows * w->block.vectors; k++) {
                LLVMValueRef slot = w->slots[widen_number(w, i)].phi[k];
                if (slot)
                    LLVMBuildStore(w->builder, LLVMGetPoison(LLVMGetAllocatedType(slot)), slot);
            }
}

void widen_nodes(struct widener *w, const bool *in_copy, int start, LLVMBasicBlockRef end, barrier_function *at_barrier,
                 void *user)
{
    w->in_copy = in_copy;
    w->start = start;
    w->copy = LLVMCountBasicBlocks(w->function);
    if (w->variables)
        variables_declare(w);
    for (int at = 0; at < w->cfg->n; at++)
        if (in_copy[at])
            w->blocks[at] =
                LLVMAppendBasicBlockInContext(w->context, w->function, LLVMGetBasicBlockName(w->cfg->nodes[at].block));
    memset(w->cache_node, 0, (size_t)w->shapes->n_values * sizeof(int));
    forget_phis(w);
    LLVMBuildBr(w->builder, w->blocks[start]);
    for (int at = 0; at < w->cfg->n; at++)
        if (in_copy[at])
            emit_node(w, at, end, at_barrier, user);
}

/* ---- slots ---- */

/* A list that grows. */
struct uses {
    LLVMValueRef *values;
    int n;
};

static LLVMValueRef add_use(void *user, LLVMValueRef value)
{
    struct uses *uses = user;
    if ((uses->n & (uses->n - 1)) == 0) { /* full: 1, 2, 4, ... */
        LLVMValueRef *larger = arena_alloc((size_t)(2 * uses->n + 1) * sizeof *larger);
        if (uses->n > 0)
            memcpy(larger, uses->values, (size_t)uses->n * sizeof *larger);
        uses->values = larger;
    }
    return uses->values[uses->n++] = value;
}

int widen_uses(const struct widener *w, LLVMValueRef instruction, LLVMValueRef **operands)
{
    struct uses uses = {0};
    bool is_known = widen_is_known(w, instruction), is_exact = !is_known && widen_is_exact(w, instruction);
    bool is_by_steps = !is_known && LLVMIsAICmpInst(instruction) && widen_way(w, instruction)->by_steps;
    if (accesses_by(w, instruction, ACCESS_STRETCHES)) { /* it asks how many iterations follow */
        add_use(&uses, widen_way(w, instruction)->stretch->counter);
        add_use(&uses, widen_way(w, instruction)->stretch->bound);
    }
    if (is_exact)
        exact_visit(w->shapes, LLVMGetOperand(instruction, 0), add_use, &uses);
    for (unsigned i = 0; i < 2 && is_by_steps; i++)
        exact_visit(w->shapes, LLVMGetOperand(instruction, i), add_use, &uses);
    int node = map_get(w->node_of, instruction);
    bool is_copied = is_serial(w, node) || stretch_sums_of(w, node);
    if ((!is_known && !is_exact && !is_by_steps) || is_copied)
        for (int i = 0; i < LLVMGetNumOperands(instruction); i++)
            add_use(&uses, LLVMGetOperand(instruction, (unsigned)i));
    *operands = uses.values;
    return uses.n;
}

static void make_slots(struct widener *w, LLVMValueRef value, LLVMValueRef *slots, const char *name)
{
    struct shape shape = shape_of(w->shapes, value);
    for (int row = 0; row < widen_rows(w, shape); row++)
        for (int vector = 0; vector < widen_vectors(w, shape); vector++)
            slots[widen_instance(w, row, vector)] = widen_slot(w, widen_type(w, LLVMTypeOf(value), shape), name);
}

void widen_begin(struct widener *w)
{
    int n = w->shapes->n_values;
    w->node_of = map_new();
    w->slots = arena_alloc((size_t)n * sizeof *w->slots);
    w->crosses = arena_alloc((size_t)n);
    w->recomputed = arena_alloc((size_t)n);
    w->cache = arena_alloc((size_t)n * sizeof *w->cache);
    w->cache_node = arena_alloc((size_t)n * sizeof(int));
    w->blocks = arena_alloc((size_t)w->cfg->n * sizeof *w->blocks);
    w->bodies = arena_alloc((size_t)w->cfg->n * sizeof *w->bodies);
    w->mask_slots = arena_alloc((size_t)w->cfg->n * sizeof *w->mask_slots);
    w->predicates = arena_alloc((size_t)w->cfg->n * sizeof *w->predicates);
    w->all_on = arena_alloc((size_t)w->cfg->n * sizeof *w->all_on);
    for (int at = 0; at < w->cfg->n; at++)
        for (LLVMValueRef i = w->cfg->nodes[at].first; i != w->cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
            map_set(w->node_of, i, at);
    find_changing(w);
    for (int at = 0; at < w->cfg->n; at++) {
        if (w->shapes->masked[at] && !shape_is_predicated(w->shapes, at))
            w->mask_slots[at] = widen_slot(w, mask_type(w), "mask");
        for (LLVMValueRef i = w->cfg->nodes[at].first; i != w->cfg->nodes[at].end; i = LLVMGetNextInstruction(i)) {
            bool is_phi = LLVMGetInstructionOpcode(i) == LLVMPHI;
            if (is_phi)
                make_slots(w, i, w->slots[widen_number(w, i)].phi, "phi");
            if (accesses_by(w, i, ACCESS_STRETCHES))
                widen_begin_stretches(w, i);
            LLVMValueRef *uses;
            int n_uses = widen_uses(w, i, &uses);
            for (int o = 0; o < n_uses; o++) {
                LLVMValueRef operand = uses[o];
                if (!LLVMIsAInstruction(operand) || LLVMIsAAllocaInst(operand))
                    continue;
                int user = is_phi ? map_get(w->cfg->last_node, LLVMGetIncomingBlock(i, (unsigned)o)) : at,
                    number = widen_number(w, operand);
                if (number < 0 || map_get(w->node_of, operand) == user || w->crosses[number] || w->recomputed[number])
                    continue;
                if (w->recompute && widen_is_cheap(w, operand, 4)) {
                    widen_recompute(w, operand);
                    continue;
                }
                w->crosses[number] = true;
                make_slots(w, operand, w->slots[number].value, "slot");
            }
        }
    }
}

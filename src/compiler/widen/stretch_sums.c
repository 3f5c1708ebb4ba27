/* SPDX-License-Identifier: MIT
 *
 * A loop that is a single node and only computes sums, or writes along rows, runs in vectors, except for its last
 * iterations:
 *
 *     n = (iterations that are certain to follow this one), N = (iterations in a vector);
 *     for each `group` lanes: sums of vectors = 0;
 *                             for (j = 0; j < n; j += N) for each of the lanes: sum of vectors += ... [j ... j + N - 1]
 *     sum += the elements of its vector;  counter += n * step
 *
 * The last vector is masked; where the target has no such loads, n is rounded down to a multiple of N. The node's usual
 * code runs what is left, at least one iteration, and gathers; so nothing changes for what uses the loop's values after
 * it. A group has as many lanes as hide the latency of an addition: processors do not follow more rows at once
 * (bench/mv).
 *
 * If lanes leave the loop at different times, n is the least of all that are in it, and the usual code masks those that
 * have left. That pays where the ends of their rows are computed from their indices, as in triangles and bands; ends
 * that come from memory differ too much.
 *
 * A loop that writes needs no group, because nothing waits for a sum. A vector runs one access of all its iterations
 * before the next access. That must not swap two accesses to the same element, so each thread compares addresses once,
 * where control enters the loop. Every pair of a store and another access must satisfy one of these conditions:
 *
 * - Over all of these iterations, the two touch different memory.
 * - The other access comes first in an iteration, and its address is that of the store or a higher one.
 * - The other access comes second, and its address is that of the store or a lower one.
 *
 * Otherwise the usual code runs. Accesses of other threads are not compared, because a conflict would be a race.
 *
 * Only instructions that a sum or a store needs are emitted, once for each lane and vector. What they promise about
 * each iteration holds, since all of these iterations run. */
#include "widen/stretch_sums.h"

#include "kernel/calls.h"
#include "kernel/ir.h"
#include "kernel/origin.h"
#include "widen/parts.h"

#include <string.h>

/* ---- which loops ---- */

struct question {
    const struct kernel *kernel;
    const struct body *body;
    LLVMTargetDataRef layout;
    const struct facts *facts;
    struct stretch_sums *sums;
    int node;
    struct map *seen; /* instructions that have been found to be computable */
    bool is_parted;   /* lanes leave the loop at different times */
};

static bool is_in_node(const struct shapes *shapes, int node, LLVMValueRef value)
{
    return LLVMIsAInstruction(value) && map_get(shapes->cfg->first_node, LLVMGetInstructionParent(value)) == node;
}

static bool is_number(LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind ||
           (kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) <= 64);
}

static LLVMTypeRef accessed_type(LLVMValueRef i)
{
    return LLVMTypeOf(LLVMIsAStoreInst(i) ? LLVMGetOperand(i, 0) : i);
}

static LLVMValueRef address_of(LLVMValueRef i)
{
    return LLVMGetOperand(i, LLVMIsAStoreInst(i) != NULL);
}

bool stretch_sums_is_at_one_place(const struct shapes *shapes, LLVMValueRef access)
{
    int node = map_get(shapes->cfg->first_node, LLVMGetInstructionParent(access));
    return !is_in_node(shapes, node, address_of(access));
}

/* Whether a plain access is to an array, and to the next element in each iteration. In a loop that writes to arrays, it
 * may also be a load of the same element each time. */
static bool is_plain_along(const struct question *q, LLVMValueRef i)
{
    long size = (long)LLVMStoreSizeOfType(q->layout, accessed_type(i));
    return !LLVMGetVolatile(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic &&
           !(origin_of(q->kernel, address_of(i)).kinds & ~ORIGIN_ARRAY) &&
           size == (long)LLVMABISizeOfType(q->layout, accessed_type(i)) &&
           (stretch_gain(q->body->shapes, i) == size ||
            (q->sums->n_stores > 0 && LLVMIsALoadInst(i) && stretch_sums_is_at_one_place(q->body->shapes, i)));
}

/* Whether vectors of such elements have no gaps. */
static bool has_no_gaps(const struct question *q, LLVMTypeRef type)
{
    return is_number(type) && LLVMSizeOfTypeInBits(q->layout, type) == 8 * LLVMStoreSizeOfType(q->layout, type);
}

/* Whether a load's elements for successive iterations lie side by side, of a row of each lane or one of all lanes.
 * Notes whether some of them can be loaded. */
static bool is_along_row(struct question *q, LLVMValueRef load)
{
    const struct way *way = plan_way(q->body, load);
    if (!has_no_gaps(q, LLVMTypeOf(load)))
        return false;
    q->sums->can_mask &= facts_can_mask(q->facts, (long)LLVMStoreSizeOfType(q->layout, LLVMTypeOf(load)));
    if (way->access == ACCESS_STRETCHES)
        return !way->stretch->is_backwards;
    return (q->sums->n_stores > 0 || q->is_parted || way->access == ACCESS_UNIFORM) && is_plain_along(q, load);
}

static bool is_vector_call(const struct question *q, LLVMValueRef i)
{
    if (!LLVMIsACallInst(i))
        return false;
    const struct way *way = plan_way(q->body, i);
    return way->work == WORK_VECTOR || (way->work == WORK_MATH && way->at_once == q->sums->at_once);
}

/* Whether vectors of successive iterations can have a value, and all that it needs. */
static bool can_compute(struct question *q, LLVMValueRef value)
{
    long step;
    if (!is_number(LLVMTypeOf(value)))
        return false;
    if (!is_in_node(q->body->shapes, q->node, value) || map_get(q->seen, value) >= 0)
        return true;
    map_set(q->seen, value, 1);
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMPHI:
        for (int s = 0; s < q->sums->n; s++)
            if (q->sums->list[s].phi == value)
                return true;
        return stretch_counts(q->body->shapes, q->sums->stretch->loop, value, &step) &&
               shape_of(q->body->shapes, value).kind == SHAPE_UNIFORM;
    case LLVMLoad:
        return is_along_row(q, value);
    case LLVMCall:
        if (!is_vector_call(q, value))
            return false;
        for (unsigned a = 0; a < LLVMGetNumArgOperands(value); a++)
            if (!can_compute(q, LLVMGetOperand(value, a)))
                return false;
        return true;
    case LLVMSDiv: /* one lane after another */
    case LLVMUDiv:
    case LLVMSRem:
    case LLVMURem:
    case LLVMFRem:
        return false;
    default:
        if (!LLVMIsABinaryOperator(value) && !LLVMIsACastInst(value) && !LLVMIsACmpInst(value) &&
            !LLVMIsASelectInst(value) && LLVMGetInstructionOpcode(value) != LLVMFNeg && !LLVMIsAFreezeInst(value))
            return false;
        for (int o = 0; o < LLVMGetNumOperands(value); o++)
            if (!can_compute(q, LLVMGetOperand(value, (unsigned)o)))
                return false;
        return true;
    }
}

static bool may_be_reassociated(LLVMValueRef i)
{
    return LLVMCanValueUseFastMathFlags(i) && (LLVMGetFastMathFlags(i) & LLVMFastMathAllowReassoc);
}

/* Returns the operation that combines two sums to which `next` adds; 0: there is none. */
static LLVMOpcode combination(const struct question *q, LLVMValueRef next, LLVMValueRef phi)
{
    static const struct {
        const char *name;
        bool is_exact; /* in any order; the sign of a zero depends on it otherwise */
    } extremes[] = {{"llvm.smin", true},    {"llvm.smax", true},    {"llvm.umin", true},     {"llvm.umax", true},
                    {"llvm.minnum", false}, {"llvm.maxnum", false}, {"llvm.minimum", false}, {"llvm.maximum", false}};
    unsigned id;
    switch (LLVMGetInstructionOpcode(next)) {
    case LLVMAdd:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
        return LLVMGetInstructionOpcode(next);
    case LLVMSub:
        return LLVMGetOperand(next, 0) == phi ? LLVMAdd : 0;
    case LLVMFAdd:
        return may_be_reassociated(next) ? LLVMFAdd : 0;
    case LLVMFSub:
        return may_be_reassociated(next) && LLVMGetOperand(next, 0) == phi ? LLVMFAdd : 0;
    case LLVMCall:
        if (!is_vector_call(q, next))
            return 0;
        id = LLVMGetIntrinsicID(LLVMGetCalledValue(next));
        for (size_t e = 0; e < sizeof extremes / sizeof *extremes; e++)
            if (id == LLVMLookupIntrinsicID(extremes[e].name, strlen(extremes[e].name)))
                return extremes[e].is_exact || may_be_reassociated(next) ? LLVMCall : 0;
        for (int f = 0; f < 2; f++) {
            const char *name = f ? "llvm.fma" : "llvm.fmuladd";
            if (id == LLVMLookupIntrinsicID(name, strlen(name)) && may_be_reassociated(next) &&
                LLVMGetOperand(next, 2) == phi && LLVMGetOperand(next, 0) != phi && LLVMGetOperand(next, 1) != phi)
                return LLVMFAdd;
        }
        return 0;
    default:
        return 0;
    }
}

/* Returns how many instructions of the node use `value`; notes the last of them that is found. */
static int users_in_node(const struct question *q, LLVMValueRef value, LLVMValueRef *user)
{
    int n = 0;
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use))
        if (is_in_node(q->body->shapes, q->node, LLVMGetUser(use))) {
            *user = LLVMGetUser(use);
            n++;
        }
    return n;
}

/* Whether a phi is a sum: the loop adds to it once, and looks at it nowhere else. */
static bool is_sum(const struct question *q, LLVMValueRef phi)
{
    LLVMValueRef next = ir_incoming_from(phi, q->body->shapes->cfg->nodes[q->node].block), user;
    return is_in_node(q->body->shapes, q->node, next) && users_in_node(q, phi, &user) == 1 && user == next &&
           users_in_node(q, next, &user) == 1 && user == phi && is_number(LLVMTypeOf(phi)) &&
           shape_of(q->body->shapes, phi).kind == SHAPE_VARYING;
}

/* Fills in the sums; returns false if the loop carries something else than those and counters. */
static bool find_sums(const struct question *q)
{
    struct stretch_sums *sums = q->sums;
    const struct node *n = &q->body->shapes->cfg->nodes[q->node];
    long step;
    for (LLVMValueRef phi = n->first; LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
        if (stretch_counts(q->body->shapes, sums->stretch->loop, phi, &step))
            continue;
        if (sums->n == STRETCH_SUMS_MOST || !is_sum(q, phi))
            return false;
        struct stretch_sum *sum = &sums->list[sums->n++];
        *sum = (struct stretch_sum){phi, ir_incoming_from(phi, n->block)};
        sum->combination = combination(q, sum->next, phi);
        if (!sum->combination)
            return false;
        if (shape_of(q->body->shapes, phi).rows != shape_of(q->body->shapes, sums->list[0].phi).rows)
            return false;
    }
    return sums->n > 0 || sums->n_stores > 0;
}

/* Whether each lane stores along a row of its own, for which it takes more than a few iterations. */
static bool is_store_along(const struct question *q, LLVMValueRef store, struct stretch *stretch)
{
    enum { FEW = 16 };
    const struct shapes *shapes = q->body->shapes;
    const struct way *way = plan_way(q->body, store);
    return (way->access == ACCESS_GATHER || way->access == ACCESS_STRIDED) && has_no_gaps(q, accessed_type(store)) &&
           is_plain_along(q, store) && q->body->block.rows == 1 && !shape_runs_predicated(shapes, q->node) &&
           stretch_find_counter(shapes, shapes->cfg->nodes[q->node].loop, stretch) && stretch_can_be(stretch, FEW);
}

/* Notes how many elements of an access a vector has, if that is less than before. */
static void limit_vectors(const struct question *q, LLVMValueRef access)
{
    int n = q->facts->vector_bits / 8 / (int)LLVMStoreSizeOfType(q->layout, accessed_type(access));
    n = n > q->body->block.lanes ? q->body->block.lanes : n;
    if (!q->sums->at_once || n < q->sums->at_once)
        q->sums->at_once = n;
}

/* Does so for all accesses of a node, where loads are not known to be stretches. */
static void limit_by_accesses(const struct question *q)
{
    const struct node *n = &q->body->shapes->cfg->nodes[q->node];
    for (LLVMValueRef i = n->first; i != n->end; i = LLVMGetNextInstruction(i))
        if (LLVMIsAStoreInst(i) || (LLVMIsALoadInst(i) && !stretch_sums_is_at_one_place(q->body->shapes, i)))
            limit_vectors(q, i);
}

/* Whether neighbouring lanes have neighbouring values, as far as can be told: those that differ come from their places
 * in the domain, by arithmetic. */
static bool is_regular(const struct shapes *shapes, LLVMValueRef value, int depth)
{
    if (shape_of(shapes, value).kind != SHAPE_VARYING || !LLVMIsAInstruction(value))
        return true;
    if (depth == 0 || LLVMIsAPHINode(value) || LLVMIsALoadInst(value) || LLVMIsAAtomicRMWInst(value))
        return false;
    for (int o = 0; o < LLVMGetNumOperands(value); o++)
        if (!is_regular(shapes, LLVMGetOperand(value, (unsigned)o), depth - 1))
            return false;
    return true;
}

/* Finds how each lane counts, if neighbours take about as many iterations. */
static const struct stretch *find_counters(const struct question *q, const struct node *n)
{
    enum { DEPTH = 6 };
    const struct shapes *shapes = q->body->shapes;
    struct stretch *stretch = arena_alloc(sizeof *stretch);
    if (!stretch_find_counters(shapes, n->loop, stretch) || !is_regular(shapes, stretch->bound, DEPTH))
        return NULL;
    for (unsigned k = 0; k < LLVMCountIncoming(stretch->counter); k++)
        if (LLVMGetIncomingBlock(stretch->counter, k) != n->block &&
            !is_regular(shapes, LLVMGetIncomingValue(stretch->counter, k), DEPTH))
            return NULL;
    return stretch;
}

/* Takes from the loads how the loop counts and how many iterations a vector has; returns false if the node does
 * anything but compute and load, or loads nothing along a row. */
static bool look_at_node(const struct question *q)
{
    struct stretch_sums *sums = q->sums;
    const struct node *n = &q->body->shapes->cfg->nodes[q->node];
    if (q->is_parted && !(sums->stretch = find_counters(q, n)))
        return false;
    for (LLVMValueRef i = n->first; i != n->end && !LLVMIsATerminatorInst(i); i = LLVMGetNextInstruction(i)) {
        const struct way *way = plan_way(q->body, i);
        struct stretch *counter = LLVMIsAStoreInst(i) ? arena_alloc(sizeof *counter) : NULL;
        if (counter && (q->is_parted || sums->n_stores == STRETCH_STORES_MOST || !is_store_along(q, i, counter)))
            return false;
        if (counter) {
            sums->stores[sums->n_stores++] = i;
            sums->stretch = counter;
            sums->can_mask &= q->facts->has_masks; /* AVX2's masked stores take AMD's processors ten times as long */
        }
        if (LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i) || LLVMIsAFenceInst(i) ||
            (LLVMIsACallInst(i) && !calls_is_pure(i) && calls_kind(i) != CALL_HINT))
            return false;
        if (!LLVMIsALoadInst(i) || way->access != ACCESS_STRETCHES)
            continue;
        if (!sums->stretch || way->at_once < sums->at_once)
            sums->at_once = way->at_once;
        sums->stretch = way->stretch;
    }
    if (sums->n_stores > 0 || q->is_parted)
        limit_by_accesses(q);
    return sums->stretch && sums->at_once > 0;
}

/* Whether the node is a loop of this form, and its code not too long. */
static const struct stretch_sums *sums_of(struct question *q)
{
    enum { FEW_SUMS = 2, GROUP = 4 };
    const struct cfg *cfg = q->body->shapes->cfg;
    const struct block *block = &q->body->block;
    int loop = cfg->nodes[q->node].loop;
    bool is_masked = q->body->shapes->masked[q->node];
    q->is_parted = is_masked && q->body->shapes->divergent[q->node] && !shape_is_predicated(q->body->shapes, q->node) &&
                   block->rows == 1 && block->vectors == 1;
    if (loop < 0 || cfg->loops[loop].header != q->node || cfg->loops[loop].last != q->node ||
        (is_masked && !q->is_parted))
        return NULL;
    struct stretch_sums *sums = arena_alloc(sizeof *sums);
    sums->can_mask = true;
    sums->is_parted = q->is_parted;
    q->sums = sums;
    q->seen = map_new();
    if (!look_at_node(q) || !find_sums(q))
        return NULL;
    for (int s = 0; s < sums->n; s++)
        if (!can_compute(q, sums->list[s].next))
            return NULL;
    for (int s = 0; s < sums->n_stores; s++)
        if (!can_compute(q, LLVMGetOperand(sums->stores[s], 0)))
            return NULL;
    for (LLVMValueRef i = cfg->nodes[q->node].first; i != cfg->nodes[q->node].end; i = LLVMGetNextInstruction(i))
        if (map_get(q->seen, i) >= 0)
            sums->n_instructions++;
        else if (LLVMIsALoadInst(i))
            return NULL; /* it is there for a reason, such as volatile */
    sums->group = sums->n_stores > 0 ? 1 : sums->n <= FEW_SUMS ? GROUP : GROUP / 2;
    bool fits = block->lanes % sums->at_once == 0 && block->lanes % sums->group == 0 && sums->at_once > 1;
    int copies = block->lanes * block->rows * block->vectors;
    return fits && sums->n_instructions * copies <= STRETCH_CODE_MOST ? sums : NULL;
}

void stretch_sums_nodes(const struct kernel *kernel, const struct facts *facts, struct body *body, struct way *ways)
{
    const struct cfg *cfg = body->shapes->cfg;
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(LLVMGetGlobalParent(cfg->function));
    const struct stretch_sums **sums = arena_alloc((size_t)cfg->n * sizeof *sums);
    for (int at = 0; at < cfg->n; at++) {
        sums[at] = sums_of(&(struct question){kernel, body, layout, facts, .node = at});
        for (LLVMValueRef i = cfg->nodes[at].first; sums[at] && i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
            if (plan_way(body, i)->access == ACCESS_STRETCHES)
                ways[map_get(body->shapes->numbers, i)] = (struct way){.access = ACCESS_GATHER};
    }
    body->stretch_sums = sums;
}

/* ---- their code ---- */

/* What is being emitted. */
struct emission {
    struct widener *w;
    const struct stretch_sums *sums;
    int row, vector, lane;
    LLVMValueRef j;                          /* the first of a vector's iterations, counted from this one */
    LLVMValueRef mask;                       /* which of them are left; NULL: all */
    LLVMValueRef partial[STRETCH_SUMS_MOST]; /* the lane's sums, as vectors, */
    LLVMValueRef *values;                    /* and values of the node, by number; NULL: not emitted yet */
};

static LLVMValueRef splat(const struct emission *e, LLVMValueRef scalar)
{
    return widen_splat_of(e->w, scalar, e->sums->at_once);
}

/* Returns what a value outside of the node, or an address in it, is in the lane. Lanes that are off read what one that
 * is on does. */
static LLVMValueRef in_lane(const struct emission *e, LLVMValueRef value)
{
    struct widener *w = e->w;
    if (shape_of(w->shapes, value).kind == SHAPE_UNIFORM)
        return widen_get(w, value, e->row, e->vector);
    LLVMValueRef lanes = widen_get_vector(w, value, e->row, e->vector);
    if (w->mask && LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind)
        lanes = LLVMBuildSelect(w->builder, w->mask, lanes, widen_splat(w, widen_first_lane(w, lanes)), "");
    return widen_lane(w, lanes, e->lane);
}

static long step_of(const struct emission *e, LLVMValueRef phi)
{
    long step = 0;
    stretch_counts(e->w->shapes, e->sums->stretch->loop, phi, &step);
    return step;
}

/* Returns the values of a counter, or of what has its type, `n` iterations later. */
static LLVMValueRef go_on_by(const struct emission *e, LLVMValueRef counter, long step, LLVMValueRef n)
{
    LLVMBuilderRef b = e->w->builder;
    LLVMTypeRef type = LLVMTypeOf(counter);
    bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    LLVMTypeRef scalar = is_vector ? LLVMGetElementType(type) : type;
    if (LLVMGetTypeKind(scalar) == LLVMPointerTypeKind) {
        LLVMValueRef bytes = LLVMBuildMul(b, n, LLVMConstInt(LLVMTypeOf(n), (unsigned long long)step, true), "");
        return LLVMBuildGEP2(b, LLVMInt8TypeInContext(e->w->context), counter, &bytes, 1, "");
    }
    n = LLVMBuildIntCast2(b, n, scalar, false, "");
    n = LLVMBuildMul(b, n, LLVMConstInt(scalar, (unsigned long long)step, true), "");
    return LLVMBuildAdd(b, counter, is_vector ? widen_splat(e->w, n) : n, "");
}

static bool stays(const struct emission *e, LLVMValueRef access)
{
    return stretch_sums_is_at_one_place(e->w->shapes, access);
}

/* Returns where a vector of an access begins. */
static LLVMValueRef place_of(const struct emission *e, LLVMValueRef access)
{
    LLVMValueRef first = in_lane(e, address_of(access));
    return LLVMBuildGEP2(e->w->builder, accessed_type(access), first, (LLVMValueRef[]){e->j}, 1, "");
}

/* Returns how a vector of an access is aligned: as each of its elements is. */
static unsigned alignment(const struct emission *e, LLVMValueRef access)
{
    unsigned size = (unsigned)LLVMStoreSizeOfType(e->w->layout, accessed_type(access)),
             align = LLVMGetAlignment(access);
    return align < size ? align : size;
}

static LLVMValueRef load_row(const struct emission *e, LLVMValueRef load)
{
    LLVMTypeRef type = LLVMTypeOf(load);
    if (stays(e, load)) {
        LLVMValueRef one = LLVMBuildLoad2(e->w->builder, type, in_lane(e, LLVMGetOperand(load, 0)), "");
        LLVMSetAlignment(one, LLVMGetAlignment(load));
        return splat(e, one);
    }
    return widen_vector_at(e->w, LLVMVectorType(type, (unsigned)e->sums->at_once), place_of(e, load),
                           alignment(e, load), e->mask);
}

static LLVMValueRef count_row(const struct emission *e, LLVMValueRef phi)
{
    long step = step_of(e, phi);
    LLVMValueRef first = go_on_by(e, widen_get(e->w, phi, e->row, e->vector), step, e->j);
    return LLVMBuildAdd(e->w->builder, splat(e, first), widen_steps_of(LLVMTypeOf(phi), step, e->sums->at_once), "");
}

static LLVMValueRef vector_of(struct emission *e, LLVMValueRef value);

static LLVMValueRef call_vector(struct emission *e, LLVMValueRef call)
{
    LLVMValueRef args[4];
    bool has_scalar = calls_of(call)->lanes == LANES_vector_first;
    for (unsigned a = 0; a < LLVMGetNumArgOperands(call); a++)
        args[a] = has_scalar && a == 1 ? LLVMGetOperand(call, a) : vector_of(e, LLVMGetOperand(call, a));
    if (widen_way(e->w, call)->work == WORK_MATH)
        return widen_math_call(e->w, call, args);
    return widen_vector_call(e->w, call, args);
}

/* Emits an instruction of the node for the lane. */
static LLVMValueRef compute(struct emission *e, LLVMValueRef i)
{
    LLVMBuilderRef b = e->w->builder;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    if (opcode == LLVMPHI)
        return count_row(e, i);
    if (opcode == LLVMLoad)
        return load_row(e, i);
    if (opcode == LLVMCall)
        return call_vector(e, i);
    LLVMValueRef operands[3];
    for (int o = 0; o < LLVMGetNumOperands(i); o++)
        operands[o] = vector_of(e, LLVMGetOperand(i, (unsigned)o));
    switch (opcode) {
    case LLVMICmp:
        return LLVMBuildICmp(b, LLVMGetICmpPredicate(i), operands[0], operands[1], "");
    case LLVMFCmp:
        return LLVMBuildFCmp(b, LLVMGetFCmpPredicate(i), operands[0], operands[1], "");
    case LLVMSelect:
        return LLVMBuildSelect(b, operands[0], operands[1], operands[2], "");
    case LLVMFNeg:
        return LLVMBuildFNeg(b, operands[0], "");
    case LLVMFreeze:
        return LLVMBuildFreeze(b, operands[0], "");
    default:
        if (LLVMIsACastInst(i))
            return LLVMBuildCast(b, opcode, operands[0], LLVMVectorType(LLVMTypeOf(i), (unsigned)e->sums->at_once), "");
        return LLVMBuildBinOp(b, opcode, operands[0], operands[1], "");
    }
}

/* Returns what a value is in the lane, in as many iterations as a vector has. */
static LLVMValueRef vector_of(struct emission *e, LLVMValueRef value)
{
    if (!LLVMIsAInstruction(value) || map_get(e->w->node_of, value) != e->w->node)
        return splat(e, LLVMIsAInstruction(value) || LLVMIsAArgument(value) ? in_lane(e, value) : value);
    for (int s = 0; s < e->sums->n; s++)
        if (e->sums->list[s].phi == value)
            return e->partial[s];
    LLVMValueRef *result = &e->values[widen_number(e->w, value)];
    if (!*result) {
        *result = compute(e, value);
        ir_copy_fast_math(value, *result);
    }
    return *result;
}

/* Reads what a value needs of other nodes, of phis and of addresses: under the loop's condition it would be read only
 * there. */
static void read_early(const struct emission *e, LLVMValueRef value, struct map *seen)
{
    if ((!LLVMIsAInstruction(value) && !LLVMIsAArgument(value)) || map_get(seen, value) >= 0)
        return;
    map_set(seen, value, 1);
    if (LLVMIsALoadInst(value) && map_get(e->w->node_of, value) == e->w->node)
        value = LLVMGetOperand(value, 0);
    else if (map_get(e->w->node_of, value) == e->w->node && !LLVMIsAPHINode(value)) {
        for (int o = 0; o < LLVMGetNumOperands(value); o++)
            read_early(e, LLVMGetOperand(value, (unsigned)o), seen);
        return;
    }
    widen_get(e->w, value, e->row, e->vector);
}

/* Returns what a vector's sum begins with: for minima, maxima and common bits, which may be counted twice, the sum. */
static LLVMValueRef first_partial(const struct emission *e, const struct stretch_sum *sum)
{
    LLVMTypeRef type = LLVMTypeOf(sum->phi);
    if (sum->combination == LLVMCall || sum->combination == LLVMAnd)
        return splat(e, in_lane(e, sum->phi));
    return splat(e, sum->combination == LLVMFAdd ? LLVMConstReal(type, -0.0) : LLVMConstNull(type));
}

static LLVMValueRef combine(const struct emission *e, const struct stretch_sum *sum, LLVMValueRef left,
                            LLVMValueRef right)
{
    if (sum->combination == LLVMCall)
        return widen_vector_call(e->w, sum->next, (LLVMValueRef[]){left, right});
    LLVMValueRef result = LLVMBuildBinOp(e->w->builder, sum->combination, left, right, "");
    ir_copy_fast_math(sum->next, result);
    return result;
}

/* Returns the elements `first`, `first` + 2, ... of two vectors. */
static LLVMValueRef every_second(const struct emission *e, LLVMValueRef left, LLVMValueRef right, int first)
{
    LLVMValueRef numbers[64];
    for (int i = 0; i < e->sums->at_once; i++)
        numbers[i] = widen_i32(e->w, 2 * i + first);
    LLVMValueRef from = LLVMConstVector(numbers, (unsigned)e->sums->at_once);
    return LLVMBuildShuffleVector(e->w->builder, left, right, from, "");
}

/* Combines the elements of each lane's vector: returns a vector with an element for each lane. */
static LLVMValueRef combine_elements(const struct emission *e, const struct stretch_sum *sum, LLVMValueRef *vectors)
{
    struct widener *w = e->w;
    int at_once = e->sums->at_once;
    LLVMValueRef result = NULL;
    for (int first = 0; first < w->block.lanes; first += at_once) {
        for (int n = at_once; n > 1; n /= 2)
            for (int i = 0; i < n / 2; i++) {
                LLVMValueRef *pair = &vectors[first + 2 * i];
                vectors[first + i] =
                    combine(e, sum, every_second(e, pair[0], pair[1], 0), every_second(e, pair[0], pair[1], 1));
            }
        if (at_once == w->block.lanes)
            return vectors[first];
        for (int i = 0; i < at_once; i++) {
            LLVMValueRef one = LLVMBuildExtractElement(w->builder, vectors[first], widen_i32(w, i), "");
            result = result ? result : LLVMGetPoison(widen_vector_type(w, LLVMTypeOf(sum->phi)));
            result = LLVMBuildInsertElement(w->builder, result, one, widen_i32(w, first + i), "");
        }
    }
    return result;
}

/* Emits the loads and stores of a loop that writes, in their order. */
static void emit_accesses(struct emission *e)
{
    struct widener *w = e->w;
    const struct node *node = &w->cfg->nodes[w->node];
    for (LLVMValueRef i = node->first; e->sums->n_stores > 0 && i != node->end; i = LLVMGetNextInstruction(i))
        if (LLVMIsALoadInst(i))
            vector_of(e, i);
        else if (LLVMIsAStoreInst(i))
            widen_store_vector(w, vector_of(e, LLVMGetOperand(i, 0)), place_of(e, i), alignment(e, i), e->mask);
}

/* Emits an iteration of vectors for a group of lanes: replaces each one's sums, as vectors, in `partials`. */
static void emit_vectors(struct emission *e, int first, LLVMValueRef (*partials)[64])
{
    const struct stretch_sums *sums = e->sums;
    for (e->lane = first; e->lane < first + sums->group; e->lane++) {
        memset(e->values, 0, (size_t)e->w->shapes->n_values * sizeof *e->values);
        for (int s = 0; s < sums->n; s++)
            e->partial[s] = partials[s][e->lane];
        emit_accesses(e);
        for (int s = 0; s < sums->n; s++) {
            LLVMValueRef next = vector_of(e, sums->list[s].next);
            partials[s][e->lane] = e->mask ? LLVMBuildSelect(e->w->builder, e->mask, next, e->partial[s], "") : next;
        }
    }
}

/* Makes a phi of each of a group's sums, with one predecessor so far. */
static void make_phis(const struct emission *e, int first, LLVMBasicBlockRef from, LLVMValueRef (*partials)[64])
{
    for (int lane = first; lane < first + e->sums->group; lane++)
        for (int s = 0; s < e->sums->n; s++) {
            LLVMValueRef phi = LLVMBuildPhi(e->w->builder, LLVMTypeOf(partials[s][lane]), "");
            LLVMAddIncoming(phi, &partials[s][lane], &from, 1);
            partials[s][lane] = phi;
        }
}

/* Adds a predecessor to these phis. */
static void add_to_phis(const struct emission *e, int first, LLVMBasicBlockRef from, LLVMValueRef (*phis)[64],
                        LLVMValueRef (*partials)[64])
{
    for (int lane = first; lane < first + e->sums->group; lane++)
        for (int s = 0; s < e->sums->n; s++)
            LLVMAddIncoming(phis[s][lane], &partials[s][lane], &from, 1);
}

/* Emits all iterations of vectors for a group of lanes, of which `whole` need no mask; stores each one's sums, as
 * vectors, in `partials`. */
static void emit_group(struct emission *e, int first, LLVMValueRef count, LLVMValueRef whole,
                       LLVMValueRef (*partials)[64])
{
    struct widener *w = e->w;
    LLVMBuilderRef b = w->builder;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(w->context);
    LLVMValueRef phis[STRETCH_SUMS_MOST][64], all[STRETCH_SUMS_MOST][64], zero = LLVMConstNull(i64);
    if (w->mask && e->sums->n_stores > 0) { /* a lane that is off writes nothing */
        LLVMValueRef is_on = widen_lane(w, w->mask, first);
        count = LLVMBuildSelect(b, is_on, count, zero, "");
        whole = LLVMBuildSelect(b, is_on, whole, zero, "");
    }
    for (e->lane = first; e->lane < first + e->sums->group; e->lane++)
        for (int s = 0; s < e->sums->n; s++)
            partials[s][e->lane] = first_partial(e, &e->sums->list[s]);

    LLVMBasicBlockRef before = LLVMGetInsertBlock(b), loop = widen_block_here(w, "along"),
                      after = LLVMAppendBasicBlockInContext(w->context, w->function, "along.end");
    LLVMMoveBasicBlockAfter(after, loop);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, whole, zero, ""), loop, after);
    LLVMPositionBuilderAtEnd(b, after);
    memcpy(all, partials, sizeof all);
    make_phis(e, first, before, all);

    LLVMPositionBuilderAtEnd(b, loop);
    e->mask = NULL;
    e->j = LLVMBuildPhi(b, i64, "");
    make_phis(e, first, before, partials);
    memcpy(phis, partials, sizeof phis);
    emit_vectors(e, first, partials);
    add_to_phis(e, first, loop, phis, partials);
    add_to_phis(e, first, loop, all, partials);
    LLVMValueRef next = LLVMBuildAdd(b, e->j, LLVMConstInt(i64, (unsigned long long)e->sums->at_once, false), "");
    LLVMAddIncoming(e->j, (LLVMValueRef[]){zero, next}, (LLVMBasicBlockRef[]){before, loop}, 2);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, next, whole, ""), loop, after);

    LLVMPositionBuilderAtEnd(b, after);
    memcpy(partials, all, sizeof all);
    if (!e->sums->can_mask)
        return;
    e->j = whole;
    e->mask = LLVMBuildICmp(b, LLVMIntULT, widen_steps_of(i64, 1, e->sums->at_once),
                            splat(e, LLVMBuildSub(b, count, whole, "")), "");
    emit_vectors(e, first, partials);
}

/* Rounds down to whole vectors. */
static LLVMValueRef round_down(const struct widener *w, const struct stretch_sums *sums, LLVMValueRef n)
{
    return LLVMBuildAnd(w->builder, n, LLVMConstInt(LLVMTypeOf(n), ~(unsigned long long)(sums->at_once - 1), false),
                        "");
}

/* Returns an i64: how many iterations certainly follow in all lanes that are on. */
static LLVMValueRef least_iterations(struct widener *w, const struct stretch *stretch)
{
    LLVMTypeRef wide = widen_vector_type(w, LLVMInt64TypeInContext(w->context));
    LLVMValueRef counter = widen_get_vector(w, stretch->counter, 0, 0),
                 bound = widen_get_vector(w, stretch->bound, 0, 0);
    LLVMValueRef follow =
        LLVMBuildIntCast2(w->builder, widen_iterations_from(w, stretch, counter, bound), wide, false, "");
    follow = LLVMBuildSelect(w->builder, w->mask, follow, LLVMConstAllOnes(wide), "");
    return ir_call_overloaded(w->builder, "llvm.vector.reduce.umin", wide, &follow, 1);
}

LLVMValueRef stretch_sums_count(struct widener *w, const struct stretch_sums *sums)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(w->context);
    LLVMValueRef follow = sums->is_parted
                              ? least_iterations(w, sums->stretch)
                              : LLVMBuildIntCast2(w->builder, widen_iterations_after(w, sums->stretch), i64, false, "");
    return sums->can_mask ? follow : round_down(w, sums, follow);
}

/* Returns the shape of what has as many instances as the node's sums, or the places that it writes. */
static struct shape widest_shape(const struct widener *w, const struct stretch_sums *sums)
{
    return shape_of(w->shapes, sums->n_stores > 0 ? LLVMGetOperand(sums->stores[0], 1) : sums->list[0].phi);
}

/* Returns where an access of each lane begins, as integers. */
static LLVMValueRef begins(const struct emission *e, LLVMValueRef access)
{
    struct widener *w = e->w;
    LLVMValueRef places = widen_get_vector(w, address_of(access), e->row, e->vector);
    return LLVMBuildPtrToInt(w->builder, places, widen_vector_type(w, LLVMInt64TypeInContext(w->context)), "");
}

/* Returns, for each lane, where an access ends that begins there. */
static LLVMValueRef ends(const struct emission *e, LLVMValueRef access, LLVMValueRef begins, LLVMValueRef count)
{
    LLVMBuilderRef b = e->w->builder;
    unsigned long long size = LLVMStoreSizeOfType(e->w->layout, accessed_type(access));
    LLVMValueRef bytes = LLVMConstInt(LLVMTypeOf(count), size, false);
    return LLVMBuildAdd(b, begins, widen_splat(e->w, stays(e, access) ? bytes : LLVMBuildMul(b, count, bytes, "")), "");
}

/* Returns, for each lane, whether vectors keep the order of a store and another access to the same memory.
 * `comes_first`: in an iteration, the other access comes before the store. */
static LLVMValueRef keep_order(const struct emission *e, LLVMValueRef store, LLVMValueRef access, bool comes_first,
                               LLVMValueRef count)
{
    LLVMBuilderRef b = e->w->builder;
    bool can_meet = !stays(e, access) && LLVMStoreSizeOfType(e->w->layout, accessed_type(store)) ==
                                             LLVMStoreSizeOfType(e->w->layout, accessed_type(access));
    LLVMValueRef to = begins(e, store), at = begins(e, access);
    LLVMValueRef to_end = can_meet && comes_first ? to : ends(e, store, to, count),
                 at_end = can_meet && !comes_first ? at : ends(e, access, at, count);
    return LLVMBuildOr(b, LLVMBuildICmp(b, LLVMIntULE, to_end, at, ""), LLVMBuildICmp(b, LLVMIntULE, at_end, to, ""),
                       "");
}

LLVMValueRef stretch_sums_keep_order(struct widener *w, const struct stretch_sums *sums, LLVMValueRef count)
{
    const struct node *node = &w->cfg->nodes[w->node];
    struct emission e = {.w = w, .sums = sums};
    LLVMValueRef all = LLVMConstAllOnes(widen_vector_type(w, LLVMInt1TypeInContext(w->context)));
    for (e.vector = 0; e.vector < widen_vectors(w, widest_shape(w, sums)); e.vector++) {
        int n_before = 0; /* stores that come before `i` */
        for (LLVMValueRef i = node->first; i != node->end; i = LLVMGetNextInstruction(i)) {
            bool is_store = LLVMIsAStoreInst(i) != NULL;
            for (int s = is_store ? n_before + 1 : 0; (is_store || LLVMIsALoadInst(i)) && s < sums->n_stores; s++)
                all = LLVMBuildAnd(w->builder, all, keep_order(&e, sums->stores[s], i, s >= n_before, count), "");
            n_before += is_store;
        }
    }
    if (w->mask) /* what a lane that is off has for an address may be anything */
        all = LLVMBuildSelect(w->builder, w->mask, all, LLVMConstAllOnes(LLVMTypeOf(all)), "");
    return widen_all(w, all);
}

/* Lets a node's phi begin with a value, except in lanes that have left the loop, or not come to it. */
static void set_phi(const struct emission *e, LLVMValueRef phi, LLVMValueRef value, int row, int vector)
{
    struct widener *w = e->w;
    LLVMValueRef slot = w->slots[widen_number(w, phi)].phi[widen_instance(w, row, vector)];
    if (e->sums->is_parted && LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVectorTypeKind)
        value = LLVMBuildSelect(w->builder, w->mask, value, widen_get(w, phi, row, vector), "");
    LLVMBuildStore(w->builder, value, slot);
}

void stretch_sums_emit(struct widener *w, const struct stretch_sums *sums, LLVMValueRef count)
{
    const struct node *node = &w->cfg->nodes[w->node];
    struct emission e = {.w = w, .sums = sums};
    e.values = arena_alloc((size_t)w->shapes->n_values * sizeof *e.values);
    struct shape shape = widest_shape(w, sums);
    LLVMValueRef whole = round_down(w, sums, count);
    for (e.row = 0; e.row < widen_rows(w, shape); e.row++)
        for (e.vector = 0; e.vector < widen_vectors(w, shape); e.vector++) {
            LLVMValueRef partials[STRETCH_SUMS_MOST][64];
            struct map *seen = map_new();
            for (int s = 0; s < sums->n; s++)
                read_early(&e, sums->list[s].next, seen);
            for (int s = 0; s < sums->n_stores; s++) {
                read_early(&e, LLVMGetOperand(sums->stores[s], 0), seen);
                widen_get(w, LLVMGetOperand(sums->stores[s], 1), e.row, e.vector);
            }
            for (int first = 0; first < w->block.lanes; first += sums->group)
                emit_group(&e, first, count, whole, partials);
            for (int s = 0; s < sums->n; s++) {
                const struct stretch_sum *sum = &sums->list[s];
                LLVMValueRef old = widen_get_vector(w, sum->phi, e.row, e.vector);
                set_phi(&e, sum->phi, combine(&e, sum, old, combine_elements(&e, sum, partials[s])), e.row, e.vector);
            }
        }
    for (LLVMValueRef phi = node->first; LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
        long step;
        if (!stretch_counts(w->shapes, sums->stretch->loop, phi, &step))
            continue;
        shape = shape_of(w->shapes, phi);
        for (int row = 0; row < widen_rows(w, shape); row++)
            for (int vector = 0; vector < widen_vectors(w, shape); vector++)
                set_phi(&e, phi, go_on_by(&e, widen_get(w, phi, row, vector), step, count), row, vector);
    }
}

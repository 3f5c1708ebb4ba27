/* SPDX-License-Identifier: MIT
 *
 * Adds up in registers what all threads of a box add to one element:
 *
 *     for each block: atomic: sum[0] += x      ->      s = 0; for each block: s += x; atomic: sum[0] += s
 *
 * s has an element for each lane. The same goes for minima, maxima and bits. An atomic operation takes 20 times as long
 * as an addition, and 100 times where several cores add to the same element. Floating-point sums may be added in any
 * order and grouping (docs/language.md).
 *
 * An operation may wait for the end of the box if nobody uses its result, if arguments alone say where the element is,
 * and if no thread notices. If all lanes of a block have the element in common, but not all blocks, as with a sum for
 * each row of a matrix, it waits until a block has another one. Other threads do not, as nothing orders them; only a
 * thread's own later accesses could, and in a tile those after a barrier. So no array may be accessed later, unless as
 * another type: two may be the same, or overlap. Plain accesses are allowed in untiled kernels where several threads
 * run the operation together, because those on the same element would be races. Of two operations of different kinds
 * that may be on the same element, both wait for the end, and are in no loop, so that they keep their order, or neither
 * waits.
 *
 * Needs: the ways of atomic operations that lanes can combine. Keeps: all else. */
#include "widen/sums.h"

#include "kernel/calls.h"
#include "kernel/entry.h"
#include "kernel/ir.h"
#include "kernel/origin.h"
#include "kernel/variant.h"
#include "widen/parts.h"

#include <amp.h>
#include <string.h>

enum {
    MAX_SUMS = 16, /* of a kernel: each takes registers */
    CHAINS = 4     /* additions that do not wait for one another, at most */
};

/* ---- the operations ---- */

static bool is_float_sum(LLVMAtomicRMWBinOp operation)
{
    return operation == LLVMAtomicRMWBinOpFAdd || operation == LLVMAtomicRMWBinOpFSub;
}

/* Returns the name of the reduction that combines lanes as `operation` would one after another; NULL for operations
 * that cannot be combined. */
static const char *reduction(LLVMAtomicRMWBinOp operation)
{
    switch (operation) {
    case LLVMAtomicRMWBinOpAdd:
    case LLVMAtomicRMWBinOpSub:
        return "llvm.vector.reduce.add";
    case LLVMAtomicRMWBinOpFAdd:
    case LLVMAtomicRMWBinOpFSub:
        return "llvm.vector.reduce.fadd";
    case LLVMAtomicRMWBinOpAnd:
        return "llvm.vector.reduce.and";
    case LLVMAtomicRMWBinOpOr:
        return "llvm.vector.reduce.or";
    case LLVMAtomicRMWBinOpXor:
        return "llvm.vector.reduce.xor";
    case LLVMAtomicRMWBinOpMax:
        return "llvm.vector.reduce.smax";
    case LLVMAtomicRMWBinOpMin:
        return "llvm.vector.reduce.smin";
    case LLVMAtomicRMWBinOpUMax:
        return "llvm.vector.reduce.umax";
    case LLVMAtomicRMWBinOpUMin:
        return "llvm.vector.reduce.umin";
    case LLVMAtomicRMWBinOpFMax:
        return "llvm.vector.reduce.fmax";
    case LLVMAtomicRMWBinOpFMin:
        return "llvm.vector.reduce.fmin";
    default:
        return NULL;
    }
}

bool sums_can_combine(LLVMAtomicRMWBinOp operation)
{
    return reduction(operation) != NULL;
}

/* Returns the operation that combines what `operation` has combined: differences become sums. */
static LLVMAtomicRMWBinOp sum_of(LLVMAtomicRMWBinOp operation)
{
    return operation == LLVMAtomicRMWBinOpSub    ? LLVMAtomicRMWBinOpAdd
           : operation == LLVMAtomicRMWBinOpFSub ? LLVMAtomicRMWBinOpFAdd
                                                 : operation;
}

/* Returns the value that leaves any other unchanged under `operation`. */
static LLVMValueRef neutral_element(LLVMAtomicRMWBinOp operation, LLVMTypeRef type)
{
    if (is_float_sum(operation))
        return LLVMConstReal(type, operation == LLVMAtomicRMWBinOpFAdd ? -0.0 : 0.0);
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind)
        return LLVMConstRealOfString(type, "nan");
    unsigned long long top = 1ULL << (LLVMGetIntTypeWidth(type) - 1);
    switch (operation) {
    case LLVMAtomicRMWBinOpAnd:
    case LLVMAtomicRMWBinOpUMin:
        return LLVMConstAllOnes(type);
    case LLVMAtomicRMWBinOpMax:
        return LLVMConstInt(type, top, false);
    case LLVMAtomicRMWBinOpMin:
        return LLVMConstInt(type, top - 1, false);
    default:
        return LLVMConstNull(type);
    }
}

/* ---- the plan ---- */

/* Whether the arguments alone say where the element is. */
static bool is_known_place(LLVMValueRef pointer)
{
    for (; LLVMIsAGetElementPtrInst(pointer); pointer = LLVMGetOperand(pointer, 0))
        for (int o = 1; o < LLVMGetNumOperands(pointer); o++)
            if (!variant_is_known(LLVMGetOperand(pointer, (unsigned)o)))
                return false;
    return LLVMIsALoadInst(pointer) && entry_is_argument(LLVMGetOperand(pointer, 0));
}

/* What an instruction of a kernel is to memory that threads share. */
enum effect {
    EFFECT_NONE,
    EFFECT_SUM,    /* an atomic operation that lanes can combine, and whose result nobody uses; */
    EFFECT_PLAIN,  /* a plain access; */
    EFFECT_ORDERED /* and anything by which threads may follow each other */
};

static enum effect effect_of(const struct kernel *kernel, LLVMValueRef i)
{
    int address = LLVMIsAStoreInst(i) ? 1 : 0;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
    case LLVMStore: {
        int kinds = origin_of(kernel, LLVMGetOperand(i, (unsigned)address)).kinds;
        if (LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic)
            return EFFECT_ORDERED;
        return kinds & ~(ORIGIN_ARGUMENTS | ORIGIN_TILE | ORIGIN_PRIVATE | ORIGIN_TABLE) ? EFFECT_PLAIN : EFFECT_NONE;
    }
    case LLVMAtomicRMW:
        if (origin_is_local(kernel, LLVMGetOperand(i, 0)))
            return EFFECT_NONE;
        return !LLVMGetFirstUse(i) && !LLVMGetVolatile(i) && sums_can_combine(LLVMGetAtomicRMWBinOp(i))
                   ? EFFECT_SUM
                   : EFFECT_ORDERED;
    case LLVMCall: {
        enum call_kind kind = calls_kind(i);
        if (calls_is_pure(i) || kind == CALL_HINT || kind == CALL_BARRIER || kind == CALL_TILE_FENCE)
            return EFFECT_NONE;
        return calls_is_copy(kind) ? EFFECT_PLAIN : EFFECT_ORDERED;
    }
    case LLVMAtomicCmpXchg:
    case LLVMFence:
        return EFFECT_ORDERED;
    default:
        return EFFECT_NONE;
    }
}

struct search {
    const struct kernel *kernel;
    const struct shapes *shapes;
    LLVMValueRef sums[MAX_SUMS];
    int nodes[MAX_SUMS], n;
    enum effect *effects; /* by the instructions' numbers in `shapes` */
    bool *is_reached;     /* by node */
};

/* Finds the effects of the kernel's instructions, and the operations among them; returns false if none may wait. */
static bool find_sums(struct search *s)
{
    const struct cfg *cfg = s->shapes->cfg;
    for (int at = 0; at < cfg->n; at++)
        for (LLVMValueRef i = cfg->nodes[at].first; i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i)) {
            enum effect effect = s->effects[map_get(s->shapes->numbers, i)] = effect_of(s->kernel, i);
            if (effect == EFFECT_ORDERED || (effect == EFFECT_SUM && s->n == MAX_SUMS))
                return false;
            if (effect != EFFECT_SUM)
                continue;
            s->nodes[s->n] = at;
            s->sums[s->n++] = i;
        }
    return s->n > 0;
}

/* Whether two elements, given by their addresses, are different ones of the same array. */
static bool are_apart(LLVMValueRef a, LLVMTypeRef a_type, LLVMValueRef b, LLVMTypeRef b_type)
{
    LLVMTargetDataRef layout = NULL;
    long long a_place = 0, b_place = 0;
    while (LLVMIsAGetElementPtrInst(a) && ir_add_step(layout = ir_layout_of(a), a, 0, &a_place))
        a = LLVMGetOperand(a, 0);
    while (LLVMIsAGetElementPtrInst(b) && ir_add_step(layout = ir_layout_of(b), b, 0, &b_place))
        b = LLVMGetOperand(b, 0);
    if (a != b || !layout)
        return false;
    return a_place < b_place ? a_place + (long long)LLVMStoreSizeOfType(layout, a_type) <= b_place
                             : b_place + (long long)LLVMStoreSizeOfType(layout, b_type) <= a_place;
}

/* Whether C's rules of aliasing tell that an element is an object of the type with which an operation accesses it. */
static bool has_known_type(const struct kernel *kernel, LLVMValueRef sum)
{
    LLVMValueRef pointer = LLVMGetOperand(sum, 0);
    const struct param *param = origin_of(kernel, pointer).param;
    while (LLVMIsAGetElementPtrInst(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    unsigned kind = LLVMGetMDKindIDInContext(LLVMGetTypeContext(LLVMTypeOf(sum)), "tbaa", 4);
    return param && param->type != AMP_TYPE_STRUCT && LLVMGetMetadata(pointer, kind);
}

/* Whether the order of two operations matters: they may be on the same element, and are of different kinds. */
static bool are_ordered(const struct kernel *kernel, LLVMValueRef a, LLVMValueRef b)
{
    LLVMTypeRef a_type = LLVMTypeOf(a), b_type = LLVMTypeOf(b);
    if (a_type == b_type && sum_of(LLVMGetAtomicRMWBinOp(a)) == sum_of(LLVMGetAtomicRMWBinOp(b)))
        return false;
    return !are_apart(LLVMGetOperand(a, 0), a_type, LLVMGetOperand(b, 0), b_type) &&
           (a_type == b_type || !has_known_type(kernel, a) || !has_known_type(kernel, b));
}

/* Whether a plain access may be to the element of an operation: by its address, and by C's rules of aliasing, which let
 * a union's member be anything. */
static bool may_access(LLVMValueRef i, LLVMValueRef sum)
{
    if (!LLVMIsALoadInst(i) && !LLVMIsAStoreInst(i))
        return true;
    LLVMTypeRef type = LLVMTypeOf(LLVMIsALoadInst(i) ? i : LLVMGetOperand(i, 0));
    if (are_apart(LLVMGetOperand(i, LLVMIsALoadInst(i) ? 0 : 1), type, LLVMGetOperand(sum, 0), LLVMTypeOf(sum)))
        return false;
    unsigned kind = LLVMGetMDKindIDInContext(LLVMGetTypeContext(type), "tbaa", 4), length;
    LLVMValueRef tag = LLVMGetMetadata(i, kind), of_tag[4], of_type[4];
    if (type == LLVMTypeOf(sum) || !tag || LLVMGetMDNodeNumOperands(tag) > 4)
        return true;
    LLVMGetMDNodeOperands(tag, of_tag);
    if (LLVMGetMDNodeNumOperands(of_tag[1]) > 4)
        return true;
    LLVMGetMDNodeOperands(of_tag[1], of_type);
    const char *name = LLVMGetMDString(of_type[0], &length);
    return !name || strcmp(name, "omnipotent char") == 0;
}

static bool has_plain(const struct search *s, LLVMValueRef sum, LLVMValueRef from, LLVMValueRef end)
{
    for (LLVMValueRef i = from; i != end; i = LLVMGetNextInstruction(i))
        if (s->effects[map_get(s->shapes->numbers, i)] == EFFECT_PLAIN && may_access(i, sum))
            return true;
    return false;
}

/* Whether a thread may plainly access the element after the operation. */
static bool is_followed(struct search *s, int k)
{
    const struct cfg *cfg = s->shapes->cfg;
    const struct node *node = &cfg->nodes[s->nodes[k]];
    if (has_plain(s, s->sums[k], s->sums[k], node->end))
        return true;
    for (int at = 0; at < cfg->n; at++)
        s->is_reached[at] = false;
    for (int i = 0; i < node->n_succ; i++)
        s->is_reached[node->succ[i]] = true;
    for (bool grows = true; grows;) {
        grows = false;
        for (int at = 0; at < cfg->n; at++)
            for (int i = 0; s->is_reached[at] && i < cfg->nodes[at].n_succ; i++)
                if (!s->is_reached[cfg->nodes[at].succ[i]])
                    grows = s->is_reached[cfg->nodes[at].succ[i]] = true;
    }
    for (int at = 0; at < cfg->n; at++)
        if (s->is_reached[at] && has_plain(s, s->sums[k], cfg->nodes[at].first, cfg->nodes[at].end))
            return true;
    return false;
}

void sums_plan(const struct kernel *kernel, const struct shapes *shapes, int lanes, struct way *ways)
{
    struct search s = {kernel, shapes, .is_reached = arena_alloc((size_t)shapes->cfg->n * sizeof(bool))};
    s.effects = arena_alloc((size_t)shapes->n_values * sizeof *s.effects);
    if (!find_sums(&s))
        return;
    bool waits[MAX_SUMS], alone[MAX_SUMS], moves[MAX_SUMS], in_order[MAX_SUMS];
    for (int k = 0; k < s.n; k++) {
        LLVMValueRef address = LLVMGetOperand(s.sums[k], 0);
        bool in_loop = shapes->cfg->nodes[s.nodes[k]].loop >= 0;
        bool together = lanes > 1 && !kernel->tiled && !shapes->masked[s.nodes[k]];
        alone[k] = !is_followed(&s, k);
        moves[k] = !is_known_place(address);
        in_order[k] = !moves[k] && !in_loop;
        bool is_common = !moves[k] || (lanes > 1 && !in_loop && shape_of(shapes, address).kind == SHAPE_UNIFORM);
        waits[k] = is_common && (alone[k] || together);
    }
    for (bool changes = true; changes;) {
        changes = false;
        for (int k = 0; k < s.n; k++)
            for (int j = 0; j < s.n; j++)
                if (waits[k] && !(waits[j] && in_order[k] && in_order[j]) &&
                    are_ordered(kernel, s.sums[k], s.sums[j])) {
                    waits[k] = false;
                    changes = true;
                }
    }
    for (int k = 0; k < s.n; k++)
        if (waits[k]) {
            struct way *way = &ways[map_get(shapes->numbers, s.sums[k])];
            way->work = WORK_SUM;
            way->together = !alone[k];
            way->moves = moves[k];
        }
}

/* ---- the code ---- */

struct sum {
    LLVMValueRef atomic;
    LLVMTypeRef type;                  /* a vector; with one lane a scalar */
    LLVMValueRef chains[CHAINS], used; /* slots: what has been added up, and whether anything has, */
    LLVMValueRef place;                /* and the element's address, if it moves; otherwise NULL */
    int n_chains;
    int number, row; /* in the order of the kernel's instructions; of the block, if the element moves */
    struct sum *next;
};

static LLVMValueRef neutral_value(const struct widener *w, LLVMValueRef atomic)
{
    return widen_splat(w, neutral_element(LLVMGetAtomicRMWBinOp(atomic), LLVMTypeOf(atomic)));
}

/* Returns what all lanes of a vector come to. */
static LLVMValueRef reduce(LLVMBuilderRef builder, LLVMAtomicRMWBinOp operation, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return value;
    LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInsertBlock(builder)));
    const char *name = reduction(operation);
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(module, LLVMLookupIntrinsicID(name, strlen(name)), &type, 1);
    LLVMValueRef arguments[] = {neutral_element(operation, LLVMGetElementType(type)), value};
    bool has_start = is_float_sum(operation);
    LLVMValueRef all =
        LLVMBuildCall2(builder, LLVMGlobalGetValueType(function), function, arguments + !has_start, 1 + has_start, "");
    if (has_start)
        LLVMSetFastMathFlags(all, LLVMFastMathAllowReassoc);
    return all;
}

static void clear_sum(const struct widener *w, const struct sum *sum)
{
    for (int c = 0; c < sum->n_chains; c++)
        LLVMBuildStore(w->builder, neutral_value(w, sum->atomic), sum->chains[c]);
    LLVMBuildStore(w->builder, LLVMConstNull(LLVMGetAllocatedType(sum->used)), sum->used);
}

/* Begins a sum, in the entry block. */
static struct sum *new_sum(struct widener *w, LLVMValueRef atomic, LLVMTypeRef type, int row)
{
    struct sum *sum = arena_alloc(sizeof *sum), **place = &w->sums->first;
    bool moves = widen_way(w, atomic)->moves;
    int chains = w->block.vectors * (moves ? 1 : w->block.rows), number = widen_number(w, atomic);
    chains = chains > w->sum_chains ? w->sum_chains : chains;
    chains = chains > CHAINS ? CHAINS : chains;
    while (*place && (*place)->number <= number)
        place = &(*place)->next;
    *sum = (struct sum){.atomic = atomic,
                        .type = type,
                        .n_chains = chains < 1 ? 1 : chains,
                        .number = number,
                        .row = row,
                        .next = *place};
    *place = sum;
    for (int c = 0; c < sum->n_chains; c++)
        sum->chains[c] = widen_slot(w, type, "sum");
    sum->used = widen_slot(w, LLVMInt1TypeInContext(w->context), "used");
    LLVMTypeRef pointer = LLVMTypeOf(LLVMGetOperand(atomic, 0));
    sum->place = moves ? widen_slot(w, pointer, "place") : NULL;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(w->builder);
    LLVMPositionBuilderBefore(w->builder, LLVMGetBasicBlockTerminator(w->entry));
    clear_sum(w, sum);
    if (moves)
        LLVMBuildStore(w->builder, LLVMConstNull(pointer), sum->place);
    LLVMPositionBuilderAtEnd(w->builder, here);
    return sum;
}

static struct sum *sum_for(struct widener *w, LLVMValueRef atomic, LLVMTypeRef type, int row)
{
    for (struct sum *sum = w->sums->first; sum; sum = sum->next)
        if (sum->atomic == atomic && sum->type == type && sum->row == row)
            return sum;
    return new_sum(w, atomic, type, row);
}

/* Adds a sum to memory, if anything has been added to it. */
static void end_sum(const struct sum *sum, LLVMBuilderRef b, LLVMValueRef args)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(b);
    LLVMValueRef function = LLVMGetBasicBlockParent(here);
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(function));
    LLVMAtomicRMWBinOp operation = sum_of(LLVMGetAtomicRMWBinOp(sum->atomic));
    LLVMBasicBlockRef add = LLVMAppendBasicBlockInContext(context, function, "sum"),
                      done = LLVMAppendBasicBlockInContext(context, function, "done");
    LLVMMoveBasicBlockAfter(add, here);
    LLVMMoveBasicBlockAfter(done, add);
    LLVMBuildCondBr(b, LLVMBuildLoad2(b, LLVMGetAllocatedType(sum->used), sum->used, ""), add, done);
    LLVMPositionBuilderAtEnd(b, add);
    LLVMValueRef all = LLVMBuildLoad2(b, sum->type, sum->chains[0], "");
    for (int c = 1; c < sum->n_chains; c++)
        all = ir_combine(b, operation, all, LLVMBuildLoad2(b, sum->type, sum->chains[c], ""));
    LLVMValueRef address = LLVMGetOperand(sum->atomic, 0);
    address = sum->place ? LLVMBuildLoad2(b, LLVMTypeOf(address), sum->place, "") : variant_compute(b, address, args);
    LLVMBuildAtomicRMW(b, operation, address, reduce(b, operation, all), LLVMGetOrdering(sum->atomic),
                       LLVMIsAtomicSingleThread(sum->atomic));
    LLVMBuildBr(b, done);
    LLVMPositionBuilderAtEnd(b, done);
}

/* Lets a sum whose element moves go on at another one. */
static void move_sum(struct widener *w, const struct sum *sum, LLVMValueRef address)
{
    LLVMBasicBlockRef move = widen_block_here(w, "move"), stay = widen_block_here(w, "stay");
    LLVMValueRef place = LLVMBuildLoad2(w->builder, LLVMTypeOf(address), sum->place, "");
    LLVMBuildCondBr(w->builder, LLVMBuildICmp(w->builder, LLVMIntEQ, place, address, ""), stay, move);
    LLVMPositionBuilderAtEnd(w->builder, move);
    end_sum(sum, w->builder, NULL);
    clear_sum(w, sum);
    LLVMBuildStore(w->builder, address, sum->place);
    LLVMBuildBr(w->builder, stay);
    LLVMPositionBuilderAtEnd(w->builder, stay);
}

void sums_add(struct widener *w, LLVMValueRef atomic, int row, int vector)
{
    LLVMAtomicRMWBinOp operation = LLVMGetAtomicRMWBinOp(atomic);
    LLVMValueRef value = LLVMGetOperand(atomic, 1), address = LLVMGetOperand(atomic, 0);
    const struct way *way = widen_way(w, atomic);
    bool waits = way->work == WORK_SUM && !(way->together && w->base_mask);
    value = w->block.lanes > 1 ? widen_get_vector(w, value, row, vector) : widen_get(w, value, row, vector);
    if (!waits || way->moves)
        address = widen_get(w, address, row, vector);
    LLVMTypeRef type = LLVMTypeOf(value), i1 = LLVMInt1TypeInContext(w->context);
    if (w->mask)
        value = LLVMBuildSelect(w->builder, w->mask, value, neutral_value(w, atomic), "");
    if (!waits) {
        LLVMBuildAtomicRMW(w->builder, operation, address, reduce(w->builder, operation, value),
                           LLVMGetOrdering(atomic), LLVMIsAtomicSingleThread(atomic));
        return;
    }
    struct sum *sum = sum_for(w, atomic, type, way->moves ? row : 0);
    if (sum->place)
        move_sum(w, sum, address);
    LLVMValueRef chain = sum->chains[(sum->place ? vector : widen_instance(w, row, vector)) % sum->n_chains];
    LLVMValueRef before = LLVMBuildLoad2(w->builder, type, chain, "");
    LLVMBuildStore(w->builder, ir_combine(w->builder, operation, before, value), chain);
    LLVMValueRef used = LLVMConstInt(i1, 1, false);
    if (w->mask)
        used = LLVMBuildOr(w->builder, LLVMBuildLoad2(w->builder, i1, sum->used, ""), widen_any(w, w->mask), "");
    LLVMBuildStore(w->builder, used, sum->used);
}

void sums_end(const struct sums *sums, LLVMBuilderRef builder, LLVMValueRef args)
{
    for (const struct sum *sum = sums->first; sum; sum = sum->next)
        end_sum(sum, builder, args);
}

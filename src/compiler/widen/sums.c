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
 * An operation waits for the end of the box if nobody uses its result, if arguments alone say where the element is, and
 * if no thread notices. If all lanes of a block have the element in common, but not all blocks, as with a sum for each
 * row of a matrix, it waits until a block has another one. Operations of one kind on the same element share a sum.
 *
 * Other threads cannot notice, because nothing orders them, unless the kernel has fences, output, or uses the result of
 * an atomic operation: then nothing waits. A thread itself could notice if it accessed the element later, and in a tile
 * others could after a barrier. So later accesses must be to other elements of the same array, or to elements of
 * another type; two arrays may be one. In an untiled kernel, later accesses do not matter where all lanes of a block
 * run the operation: on its element they would be races. Where fewer threads may be left, such an operation does not
 * wait.
 *
 * The order of operations of different kinds matters if they may be on the same element. Then neither waits, unless all
 * threads run both once, and both wait for the end, where they are done in the kernel's order.
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
    MAX_SUMS = 64, /* operations of a kernel */
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

/* Returns the value that leaves any other, its left operand, unchanged under `operation`. */
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

/* What C's rules of aliasing tell apart. Objects of unknown type may be any. */
enum object { OBJECT_ANY, OBJECT_INTEGER, OBJECT_FLOAT, OBJECT_DOUBLE };

/* An operation that may wait. */
struct candidate {
    LLVMValueRef atomic, address;
    enum object object;
    int node;
    LLVMAtomicRMWBinOp kind;     /* of the sum */
    bool waits, together, moves; /* as in struct way */
    bool is_ordered;             /* it is kept in order with another one */
};

struct search {
    const struct kernel *kernel;
    const struct shapes *shapes;
    enum effect *effects; /* by the instructions' numbers in `shapes` */
    struct candidate candidates[MAX_SUMS];
    int n;
};

/* Finds the effects of the kernel's instructions, and the operations among them; returns false if none may wait. */
static bool find_candidates(struct search *s)
{
    const struct cfg *cfg = s->shapes->cfg;
    for (int at = 0; at < cfg->n; at++)
        for (LLVMValueRef i = cfg->nodes[at].first; i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i)) {
            enum effect effect = s->effects[map_get(s->shapes->numbers, i)] = effect_of(s->kernel, i);
            if (effect == EFFECT_ORDERED || (effect == EFFECT_SUM && s->n == MAX_SUMS))
                return false;
            if (effect == EFFECT_SUM)
                s->candidates[s->n++] = (struct candidate){
                    .atomic = i, .address = LLVMGetOperand(i, 0), .node = at, .kind = sum_of(LLVMGetAtomicRMWBinOp(i))};
        }
    return s->n > 0;
}

/* Returns the address that a pointer is a constant number of bytes away from. */
static LLVMValueRef base_of(LLVMValueRef pointer, long long *bytes)
{
    for (*bytes = 0; LLVMIsAGetElementPtrInst(pointer); pointer = LLVMGetOperand(pointer, 0))
        if (!ir_add_step(ir_layout_of(pointer), pointer, 0, bytes))
            break;
    return pointer;
}

/* Whether two elements, which one execution of an instruction each accesses, are different ones of the same array. */
static bool are_apart(LLVMTargetDataRef layout, LLVMValueRef a, LLVMTypeRef a_type, LLVMValueRef b, LLVMTypeRef b_type)
{
    long long a_place, b_place;
    if (base_of(a, &a_place) != base_of(b, &b_place))
        return false;
    return a_place < b_place ? a_place + (long long)LLVMStoreSizeOfType(layout, a_type) <= b_place
                             : b_place + (long long)LLVMStoreSizeOfType(layout, b_type) <= a_place;
}

/* Returns which objects a plain access is to, by what clang has noted: LLVM may have given it another type. */
static enum object object_of_access(LLVMValueRef i)
{
    enum { MOST_OPERANDS = 4 };
    static const struct {
        const char *name;
        enum object object;
    } types[] = {{"int", OBJECT_INTEGER},   {"long", OBJECT_INTEGER}, {"long long", OBJECT_INTEGER},
                 {"short", OBJECT_INTEGER}, {"float", OBJECT_FLOAT},  {"double", OBJECT_DOUBLE}};
    unsigned kind = LLVMGetMDKindIDInContext(LLVMGetTypeContext(LLVMTypeOf(i)), "tbaa", 4), length;
    LLVMValueRef tag = LLVMIsALoadInst(i) || LLVMIsAStoreInst(i) ? LLVMGetMetadata(i, kind) : NULL,
                 of_tag[MOST_OPERANDS], of_type[MOST_OPERANDS];
    if (!tag || LLVMGetMDNodeNumOperands(tag) > MOST_OPERANDS)
        return OBJECT_ANY;
    LLVMGetMDNodeOperands(tag, of_tag);
    if (LLVMGetMDNodeNumOperands(of_tag[1]) > MOST_OPERANDS)
        return OBJECT_ANY;
    LLVMGetMDNodeOperands(of_tag[1], of_type);
    const char *name = LLVMGetMDString(of_type[0], &length);
    for (size_t t = 0; name && t < sizeof types / sizeof *types; t++)
        if (strlen(types[t].name) == length && memcmp(types[t].name, name, length) == 0)
            return types[t].object;
    return OBJECT_ANY;
}

/* Returns which objects an operation is on: the parameter's elements, if the user has not said that types tell nothing;
 * then clang notes no types, either. */
static enum object object_at(const struct kernel *kernel, LLVMValueRef pointer)
{
    const struct param *param = origin_of(kernel, pointer).param;
    while (LLVMIsAGetElementPtrInst(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    unsigned kind = LLVMGetMDKindIDInContext(LLVMGetTypeContext(LLVMTypeOf(pointer)), "tbaa", 4);
    if (!param || !LLVMIsALoadInst(pointer) || !LLVMGetMetadata(pointer, kind))
        return OBJECT_ANY;
    switch (param->type) {
    case AMP_TYPE_F32:
        return OBJECT_FLOAT;
    case AMP_TYPE_F64:
        return OBJECT_DOUBLE;
    case AMP_TYPE_I32:
    case AMP_TYPE_U32:
    case AMP_TYPE_I64:
    case AMP_TYPE_U64:
        return OBJECT_INTEGER;
    default:
        return OBJECT_ANY;
    }
}

static bool may_be_same(enum object a, enum object b)
{
    return a == b || a == OBJECT_ANY || b == OBJECT_ANY;
}

/* Whether the order of two operations matters: they may be on the same element, and are of different kinds. */
static bool matters(const struct candidate *a, const struct candidate *b)
{
    LLVMTypeRef a_type = LLVMTypeOf(a->atomic), b_type = LLVMTypeOf(b->atomic);
    return (a->kind != b->kind || a_type != b_type) &&
           !are_apart(ir_layout_of(a->atomic), a->address, a_type, b->address, b_type) &&
           may_be_same(a->object, b->object);
}

/* Whether a plain access among the instructions from one to another may be to the element of an operation. */
static bool has_access(const struct search *s, const struct candidate *sum, LLVMValueRef from, LLVMValueRef end)
{
    for (LLVMValueRef i = from; i != end; i = LLVMGetNextInstruction(i)) {
        if (s->effects[map_get(s->shapes->numbers, i)] != EFFECT_PLAIN)
            continue;
        unsigned address;
        LLVMTypeRef type = ir_accessed_type(i, &address);
        bool is_apart =
            type && are_apart(ir_layout_of(i), LLVMGetOperand(i, address), type, sum->address, LLVMTypeOf(sum->atomic));
        if (!is_apart && may_be_same(object_of_access(i), sum->object))
            return true;
    }
    return false;
}

/* Whether the thread may plainly access the element after the operation. */
static bool is_followed(const struct search *s, const struct candidate *sum)
{
    const struct cfg *cfg = s->shapes->cfg;
    bool *after = arena_alloc((size_t)cfg->n * sizeof *after);
    cfg_mark_after(cfg, sum->node, after);
    bool is_followed = has_access(s, sum, sum->atomic, cfg->nodes[sum->node].end);
    for (int at = 0; at < cfg->n && !is_followed; at++)
        is_followed = after[at] && has_access(s, sum, cfg->nodes[at].first, cfg->nodes[at].end);
    return is_followed;
}

/* Keeps operations from waiting where that would change an order that matters. */
static void keep_order(struct search *s)
{
    const struct node *nodes = s->shapes->cfg->nodes;
    for (bool changes = true; changes;) {
        changes = false;
        for (int k = 0; k < s->n; k++)
            for (int j = 0; j < s->n; j++) {
                struct candidate *a = &s->candidates[k], *b = &s->candidates[j];
                if (!a->waits || !matters(a, b))
                    continue;
                bool in_loop = nodes[a->node].loop >= 0 || nodes[b->node].loop >= 0;
                a->is_ordered = true;
                a->waits = b->waits && a->together == b->together && !a->moves && !b->moves && !in_loop;
                changes |= !a->waits;
            }
    }
}

/* Returns the first operation whose sum one that waits can share: itself, if there is none. */
static LLVMValueRef sharer(const struct search *s, const struct candidate *sum)
{
    const struct candidate *c = s->candidates;
    while (!(c->waits && c->address == sum->address && c->kind == sum->kind && !c->is_ordered && !sum->is_ordered &&
             LLVMTypeOf(c->atomic) == LLVMTypeOf(sum->atomic)) &&
           c != sum)
        c++;
    return c->atomic;
}

/* Keeps operations under conditions from waiting if the sums take more than so many bits. Where few threads take a
 * condition, sums in memory would be loaded and stored for nothing. */
static void keep_in_room(struct search *s, int lanes, int room)
{
    unsigned long long bits = 0;
    for (const struct candidate *c = s->candidates; c < s->candidates + s->n; c++)
        if (c->waits && sharer(s, c) == c->atomic)
            bits += (unsigned long long)lanes * LLVMSizeOfTypeInBits(ir_layout_of(c->atomic), LLVMTypeOf(c->atomic));
    for (struct candidate *c = s->candidates; c < s->candidates + s->n; c++)
        c->waits &= bits <= (unsigned long long)room || !s->shapes->masked[c->node];
}

void sums_plan(const struct kernel *kernel, const struct shapes *shapes, int lanes, int room, struct way *ways)
{
    struct search s = {kernel, shapes, arena_alloc((size_t)shapes->n_values * sizeof *s.effects)};
    if (!find_candidates(&s))
        return;
    for (struct candidate *c = s.candidates; c < s.candidates + s.n; c++) {
        c->object = object_at(kernel, c->address);
        c->moves = !is_known_place(c->address);
        bool is_common =
            lanes > 1 && shapes->cfg->nodes[c->node].loop < 0 && shape_of(shapes, c->address).kind == SHAPE_UNIFORM;
        c->together = is_followed(&s, c);
        c->waits =
            (!c->moves || is_common) && (!c->together || (lanes > 1 && !kernel->tiled && !shapes->masked[c->node]));
    }
    keep_in_room(&s, lanes, room);
    keep_order(&s);
    for (const struct candidate *c = s.candidates; c < s.candidates + s.n; c++)
        if (c->waits) {
            struct way *way = &ways[map_get(shapes->numbers, c->atomic)];
            way->work = WORK_SUM;
            way->sum = sharer(&s, c);
            way->together = c->together;
            way->moves = c->moves;
        }
}

/* ---- the code ---- */

struct sum {
    LLVMValueRef atomic;
    LLVMTypeRef type;            /* a vector; with one lane a scalar */
    LLVMValueRef chains[CHAINS]; /* slots: what has been added up; */
    LLVMValueRef place;          /* and the element's address, if it moves; otherwise NULL */
    int n_chains;
    int number, row; /* in the order of the kernel's instructions; of the block, if the element moves */
    struct sum *next;
};

static LLVMValueRef neutral_value(const struct widener *w, LLVMAtomicRMWBinOp operation, LLVMValueRef atomic)
{
    return widen_splat(w, neutral_element(operation, LLVMTypeOf(atomic)));
}

/* Returns what all lanes of a vector come to under the operation of a sum. */
static LLVMValueRef reduce(LLVMBuilderRef builder, LLVMAtomicRMWBinOp operation, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return value;
    LLVMValueRef arguments[] = {neutral_element(operation, LLVMGetElementType(type)), value};
    bool has_start = is_float_sum(operation);
    LLVMValueRef all = ir_call_overloaded(builder, reduction(operation), type, arguments + !has_start, 1 + has_start);
    if (has_start)
        LLVMSetFastMathFlags(all, LLVMFastMathAllowReassoc);
    return all;
}

static void add_atomically(LLVMBuilderRef builder, LLVMValueRef atomic, LLVMAtomicRMWBinOp operation,
                           LLVMValueRef address, LLVMValueRef value)
{
    LLVMBuildAtomicRMW(builder, operation, address, value, LLVMGetOrdering(atomic), LLVMIsAtomicSingleThread(atomic));
}

static void clear_sum(const struct widener *w, const struct sum *sum)
{
    LLVMAtomicRMWBinOp operation = sum_of(LLVMGetAtomicRMWBinOp(sum->atomic));
    for (int c = 0; c < sum->n_chains; c++)
        LLVMBuildStore(w->builder, neutral_value(w, operation, sum->atomic), sum->chains[c]);
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

/* Whether a sum is what it began with. Adding that to memory changes nothing. */
static LLVMValueRef is_neutral(LLVMBuilderRef b, LLVMAtomicRMWBinOp operation, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMValueRef neutral = neutral_element(operation, type);
    if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind)
        return LLVMBuildICmp(b, LLVMIntEQ, value, neutral, "");
    if (!is_float_sum(operation))
        return LLVMBuildFCmp(b, LLVMRealUNO, value, value, "");
    LLVMContextRef context = LLVMGetTypeContext(type);
    LLVMTypeRef bits =
        LLVMGetTypeKind(type) == LLVMDoubleTypeKind ? LLVMInt64TypeInContext(context) : LLVMInt32TypeInContext(context);
    return LLVMBuildICmp(b, LLVMIntEQ, LLVMBuildBitCast(b, value, bits, ""), LLVMConstBitCast(neutral, bits), "");
}

/* Adds a sum to memory. Where no thread has added to it, there may be no element. */
static void end_sum(const struct sum *sum, LLVMBuilderRef b, LLVMValueRef args)
{
    LLVMAtomicRMWBinOp operation = sum_of(LLVMGetAtomicRMWBinOp(sum->atomic));
    LLVMValueRef all = LLVMBuildLoad2(b, sum->type, sum->chains[0], "");
    for (int c = 1; c < sum->n_chains; c++)
        all = ir_combine(b, operation, all, LLVMBuildLoad2(b, sum->type, sum->chains[c], ""));
    all = reduce(b, operation, all);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(b);
    LLVMValueRef function = LLVMGetBasicBlockParent(here);
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(function));
    LLVMBasicBlockRef add = LLVMAppendBasicBlockInContext(context, function, "sum"),
                      done = LLVMAppendBasicBlockInContext(context, function, "done");
    LLVMMoveBasicBlockAfter(add, here);
    LLVMMoveBasicBlockAfter(done, add);
    LLVMBuildCondBr(b, is_neutral(b, operation, all), done, add);
    LLVMPositionBuilderAtEnd(b, add);
    LLVMValueRef address = LLVMGetOperand(sum->atomic, 0);
    address = sum->place ? LLVMBuildLoad2(b, LLVMTypeOf(address), sum->place, "") : variant_compute(b, address, args);
    add_atomically(b, sum->atomic, operation, address, all);
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

/* Adds an instance's lanes to the sum that waits. */
static void add_to_sum(struct widener *w, LLVMValueRef atomic, LLVMValueRef value, int row, int vector)
{
    const struct way *way = widen_way(w, atomic);
    LLVMAtomicRMWBinOp operation = LLVMGetAtomicRMWBinOp(atomic);
    LLVMTypeRef type = LLVMTypeOf(value);
    struct sum *sum = sum_for(w, way->sum, type, way->moves ? row : 0);
    if (sum->place)
        move_sum(w, sum, widen_get(w, LLVMGetOperand(atomic, 0), row, vector));
    if (w->mask)
        value = LLVMBuildSelect(w->builder, w->mask, value, neutral_value(w, operation, atomic), "");
    LLVMValueRef chain = sum->chains[(sum->place ? vector : widen_instance(w, row, vector)) % sum->n_chains];
    LLVMValueRef before = LLVMBuildLoad2(w->builder, type, chain, "");
    LLVMBuildStore(w->builder, ir_combine(w->builder, operation, before, value), chain);
}

/* Combines an instance's lanes, and adds them to memory. */
static void combine(struct widener *w, LLVMValueRef atomic, LLVMValueRef value, int row, int vector)
{
    LLVMAtomicRMWBinOp operation = LLVMGetAtomicRMWBinOp(atomic), sum = sum_of(operation);
    if (w->mask)
        value = LLVMBuildSelect(w->builder, w->mask, value, neutral_value(w, sum, atomic), "");
    add_atomically(w->builder, atomic, operation, widen_get(w, LLVMGetOperand(atomic, 0), row, vector),
                   reduce(w->builder, sum, value));
}

void sums_add(struct widener *w, LLVMValueRef atomic, int row, int vector)
{
    const struct way *way = widen_way(w, atomic);
    LLVMValueRef value = LLVMGetOperand(atomic, 1);
    value = w->block.lanes > 1 ? widen_get_vector(w, value, row, vector) : widen_get(w, value, row, vector);
    if (way->work == WORK_SUM && !(way->together && w->base_mask))
        add_to_sum(w, atomic, value, row, vector);
    else
        combine(w, atomic, value, row, vector);
}

void sums_end(const struct sums *sums, LLVMBuilderRef builder, LLVMValueRef args)
{
    for (const struct sum *sum = sums->first; sum; sum = sum->next)
        end_sum(sum, builder, args);
}

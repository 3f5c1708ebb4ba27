/* SPDX-License-Identifier: MIT
 *
 * Lets the threads of a tile run from barrier to barrier in loops, where all come to the same barriers (same.c). The
 * entry is cut at its barriers into regions, and each becomes a function:
 *
 *     in what is the same for all threads, with what the checks read
 *     for (thread = first; thread < end; thread++) {
 *         the code from where the region begins to the barriers, or the end, that it leads to
 *     }
 *     out what is the same for all threads, and at which barrier they wait
 *
 * A value that is needed after a barrier has a place there: one if it is the same for all threads, one for each thread
 * if not; or it is computed again. A value with a place is a variable in the function of a region that begins with it,
 * because the region may lead back to where it is computed; LLVM then makes SSA values of these.
 *
 * A report may end a thread: then the function's stack is lost, and the runtime calls it again for the threads that
 * follow. So before each call of the runtime all is stored that it, and such a second call, must know.
 *
 * needs   entries into which everything is inlined, with the checks
 * keeps   nothing
 * breaks  nothing */
#include "checked/regions.h"
#include "base/map.h"
#include "driver/driver.h"
#include "kernel/calls.h"
#include "kernel/entry.h"
#include "kernel/ir.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

enum {
    MOST_SHARED = 64,       /* AMP__CHECK_SHARED of src/abi/checked.h */
    SHARED_BYTES = 8,       /* of each */
    MOST_BYTES = 4 << 20,   /* of the threads' places of an entry */
    MOST_MARKS = 100 << 20, /* values times barriers */
    MOST_COPIES = 6,        /* times the instructions of the entry that all regions may have */
    STAMP_SHIFT = 21        /* AMP__CHECK_STAMP_SHIFT */
};

/* Fields of struct amp__check_region. */
enum { REGION_ARGS, REGION_PLACES, REGION_TILE, REGION_IN, REGION_OUT, REGION_FIRST, REGION_END, REGION_NUMBER };

/* How a value comes to the code after a barrier. */
enum passage {
    NOT_NEEDED,
    KEPT,
    AGAIN_LATER, /* the same as the next, before its operands are passed on */
    AGAIN
};

struct regions {
    struct checking *c;
    const struct cfg *cfg;
    const struct same *same;
    LLVMTypeRef now_type, type; /* struct amp__check_now, struct amp__check_region */

    int n_barriers;
    int *nodes;                /* by barriers: where they are */
    int *barriers;             /* by nodes: the barrier; -1: there is none */
    unsigned *orders;          /* by barriers: what they order */
    bool *is_after;            /* by values: after the barrier of its basic block */
    LLVMValueRef *values;      /* by numbers */
    signed char *may_be_again; /* by values; -1: not yet known */
    unsigned char **passages;  /* by barriers: by values, enum passage */

    int *seen, n_seen; /* by nodes: in which walk */

    int *shared; /* by values: the place that all threads share; -1: each has its own */
    int n_shared;
    LLVMValueRef *places; /* by values: the threads' places, a global variable */
    unsigned long long bytes;
};

static int number_of(const struct regions *r, LLVMValueRef value)
{
    return map_get(r->same->numbers, value);
}

static int node_of(const struct regions *r, LLVMValueRef instruction)
{
    return map_get(r->cfg->first_node, LLVMGetInstructionParent(instruction));
}

/* ---- barriers ---- */

/* Whether an instruction is of a form that the rest understands. */
static bool is_plain(const struct regions *r, LLVMValueRef i)
{
    int field;
    if (LLVMIsAAllocaInst(i) && !LLVMIsAConstantInt(LLVMGetOperand(i, 0)))
        return false;
    if (table_calls(i, "amp__check_note_defined") || LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMTokenTypeKind)
        return false;
    for (unsigned o = 0; o < (unsigned)LLVMGetNumOperands(i); o++) {
        LLVMValueRef operand = LLVMGetOperand(i, o);
        if (!LLVMIsAConstant(operand) || LLVMIsAFunction(operand) || !now_has(r->c, operand, &field))
            continue;
        bool is_load = LLVMIsALoadInst(i) && field != NOW_WAITS;
        bool is_step = LLVMIsAGetElementPtrInst(i);
        if (!is_load && !is_step && !now_is_note(r->c, i))
            return false;
    }
    return true;
}

/* Finds the barriers. Returns false if something is of another form. */
static bool find_barriers(struct regions *r)
{
    const struct cfg *cfg = r->cfg;
    r->nodes = arena_alloc((size_t)cfg->n * sizeof *r->nodes);
    r->barriers = arena_alloc((size_t)cfg->n * sizeof *r->barriers);
    r->orders = arena_alloc((size_t)cfg->n * sizeof *r->orders);
    for (int n = 0; n < cfg->n; n++) {
        LLVMValueRef barrier = now_barrier(cfg->nodes[n].block), note = NULL;
        for (LLVMValueRef i = LLVMGetFirstInstruction(cfg->nodes[n].block); i; i = LLVMGetNextInstruction(i)) {
            if (!is_plain(r, i) || (i != barrier && table_calls(i, "amp__check_suspend")))
                return false;
            if (i == barrier && (!note || !LLVMIsAConstantInt(LLVMGetOperand(note, 0))))
                return false;
            note = now_is_note(r->c, i) ? i : note;
            if (i == barrier)
                r->orders[r->n_barriers] = (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(note, 0)) & 3;
        }
        r->barriers[n] = barrier ? r->n_barriers : -1;
        if (barrier)
            r->nodes[r->n_barriers++] = n;
    }
    return r->n_barriers > 0;
}

/* ---- what is needed after a barrier ---- */

/* Whether an instruction may be computed again from what is at hand in every region. */
static bool may_be_again(struct regions *r, LLVMValueRef i, int depth);

static bool is_at_hand(struct regions *r, LLVMValueRef value, LLVMValueRef user, int depth)
{
    if (number_of(r, value) < 0 || LLVMIsAAllocaInst(value))
        return true;
    bool may_be_shared = same_differs(r->same, user) && !same_differs(r->same, value);
    return may_be_shared || may_be_again(r, value, depth + 1);
}

static bool is_cheap(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMICmp:
    case LLVMGetElementPtr:
        return true;
    case LLVMLoad:
        return !LLVMGetVolatile(i) && entry_is_argument(LLVMGetOperand(i, 0));
    default:
        return LLVMIsACastInst(i);
    }
}

static bool may_be_again(struct regions *r, LLVMValueRef i, int depth)
{
    enum { DEEPEST = 8 };
    signed char *known = &r->may_be_again[number_of(r, i)];
    if (*known >= 0)
        return *known;
    bool may = depth < DEEPEST && is_cheap(i);
    for (unsigned o = 0; o < (unsigned)LLVMGetNumOperands(i) && may; o++)
        may = is_at_hand(r, LLVMGetOperand(i, o), i, depth);
    if (depth == 0)
        *known = may;
    return may;
}

static void need_at_end(struct regions *r, LLVMValueRef value, int node);

/* Notes that a value is needed after the barrier of a node. Returns whether it is needed before it, too. */
static bool pass_on(struct regions *r, LLVMValueRef value, int barrier)
{
    unsigned char *passage = &r->passages[barrier][number_of(r, value)];
    if (*passage == NOT_NEEDED)
        *passage = may_be_again(r, value, 0) ? AGAIN_LATER : KEPT;
    return *passage == KEPT && node_of(r, value) != r->nodes[barrier];
}

static void need_before(struct regions *r, LLVMValueRef value, int node)
{
    for (int p = 0; p < r->cfg->nodes[node].n_pred; p++)
        need_at_end(r, value, r->cfg->nodes[node].pred[p]);
}

/* Notes that a value is needed after a barrier, but was computed before. */
static void need_after_barrier(struct regions *r, LLVMValueRef value, int barrier)
{
    if (pass_on(r, value, barrier))
        need_before(r, value, r->nodes[barrier]);
}

static void need_at_end(struct regions *r, LLVMValueRef value, int node)
{
    int barrier = r->barriers[node];
    bool is_here = node_of(r, value) == node;
    if (r->seen[node] == r->n_seen)
        return;
    r->seen[node] = r->n_seen;
    if (barrier >= 0 && !(is_here && r->is_after[number_of(r, value)]))
        need_after_barrier(r, value, barrier);
    else if (!is_here)
        need_before(r, value, node);
}

static void need_for(struct regions *r, LLVMValueRef value, LLVMValueRef user)
{
    int node = node_of(r, user), barrier = r->barriers[node];
    bool is_here = node_of(r, value) == node, is_after = r->is_after[number_of(r, user)];
    if (is_after && !(is_here && r->is_after[number_of(r, value)]))
        need_after_barrier(r, value, barrier);
    else if (!is_here)
        need_before(r, value, node);
}

static void follow_uses(struct regions *r, LLVMValueRef value)
{
    r->n_seen++;
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (number_of(r, user) < 0)
            continue;
        if (!LLVMIsAPHINode(user))
            need_for(r, value, user);
        for (unsigned k = 0; LLVMIsAPHINode(user) && k < LLVMCountIncoming(user); k++) {
            int from = map_get(r->cfg->first_node, LLVMGetIncomingBlock(user, k));
            if (LLVMGetIncomingValue(user, k) == value && from >= 0)
                need_at_end(r, value, from);
        }
    }
}

static void number_values(struct regions *r)
{
    size_t n = (size_t)r->same->n_values + 1;
    r->values = arena_alloc(n * sizeof(LLVMValueRef));
    r->is_after = arena_alloc(n * sizeof *r->is_after);
    r->may_be_again = arena_alloc(n);
    memset(r->may_be_again, -1, n);
    for (int i = 0; i < r->cfg->n; i++) {
        bool is_after = false;
        for (LLVMValueRef k = LLVMGetFirstInstruction(r->cfg->nodes[i].block); k; k = LLVMGetNextInstruction(k)) {
            r->values[number_of(r, k)] = k;
            r->is_after[number_of(r, k)] = is_after;
            is_after = is_after || table_calls(k, "amp__check_suspend");
        }
    }
}

static void pass_operands_on(struct regions *r, LLVMValueRef value, int barrier)
{
    for (unsigned o = 0; o < (unsigned)LLVMGetNumOperands(value); o++) {
        LLVMValueRef operand = LLVMGetOperand(value, o);
        if (number_of(r, operand) < 0 || LLVMIsAAllocaInst(operand))
            continue;
        r->n_seen++;
        need_after_barrier(r, operand, barrier);
    }
}

/* Finds what is needed after each barrier. */
static void find_passages(struct regions *r)
{
    number_values(r);
    r->passages = arena_alloc((size_t)r->n_barriers * sizeof *r->passages);
    r->seen = arena_alloc((size_t)r->cfg->n * sizeof *r->seen);
    for (int b = 0; b < r->n_barriers; b++)
        r->passages[b] = arena_alloc((size_t)r->same->n_values);
    for (int v = 0; v < r->same->n_values; v++)
        if (!LLVMIsAAllocaInst(r->values[v]) && !table_calls(r->values[v], "amp__check_suspend"))
            follow_uses(r, r->values[v]);
    for (bool changed = true; changed;) {
        changed = false;
        for (int b = 0; b < r->n_barriers; b++)
            for (int v = 0; v < r->same->n_values; v++)
                if (r->passages[b][v] == AGAIN_LATER) {
                    changed = true;
                    r->passages[b][v] = AGAIN;
                    pass_operands_on(r, r->values[v], b);
                }
    }
}

/* Finds the nodes of the region that begins after a barrier, or with the kernel if that is -1. */
static void find_region(const struct regions *r, int barrier, bool *is_in)
{
    const struct node *nodes = r->cfg->nodes;
    int *open = arena_alloc((size_t)r->cfg->n * sizeof *open), n_open = 0;
    memset(is_in, 0, (size_t)r->cfg->n);
    if (barrier < 0)
        is_in[open[n_open++] = 0] = true;
    for (int at = barrier < 0 ? -1 : r->nodes[barrier];;) {
        for (int s = 0; at >= 0 && s < nodes[at].n_succ; s++)
            if (!is_in[nodes[at].succ[s]])
                is_in[open[n_open++] = nodes[at].succ[s]] = true;
        if (n_open == 0)
            return;
        at = open[--n_open];
        at = r->barriers[at] < 0 ? at : -1;
    }
}

/* Makes room for what each thread keeps: a value, or a variable. */
static LLVMValueRef make_places(struct regions *r, LLVMValueRef value)
{
    struct checking *c = r->c;
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(c->module);
    LLVMTypeRef type = LLVMTypeOf(value);
    unsigned long long n = 1, align = LLVMABIAlignmentOfType(layout, type);
    for (int d = 0; d < c->kernel->box_rank; d++)
        n *= (unsigned long long)c->kernel->tile[d];
    if (LLVMIsAAllocaInst(value)) {
        align = LLVMGetAlignment(value);
        unsigned long long size =
            LLVMABISizeOfType(layout, LLVMGetAllocatedType(value)) * LLVMConstIntGetZExtValue(LLVMGetOperand(value, 0));
        type = LLVMArrayType2(LLVMInt8TypeInContext(c->context), (size + align - 1) / align * align);
    }
    type = LLVMArrayType2(type, n);
    r->bytes += LLVMABISizeOfType(layout, type);
    LLVMValueRef places = LLVMAddGlobal(c->module, type, "amp.check.kept");
    LLVMSetInitializer(places, LLVMConstNull(type));
    LLVMSetLinkage(places, LLVMInternalLinkage);
    LLVMSetAlignment(places, (unsigned)align);
    return places;
}

/* Gives each value a place where it is kept at barriers. Returns false if that is too much. */
static bool find_places(struct regions *r)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(r->c->module);
    size_t n = (size_t)r->same->n_values + 1;
    r->shared = arena_alloc(n * sizeof *r->shared);
    r->places = arena_alloc(n * sizeof(LLVMValueRef));
    for (int v = 0; v < r->same->n_values; v++) {
        LLVMTypeRef type = LLVMTypeOf(r->values[v]);
        bool is_variable = LLVMIsAAllocaInst(r->values[v]), is_kept = is_variable;
        r->shared[v] = -1;
        for (int b = 0; b < r->n_barriers && !is_kept; b++)
            is_kept = r->passages[b][v] == KEPT;
        if (!is_kept)
            continue;
        bool may_be_shared = !same_differs(r->same, r->values[v]) && ir_is_element(type) &&
                             LLVMABISizeOfType(layout, type) <= SHARED_BYTES;
        if (may_be_shared && r->n_shared < MOST_SHARED)
            r->shared[v] = r->n_shared++;
        else
            r->places[v] = make_places(r, r->values[v]);
    }
    return r->bytes <= MOST_BYTES;
}

/* Whether the regions together are not much larger than the entry. */
static bool is_small(const struct regions *r)
{
    int n_copied = 0;
    bool *is_in = arena_alloc((size_t)r->cfg->n);
    for (int b = -1; b < r->n_barriers; b++) {
        find_region(r, b, is_in);
        for (int v = 0; v < r->same->n_values; v++)
            n_copied += is_in[node_of(r, r->values[v])];
    }
    return n_copied <= MOST_COPIES * r->same->n_values;
}

/* ---- threads with nothing to do ---- */

/* Whether a node does nothing that others could see, up to its barrier or, after that, to its end. */
static bool does_nothing(const struct regions *r, int node, bool is_behind)
{
    LLVMBasicBlockRef block = r->cfg->nodes[node].block;
    LLVMValueRef barrier = now_barrier(block), end = LLVMGetBasicBlockTerminator(block);
    LLVMValueRef i = is_behind ? LLVMGetNextInstruction(barrier) : LLVMGetFirstInstruction(block);
    for (; i != end && (is_behind || i != barrier); i = LLVMGetNextInstruction(i))
        if (!ahead_has_no_effect(i) && !now_is_note(r->c, i))
            return false;
    return !LLVMIsAUnreachableInst(end);
}

/* Whether a barrier keeps something for each thread. */
static bool keeps_own(const struct regions *r, int barrier)
{
    for (int v = 0; v < r->same->n_values; v++)
        if (r->passages[barrier][v] == KEPT && r->shared[v] < 0)
            return true;
    return false;
}

/* Whether a thread at a node does nothing any more up to the next barriers. */
static bool is_idle_from(const struct regions *r, int node)
{
    bool *is_seen = arena_alloc((size_t)r->cfg->n);
    int *open = arena_alloc((size_t)r->cfg->n * sizeof *open), n_open = 0;
    is_seen[open[n_open++] = node] = true;
    while (n_open > 0) {
        const struct node *at = &r->cfg->nodes[open[--n_open]];
        int barrier = r->barriers[open[n_open]];
        if (!does_nothing(r, open[n_open], false) || (barrier >= 0 && keeps_own(r, barrier)))
            return false;
        for (int s = 0; s < at->n_succ && barrier < 0; s++)
            if (!is_seen[at->succ[s]])
                is_seen[open[n_open++] = at->succ[s]] = true;
    }
    return true;
}

/* Whether a branch compares the thread's index such that if one thread goes the second way, all later ones do. */
static bool ends_work(const struct regions *r, LLVMValueRef end)
{
    if (!LLVMIsABranchInst(end) || !LLVMIsConditional(end) || r->c->kernel->box_rank > 1)
        return false;
    LLVMValueRef condition = LLVMGetCondition(end);
    if (!LLVMIsAICmpInst(condition) || !LLVMIsAArgument(LLVMGetOperand(condition, 0)))
        return false;
    LLVMValueRef limit = LLVMGetOperand(condition, 1);
    struct entry_param param = entry_param(r->c->kernel, entry_param_number(LLVMGetOperand(condition, 0)));
    if (!param.differs_in_tile || same_differs(r->same, limit))
        return false;
    LLVMIntPredicate predicate = LLVMGetICmpPredicate(condition);
    return predicate == LLVMIntSLT || (predicate == LLVMIntEQ && param.meaning == ENTRY_LOCAL && LLVMIsNull(limit));
}

/* Finds the nodes from which all later threads have nothing to do if one takes the second way: it does nothing from
 * there on, and nothing up to there.
 *
 *     if (i < half)            the first thing after the barrier
 *         s[i] += s[i + half];
 *     amp_tile_barrier_wait(b); */
static bool *find_idle(const struct regions *r, int number, const bool *is_in)
{
    const struct node *nodes = r->cfg->nodes;
    bool *is_idle = arena_alloc((size_t)r->cfg->n), *is_first = arena_alloc((size_t)r->cfg->n);
    int *open = arena_alloc(((size_t)r->cfg->n + 1) * sizeof *open), n = 0;
    int start = number < 0 ? 0 : r->nodes[number];
    open[n++] = start;
    for (int k = 0; k < n; k++) {
        int at = open[k];
        bool is_behind = k == 0 && number >= 0, ends = r->barriers[at] >= 0 && !is_behind;
        LLVMValueRef end = LLVMGetBasicBlockTerminator(nodes[at].block);
        if (ends || !does_nothing(r, at, is_behind))
            continue;
        is_first[at] = !(nodes[at].n_succ == 2 && same_differs(r->same, LLVMGetCondition(end)));
        is_idle[at] = !is_first[at] && ends_work(r, end) &&
                      is_idle_from(r, map_get(r->cfg->first_node, LLVMGetSuccessor(end, 1)));
        for (int s = 0; s < nodes[at].n_succ && is_first[at]; s++) {
            int to = nodes[at].succ[s];
            for (int o = 0; o < n && to >= 0; o++)
                to = open[o] == to ? -1 : to;
            if (to >= 0)
                open[n++] = to;
        }
    }
    for (int k = 1; k < n; k++)
        for (int p = 0; p < nodes[open[k]].n_pred; p++) {
            int from = nodes[open[k]].pred[p];
            bool is_part = is_in[from] || from == start;
            if (is_part && !is_first[from])
                memset(is_idle, 0, (size_t)r->cfg->n);
        }
    return is_idle;
}

/* ---- the code of a region ---- */

struct region {
    const struct regions *r;
    struct checking *c;
    int number; /* the barrier after which it begins; -1: it begins with the kernel */
    LLVMValueRef function;
    bool *is_in, *is_idle;                                   /* by nodes */
    LLVMBasicBlockRef before, turn, begin, last, after;      /* of the loop */
    LLVMBasicBlockRef first;                                 /* after the barrier */
    LLVMBasicBlockRef *blocks;                               /* by nodes */
    LLVMValueRef args, places, tile[MAX_TILE_RANK], in, out; /* as in struct amp__check_region */
    LLVMValueRef thread, stamp;                              /* the thread's number, and its stamp as in a word */
    LLVMValueRef end, next; /* after the last thread; a variable: the next one to run */
    LLVMValueRef params[1 + 4 * MAX_TILE_RANK];
    LLVMValueRef *values, *variables; /* by values: one of them */
    LLVMValueRef shared[MOST_SHARED]; /* variables: what the region hands on for all threads; NULL: it does not */
    LLVMValueRef waits;               /* a variable: where they wait */
    struct fixed {
        LLVMValueRef root; /* of the address */
        long long offset;
        LLVMValueRef value;
    } *fixed; /* what is read before the loop */
    int n_fixed;
};

static LLVMBasicBlockRef new_block(const struct region *g)
{
    return LLVMAppendBasicBlockInContext(g->c->context, g->function, "");
}

/* Loads a field of struct amp__check_region. */
static LLVMValueRef field_of(const struct region *g, unsigned field)
{
    LLVMValueRef at = LLVMBuildStructGEP2(g->c->builder, g->r->type, LLVMGetParam(g->function, 0), field, "");
    return LLVMBuildLoad2(g->c->builder, LLVMStructGetTypeAtIndex(g->r->type, field), at, "");
}

static LLVMValueRef now_field(const struct region *g, unsigned field)
{
    LLVMValueRef now = LLVMGetNamedGlobal(g->c->module, "amp__check_now");
    return LLVMBuildStructGEP2(g->c->builder, g->r->now_type, now, field, "");
}

/* Returns the address of one of the places that all threads share. */
static LLVMValueRef shared_place(const struct region *g, LLVMValueRef places, int place)
{
    LLVMValueRef at = LLVMConstInt(g->c->i64, (unsigned)place, false);
    return LLVMBuildInBoundsGEP2(g->c->builder, g->c->i64, places, &at, 1, "");
}

/* Returns the address of the thread's own place. */
static LLVMValueRef own_place(const struct region *g, int value)
{
    LLVMValueRef places = g->r->places[value], zero = LLVMConstInt(g->c->i64, 0, false);
    LLVMValueRef at[] = {zero, LLVMBuildZExt(g->c->builder, g->thread, g->c->i64, "")};
    return LLVMBuildInBoundsGEP2(g->c->builder, LLVMGlobalGetValueType(places), places, at, 2, "");
}

static LLVMValueRef value_of(const struct region *g, LLVMValueRef value)
{
    if (LLVMIsAArgument(value))
        return g->params[entry_param_number(value)];
    int number = number_of(g->r, value);
    if (number < 0)
        return value;
    return g->variables[number] ? LLVMBuildLoad2(g->c->builder, LLVMTypeOf(value), g->variables[number], "")
                                : g->values[number];
}

/* Stores what the runtime must know before it is called, or at the end. */
static void store_state(const struct region *g, bool is_end)
{
    struct checking *c = g->c;
    if (!is_end)
        LLVMBuildStore(c->builder, g->stamp, now_field(g, NOW_THREAD));
    LLVMBuildStore(c->builder, LLVMBuildLoad2(c->builder, c->i32, g->waits, ""), now_field(g, NOW_WAITS));
    for (int k = 0; k < g->r->n_shared; k++) {
        if (!g->shared[k])
            continue;
        LLVMValueRef value = LLVMBuildLoad2(c->builder, LLVMGetAllocatedType(g->shared[k]), g->shared[k], "");
        LLVMBuildStore(c->builder, value, shared_place(g, g->out, k));
    }
}

/* Whether an instruction may enter the runtime. */
static bool may_report(LLVMValueRef i)
{
    LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
    return callee && !(LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee)) && !calls_is_pure(i);
}

/* Reads what does not change in the region once, before the loop. */
static LLVMValueRef fixed_value(struct region *g, LLVMValueRef load)
{
    struct checking *c = g->c;
    LLVMValueRef address = LLVMGetOperand(load, 0);
    long long offset;
    LLVMValueRef root = now_root(c, address, &offset), known = NULL;
    if (root && has_prefix(LLVMGetValueName(root), "amp.check.objects"))
        known = table_known_field(c, root, offset);
    else if (!root && entry_place(address, &offset))
        root = g->params[0];
    if (known)
        return known;
    for (int i = 0; i < g->n_fixed; i++)
        if (g->fixed[i].root == root && g->fixed[i].offset == offset &&
            LLVMTypeOf(g->fixed[i].value) == LLVMTypeOf(load))
            return g->fixed[i].value;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(c->builder);
    LLVMPositionBuilderBefore(c->builder, LLVMGetBasicBlockTerminator(g->before));
    LLVMValueRef at = LLVMConstInt(c->i64, (unsigned long long)offset, true);
    LLVMValueRef place = LLVMBuildGEP2(c->builder, LLVMInt8TypeInContext(c->context), root, &at, 1, "");
    LLVMValueRef value = LLVMBuildLoad2(c->builder, LLVMTypeOf(load), place, "");
    g->fixed[g->n_fixed++] = (struct fixed){root, offset, value};
    LLVMPositionBuilderAtEnd(c->builder, here);
    return value;
}

static LLVMValueRef clone(const struct region *g, LLVMValueRef i)
{
    LLVMValueRef operands[2], copy = LLVMInstructionClone(i);
    LLVMInstructionSetDebugLoc(copy, NULL);
    for (unsigned o = 0; o < (unsigned)LLVMGetNumOperands(i); o++) {
        operands[0] = LLVMGetOperand(i, o);
        operands[1] = value_of(g, operands[0]);
        if (operands[0] != operands[1])
            LLVMSetOperand(copy, o, operands[1]);
    }
    LLVMInsertIntoBuilder(g->c->builder, copy);
    return copy;
}

static void set_value(const struct region *g, LLVMValueRef i, LLVMValueRef copy)
{
    int number = number_of(g->r, i);
    if (g->variables[number])
        LLVMBuildStore(g->c->builder, copy, g->variables[number]);
    else
        g->values[number] = copy;
}

static bool is_lifetime(LLVMValueRef i)
{
    return table_calls(i, "llvm.lifetime.start.p0") || table_calls(i, "llvm.lifetime.end.p0");
}

static void copy_instruction(struct region *g, LLVMValueRef i)
{
    int field;
    if (now_is_note(g->c, i) || LLVMIsAAllocaInst(i) || is_lifetime(i) || table_calls(i, "amp__check_end"))
        return;
    if (may_report(i))
        store_state(g, false);
    if (LLVMIsALoadInst(i) && now_has(g->c, LLVMGetOperand(i, 0), &field) && field == NOW_THREAD)
        set_value(g, i, g->stamp);
    else if (LLVMIsALoadInst(i) && now_is_fixed(g->c, i))
        set_value(g, i, fixed_value(g, i));
    else
        set_value(g, i, clone(g, i));
}

static LLVMValueRef number_after(const struct region *g)
{
    return LLVMBuildNSWAdd(g->c->builder, g->thread, LLVMConstInt(g->c->i32, 1, false), "");
}

/* Goes on with the last thread where the others have nothing to do: it hands on what all have in common. */
static void skip_idle(const struct region *g, LLVMValueRef condition)
{
    LLVMBuilderRef builder = g->c->builder;
    LLVMValueRef next = number_after(g), last = LLVMBuildNSWSub(builder, g->end, LLVMConstInt(g->c->i32, 1, false), "");
    LLVMValueRef is_before = LLVMBuildICmp(builder, LLVMIntSLT, next, last, "");
    LLVMValueRef later = LLVMBuildSelect(builder, is_before, last, next, "");
    LLVMBuildStore(builder, LLVMBuildSelect(builder, condition, next, later, ""), g->next);
}

static void copy_end(const struct region *g, LLVMValueRef end)
{
    LLVMBuilderRef builder = g->c->builder;
    LLVMBasicBlockRef to[2] = {NULL, NULL};
    for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++)
        to[s] = g->blocks[map_get(g->r->cfg->first_node, LLVMGetSuccessor(end, s))];
    if (to[1])
        LLVMBuildCondBr(builder, value_of(g, LLVMGetCondition(end)), to[0], to[1]);
    else if (to[0])
        LLVMBuildBr(builder, to[0]);
    else if (LLVMIsAUnreachableInst(end))
        LLVMBuildUnreachable(builder);
    else
        LLVMBuildStore(builder, LLVMConstInt(g->c->i32, 0, false), g->waits);
    if (LLVMIsAReturnInst(end))
        LLVMBuildBr(builder, g->last);
}

/* Lets the thread wait at a barrier: keeps what is needed after it. */
static void wait(const struct region *g, int barrier)
{
    LLVMBuilderRef builder = g->c->builder;
    for (int v = 0; v < g->r->same->n_values; v++) {
        if (g->r->passages[barrier][v] != KEPT)
            continue;
        LLVMValueRef value = value_of(g, g->r->values[v]);
        LLVMBuildStore(builder, value, g->r->shared[v] >= 0 ? g->shared[g->r->shared[v]] : own_place(g, v));
    }
    unsigned waits = (unsigned)(barrier + 1) << 2 | g->r->orders[barrier];
    LLVMBuildStore(builder, LLVMConstInt(g->c->i32, waits, false), g->waits);
    LLVMBuildBr(builder, g->last);
}

static void store_phis(const struct region *g, LLVMBasicBlockRef block)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i)) {
        int number = number_of(g->r, i);
        if (g->variables[number])
            LLVMBuildStore(g->c->builder, g->values[number], g->variables[number]);
    }
}

/* Copies a node up to its barrier, if it has one, or what comes after it. */
static void copy_node(struct region *g, int node, bool is_behind)
{
    LLVMBasicBlockRef block = g->r->cfg->nodes[node].block;
    LLVMValueRef barrier = now_barrier(block), end = LLVMGetBasicBlockTerminator(block);
    LLVMValueRef i = is_behind ? barrier : LLVMGetFirstInstruction(block), stop = is_behind || !barrier ? end : barrier;
    LLVMPositionBuilderAtEnd(g->c->builder, is_behind ? g->first : g->blocks[node]);
    if (is_behind) {
        g->values[number_of(g->r, i)] = LLVMConstInt(LLVMTypeOf(i), 0, false);
        i = LLVMGetNextInstruction(i);
    }
    for (; LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
        g->values[number_of(g->r, i)] = LLVMBuildPhi(g->c->builder, LLVMTypeOf(i), "");
    if (!is_behind)
        store_phis(g, block);
    for (; i != stop; i = LLVMGetNextInstruction(i))
        copy_instruction(g, i);
    if (stop == barrier)
        wait(g, g->r->barriers[node]);
    else {
        if (g->is_idle[node])
            skip_idle(g, value_of(g, LLVMGetCondition(end)));
        copy_end(g, end);
    }
}

/* Returns the copy of a node from which others are reached, NULL if there is none. */
static LLVMBasicBlockRef way_out(const struct region *g, int node)
{
    if (node < 0 || g->r->barriers[node] < 0)
        return node < 0 ? NULL : g->blocks[node];
    return g->number >= 0 && g->r->nodes[g->number] == node ? g->first : NULL;
}

static void complete_phis(const struct region *g, int node)
{
    LLVMValueRef i = LLVMGetFirstInstruction(g->r->cfg->nodes[node].block);
    for (; LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
        for (unsigned k = 0; k < LLVMCountIncoming(i); k++) {
            LLVMBasicBlockRef from = way_out(g, map_get(g->r->cfg->first_node, LLVMGetIncomingBlock(i, k)));
            if (!from)
                continue;
            LLVMPositionBuilderBefore(g->c->builder, LLVMGetBasicBlockTerminator(from));
            LLVMValueRef value = value_of(g, LLVMGetIncomingValue(i, k));
            LLVMAddIncoming(g->values[number_of(g->r, i)], &value, &from, 1);
        }
}

/* ---- what is around it ---- */

/* Makes the entry's parameters, as far as they are used. */
static void make_params(struct region *g, bool of_thread)
{
    struct checking *c = g->c;
    for (int p = 0; p < entry_n_params(c->kernel); p++) {
        struct entry_param param = entry_param(c->kernel, p);
        if (param.differs_in_tile != of_thread || !LLVMGetFirstUse(LLVMGetParam(c->entry, (unsigned)p)))
            continue;
        LLVMValueRef at = LLVMConstInt(c->i32, (unsigned)param.dimension, false), place = g->thread;
        if (of_thread && c->kernel->box_rank > 1) {
            LLVMValueRef row = LLVMConstInt(c->i32, MAX_TILE_RANK, false);
            LLVMValueRef element = LLVMBuildAdd(c->builder, LLVMBuildMul(c->builder, g->thread, row, ""), at, "");
            LLVMValueRef address = LLVMBuildGEP2(c->builder, c->i32, g->places, &element, 1, "");
            place = LLVMBuildLoad2(c->builder, c->i32, address, "");
        }
        struct entry_thread thread = {.args = g->args, .place = place};
        thread.tile = g->tile[param.dimension];
        g->params[p] = entry_value(c->builder, c->kernel, &param, &thread);
    }
}

/* Makes variables of what the region hands on for all threads. */
static void begin_handing_on(struct region *g)
{
    const struct regions *r = g->r;
    LLVMBuilderRef builder = g->c->builder;
    g->waits = LLVMBuildAlloca(builder, g->c->i32, "");
    LLVMBuildStore(builder, LLVMBuildLoad2(builder, g->c->i32, now_field(g, NOW_WAITS), ""), g->waits);
    for (int b = 0; b < r->n_barriers; b++)
        for (int v = 0; v < r->same->n_values; v++) {
            int place = r->shared[v];
            if (!g->is_in[r->nodes[b]] || r->passages[b][v] != KEPT || place < 0 || g->shared[place])
                continue;
            LLVMTypeRef type = LLVMTypeOf(r->values[v]);
            g->shared[place] = LLVMBuildAlloca(builder, type, "");
            LLVMBuildStore(builder, LLVMBuildLoad2(builder, type, shared_place(g, g->out, place), ""),
                           g->shared[place]);
        }
}

/* Makes a value that is computed again, after those that it needs. */
static void compute_again(struct region *g, int value)
{
    LLVMValueRef i = g->r->values[value];
    if (LLVMIsALoadInst(i)) {
        g->values[value] = fixed_value(g, i);
        return;
    }
    for (unsigned o = 0; o < (unsigned)LLVMGetNumOperands(i); o++) {
        int operand = number_of(g->r, LLVMGetOperand(i, o));
        if (operand >= 0 && !g->values[operand])
            compute_again(g, operand);
    }
    g->values[value] = clone(g, i);
}

/* Takes what was kept at the barrier, before the loop or for the thread, and computes the rest again. */
static void take_values(struct region *g, bool of_thread)
{
    const struct regions *r = g->r;
    const unsigned char *passages = g->number >= 0 ? r->passages[g->number] : NULL;
    for (int v = 0; passages && v < r->same->n_values; v++) {
        LLVMTypeRef type = LLVMTypeOf(r->values[v]);
        if (passages[v] == KEPT && (r->shared[v] < 0) == of_thread)
            g->values[v] = LLVMBuildLoad2(g->c->builder, type,
                                          of_thread ? own_place(g, v) : shared_place(g, g->in, r->shared[v]), "");
    }
    for (int v = 0; of_thread && v < r->same->n_values; v++)
        if (LLVMIsAAllocaInst(r->values[v]))
            g->values[v] = own_place(g, v);
    for (int v = 0; of_thread && passages && v < r->same->n_values; v++)
        if (passages[v] == AGAIN && !g->values[v])
            compute_again(g, v);
}

/* Makes variables of those values that the region computes anew where it leads back. */
static void make_variables(struct region *g)
{
    const struct regions *r = g->r;
    for (int v = 0; v < r->same->n_values; v++) {
        LLVMValueRef value = g->values[v];
        if (!value || LLVMIsAAllocaInst(r->values[v]) || !g->is_in[node_of(r, r->values[v])])
            continue;
        LLVMPositionBuilderBefore(g->c->builder, LLVMGetBasicBlockTerminator(g->before));
        g->variables[v] = LLVMBuildAlloca(g->c->builder, LLVMTypeOf(value), "");
        LLVMPositionBuilderAtEnd(g->c->builder, g->begin);
        LLVMBuildStore(g->c->builder, value, g->variables[v]);
    }
}

static void copy_attributes(LLVMValueRef from, LLVMValueRef to)
{
    unsigned n = LLVMGetAttributeCountAtIndex(from, (LLVMAttributeIndex)IR_FUNCTION);
    LLVMAttributeRef *attributes = arena_alloc((n + 1) * sizeof(LLVMAttributeRef));
    LLVMGetAttributesAtIndex(from, (LLVMAttributeIndex)IR_FUNCTION, attributes);
    for (unsigned i = 0; i < n; i++)
        LLVMAddAttributeAtIndex(to, (LLVMAttributeIndex)IR_FUNCTION, attributes[i]);
}

static void load_fields(struct region *g)
{
    LLVMValueRef tile = field_of(g, REGION_TILE);
    for (int d = 0; d < MAX_TILE_RANK; d++) {
        LLVMValueRef at = LLVMConstInt(g->c->i32, (unsigned)d, false);
        g->tile[d] =
            LLVMBuildLoad2(g->c->builder, g->c->i32, LLVMBuildGEP2(g->c->builder, g->c->i32, tile, &at, 1, ""), "");
    }
    g->args = field_of(g, REGION_ARGS);
    g->places = field_of(g, REGION_PLACES);
    g->in = field_of(g, REGION_IN);
    g->out = field_of(g, REGION_OUT);
}

/* Makes the loop over the threads. */
static void make_loop(struct region *g)
{
    LLVMBuilderRef builder = g->c->builder;
    g->before = new_block(g);
    g->turn = new_block(g);
    g->begin = new_block(g);
    g->last = new_block(g);
    g->after = new_block(g);
    LLVMPositionBuilderAtEnd(builder, g->before);
    LLVMValueRef first = field_of(g, REGION_FIRST);
    g->end = field_of(g, REGION_END);
    g->next = LLVMBuildAlloca(builder, g->c->i32, "");
    LLVMValueRef round = LLVMBuildLoad2(builder, g->c->i64, now_field(g, NOW_ROUND), "");
    load_fields(g);
    make_params(g, false);
    begin_handing_on(g);
    take_values(g, false);
    LLVMBuildBr(builder, g->turn);
    LLVMPositionBuilderAtEnd(builder, g->turn);
    g->thread = LLVMBuildPhi(builder, g->c->i32, "");
    LLVMAddIncoming(g->thread, &first, &g->before, 1);
    LLVMBuildCondBr(builder, LLVMBuildICmp(builder, LLVMIntSLT, g->thread, g->end, ""), g->begin, g->after);
    LLVMPositionBuilderAtEnd(builder, g->last);
    LLVMValueRef next = LLVMBuildLoad2(builder, g->c->i32, g->next, "");
    LLVMAddIncoming(g->thread, &next, &g->last, 1);
    LLVMBuildBr(builder, g->turn);
    LLVMPositionBuilderAtEnd(builder, g->after);
    store_state(g, true);
    LLVMBuildRetVoid(builder);
    LLVMPositionBuilderAtEnd(builder, g->begin);
    LLVMValueRef wide = LLVMBuildZExt(builder, g->thread, g->c->i64, "");
    g->stamp =
        LLVMBuildAdd(builder, round, LLVMBuildShl(builder, wide, LLVMConstInt(g->c->i64, STAMP_SHIFT, false), ""), "");
    LLVMBuildStore(builder, number_after(g), g->next);
    make_params(g, true);
    take_values(g, true);
    make_variables(g);
}

/* Makes the function of the region that begins after a barrier, or with the kernel. */
static LLVMValueRef make_region(const struct regions *r, int number)
{
    struct checking *c = r->c;
    size_t n = (size_t)r->same->n_values + 1, n_nodes = (size_t)r->cfg->n;
    struct region g = {.r = r,
                       .c = c,
                       .number = number,
                       .is_in = arena_alloc(n_nodes),
                       .blocks = arena_alloc(n_nodes * sizeof *g.blocks),
                       .values = arena_alloc(n * sizeof *g.values),
                       .variables = arena_alloc(n * sizeof *g.variables),
                       .fixed = arena_alloc(n * sizeof *g.fixed)};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(c->context), &c->pointer, 1, false);
    g.function = LLVMAddFunction(c->module, arena_printf("%s.region", LLVMGetValueName(c->entry)), type);
    LLVMSetLinkage(g.function, LLVMInternalLinkage);
    copy_attributes(c->entry, g.function);
    find_region(r, number, g.is_in);
    g.is_idle = find_idle(r, number, g.is_in);
    make_loop(&g);
    LLVMBasicBlockRef begin = LLVMGetInsertBlock(c->builder);
    g.first = number >= 0 ? new_block(&g) : NULL;
    for (int i = 0; i < r->cfg->n; i++)
        g.blocks[i] = g.is_in[i] ? new_block(&g) : NULL;
    LLVMPositionBuilderAtEnd(c->builder, begin);
    LLVMBuildBr(c->builder, g.first ? g.first : g.blocks[0]);
    if (number >= 0)
        copy_node(&g, r->nodes[number], true);
    for (int i = 0; i < r->cfg->n; i++)
        if (g.is_in[i])
            copy_node(&g, i, false);
    for (int i = 0; i < r->cfg->n; i++)
        if (g.is_in[i])
            complete_phis(&g, i);
    return g.function;
}

/* ---- all kernels ---- */

static const char *name_of(LLVMValueRef entry)
{
    return arena_printf("%s.regions", LLVMGetValueName(entry));
}

/* Gives the function that runs any region its code. */
static void make_choice(const struct regions *r, LLVMValueRef function)
{
    struct checking *c = r->c;
    LLVMBasicBlockRef first = LLVMAppendBasicBlockInContext(c->context, function, ""),
                      other = LLVMAppendBasicBlockInContext(c->context, function, "");
    LLVMValueRef region = LLVMGetParam(function, 0);
    LLVMPositionBuilderAtEnd(c->builder, other);
    LLVMBuildUnreachable(c->builder);
    LLVMPositionBuilderAtEnd(c->builder, first);
    LLVMValueRef at = LLVMBuildStructGEP2(c->builder, r->type, region, REGION_NUMBER, "");
    LLVMValueRef number = LLVMBuildLoad2(c->builder, c->i32, at, "");
    LLVMValueRef choice = LLVMBuildSwitch(c->builder, number, other, (unsigned)r->n_barriers + 1);
    for (int b = -1; b < r->n_barriers; b++) {
        LLVMBasicBlockRef block = LLVMAppendBasicBlockInContext(c->context, function, "");
        LLVMValueRef one = make_region(r, b);
        LLVMAddCase(choice, LLVMConstInt(c->i32, (unsigned)(b + 1), false), block);
        LLVMPositionBuilderAtEnd(c->builder, block);
        LLVMBuildCall2(c->builder, LLVMGlobalGetValueType(one), one, &region, 1, "");
        LLVMBuildRetVoid(c->builder);
    }
}

static bool make(struct regions *r, LLVMValueRef function)
{
    struct checking *c = r->c;
    LLVMTypeRef types[] = {c->pointer, c->pointer, c->pointer, c->pointer, c->pointer, c->i32, c->i32, c->i32};
    r->cfg = ahead_is_plain(c->entry) ? cfg_build(c->entry) : NULL;
    if (!r->cfg || !find_barriers(r) || !(r->same = same_find(c, r->cfg)) ||
        (long long)r->n_barriers * r->same->n_values > MOST_MARKS)
        return false;
    find_passages(r);
    if (!find_places(r) || !is_small(r))
        return false;
    r->now_type = LLVMGlobalGetValueType(LLVMGetNamedGlobal(c->module, "amp__check_now"));
    r->type = LLVMStructTypeInContext(c->context, types, sizeof types / sizeof *types, false);
    make_choice(r, function);
    return true;
}

/* A debugger could not stop in such a loop as it does in a thread. */
static bool is_wanted(const struct checking *c)
{
    return c->unit->options->opt_level > 0 && !c->unit->options->debug;
}

LLVMValueRef regions_declare(struct checking *c)
{
    if (!table_has_barriers(c) || !is_wanted(c))
        return LLVMConstNull(c->pointer);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(c->context), &c->pointer, 1, false);
    return LLVMAddFunction(c->module, name_of(c->entry), type);
}

void regions_make(struct checking *c)
{
    for (int k = 0; k < c->unit->n_kernels && is_wanted(c); k++) {
        c->kernel = &c->unit->kernels[k];
        c->entry = LLVMGetNamedFunction(c->module, c->kernel->entry);
        LLVMValueRef function = LLVMGetNamedFunction(c->module, name_of(c->entry));
        struct regions regions = {.c = c};
        if (!function)
            continue;
        LLVMSetCurrentDebugLocation2(c->builder, NULL);
        LLVMSetLinkage(function, LLVMInternalLinkage);
        if (make(&regions, function)) {
            suspend_remove(c);
            continue;
        }
        LLVMReplaceAllUsesWith(function, LLVMConstNull(c->pointer));
        LLVMDeleteFunction(function);
    }
}

/* SPDX-License-Identifier: MIT
 *
 * Marks the loops that LLVM must unroll so that private arrays become values in registers: where all places in an array
 * follow from constants and from the counters of loops whose numbers of iterations are constant, they are constants
 * without these loops. LLVM by itself only unrolls what is short, and does not know what an array in memory costs that
 * each lane has for itself: a gather for each access.
 *
 * needs   the kernels' form
 * keeps   everything; the loops that it marks are unrolled next */
#include "kernel/private_loops.h"

#include "ampcc.h"
#include "kernel/cfg.h"
#include "kernel/ir.h"

#include <string.h>

enum {
    MOST_PASSES = 64,   /* of a loop; a private array is as large as what it goes over */
    MOST_LENGTH = 2048, /* of what a nest of loops becomes, in instructions, */
    MOST_ELEMENTS = 64  /* and of an array: more would not fit into registers */
};

struct loops {
    const struct cfg *cfg;
    int *passes;      /* of each loop; 0: they are not constant, or too many */
    bool *is_counter; /* of each loop, whether its counter makes a place in an array */
};

static LLVMBasicBlockRef header_of(const struct cfg *cfg, int loop)
{
    return cfg->nodes[cfg->loops[loop].header].block;
}

static LLVMBasicBlockRef latch_of(const struct cfg *cfg, int loop)
{
    return cfg->nodes[cfg_latch(cfg, loop)].block;
}

/* Returns what a phi in the loop's header is when the loop begins, or, if `is_next`, after an iteration. */
static LLVMValueRef incoming(const struct cfg *cfg, int loop, LLVMValueRef phi, bool is_next)
{
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
        if ((LLVMGetIncomingBlock(phi, i) == latch_of(cfg, loop)) == is_next)
            return LLVMGetIncomingValue(phi, i);
    return NULL;
}

/* ---- how many iterations a loop has ---- */

static bool holds(LLVMIntPredicate predicate, long long a, long long b)
{
    unsigned long long ua = (unsigned long long)a, ub = (unsigned long long)b;
    switch (predicate) {
    case LLVMIntEQ:
        return a == b;
    case LLVMIntNE:
        return a != b;
    case LLVMIntUGT:
        return ua > ub;
    case LLVMIntUGE:
        return ua >= ub;
    case LLVMIntULT:
        return ua < ub;
    case LLVMIntULE:
        return ua <= ub;
    case LLVMIntSGT:
        return a > b;
    case LLVMIntSGE:
        return a >= b;
    case LLVMIntSLT:
        return a < b;
    case LLVMIntSLE:
        return a <= b;
    }
    return false;
}

/* Counts how often the loop's latch is passed at most, by counting as it does. Returns 0 if that is not known, or if it
 * is more than MOST_PASSES. */
static int count_passes(const struct cfg *cfg, int loop)
{
    int exit = cfg_only_exit(cfg, loop);
    LLVMValueRef branch = exit < 0 ? NULL : LLVMGetBasicBlockTerminator(cfg->nodes[exit].block);
    LLVMValueRef test = branch ? LLVMGetCondition(branch) : NULL;
    if (!test || cfg_latch(cfg, loop) < 0 || !LLVMIsAICmpInst(test) || !LLVMIsAConstantInt(LLVMGetOperand(test, 1)))
        return 0;
    LLVMValueRef tested = LLVMGetOperand(test, 0), bound = LLVMGetOperand(test, 1), phi = tested;
    bool is_next = LLVMIsABinaryOperator(tested) != NULL;
    if (is_next)
        phi = LLVMGetOperand(tested, 0);
    if (!LLVMIsAPHINode(phi) || LLVMGetInstructionParent(phi) != header_of(cfg, loop))
        return 0;
    LLVMValueRef start = incoming(cfg, loop, phi, false), next = incoming(cfg, loop, phi, true);
    if (!start || !LLVMIsAConstantInt(start) || !next || !LLVMIsAInstruction(next) || (is_next && tested != next) ||
        LLVMGetInstructionOpcode(next) != LLVMAdd || LLVMGetOperand(next, 0) != phi ||
        !LLVMIsAConstantInt(LLVMGetOperand(next, 1)) || LLVMGetIntTypeWidth(LLVMTypeOf(phi)) > 64)
        return 0;
    long long at = LLVMConstIntGetSExtValue(start), step = LLVMConstIntGetSExtValue(LLVMGetOperand(next, 1)),
              end = LLVMConstIntGetSExtValue(bound);
    if (at < -(1 << 30) || at > 1 << 30 || step < -(1 << 20) || step > 1 << 20)
        return 0; /* so far from zero, it might wrap */
    int successor = map_get(cfg->first_node, LLVMGetSuccessor(branch, 0));
    bool stays = cfg_in_loop(cfg, successor, loop);
    for (int passes = 1; passes <= MOST_PASSES; passes++, at += step)
        if (holds(LLVMGetICmpPredicate(test), is_next ? at + step : at, end) != stays)
            return passes;
    return 0;
}

/* ---- arrays ---- */

/* Whether a value follows from constants and from counters of loops with a constant number of iterations, of which it
 * notes the loops. `seen` has the values that were asked about. */
static bool is_known(struct loops *l, struct map *seen, LLVMValueRef value)
{
    if (LLVMIsAConstantInt(value) || map_get(seen, value) >= 0)
        return true;
    if (!LLVMIsAInstruction(value))
        return false;
    map_set(seen, value, 1);
    if (LLVMIsAPHINode(value)) {
        int loop = l->cfg->nodes[map_get(l->cfg->first_node, LLVMGetInstructionParent(value))].loop;
        if (loop < 0 || LLVMGetInstructionParent(value) != header_of(l->cfg, loop) || l->passes[loop] == 0)
            return false;
        l->is_counter[loop] = true;
        for (unsigned i = 0; i < LLVMCountIncoming(value); i++)
            if (!is_known(l, seen, LLVMGetIncomingValue(value, i)))
                return false;
        return true;
    }
    if (!LLVMIsABinaryOperator(value) && !LLVMIsACastInst(value) && !LLVMIsAICmpInst(value) &&
        !LLVMIsASelectInst(value))
        return false;
    for (int o = 0; o < LLVMGetNumOperands(value); o++)
        if (!is_known(l, seen, LLVMGetOperand(value, (unsigned)o)))
            return false;
    return true;
}

/* Whether `pointer` serves only to access memory, at places that are all known. */
static bool has_known_places(struct loops *l, struct map *seen, LLVMValueRef pointer)
{
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAGetElementPtrInst(user)) {
            for (int o = 1; o < LLVMGetNumOperands(user); o++)
                if (!is_known(l, seen, LLVMGetOperand(user, (unsigned)o)))
                    return false;
            if (!has_known_places(l, seen, user))
                return false;
        } else if (LLVMIsAStoreInst(user) ? LLVMGetOperand(user, 0) == pointer
                                          : !LLVMIsALoadInst(user) && calls_kind(user) != CALL_HINT) {
            return false;
        }
    }
    return true;
}

/* Returns how many instructions the loop becomes if it is unrolled with the marked loops in it. */
static long unrolled_length(const struct loops *l, int loop)
{
    long n = 0;
    for (int at = l->cfg->loops[loop].header; at <= l->cfg->loops[loop].last; at++)
        if (l->cfg->nodes[at].loop == loop)
            for (LLVMValueRef i = l->cfg->nodes[at].first; i != l->cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
                n++;
    for (int inner = loop + 1; inner < l->cfg->n_loops; inner++)
        if (l->cfg->loops[inner].parent == loop)
            n += unrolled_length(l, inner);
    return l->is_counter[loop] ? n * l->passes[loop] : n;
}

static bool is_short(const struct loops *l)
{
    for (int loop = 0; loop < l->cfg->n_loops; loop++)
        if (l->is_counter[loop] && unrolled_length(l, loop) > MOST_LENGTH)
            return false;
    return true;
}

static bool is_small_array(LLVMValueRef i)
{
    if (!LLVMIsAAllocaInst(i) || LLVMGetTypeKind(LLVMGetAllocatedType(i)) != LLVMArrayTypeKind)
        return false;
    unsigned long long n = 1;
    LLVMTypeRef type = LLVMGetAllocatedType(i);
    for (; LLVMGetTypeKind(type) == LLVMArrayTypeKind && n <= MOST_ELEMENTS; type = LLVMGetElementType(type))
        n *= LLVMGetArrayLength2(type);
    return n <= MOST_ELEMENTS;
}

static void mark_in(LLVMValueRef function)
{
    struct loops l = {.cfg = cfg_build(function)};
    if (!l.cfg || l.cfg->n_loops == 0)
        return;
    size_t n = (size_t)l.cfg->n_loops;
    l.passes = arena_alloc(n * sizeof *l.passes);
    bool *is_marked = arena_alloc(n);
    for (int loop = 0; loop < l.cfg->n_loops; loop++)
        l.passes[loop] = count_passes(l.cfg, loop);
    for (LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)); i; i = LLVMGetNextInstruction(i)) {
        if (!is_small_array(i))
            continue;
        l.is_counter = arena_alloc(n);
        bool is_known = has_known_places(&l, map_new(), i);
        for (int loop = 0; loop < l.cfg->n_loops; loop++)
            l.is_counter[loop] |= is_marked[loop]; /* for what all arrays together make of them */
        if (is_known && is_short(&l))
            memcpy(is_marked, l.is_counter, n);
    }
    for (int loop = 0; loop < l.cfg->n_loops; loop++) {
        LLVMValueRef branch = is_marked[loop] ? LLVMGetBasicBlockTerminator(latch_of(l.cfg, loop)) : NULL;
        if (branch && !ir_has_unroll_pragma(branch))
            ir_mark_loop(branch, "llvm.loop.unroll.full", NULL);
    }
}

void private_loops_mark(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            mark_in(f);
}

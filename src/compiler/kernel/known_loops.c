/* SPDX-License-Identifier: MIT
 *
 * Marks the loops that LLVM must unroll because that makes constants of what the code for lanes depends on: of values
 * that follow from constants and from the counters of loops whose numbers of iterations are constant. LLVM by itself
 * only unrolls what is short, and knows neither of these reasons:
 *
 * - Where all places in a private array become constants, its elements become values in registers. In memory they
 *   are loaded and stored, and gathered where lanes have their arrays in one piece (interleave.c).
 * - Where a thread's place is multiplied, divided or masked by such a value, as by the distance in a tree of partial
 *   sums,
 *
 *       for (int active = 128, distance = 1; active > 0; active /= 2, distance *= 2)
 *           if (thread < active)
 *               part[distance * (2 * thread + 2) - 1] += part[distance * (2 * thread + 1) - 1];
 *
 *   lanes are a constant number of elements apart, and need shuffles instead of gathers; and which blocks have active
 *   threads is known, too.
 *
 * A GPU's threads gather anyway, so there this is only done for arrays.
 *
 * needs   the kernels' form
 * keeps   everything; the loops that it marks are unrolled next */
#include "kernel/known_loops.h"

#include "ampcc.h"
#include "kernel/cfg.h"
#include "kernel/ir.h"

#include <string.h>

enum {
    MOST_PASSES = 64,   /* of a loop */
    MOST_LENGTH = 2048, /* of what a nest of loops becomes for an array, in instructions, */
    MOST_GROWTH = 1536, /* and by which a kernel grows for factors */
    MOST_ELEMENTS = 64, /* of an array: more would not fit into registers */
    DEPTH = 8           /* of operands in which a thread's place is looked for */
};

struct loops {
    const struct cfg *cfg;
    int *passes;    /* of each loop; 0: they are not constant, or too many */
    bool *is_noted; /* of each loop, whether it is to be unrolled, by what is asked about */
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

/* Sets `*at` to what follows this value of a counter. Returns whether that is known, and does not wrap around. */
static bool advance(LLVMValueRef next, long long *at)
{
    long long by = LLVMConstIntGetSExtValue(LLVMGetOperand(next, 1)), most = 1LL << 31;
    if (*at < -most || *at > most || by < -most || by > most)
        return false;
    switch (LLVMGetInstructionOpcode(next)) {
    case LLVMAdd:
        *at += by;
        break;
    case LLVMMul:
        *at *= by;
        break;
    case LLVMShl:
        if (by < 0 || by > 31)
            return false;
        *at *= 1LL << by;
        break;
    case LLVMSDiv:
    case LLVMUDiv:
        if (by <= 0 || *at < 0)
            return false;
        *at /= by;
        break;
    case LLVMLShr:
    case LLVMAShr:
        if (*at < 0 || by < 0 || by > 31)
            return false;
        *at >>= by;
        break;
    default:
        return false;
    }
    unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(next));
    long long limit = 1LL << (width < 63 ? width - 1 : 62);
    return *at < limit && *at >= -limit;
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
    unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(phi));
    if (!start || !LLVMIsAConstantInt(start) || !next || !LLVMIsABinaryOperator(next) || (is_next && tested != next) ||
        LLVMGetOperand(next, 0) != phi || !LLVMIsAConstantInt(LLVMGetOperand(next, 1)) || width < 8 || width > 64)
        return 0;
    long long at = LLVMConstIntGetSExtValue(start), end = LLVMConstIntGetSExtValue(bound);
    int successor = map_get(cfg->first_node, LLVMGetSuccessor(branch, 0));
    bool stays = cfg_in_loop(cfg, successor, loop);
    for (int passes = 1; passes <= MOST_PASSES; passes++) {
        long long now = at;
        if (!advance(next, &at))
            return 0;
        if (holds(LLVMGetICmpPredicate(test), is_next ? at : now, end) != stays)
            return passes;
    }
    return 0;
}

/* ---- known values ---- */

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
        if (LLVMCountIncoming(value) == 1) /* what a loop leaves */
            return is_known(l, seen, LLVMGetIncomingValue(value, 0));
        int loop = l->cfg->nodes[map_get(l->cfg->first_node, LLVMGetInstructionParent(value))].loop;
        if (loop < 0 || LLVMGetInstructionParent(value) != header_of(l->cfg, loop) || l->passes[loop] == 0)
            return false;
        l->is_noted[loop] = true;
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

/* ---- arrays ---- */

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

/* Returns how many instructions the loop becomes if those of it that are noted are unrolled. */
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
    return l->is_noted[loop] ? n * l->passes[loop] : n;
}

static bool are_short(const struct loops *l)
{
    for (int loop = 0; loop < l->cfg->n_loops; loop++)
        if (l->is_noted[loop] && unrolled_length(l, loop) > MOST_LENGTH)
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

/* ---- factors of a thread's place ---- */

/* Whether a value is computed from the index of the thread, which is what an entry has integers for. */
static bool has_place(LLVMValueRef value, int depth)
{
    if (LLVMIsAArgument(value))
        return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMIntegerTypeKind;
    if (depth == 0 || (!LLVMIsABinaryOperator(value) && !LLVMIsACastInst(value)))
        return false;
    for (int o = 0; o < LLVMGetNumOperands(value); o++)
        if (has_place(LLVMGetOperand(value, (unsigned)o), depth - 1))
            return true;
    return false;
}

/* Whether an instruction multiplies, divides or masks a thread's place by a known value that is not constant. */
static bool has_known_factor(struct loops *l, LLVMValueRef i)
{
    if (!LLVMIsABinaryOperator(i) || LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMIntegerTypeKind)
        return false;
    LLVMValueRef left = LLVMGetOperand(i, 0), right = LLVMGetOperand(i, 1);
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMMul:
    case LLVMAnd:
        if (LLVMIsAInstruction(left) && has_place(right, DEPTH) && is_known(l, map_new(), left))
            return true;
        break;
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMSDiv:
    case LLVMUDiv:
    case LLVMSRem:
    case LLVMURem:
        break;
    default:
        return false;
    }
    return LLVMIsAInstruction(right) && has_place(left, DEPTH) && is_known(l, map_new(), right);
}

/* ---- marks ---- */

/* Begins to note loops: first, those that are marked. */
static void begin_notes(struct loops *l, const bool *is_marked)
{
    memcpy(l->is_noted, is_marked, (size_t)l->cfg->n_loops);
}

static void mark_noted(const struct loops *l, bool *is_marked)
{
    memcpy(is_marked, l->is_noted, (size_t)l->cfg->n_loops);
}

/* Returns how many instructions all loops become. */
static long length_of_all(const struct loops *l)
{
    long n = 0;
    for (int loop = 0; loop < l->cfg->n_loops; loop++)
        n += l->cfg->loops[loop].parent < 0 ? unrolled_length(l, loop) : 0;
    return n;
}

static void mark_for_arrays(struct loops *l, bool *is_marked)
{
    LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(l->cfg->function));
    for (; i; i = LLVMGetNextInstruction(i)) {
        begin_notes(l, is_marked);
        if (is_small_array(i) && has_known_places(l, map_new(), i) && are_short(l))
            mark_noted(l, is_marked);
    }
}

static void mark_for_factors(struct loops *l, bool *is_marked)
{
    begin_notes(l, is_marked);
    long most = length_of_all(l) + MOST_GROWTH;
    for (int at = 0; at < l->cfg->n; at++)
        for (LLVMValueRef i = l->cfg->nodes[at].first; l->cfg->nodes[at].loop >= 0 && i != l->cfg->nodes[at].end;
             i = LLVMGetNextInstruction(i)) {
            begin_notes(l, is_marked);
            if (has_known_factor(l, i) && length_of_all(l) <= most)
                mark_noted(l, is_marked);
        }
}

static void mark_in(LLVMValueRef function, bool has_lanes)
{
    struct loops l = {.cfg = cfg_build(function)};
    if (!l.cfg || l.cfg->n_loops == 0)
        return;
    size_t n = (size_t)l.cfg->n_loops;
    l.passes = arena_alloc(n * sizeof *l.passes);
    l.is_noted = arena_alloc(n);
    bool *is_marked = arena_alloc(n);
    for (int loop = 0; loop < l.cfg->n_loops; loop++)
        l.passes[loop] = count_passes(l.cfg, loop);
    mark_for_arrays(&l, is_marked);
    if (has_lanes)
        mark_for_factors(&l, is_marked);
    for (int loop = 0; loop < l.cfg->n_loops; loop++) {
        LLVMValueRef branch = is_marked[loop] ? LLVMGetBasicBlockTerminator(latch_of(l.cfg, loop)) : NULL;
        if (branch && !ir_has_unroll_pragma(branch))
            ir_mark_loop(branch, "llvm.loop.unroll.full", NULL);
    }
}

void known_loops_mark(LLVMModuleRef module, bool has_lanes)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            mark_in(f, has_lanes);
}

/* SPDX-License-Identifier: MIT
 *
 * Finds guards. Their operands are sums and products, minima and maxima of the index, of arguments and of counters.
 * What an operand takes is bounded by the number of its bits, so that arithmetic with such bounds, in 64 bits, does not
 * wrap. A value that wraps in a thread is poison there, and then any result of a comparison is right. */
#include "kernel/guards.h"

#include "kernel/entry.h"
#include "kernel/exact.h"
#include "kernel/ir.h"

#include <stdlib.h>

enum { DEPTH = 8 }; /* steps in which operands are computed */

/* Whether all threads of a block, or of a tile, have the same value. */
static bool is_common(const struct guards *g, LLVMValueRef value)
{
    struct shape shape = shape_of(g->truth, value);
    return shape.kind == SHAPE_UNIFORM && !(g->known_for == KNOWN_FOR_ALL && shape.rows);
}

static bool is_signed_extremum(LLVMValueRef value)
{
    enum extremum kind = ir_extremum(value);
    return kind == EXTREMUM_SMIN || kind == EXTREMUM_SMAX;
}

static bool is_index_value(LLVMValueRef value, int depth)
{
    if (!LLVMIsAInstruction(value))
        return LLVMIsAArgument(value) || LLVMIsAConstantInt(value);
    int n_operands = LLVMGetNumOperands(value);
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
    case LLVMLShr: /* a member of a struct */
    case LLVMAShr:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMSExt:
    case LLVMZExt:
    case LLVMTrunc:
    case LLVMGetElementPtr: /* of an address, in row_loads.c */
        break;
    case LLVMCall:
        n_operands = ir_extremum(value) ? 2 : -1;
        break;
    case LLVMLoad:
        return entry_is_argument(LLVMGetOperand(value, 0)); /* it does not change, and can always be read */
    default:
        return false;
    }
    for (int i = 0; i < n_operands; i++)
        if (depth == 0 || !is_index_value(LLVMGetOperand(value, (unsigned)i), depth - 1))
            return false;
    return n_operands > 0;
}

bool guards_is_index_value(LLVMValueRef value)
{
    return is_index_value(value, DEPTH);
}

bool guards_is_point(const struct guards *g, LLVMValueRef value)
{
    return is_common(g, value) && guards_is_index_value(value);
}

static bool is_complement(LLVMValueRef value)
{
    return LLVMGetOperand(value, 1) == LLVMConstAllOnes(LLVMTypeOf(value));
}

static int bits_of(const struct guards *g, LLVMValueRef value, int depth, bool is_real);

/* Returns how many bits the exact result of an instruction takes, by those of its operands; 0: nobody knows. */
static int bits_of_result(const struct guards *g, LLVMValueRef i, int depth, bool is_real)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    bool is_extension = opcode == LLVMSExt || opcode == LLVMZExt, is_extremum = is_signed_extremum(i);
    if (depth == 0 || (!is_extension && !is_extremum && !LLVMIsABinaryOperator(i)))
        return 0;
    int left = bits_of(g, LLVMGetOperand(i, 0), depth - 1, is_real);
    int right = is_extension ? left : bits_of(g, LLVMGetOperand(i, 1), depth - 1, is_real);
    if (!left || !right)
        return 0;
    if (is_extremum)
        return left > right ? left : right;
    switch (opcode) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMOr: /* a sum if it is marked as disjoint */
        return (left > right ? left : right) + 1;
    case LLVMMul:
        return left + right;
    case LLVMShl:
        return LLVMIsAConstantInt(LLVMGetOperand(i, 1)) ? left + (int)LLVMConstIntGetZExtValue(LLVMGetOperand(i, 1))
                                                        : 0;
    case LLVMXor:
        return is_complement(i) ? left : 0;
    case LLVMSExt:
        return left;
    case LLVMZExt:
        return left + 1;
    default:
        return 0;
    }
}

/* Whether an instruction's result is the exact one, or poison, and an interval can be computed for it. */
static bool is_exact(const struct guards *g, LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMMul:
        return exact_is_promised(i) &&
               (guards_is_point(g, LLVMGetOperand(i, 0)) || guards_is_point(g, LLVMGetOperand(i, 1)));
    case LLVMZExt:
        return LLVMGetNNeg(i) || shape_of(g->truth, LLVMGetOperand(i, 0)).positive;
    case LLVMCall:
        return is_signed_extremum(i);
    default:
        return exact_is_promised(i);
    }
}

/* Returns the predicate for which a branch goes on to `header`, with its sides exchanged if `swaps`; 0: another one. */
static LLVMIntPredicate goes_on_if(const struct node *latch, int header, LLVMValueRef comparison, bool swaps)
{
    LLVMIntPredicate predicate = LLVMGetICmpPredicate(comparison);
    bool is_true = latch->succ[0] == header;
    switch (predicate) {
    case LLVMIntEQ:
    case LLVMIntNE:
        return (predicate == LLVMIntNE) == is_true ? LLVMIntNE : 0;
    case LLVMIntSLT:
        return is_true && !swaps ? LLVMIntSLT : 0;
    case LLVMIntSGE:
        return !is_true && !swaps ? LLVMIntSLT : 0;
    case LLVMIntSGT:
        return is_true && swaps ? LLVMIntSLT : 0;
    case LLVMIntSLE:
        return !is_true && swaps ? LLVMIntSLT : 0;
    default:
        return 0;
    }
}

/* How a loop counts that ends with a test of its counter: of what it is, or of what it is next. */
struct counting {
    LLVMValueRef start, bound;
    long step;
    bool tests_next, is_exact; /* whether what is next is exact, or poison */
    LLVMIntPredicate predicate;
};

static bool find_counting(const struct guards *g, int loop, LLVMValueRef phi, struct counting *counting)
{
    int latch = cfg_latch(g->cfg, loop), header = g->cfg->loops[loop].header;
    const struct node *node = latch >= 0 ? &g->cfg->nodes[latch] : NULL;
    if (!node || node->n_succ != 2 || LLVMGetInstructionParent(phi) != g->cfg->nodes[header].block ||
        LLVMCountIncoming(phi) != 2)
        return false;
    bool is_second = LLVMGetIncomingBlock(phi, 1) == node->block;
    LLVMValueRef next = LLVMGetIncomingValue(phi, is_second), start = LLVMGetIncomingValue(phi, !is_second),
                 comparison = LLVMGetCondition(LLVMGetBasicBlockTerminator(node->block));
    if (LLVMGetIncomingBlock(phi, is_second) != node->block || !LLVMIsAInstruction(next) ||
        LLVMGetInstructionOpcode(next) != LLVMAdd || LLVMGetOperand(next, 0) != phi ||
        !LLVMIsAConstantInt(LLVMGetOperand(next, 1)) || !LLVMIsAICmpInst(comparison))
        return false;
    bool tests_next = LLVMGetOperand(comparison, 0) != phi && LLVMGetOperand(comparison, 1) != phi;
    LLVMValueRef tested = tests_next ? next : phi;
    bool swaps = LLVMGetOperand(comparison, 1) == tested;
    *counting = (struct counting){.start = start,
                                  .bound = LLVMGetOperand(comparison, !swaps),
                                  .step = (long)LLVMConstIntGetSExtValue(LLVMGetOperand(next, 1)),
                                  .tests_next = tests_next,
                                  .is_exact = LLVMGetNSW(next),
                                  .predicate = goes_on_if(node, header, comparison, swaps)};
    return LLVMGetOperand(comparison, swaps) == tested;
}

/* If a counter went past a bound that ends it by being equal, and nothing else did, it would wrap, and be poison. */
bool guards_is_counter(const struct guards *g, LLVMValueRef phi, struct rounds *rounds)
{
    const struct cfg *cfg = g->cfg;
    int header = LLVMIsAPHINode(phi) ? map_get(cfg->first_node, LLVMGetInstructionParent(phi)) : -1;
    int loop = header >= 0 ? cfg->nodes[header].loop : -1;
    struct counting c;
    if (loop < 0 || cfg->loops[loop].header != header || !find_counting(g, loop, phi, &c) ||
        cfg->nodes[cfg_latch(cfg, loop)].barrier)
        return false;
    *rounds = (struct rounds){c.start, c.bound, !c.tests_next, c.step};
    return (c.tests_next ? c.is_exact : LLVMGetIntTypeWidth(LLVMTypeOf(phi)) == 32) && guards_is_point(g, c.start) &&
           guards_is_point(g, c.bound) &&
           ((c.predicate == LLVMIntSLT && c.step > 0 && c.tests_next) ||
            (c.predicate == LLVMIntNE && c.step == 1 && cfg_only_exit(cfg, loop) == cfg_latch(cfg, loop) &&
             !cfg_calls(cfg, CALL_ABORT)));
}

bool guards_may_be_unusual(const struct guards *g, LLVMValueRef point)
{
    return bits_of(g, point, DEPTH, true) > GUARDS_USUAL_BITS;
}

/* Returns how many bits an integer takes, with its sign; 0 if no interval of 64 bits can be computed for it, in `depth`
 * steps. Unless `is_real`, points take the usual number at most, because borders.c makes sure of it. */
static int bits_of(const struct guards *g, LLVMValueRef value, int depth, bool is_real)
{
    int width = (int)LLVMGetIntTypeWidth(LLVMTypeOf(value));
    if (width > 64)
        return 0;
    if (LLVMIsAConstantInt(value)) {
        long long number = LLVMConstIntGetSExtValue(value);
        return 65 - __builtin_clzll((unsigned long long)(number < 0 ? ~number : number) | 1);
    }
    bool is_point = guards_is_point(g, value);
    int bits = LLVMIsAInstruction(value) ? bits_of_result(g, value, depth, is_real || is_point) : 0;
    if (is_point) {
        bits = bits && bits < width ? bits : width;
        return bits > GUARDS_USUAL_BITS && !is_real ? GUARDS_USUAL_BITS : bits;
    }
    struct rounds rounds;
    if (depth > 0 && guards_is_counter(g, value, &rounds)) {
        int first = bits_of(g, rounds.start, depth - 1, is_real), last = bits_of(g, rounds.bound, depth - 1, is_real);
        int own = rounds.is_last ? width : 0; /* it may be any int */
        return first && last ? (first > last && first > own ? first : last > own ? last : own) + 1 : 0;
    }
    if (LLVMIsAArgument(value))
        return width;
    return bits <= 64 && bits && is_exact(g, value) ? bits : 0;
}

/* How a value changes: from one round of a loop to the next, and at most between threads of a tile. */
struct change {
    bool is_known;
    long long gain, span;
};

static struct change change_of(const struct guards *g, LLVMValueRef value)
{
    struct rounds rounds;
    if (guards_is_point(g, value))
        return (struct change){.is_known = true};
    if (guards_is_counter(g, value, &rounds))
        return (struct change){true, rounds.step, 0};
    if (LLVMIsAArgument(value))
        return (struct change){true, 0,
                               g->kernel->tile[entry_param(g->kernel, entry_param_number(value)).component] - 1};
    if (is_signed_extremum(value))
        return change_of(g, LLVMGetOperand(value, guards_is_point(g, LLVMGetOperand(value, 0))));
    struct change left = change_of(g, LLVMGetOperand(value, 0)), right = left;
    if (LLVMIsABinaryOperator(value))
        right = change_of(g, LLVMGetOperand(value, 1));
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    LLVMValueRef factor = opcode == LLVMMul || opcode == LLVMShl ? LLVMGetOperand(value, 1) : NULL;
    struct change sum = {left.is_known && right.is_known, left.gain + right.gain, left.span + right.span};
    if (factor && !LLVMIsAConstantInt(factor))
        return (struct change){0};
    if (factor) {
        long long by = LLVMConstIntGetSExtValue(factor);
        by = opcode == LLVMShl ? 1LL << by : by;
        return (struct change){left.is_known && by > -(1 << 30) && by < 1 << 30, left.gain * by, llabs(left.span * by)};
    }
    if (opcode == LLVMSub)
        sum.gain = left.gain - right.gain;
    if (opcode == LLVMXor)
        return (struct change){left.is_known, -left.gain, left.span};
    return LLVMIsABinaryOperator(value) ? sum : left;
}

/* Notes on which dimension a value depends. Returns false if it depends on several, or on something else. */
static bool note_dimension(const struct guards *g, LLVMValueRef value, int *dimension)
{
    if (guards_is_point(g, value))
        return !guards_may_be_unusual(g, value);
    if (LLVMIsAArgument(value)) {
        int old = *dimension;
        *dimension = entry_param(g->kernel, entry_param_number(value)).dimension;
        return old < 0 || old == *dimension;
    }
    if (LLVMIsAPHINode(value))
        return false;
    for (int i = 0; i < LLVMGetNumOperands(value); i++)
        if (!note_dimension(g, LLVMGetOperand(value, (unsigned)i), dimension))
            return false;
    return true;
}

int guards_dimension(const struct guards *g, LLVMValueRef guard)
{
    int dimension = -1;
    LLVMIntPredicate predicate = LLVMGetICmpPredicate(guard);
    bool is_unsigned = predicate >= LLVMIntUGT && predicate <= LLVMIntULE;
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef operand = LLVMGetOperand(guard, i);
        if (!guards_is_point(g, operand) &&
            (!note_dimension(g, operand, &dimension) || (is_unsigned && !shape_of(g->truth, operand).positive)))
            return -1;
    }
    return dimension;
}

/* Whether a value differs between tiles. */
static bool differs_between_tiles(const struct kernel *kernel, LLVMValueRef value, int depth)
{
    if (LLVMIsAArgument(value))
        return entry_param(kernel, entry_param_number(value)).differs_between_tiles;
    bool differs = false;
    for (int i = 0; depth > 0 && LLVMIsAInstruction(value) && i < LLVMGetNumOperands(value); i++) {
        LLVMValueRef operand = LLVMGetOperand(value, (unsigned)i);
        differs |= !LLVMIsABasicBlock(operand) && differs_between_tiles(kernel, operand, depth - 1);
    }
    return differs;
}

static bool is_side(const struct guards *g, LLVMValueRef value)
{
    int bits = bits_of(g, value, DEPTH, false);
    return bits && (bits <= GUARDS_BITS || guards_is_point(g, value));
}

bool guards_is_stride(const struct guards *g, LLVMValueRef comparison, struct strides *strides)
{
    int node = LLVMIsAICmpInst(comparison) ? map_get(g->cfg->first_node, LLVMGetInstructionParent(comparison)) : -1;
    int loop = node >= 0 ? g->cfg->nodes[node].loop : -1;
    if (loop < 0 || cfg_latch(g->cfg, loop) != node || g->cfg->nodes[node].n_succ != 2 ||
        LLVMGetCondition(LLVMGetBasicBlockTerminator(g->cfg->nodes[node].block)) != comparison)
        return false;
    LLVMValueRef phi = LLVMGetOperand(comparison, guards_is_point(g, LLVMGetOperand(comparison, 0)));
    if (LLVMIsABinaryOperator(phi))
        phi = LLVMGetOperand(phi, 0);
    struct counting c;
    if (!LLVMIsAPHINode(phi) || !find_counting(g, loop, phi, &c))
        return false;
    *strides = (struct strides){c.start, c.bound, c.step, c.tests_next ? c.step : 0};
    bool is_linear = shape_of(g->truth, c.start).kind == SHAPE_LINEAR && is_side(g, c.start);
    struct change change = is_linear ? change_of(g, c.start) : (struct change){0};
    return c.is_exact && c.predicate == LLVMIntSLT && c.step > 0 && c.step < 1 << 30 && change.is_known &&
           change.gain == 0 && change.span < c.step && guards_is_point(g, c.bound) &&
           !guards_may_be_unusual(g, c.bound);
}

/* Whether a comparison tests before a loop over strides whether a thread has anything to do in it. Unless the bound is
 * smaller than the tile, all have. */
static bool tests_stride(const struct guards *g, LLVMValueRef comparison)
{
    struct strides strides;
    bool swaps = guards_is_point(g, LLVMGetOperand(comparison, 0));
    for (int l = 0; g->assumes && l < g->cfg->n_loops; l++) {
        int latch = cfg_latch(g->cfg, l);
        LLVMValueRef end = latch >= 0 && g->cfg->nodes[latch].n_succ == 2
                               ? LLVMGetCondition(LLVMGetBasicBlockTerminator(g->cfg->nodes[latch].block))
                               : NULL;
        if (end && guards_is_stride(g, end, &strides) &&
            ir_without_extension(strides.start) == ir_without_extension(LLVMGetOperand(comparison, swaps)))
            return !LLVMIsAConstantInt(LLVMGetOperand(comparison, !swaps)) ||
                   LLVMConstIntGetSExtValue(LLVMGetOperand(comparison, !swaps)) >= strides.step;
    }
    return false;
}

/* Whether threads of a block or a tile have different results only because their indices differ, and mostly have not:
 * because tiles, or the rounds of a loop that take a tile as far as it is wide, have other numbers. */
static bool differs_at_borders(const struct guards *g, LLVMValueRef i)
{
    LLVMValueRef left = LLVMGetOperand(i, 0), right = LLVMGetOperand(i, 1);
    if (is_common(g, i) || LLVMGetTypeKind(LLVMTypeOf(left)) != LLVMIntegerTypeKind ||
        (!guards_is_point(g, left) && !guards_is_point(g, right)) || !is_side(g, left) || !is_side(g, right))
        return false;
    if (!g->kernel->tiled)
        return g->known_for == KNOWN_FOR_LANES || (LLVMIsAICmpInst(i) && guards_dimension(g, i) >= 0);
    if (differs_between_tiles(g->kernel, left, DEPTH) || differs_between_tiles(g->kernel, right, DEPTH))
        return true;
    struct change change = change_of(g, guards_is_point(g, left) ? right : left);
    return change.is_known && (llabs(change.gain) > change.span || tests_stride(g, i));
}

/* Returns what a comparison is away from borders if it chooses between a place that all threads have and one of their
 * own: the latter is chosen there. 0: nobody knows. */
static int assumed_result(const struct guards *g, LLVMValueRef comparison)
{
    int result = 0;
    for (LLVMUseRef use = LLVMGetFirstUse(comparison); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef choice = LLVMGetUser(use);
        LLVMTypeRef type = LLVMTypeOf(choice);
        LLVMTypeKind kind = LLVMGetTypeKind(type);
        bool is_number = kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) > 1;
        if (!LLVMIsASelectInst(choice) || LLVMGetCondition(choice) != comparison ||
            (!is_number && kind != LLVMPointerTypeKind) ||
            is_common(g, LLVMGetOperand(choice, 1)) == is_common(g, LLVMGetOperand(choice, 2)))
            continue;
        int wanted = KNOWN_RESULT | (is_common(g, LLVMGetOperand(choice, 2)) ? KNOWN_ONE : 0);
        if (result && result != wanted)
            return 0;
        result = wanted;
    }
    return result;
}

/* Whether the kernel divides a value by another one, too: then it is a flat index, whose rows are another matter. */
static bool divides(const struct guards *g, LLVMValueRef dividend, LLVMValueRef divisor)
{
    for (int at = 0; at < g->cfg->n; at++)
        for (LLVMValueRef i = g->cfg->nodes[at].first; i != g->cfg->nodes[at].end; i = LLVMGetNextInstruction(i)) {
            LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
            if ((opcode == LLVMUDiv || opcode == LLVMSDiv) && LLVMGetOperand(i, 0) == dividend &&
                LLVMGetOperand(i, 1) == divisor)
                return true;
        }
    return false;
}

/* Returns what would be known about a guard, which may also be a minimum or a maximum, or a remainder. */
static int known_of(const struct guards *g, LLVMValueRef i)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    bool is_remainder = opcode == LLVMURem || opcode == LLVMSRem, is_choice = ir_extremum(i);
    struct strides strides;
    if (g->assumes && g->kernel->tiled && guards_is_stride(g, i, &strides))
        return (int)g->known_for | KNOWN_EACH;
    if (!(LLVMIsAICmpInst(i) || (g->assumes && (is_remainder || is_choice))) || !differs_at_borders(g, i))
        return 0;
    if (is_remainder) {
        LLVMValueRef dividend = LLVMGetOperand(i, 0), divisor = LLVMGetOperand(i, 1);
        return guards_is_point(g, divisor) && !divides(g, dividend, divisor) ? (int)g->known_for : 0;
    }
    if (is_choice)
        return (int)g->known_for | KNOWN_RESULT | (guards_is_point(g, LLVMGetOperand(i, 0)) ? KNOWN_ONE : 0);
    return (int)g->known_for | (g->assumes ? assumed_result(g, i) : 0);
}

struct map *guards_find(const struct guards *g)
{
    struct map *found = NULL;
    for (int at = 0; at < g->cfg->n; at++)
        for (LLVMValueRef i = g->cfg->nodes[at].first; i != g->cfg->nodes[at].end; i = LLVMGetNextInstruction(i)) {
            int known = known_of(g, i);
            if (known) {
                found = found ? found : map_new();
                map_set(found, i, known);
            }
        }
    return found;
}

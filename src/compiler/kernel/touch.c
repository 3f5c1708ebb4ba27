/* SPDX-License-Identifier: MIT
 *
 * Finds the address of each access, as a polynomial in the index, uniform values, and a counter of iterations for each
 * loop around it, and the conditions under which the access takes place. From
 *
 *     for (int k = 0; k < W; k++)
 *         if (i < n)
 *             sum += a[i][k];
 *
 * comes the address 4 * W * i + 4 * k with the limits i <= n - 1 and k <= W - 1. Every symbol that varies takes all
 * values within its limits, independently of the others, so the ends of what is touched follow from the ends of the
 * limits, and really are touched. Therefore a condition must limit one symbol, or be uniform; conditions are what
 * control flow says, and where a thread's arithmetic could wrap, that it does not. Accesses for
 * which this does not hold are left out, and so are those that may take place in fewer iterations than the loop's
 * counter says, because the loop has other exits, or that a thread may not reach because it has ended before.
 *
 * A counter is k = start + step * number of the iteration, so it does not matter what the start depends on, as long as
 * that does not matter for the number of iterations. */
#include "kernel/touch.h"

#include "front/signature.h"
#include "kernel/calls.h"
#include "kernel/ir.h"
#include "kernel/steps.h"

#include <amp.h>
#include <string.h>

/* The search for one kernel. */
struct search {
    const struct kernel *kernel;
    const struct cfg *cfg;
    struct touches *touches;
    struct touch *touch; /* the access at hand */
    bool is_everywhere;  /* conditions that come up now must hold for all threads that could be in the domain */
    int depth;           /* of the recursion through values */
    bool *has_limits;    /* per loop: what its end says about its counter is noted */
};

/* ---- symbols ---- */

bool touch_varies(const struct touches *touches, int symbol)
{
    const struct symbol *s = &touches->symbols[symbol];
    bool varies = s->kind == SYMBOL_INDEX || s->kind == SYMBOL_COUNTER;
    for (int o = 0; o < 2 && s->kind >= SYMBOL_LEAST; o++)
        for (int i = 0; i < s->operands[o].n; i++)
            for (int k = 0; k < s->operands[o].of[i].n; k++)
                varies |= touch_varies(touches, s->operands[o].of[i].symbols[k]);
    return varies;
}

static bool is_same_symbol(const struct symbol *a, const struct symbol *b)
{
    return a->kind == b->kind && a->value == b->value && a->offset == b->offset && a->bits == b->bits &&
           a->index.meaning == b->index.meaning && a->index.component == b->index.component &&
           a->divisor == b->divisor && poly_is_equal(&a->operands[0], &b->operands[0]) &&
           poly_is_equal(&a->operands[1], &b->operands[1]);
}

/* Returns a symbol as a polynomial. */
static struct poly symbol(struct search *s, const struct symbol *symbol)
{
    struct touches *touches = s->touches;
    int at = 0;
    if (symbol->operands[0].is_unknown || symbol->operands[1].is_unknown)
        return poly_unknown;
    while (at < touches->n_symbols && !is_same_symbol(&touches->symbols[at], symbol))
        at++;
    if (at == MAX_SYMBOLS)
        return poly_unknown;
    if (at == touches->n_symbols)
        touches->symbols[touches->n_symbols++] = *symbol;
    return poly_symbol(at);
}

static bool is_uniform(const struct search *s, const struct poly *poly)
{
    bool uniform = !poly->is_unknown;
    for (int i = 0; i < poly->n; i++)
        for (int k = 0; k < poly->of[i].n; k++)
            uniform = uniform && !touch_varies(s->touches, poly->of[i].symbols[k]);
    return uniform;
}

/* ---- conditions ---- */

/* Notes that the access takes place only if `value` is not negative. Returns false if that is unknown. */
static bool require(struct search *s, const struct poly *value)
{
    struct touch *touch = s->touch;
    long long constant;
    if (value->is_unknown)
        return false;
    if (poly_is_constant(value, &constant) && constant >= 0)
        return true;
    for (int i = 0; i < touch->n_conditions; i++)
        if (touch->conditions[i].is_everywhere == s->is_everywhere && poly_is_equal(&touch->conditions[i].value, value))
            return true;
    if (touch->n_conditions == MAX_CONDITIONS)
        return false;
    touch->conditions[touch->n_conditions++] = (struct condition){*value, s->is_everywhere};
    return true;
}

/* Returns `value`, noting that it must not be negative. */
static struct poly not_negative(struct search *s, const struct poly *value)
{
    return require(s, value) ? *value : poly_unknown;
}

/* Returns `value`, noting that it must fit into a signed integer of so many bits. */
static struct poly fitting(struct search *s, const struct poly *value, unsigned bits)
{
    if (bits >= 64)
        return *value;
    struct poly negative = poly_scale(value, -1);
    struct poly above = poly_add_constant(value, 1LL << (bits - 1));
    struct poly below = poly_add_constant(&negative, (1LL << (bits - 1)) - 1);
    return require(s, &above) && require(s, &below) ? *value : poly_unknown;
}

/* ---- values ---- */

static struct poly value_of(struct search *s, LLVMValueRef value);

static unsigned bits_of(LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
}

static bool is_divisor(LLVMValueRef value)
{
    return LLVMIsAConstantInt(value) && LLVMConstIntGetSExtValue(value) > 0;
}

/* Whether an integer is computed from the arguments alone, by instructions that cannot fail. */
static bool is_computable(LLVMValueRef value, int depth)
{
    unsigned bits = bits_of(value);
    if (bits == 0 || bits > 64 || depth == 0)
        return false;
    if (LLVMIsAConstantInt(value))
        return true;
    LLVMOpcode opcode = LLVMIsAInstruction(value) ? LLVMGetInstructionOpcode(value) : LLVMCall;
    if (opcode == LLVMLoad)
        return entry_is_argument(LLVMGetOperand(value, 0));
    bool is_division = opcode == LLVMSDiv || opcode == LLVMUDiv || opcode == LLVMSRem || opcode == LLVMURem;
    bool is_cast = opcode == LLVMZExt || opcode == LLVMSExt || opcode == LLVMTrunc || opcode == LLVMFreeze;
    bool can = LLVMIsABinaryOperator(value) || is_cast || opcode == LLVMICmp || opcode == LLVMSelect;
    can = can && (!is_division || is_divisor(LLVMGetOperand(value, 1)));
    for (int i = 0; can && i < LLVMGetNumOperands(value); i++)
        can = is_computable(LLVMGetOperand(value, (unsigned)i), depth - 1);
    return can;
}

static struct poly value_of_parameter(struct search *s, LLVMValueRef value)
{
    const struct kernel *kernel = s->kernel;
    struct entry_param param = entry_param(kernel, entry_param_number(value));
    long long scale = 1;
    /* The slowest dimensions of a high rank are one in the box. */
    if (param.meaning == ENTRY_ARGUMENTS || (kernel->rank > kernel->box_rank && param.component == 0))
        return poly_unknown;
    if (param.meaning == ENTRY_ORIGIN) {
        param.meaning = ENTRY_TILE;
        scale = kernel->tile[param.component];
    }
    struct poly result = symbol(s, &(struct symbol){.kind = SYMBOL_INDEX, .index = param});
    return poly_scale(&result, scale);
}

/* Finds the counted loop whose counter is `phi`: its start, and its step as a constant. */
static bool find_counter(const struct search *s, LLVMValueRef phi, int *loop, LLVMValueRef *start, LLVMValueRef *next)
{
    const struct cfg *cfg = s->cfg;
    int node = map_get(cfg->first_node, LLVMGetInstructionParent(phi));
    *loop = node >= 0 ? cfg->nodes[node].loop : -1;
    if (*loop < 0 || cfg->loops[*loop].header != node || LLVMCountIncoming(phi) != 2)
        return false;
    int from = map_get(cfg->last_node, LLVMGetIncomingBlock(phi, 0));
    bool is_first_inside = from >= 0 && cfg_in_loop(cfg, from, *loop);
    *start = LLVMGetIncomingValue(phi, is_first_inside);
    *next = LLVMGetIncomingValue(phi, !is_first_inside);
    return LLVMIsAInstruction(*next) && LLVMGetInstructionOpcode(*next) == LLVMAdd && LLVMGetOperand(*next, 0) == phi &&
           LLVMIsAConstantInt(LLVMGetOperand(*next, 1));
}

static struct poly value_of_phi(struct search *s, LLVMValueRef phi)
{
    LLVMValueRef start, next;
    int loop;
    if (!find_counter(s, phi, &loop, &start, &next))
        return poly_unknown;
    long long step = LLVMConstIntGetSExtValue(LLVMGetOperand(next, 1));
    struct poly first = value_of(s, start);
    struct poly number = symbol(s, &(struct symbol){.kind = SYMBOL_COUNTER,
                                                    .value = LLVMBasicBlockAsValue(LLVMGetInstructionParent(phi)),
                                                    .loop = loop});
    struct poly way = poly_scale(&number, step), result = poly_add(&first, &way);
    if (LLVMGetNSW(next))
        return result;
    struct poly after = poly_add_constant(&result, step);
    after = fitting(s, &after, bits_of(phi));
    return after.is_unknown ? after : result;
}

/* Returns a quotient by a constant. A right shift with sign rounds down; a division rounds to 0. */
static struct poly value_of_quotient(struct search *s, LLVMValueRef value)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    bool is_shift = opcode == LLVMAShr || opcode == LLVMLShr;
    if (!LLVMIsAConstantInt(LLVMGetOperand(value, 1)))
        return poly_unknown;
    long long divisor = LLVMConstIntGetSExtValue(LLVMGetOperand(value, 1));
    if (divisor <= 0 || (is_shift && divisor > 31))
        return poly_unknown;
    struct poly dividend = value_of(s, LLVMGetOperand(value, 0));
    if (opcode != LLVMAShr)
        dividend = not_negative(s, &dividend);
    divisor = is_shift ? 1LL << divisor : divisor;
    return symbol(s, &(struct symbol){.kind = SYMBOL_QUOTIENT, .operands = {dividend}, .divisor = divisor});
}

static struct poly value_of_operation(struct search *s, LLVMValueRef value)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    struct poly a = value_of(s, LLVMGetOperand(value, 0)), b = value_of(s, LLVMGetOperand(value, 1));
    struct poly result = opcode == LLVMSub   ? poly_subtract(&a, &b)
                         : opcode == LLVMMul ? poly_multiply(&a, &b)
                                             : poly_add(&a, &b);
    bool cannot_wrap = opcode == LLVMOr ? LLVMGetIsDisjoint(value) : LLVMGetNSW(value);
    if (opcode == LLVMOr && !cannot_wrap)
        return poly_unknown;
    return cannot_wrap ? result : fitting(s, &result, bits_of(value));
}

static struct poly value_of_left_shift(struct search *s, LLVMValueRef value)
{
    LLVMValueRef amount = LLVMGetOperand(value, 1);
    if (!LLVMIsAConstantInt(amount) || LLVMConstIntGetZExtValue(amount) > 31)
        return poly_unknown;
    struct poly a = value_of(s, LLVMGetOperand(value, 0));
    struct poly result = poly_scale(&a, 1LL << LLVMConstIntGetZExtValue(amount));
    return LLVMGetNSW(value) ? result : fitting(s, &result, bits_of(value));
}

/* Returns the smaller or larger of two values, as one of LLVM's intrinsics does. */
static struct poly value_of_call(struct search *s, LLVMValueRef call)
{
    enum extremum extremum = ir_extremum(call);
    if (!extremum)
        return poly_unknown;
    bool is_signed = extremum == EXTREMUM_SMIN || extremum == EXTREMUM_SMAX,
         is_least = extremum == EXTREMUM_SMIN || extremum == EXTREMUM_UMIN;
    struct symbol result = {.kind = is_least ? SYMBOL_LEAST : SYMBOL_GREATEST};
    for (unsigned o = 0; o < 2; o++) {
        result.operands[o] = value_of(s, LLVMGetOperand(call, o));
        if (!is_signed)
            result.operands[o] = not_negative(s, &result.operands[o]);
    }
    return symbol(s, &result);
}

static struct poly value_of_instruction(struct search *s, LLVMValueRef value)
{
    LLVMValueRef operand = LLVMGetNumOperands(value) ? LLVMGetOperand(value, 0) : NULL;
    struct poly result;
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMFreeze:
    case LLVMSExt:
        return bits_of(operand) > 1 ? value_of(s, operand) : poly_unknown;
    case LLVMZExt:
        result = bits_of(operand) > 1 ? value_of(s, operand) : poly_unknown;
        return not_negative(s, &result);
    case LLVMTrunc:
        result = value_of(s, operand);
        return fitting(s, &result, bits_of(value));
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMOr:
        return value_of_operation(s, value);
    case LLVMShl:
        return value_of_left_shift(s, value);
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMLShr:
    case LLVMAShr:
        return value_of_quotient(s, value);
    case LLVMPHI:
        return value_of_phi(s, value);
    case LLVMCall:
        return value_of_call(s, value);
    default:
        return poly_unknown;
    }
}

/* Returns an integer as a signed number; unknown if the analysis does not follow how it is computed. */
static struct poly value_of(struct search *s, LLVMValueRef value)
{
    enum { DEPTH = 24, COMPUTED = 8 };
    unsigned bits = bits_of(value);
    if (bits == 0 || bits > 64 || s->depth > DEPTH)
        return poly_unknown;
    if (LLVMIsAConstantInt(value))
        return poly_constant(LLVMConstIntGetSExtValue(value));
    if (LLVMIsAArgument(value))
        return value_of_parameter(s, value);
    if (!LLVMIsAInstruction(value))
        return poly_unknown;
    long long offset;
    if (LLVMIsALoadInst(value) && entry_place(LLVMGetOperand(value, 0), &offset))
        return symbol(s, &(struct symbol){.kind = SYMBOL_ARGUMENT, .offset = offset, .bits = (int)bits});
    int n_conditions = s->touch->n_conditions;
    s->depth++;
    struct poly result = value_of_instruction(s, value);
    s->depth--;
    if (!result.is_unknown || !is_computable(value, COMPUTED))
        return result;
    s->touch->n_conditions = n_conditions;
    return symbol(s, &(struct symbol){.kind = SYMBOL_VALUE, .value = value, .bits = (int)bits});
}

/* ---- limits ---- */

/* Returns the number of the only symbol in `value` that varies, if it is there once, multiplied by a constant, and has
 * values of its own; moves it out of `value`. Returns -1 if there is no such symbol. */
static int take_symbol(const struct search *s, struct poly *value, long long *factor)
{
    int at = 0;
    while (at < value->n && is_uniform(s, &(struct poly){.n = 1, .of = {value->of[at]}}))
        at++;
    if (value->is_unknown || at == value->n || value->of[at].n != 1)
        return -1;
    int number = value->of[at].symbols[0];
    const struct symbol *symbol = &s->touches->symbols[number];
    *factor = value->of[at].coefficient;
    value->of[at] = value->of[--value->n];
    return symbol->kind <= SYMBOL_COUNTER && is_uniform(s, value) ? number : -1;
}

static bool add_limit(struct search *s, const struct limit *limit)
{
    struct touch *touch = s->touch;
    if (limit->value.is_unknown || touch->n_limits == MAX_LIMITS)
        return false;
    touch->limits[touch->n_limits++] = *limit;
    return true;
}

/* Whether this limit of a loop's counter, which its way out sets, leaves out iterations that take place. */
static bool is_misplaced(const struct search *s, const struct limit *limit, int loop)
{
    const struct symbol *symbol = &s->touches->symbols[limit->symbol];
    return symbol->kind == SYMBOL_COUNTER && symbol->loop == loop && !limit->is_upper;
}

/* Notes that `value` is not negative, which limits a symbol, or is uniform. `loop`: the loop that the access leaves
 * otherwise, or -1. */
static bool limit_by(struct search *s, struct poly value, int loop)
{
    long long factor;
    if (is_uniform(s, &value))
        return require(s, &value);
    int number = take_symbol(s, &value, &factor);
    if (number < 0)
        return false;
    struct limit limit = {number, factor < 0, loop >= 0, factor < 0 ? value : poly_scale(&value, -1),
                          factor < 0 ? -factor : factor};
    return !is_misplaced(s, &limit, loop) && add_limit(s, &limit);
}

/* Notes that `value` is not 0. */
static bool limit_to_others(struct search *s, struct poly value, int loop)
{
    long long factor, rest;
    if (is_uniform(s, &value)) {
        struct poly negative = poly_scale(&value, -1);
        struct poly size = symbol(s, &(struct symbol){.kind = SYMBOL_GREATEST, .operands = {value, negative}});
        size = poly_add_constant(&size, -1);
        return require(s, &size);
    }
    int number = take_symbol(s, &value, &factor);
    if (number < 0 || (factor != 1 && factor != -1))
        return false;
    const struct symbol *symbol = &s->touches->symbols[number];
    /* A counter that stops its loop at a number takes all values before it. */
    struct poly stop = poly_scale(&value, -factor);
    struct limit below = {number, true, loop >= 0, poly_add_constant(&stop, -1), 1};
    struct limit above = {number, false, loop >= 0, poly_constant(1), 1};
    if (symbol->kind == SYMBOL_COUNTER && symbol->loop == loop)
        return add_limit(s, &below);
    return poly_is_constant(&value, &rest) && rest == 0 && add_limit(s, &above);
}

/* ---- what control flow says ---- */

static bool limit_by_comparison(struct search *s, LLVMValueRef comparison, bool holds, int loop)
{
    LLVMIntPredicate predicate = LLVMGetICmpPredicate(comparison);
    bool is_everywhere = s->is_everywhere;
    s->is_everywhere = loop < 0;
    struct poly a = value_of(s, LLVMGetOperand(comparison, 0)), b = value_of(s, LLVMGetOperand(comparison, 1));
    bool is_unsigned = predicate >= LLVMIntUGT && predicate <= LLVMIntULE;
    bool is_less =
        predicate == LLVMIntULT || predicate == LLVMIntULE || predicate == LLVMIntSLT || predicate == LLVMIntSLE;
    bool is_strict =
        predicate == LLVMIntULT || predicate == LLVMIntUGT || predicate == LLVMIntSLT || predicate == LLVMIntSGT;
    bool is_equality = predicate == LLVMIntEQ || predicate == LLVMIntNE;
    /* If it holds, low < high or low <= high, and without signs 0 <= low; otherwise the opposite. */
    struct poly low = is_less ? a : b, high = is_less ? b : a;
    bool can = !a.is_unknown && !b.is_unknown;
    if (can && is_unsigned)
        can = require(s, &high) && (holds && loop < 0 ? limit_by(s, low, loop) : require(s, &low));
    s->is_everywhere = is_everywhere;
    struct poly forward = poly_subtract(&high, &low), backward = poly_subtract(&low, &high);
    if (is_equality && holds == (predicate == LLVMIntEQ))
        return can && limit_by(s, forward, loop) && limit_by(s, backward, loop);
    if (is_equality)
        return can && limit_to_others(s, forward, loop);
    struct poly rest = holds ? forward : backward;
    return can && limit_by(s, poly_add_constant(&rest, is_strict == holds ? -1 : 0), loop);
}

/* Notes that a condition has a value. `loop`: the loop that the access leaves otherwise, or -1. Returns false if it
 * cannot be expressed as limits and conditions. */
static bool limit_by_condition(struct search *s, LLVMValueRef condition, bool holds, int loop)
{
    enum { COMPUTED = 8 };
    LLVMOpcode opcode = LLVMIsAInstruction(condition) ? LLVMGetInstructionOpcode(condition) : LLVMCall;
    LLVMTypeRef type = LLVMTypeOf(condition);
    LLVMValueRef first = opcode == LLVMCall ? NULL : LLVMGetOperand(condition, 0);
    LLVMValueRef yes = LLVMConstAllOnes(type), no = LLVMConstNull(type), second = NULL;
    int n_limits = s->touch->n_limits, n_conditions = s->touch->n_conditions;
    if (condition == yes || condition == no)
        return holds == (condition == yes);
    if (opcode == LLVMFreeze)
        return limit_by_condition(s, first, holds, loop);
    if (opcode == LLVMXor && LLVMGetOperand(condition, 1) == yes)
        return limit_by_condition(s, first, !holds, loop);
    if (opcode == (holds ? LLVMAnd : LLVMOr))
        second = LLVMGetOperand(condition, 1);
    else if (opcode == LLVMSelect && LLVMGetOperand(condition, holds ? 2 : 1) == (holds ? no : yes))
        second = LLVMGetOperand(condition, holds ? 1 : 2);
    if (second && limit_by_condition(s, first, holds, loop) && limit_by_condition(s, second, holds, loop))
        return true;
    if (opcode == LLVMICmp && limit_by_comparison(s, condition, holds, loop))
        return true;
    s->touch->n_limits = n_limits;
    s->touch->n_conditions = n_conditions;
    if (!is_computable(condition, COMPUTED))
        return false;
    /* As a signed number, a true condition is -1. */
    struct poly value = symbol(s, &(struct symbol){.kind = SYMBOL_VALUE, .value = condition, .bits = 1});
    value = poly_scale(&value, -1);
    value = holds ? poly_add_constant(&value, -1) : poly_scale(&value, -1);
    return require(s, &value);
}

/* Whether all paths from `node` to the end lead through `to`. */
static bool leads_to(const struct cfg *cfg, int node, int to)
{
    while (node != to && node < cfg->n)
        node = cfg->nodes[node].ipdom;
    return node == to;
}

/* Finds the only branch that decides whether `node` runs, apart from those that decide how often loops around it do.
 * Returns -1 if there is none, and -2 if there are several. */
static int find_branch(const struct cfg *cfg, int node, int *successor)
{
    int found = -1;
    for (int at = 0; at < cfg->n; at++)
        for (int i = 0; i < cfg->nodes[at].n_succ && cfg->nodes[at].n_succ > 1; i++) {
            int to = cfg->nodes[at].succ[i];
            if (at == node || cfg_is_back_edge(cfg, at, to) || !leads_to(cfg, to, node) || leads_to(cfg, at, node))
                continue;
            found = found == -1 ? at : -2;
            *successor = i;
        }
    return found;
}

static bool is_left_at_end(const struct cfg *cfg, int loop, int way_out)
{
    const struct node *node = &cfg->nodes[way_out];
    return node->succ[0] == cfg->loops[loop].header || node->succ[1] == cfg->loops[loop].header;
}

/* Returns the node from which a loop is left, if there is one way out and it is at the loop's beginning or end; else
 * -1. */
static int find_way_out(const struct cfg *cfg, int loop)
{
    int header = cfg->loops[loop].header, found = -1, n = 0;
    for (int at = header; at <= cfg->loops[loop].last; at++)
        for (int i = 0; i < cfg->nodes[at].n_succ; i++)
            if (!cfg_in_loop(cfg, cfg->nodes[at].succ[i], loop)) {
                found = at;
                n++;
            }
    return n == 1 && (found == header || is_left_at_end(cfg, loop, found)) ? found : -1;
}

static LLVMValueRef condition_of(const struct cfg *cfg, int node)
{
    return LLVMGetCondition(LLVMGetBasicBlockTerminator(cfg->nodes[node].block));
}

/* Notes how often a loop runs that is left at its end: an iteration other than the first takes place if the condition
 * of the one before said so. */
static bool limit_by_end(struct search *s, int loop, int end)
{
    struct touch *touch = s->touch;
    const struct node *node = &s->cfg->nodes[end];
    int n_limits = touch->n_limits;
    if (!limit_by_condition(s, condition_of(s->cfg, end), cfg_in_loop(s->cfg, node->succ[0], loop), loop))
        return false;
    for (int i = n_limits; i < touch->n_limits; i++) {
        struct limit *limit = &touch->limits[i];
        const struct symbol *symbol = &s->touches->symbols[limit->symbol];
        if (symbol->kind != SYMBOL_COUNTER || symbol->loop != loop)
            return false;
        limit->value = poly_add_constant(&limit->value, limit->divisor);
    }
    return true;
}

static bool limit_counter(struct search *s, int number);

/* Notes what the loops that are left at their ends say about the counters in a polynomial. */
static bool limit_counters(struct search *s, const struct poly *poly)
{
    for (int i = 0; i < poly->n; i++)
        for (int k = 0; k < poly->of[i].n; k++)
            if (!limit_counter(s, poly->of[i].symbols[k]))
                return false;
    return true;
}

static bool limit_counter(struct search *s, int number)
{
    const struct symbol *symbol = &s->touches->symbols[number];
    if (symbol->kind >= SYMBOL_LEAST)
        return limit_counters(s, &symbol->operands[0]) && limit_counters(s, &symbol->operands[1]);
    if (symbol->kind != SYMBOL_COUNTER || s->has_limits[symbol->loop])
        return true;
    s->has_limits[symbol->loop] = true;
    int out = find_way_out(s->cfg, symbol->loop);
    return !is_left_at_end(s->cfg, symbol->loop, out) || limit_by_end(s, symbol->loop, out);
}

/* Notes under which conditions a node runs. */
static bool limit_by_control(struct search *s, int node)
{
    const struct cfg *cfg = s->cfg;
    struct touch *touch = s->touch;
    memset(s->has_limits, 0, (size_t)cfg->n_loops);
    for (int loop = cfg->nodes[node].loop; loop >= 0; loop = cfg->loops[loop].parent)
        if (find_way_out(cfg, loop) < 0)
            return false;
    for (int at = node, branch, successor = 0; (branch = find_branch(cfg, at, &successor)) != -1; at = branch) {
        int loop = branch < 0 ? -1 : cfg->nodes[branch].loop;
        if (branch < 0 || !cfg_in_loop(cfg, node, loop))
            return false;
        if (!limit_by_condition(s, condition_of(cfg, branch), successor == 0,
                                loop >= 0 && find_way_out(cfg, loop) == branch ? loop : -1))
            return false;
    }
    /* What is noted here may name more counters. */
    if (!limit_counters(s, &touch->bytes))
        return false;
    for (int l = 0, c = 0; l < touch->n_limits || c < touch->n_conditions;) {
        if (l < touch->n_limits ? !limit_counter(s, touch->limits[l++].symbol)
                                : !limit_counters(s, &touch->conditions[c++].value))
            return false;
    }
    return true;
}

/* ---- symbols that depend on each other ---- */

/* Counts in `uses` the symbols with values of their own from which a polynomial is made. Returns false if one of them
 * is in two symbols of the same polynomial, or if it is not a sum of symbols with uniform factors. */
static bool count_symbols(const struct search *s, const struct poly *poly, unsigned char uses[MAX_SYMBOLS])
{
    bool seen[MAX_SYMBOLS] = {false};
    for (int i = 0; i < poly->n; i++) {
        int n_varying = 0;
        for (int k = 0; k < poly->of[i].n; k++) {
            int number = poly->of[i].symbols[k];
            const struct symbol *symbol = &s->touches->symbols[number];
            if (!touch_varies(s->touches, number))
                continue;
            if (n_varying++)
                return false;
            if (seen[number])
                continue;
            seen[number] = true;
            if (symbol->kind <= SYMBOL_COUNTER && uses[number]++)
                return false;
            for (int o = 0; o < 2 && symbol->kind >= SYMBOL_LEAST; o++)
                if (!count_symbols(s, &symbol->operands[o], uses))
                    return false;
        }
    }
    return true;
}

/* Whether each symbol that matters for the access takes its values independently of the others. */
static bool is_independent(const struct search *s)
{
    const struct touch *touch = s->touch;
    unsigned char uses[MAX_SYMBOLS] = {0};
    if (!count_symbols(s, &touch->bytes, uses))
        return false;
    for (int i = 0; i < touch->n_limits; i++)
        uses[touch->limits[i].symbol] = 1;
    /* The index in the domain follows from those in the tile and of the tile. */
    bool has_global[MAX_TILE_RANK] = {false}, has_other[MAX_TILE_RANK] = {false};
    for (int i = 0; i < s->touches->n_symbols; i++) {
        const struct symbol *symbol = &s->touches->symbols[i];
        if (uses[i] && symbol->kind == SYMBOL_INDEX)
            (symbol->index.meaning == ENTRY_GLOBAL ? has_global : has_other)[symbol->index.component] = true;
    }
    for (int d = 0; d < MAX_TILE_RANK; d++)
        if (has_global[d] && has_other[d])
            return false;
    return true;
}

/* ---- accesses ---- */

/* Returns the bytes that the operands of an address add to its base. */
static struct poly offset_of(struct search *s, LLVMValueRef gep)
{
    struct poly result = poly_constant(0);
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(gep); i++) {
        LLVMValueRef operand = LLVMGetOperand(gep, i);
        if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            unsigned field = (unsigned)LLVMConstIntGetZExtValue(operand);
            result = poly_add_constant(&result, (long long)LLVMOffsetOfElement(ir_layout_of(gep), type, field));
            type = LLVMStructGetTypeAtIndex(type, field);
            continue;
        }
        if (i > 1)
            type = LLVMGetElementType(type);
        struct poly index = value_of(s, operand);
        struct poly bytes = poly_scale(&index, (long long)LLVMABISizeOfType(ir_layout_of(gep), type));
        result = poly_add(&result, &bytes);
    }
    return result;
}

/* Finds the array into which an address points, and where. Returns false if it is not clear. */
static bool find_address(struct search *s, LLVMValueRef pointer)
{
    struct touch *touch = s->touch;
    for (; LLVMIsAGetElementPtrInst(pointer); pointer = LLVMGetOperand(pointer, 0)) {
        struct poly offset = offset_of(s, pointer);
        touch->bytes = poly_add(&touch->bytes, &offset);
    }
    touch->param = LLVMIsALoadInst(pointer) ? entry_argument(s->kernel, LLVMGetOperand(pointer, 0)) : NULL;
    return touch->param && touch->param->kind == PARAM_ARRAY && !touch->bytes.is_unknown;
}

/* Returns the symbol of an argument for steps.c. */
static struct poly argument(void *search, long long offset, long long bytes)
{
    return symbol(search, &(struct symbol){.kind = SYMBOL_ARGUMENT, .offset = offset, .bits = (int)bytes * 8});
}

/* Finds the size of the access's array, and splits its address into subscripts. */
static bool find_subscripts(struct search *s)
{
    struct touch *touch = s->touch;
    const struct param *param = touch->param;
    struct poly rest = touch->bytes;
    struct steps all;
    bool is_known = param->rank <= MAX_RANK; /* those of C++ may have more dimensions */
    if (!is_known)
        return false;
    steps_find(s->kernel, param, argument, s, &all);
    for (int d = 0; d < param->rank; d++) {
        if (!s->kernel->is_closure && param->bounds[d].expr->op != EXPR_PARAM)
            is_known = is_known && require(s, &all.bounds[d]);
        touch->subscripts[d] = poly_divide(&rest, &all.bytes[d]);
        is_known = is_known && !touch->subscripts[d].is_unknown;
    }
    touch->total = all.total;
    return is_known && !touch->total.is_unknown;
}

static bool is_same(const struct touch *a, const struct touch *b)
{
    bool same = a->param == b->param && a->size == b->size && a->n_limits == b->n_limits &&
                a->n_conditions == b->n_conditions && poly_is_equal(&a->bytes, &b->bytes);
    for (int i = 0; same && i < a->n_limits; i++)
        same = a->limits[i].symbol == b->limits[i].symbol && a->limits[i].is_upper == b->limits[i].is_upper &&
               a->limits[i].divisor == b->limits[i].divisor && poly_is_equal(&a->limits[i].value, &b->limits[i].value);
    for (int i = 0; same && i < a->n_conditions; i++)
        same = a->conditions[i].is_everywhere == b->conditions[i].is_everywhere &&
               poly_is_equal(&a->conditions[i].value, &b->conditions[i].value);
    return same;
}

/* Adds an access to the list, unless it is already there. */
static void add(struct touches *touches, struct touch *touch)
{
    for (int i = 0; i < touches->n; i++)
        if (is_same(touches->of[i], touch)) {
            touches->of[i]->is_write |= touch->is_write;
            return;
        }
    if (touches->n < MAX_TOUCHES)
        touches->of[touches->n++] = touch;
}

bool touch_address(struct touches *touches, const struct cfg *cfg, LLVMValueRef access, struct touch *touch)
{
    unsigned address;
    LLVMTypeRef type = ir_accessed_type(access, &address);
    struct search s = {.kernel = touches->kernel,
                       .cfg = cfg,
                       .touches = touches,
                       .touch = touch,
                       .has_limits = arena_alloc((size_t)cfg->n_loops + 1)};
    *touch = (struct touch){.size = type ? (long long)LLVMStoreSizeOfType(ir_layout_of(access), type) : 0};
    return type && find_address(&s, LLVMGetOperand(access, address)) && limit_counters(&s, &touch->bytes);
}

static void visit(struct search *s, int node, LLVMValueRef i)
{
    unsigned address;
    LLVMTypeRef type = ir_accessed_type(i, &address);
    if (!type || s->touches->n == MAX_TOUCHES)
        return;
    s->touch = arena_alloc(sizeof *s->touch);
    s->touch->place = ir_place(i, s->kernel->place);
    s->touch->is_write = LLVMGetInstructionOpcode(i) != LLVMLoad;
    s->touch->size = (long long)LLVMStoreSizeOfType(ir_layout_of(i), type);
    if (find_address(s, LLVMGetOperand(i, address)) && find_subscripts(s) && limit_by_control(s, node) &&
        is_independent(s))
        add(s->touches, s->touch);
}

struct touches *touch_find(const struct kernel *kernel, const struct cfg *cfg)
{
    struct search s = {.kernel = kernel,
                       .cfg = cfg,
                       .touches = arena_alloc(sizeof *s.touches),
                       .has_limits = arena_alloc((size_t)cfg->n_loops + 1)};
    s.touches->kernel = kernel;
    if (cfg_calls(cfg, CALL_ABORT) || cfg_calls(cfg, CALL_TRAP) || cfg_calls(cfg, CALL_SANITIZER))
        return s.touches;
    for (int at = 0; at < cfg->n; at++)
        for (LLVMValueRef i = cfg->nodes[at].first; i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
            visit(&s, at, i);
    return s.touches;
}

/* ---- polynomials ---- */

struct poly touch_index(struct touches *touches, enum entry_meaning meaning, int component)
{
    struct search s = {.touches = touches};
    int dimension = MAX_TILE_RANK - touches->kernel->box_rank + component;
    struct entry_param index = {.meaning = meaning, .component = component, .dimension = dimension};
    return symbol(&s, &(struct symbol){.kind = SYMBOL_INDEX, .index = index});
}

bool touch_is_of_arguments(const struct touches *touches, const struct poly *poly)
{
    for (int i = 0; i < poly->n; i++)
        for (int k = 0; k < poly->of[i].n; k++)
            if (touches->symbols[poly->of[i].symbols[k]].kind != SYMBOL_ARGUMENT)
                return false;
    return !poly->is_unknown;
}

LLVMValueRef touch_compute(LLVMBuilderRef b, const struct touches *touches, const struct poly *poly, LLVMValueRef args,
                           const LLVMValueRef tile[3])
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(args));
    LLVMTypeRef i64 = LLVMInt64TypeInContext(context), i8 = LLVMInt8TypeInContext(context);
    LLVMValueRef sum = LLVMConstInt(i64, 0, false);
    for (int i = 0; i < poly->n; i++) {
        LLVMValueRef product = LLVMConstInt(i64, (unsigned long long)poly->of[i].coefficient, true);
        for (int k = 0; k < poly->of[i].n; k++) {
            const struct symbol *symbol = &touches->symbols[poly->of[i].symbols[k]];
            LLVMValueRef offset = LLVMConstInt(i64, (unsigned long long)symbol->offset, true), value;
            if (symbol->kind == SYMBOL_INDEX)
                value = tile[symbol->index.dimension];
            else
                value = LLVMBuildLoad2(b, LLVMIntTypeInContext(context, (unsigned)symbol->bits),
                                       LLVMBuildGEP2(b, i8, args, &offset, 1, ""), "");
            product = LLVMBuildMul(b, product, LLVMBuildIntCast2(b, value, i64, true, ""), "");
        }
        sum = LLVMBuildAdd(b, sum, product, "");
    }
    return sum;
}

/* SPDX-License-Identifier: MIT
 *
 * An integer is a polynomial in values that cannot be taken apart, its leaves: indices, arguments, phis, quotients,
 * what is loaded. Each leaf has a range, which follows from those of its operands; the range of all it could be if
 * nothing is known. The conditions of the branches that lead to a node are facts there: polynomials that are not
 * negative. If a leaf is linear in one, the ends of the rest limit it.
 *
 * A counter's range is that of its start together with that of its next value where the loop goes on; meanwhile, the
 * counter itself could be anything beyond its start. So loops need no other rules: i < n limits the next value.
 *
 * A range holds on its own: where 64 bits do not suffice to compute it, it is all of the type. */
#include "kernel/ranges.h"

#include "kernel/calls.h"
#include "kernel/entry.h"
#include "kernel/ir.h"

#include <limits.h>
#include <string.h>

enum { MAX_LEAVES = 96, MAX_FACTS = 10, MAX_DEPTH = 20, MAX_WORK = 600, WIDE_BITS = 64 };

struct leaf {
    LLVMValueRef value; /* NULL: an argument */
    long long offset;   /* of an argument */
    int bits;
};

struct fact {
    struct poly value;
    bool is_unequal;    /* it is not 0; else: not negative */
    LLVMValueRef fails; /* whether nothing is known after all */
};

/* What holds at a place of the kernel. */
struct context {
    int n_facts;
    struct fact facts[MAX_FACTS];
    bool has[MAX_LEAVES];
    struct range ranges[MAX_LEAVES];
};

struct ranges {
    const struct kernel *kernel;
    const struct cfg *cfg;
    struct wide *to;
    LLVMValueRef args, box;
    int n_leaves, depth, work;
    bool is_fact; /* the polynomials that are made now are of facts */
    struct leaf leaves[MAX_LEAVES];
    struct range phis[MAX_LEAVES]; /* without facts, or so far */
    bool has_phi[MAX_LEAVES];
    int *idom; /* immediate dominators of nodes */
    struct context **contexts;
    struct context root;
};

/* ---- polynomials ---- */

static int bits_of(LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? (int)LLVMGetIntTypeWidth(type) : 0;
}

static struct poly leaf(struct ranges *r, const struct leaf *leaf)
{
    int at = 0;
    while (at < r->n_leaves && (r->leaves[at].value != leaf->value || r->leaves[at].offset != leaf->offset ||
                                r->leaves[at].bits != leaf->bits))
        at++;
    if (at == MAX_LEAVES)
        return poly_unknown;
    if (at == r->n_leaves)
        r->leaves[r->n_leaves++] = *leaf;
    return poly_symbol(at);
}

static struct poly value_leaf(struct ranges *r, LLVMValueRef value)
{
    return leaf(r, &(struct leaf){.value = value, .bits = bits_of(value)});
}

struct poly ranges_argument(void *ranges, long long offset, long long bytes)
{
    return leaf(ranges, &(struct leaf){.offset = offset, .bits = (int)bytes * 8});
}

/* Whether a value is an integer in the argument block. What a launch of a high rank puts there is not yet known. */
static bool is_argument(const struct ranges *r, LLVMValueRef value, long long *offset)
{
    return LLVMIsALoadInst(value) && entry_place(LLVMGetOperand(value, 0), offset) &&
           (r->kernel->rank == r->kernel->box_rank || entry_argument(r->kernel, LLVMGetOperand(value, 0)));
}

static LLVMValueRef load_argument(const struct ranges *r, const struct leaf *leaf)
{
    LLVMTypeRef type = LLVMIntTypeInContext(r->to->context, (unsigned)leaf->bits);
    return LLVMBuildSExt(r->to->builder, wide_load(r->to, r->args, type, leaf->offset), r->to->type, "");
}

/* Arithmetic in 64 bits that wraps is exact as long as the whole does not overflow. That says nothing about its parts,
 * which facts are about. */
static struct poly poly_of_operation(struct ranges *r, LLVMValueRef value)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    bool is_exact =
        opcode == LLVMOr ? LLVMGetIsDisjoint(value) : LLVMGetNSW(value) || (bits_of(value) == WIDE_BITS && !r->is_fact);
    LLVMValueRef right = LLVMGetOperand(value, 1);
    bool is_shift = opcode == LLVMShl;
    if (!is_exact || (is_shift && (!LLVMIsAConstantInt(right) || LLVMConstIntGetZExtValue(right) > 31)))
        return value_leaf(r, value);
    struct poly a = ranges_poly(r, LLVMGetOperand(value, 0));
    if (is_shift)
        return poly_scale(&a, 1LL << LLVMConstIntGetZExtValue(right));
    struct poly b = ranges_poly(r, right);
    struct poly result = opcode == LLVMSub   ? poly_subtract(&a, &b)
                         : opcode == LLVMMul ? poly_multiply(&a, &b)
                                             : poly_add(&a, &b);
    return result.is_unknown ? value_leaf(r, value) : result;
}

/* An argument without sign is a bound in general; it is noted that it is not negative as a number with a sign. */
static struct poly poly_of_zero_extension(struct ranges *r, LLVMValueRef value)
{
    LLVMValueRef operand = LLVMGetOperand(value, 0);
    struct leaf argument = {.bits = bits_of(operand)};
    if (argument.bits > 1 && LLVMGetNNeg(value))
        return ranges_poly(r, operand);
    if (argument.bits < 32 || !is_argument(r, operand, &argument.offset))
        return value_leaf(r, value);
    LLVMValueRef is_negative = wide_is_negative(r->to, load_argument(r, &argument));
    r->to->overflow = LLVMBuildOr(r->to->builder, r->to->overflow, is_negative, "");
    return leaf(r, &argument);
}

static struct poly poly_of_value(struct ranges *r, LLVMValueRef value)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    switch (opcode) {
    case LLVMFreeze:
    case LLVMSExt:
        return bits_of(LLVMGetOperand(value, 0)) > 1 ? ranges_poly(r, LLVMGetOperand(value, 0)) : value_leaf(r, value);
    case LLVMZExt:
        return poly_of_zero_extension(r, value);
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMOr:
    case LLVMShl:
        return poly_of_operation(r, value);
    case LLVMPHI: /* those of loop-closed form */
        return LLVMCountIncoming(value) == 1 ? ranges_poly(r, LLVMGetIncomingValue(value, 0)) : value_leaf(r, value);
    default:
        return value_leaf(r, value);
    }
}

struct poly ranges_poly(struct ranges *r, LLVMValueRef value)
{
    struct leaf argument = {.bits = bits_of(value)};
    if (argument.bits == 0 || argument.bits > WIDE_BITS)
        return poly_unknown;
    if (LLVMIsAConstantInt(value))
        return poly_constant(LLVMConstIntGetSExtValue(value));
    if (!LLVMIsAInstruction(value))
        return LLVMIsAArgument(value) ? value_leaf(r, value) : poly_unknown;
    if (argument.bits >= 8 && is_argument(r, value, &argument.offset))
        return leaf(r, &argument);
    if (r->depth == MAX_DEPTH)
        return value_leaf(r, value);
    r->depth++;
    struct poly result = poly_of_value(r, value);
    r->depth--;
    return result;
}

/* ---- arithmetic with ranges ---- */

static LLVMValueRef choose(const struct ranges *r, LLVMValueRef condition, LLVMValueRef yes, LLVMValueRef no)
{
    return LLVMBuildSelect(r->to->builder, condition, yes, no, "");
}

static LLVMValueRef is_less(const struct ranges *r, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildICmp(r->to->builder, LLVMIntSLT, a, b, "");
}

static LLVMValueRef both(const struct ranges *r, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildAnd(r->to->builder, a, b, "");
}

static LLVMValueRef either(const struct ranges *r, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildOr(r->to->builder, a, b, "");
}

static LLVMValueRef opposite(const struct ranges *r, LLVMValueRef a)
{
    return LLVMBuildNot(r->to->builder, a, "");
}

static struct range constants(const struct ranges *r, long long low, long long high)
{
    return (struct range){wide_constant(r->to, low), wide_constant(r->to, high)};
}

/* All numbers of so many bits, with sign. */
static struct range all_of(const struct ranges *r, int bits)
{
    long long high = (long long)((1ULL << (bits - 1)) - 1);
    return constants(r, -high - 1, high);
}

static struct range choose_range(const struct ranges *r, LLVMValueRef condition, struct range yes, struct range no)
{
    return (struct range){choose(r, condition, yes.low, no.low), choose(r, condition, yes.high, no.high)};
}

static struct range join(const struct ranges *r, struct range a, struct range b)
{
    return (struct range){wide_least(r->to, a.low, b.low), wide_greatest(r->to, a.high, b.high)};
}

static struct range multiply(const struct ranges *r, struct range a, struct range b)
{
    struct range first = {wide_multiply(r->to, a.low, b.low), wide_multiply(r->to, a.low, b.high)};
    if (b.low == b.high)
        first.high = first.low;
    else if (LLVMIsAConstantInt(a.low) && a.low == a.high)
        return LLVMConstIntGetSExtValue(a.low) < 0 ? (struct range){first.high, first.low} : first;
    struct range ends = {wide_least(r->to, first.low, first.high), wide_greatest(r->to, first.low, first.high)};
    if (a.low == a.high)
        return b.low == b.high ? first : ends;
    struct range second = multiply(r, (struct range){a.high, a.high}, b);
    return join(r, ends, second);
}

/* Begin and end a computation whose overflow concerns itself only. */
static LLVMValueRef begin_own(const struct ranges *r)
{
    LLVMValueRef outer = r->to->overflow;
    r->to->overflow = LLVMConstNull(r->to->bit);
    return outer;
}

static LLVMValueRef end_own(const struct ranges *r, LLVMValueRef outer)
{
    LLVMValueRef own = r->to->overflow;
    r->to->overflow = outer;
    return own;
}

static struct range range_of_leaf(struct ranges *r, struct context *context, int number);

static struct range range_of(struct ranges *r, struct context *context, const struct poly *poly)
{
    struct range sum = constants(r, 0, 0);
    for (int i = 0; i < poly->n; i++) {
        struct range product = constants(r, poly->of[i].coefficient, poly->of[i].coefficient);
        product.high = product.low;
        for (int k = 0; k < poly->of[i].n; k++)
            product = multiply(r, product, range_of_leaf(r, context, poly->of[i].symbols[k]));
        bool is_exact = sum.low == sum.high && product.low == product.high;
        sum.low = wide_add(r->to, sum.low, product.low);
        sum.high = is_exact ? sum.low : wide_add(r->to, sum.high, product.high);
    }
    if (poly->is_unknown)
        r->to->overflow = LLVMConstAllOnes(r->to->bit);
    return sum;
}

static struct range range_of_value(struct ranges *r, struct context *context, LLVMValueRef value)
{
    LLVMValueRef outer = begin_own(r);
    bool was_fact = r->is_fact;
    r->is_fact = false;
    struct poly poly = ranges_poly(r, value);
    r->is_fact = was_fact;
    struct range range = range_of(r, context, &poly);
    return choose_range(r, end_own(r, outer), all_of(r, bits_of(value)), range);
}

/* ---- facts ---- */

static struct fact *add_fact(struct context *context, struct poly value, bool is_unequal, LLVMValueRef fails)
{
    if (value.is_unknown || context->n_facts == MAX_FACTS)
        return NULL;
    context->facts[context->n_facts] = (struct fact){value, is_unequal, fails};
    return &context->facts[context->n_facts++];
}

static void add_comparison(struct ranges *r, struct context *context, LLVMValueRef comparison, bool holds)
{
    LLVMIntPredicate predicate = LLVMGetICmpPredicate(comparison);
    LLVMValueRef first = LLVMGetOperand(comparison, 0), second = LLVMGetOperand(comparison, 1);
    if (bits_of(first) < 2 || bits_of(first) > WIDE_BITS)
        return;
    LLVMValueRef outer = begin_own(r);
    bool was_fact = r->is_fact;
    r->is_fact = true;
    struct poly a = ranges_poly(r, first), b = ranges_poly(r, second);
    r->is_fact = was_fact;
    bool is_unsigned = predicate >= LLVMIntUGT && predicate <= LLVMIntULE;
    bool is_lower =
        predicate == LLVMIntULT || predicate == LLVMIntULE || predicate == LLVMIntSLT || predicate == LLVMIntSLE;
    bool is_strict =
        predicate == LLVMIntULT || predicate == LLVMIntUGT || predicate == LLVMIntSLT || predicate == LLVMIntSGT;
    bool is_equality = predicate == LLVMIntEQ || predicate == LLVMIntNE;
    /* If it holds, low < high or low <= high. */
    bool is_first_low = is_lower == holds;
    struct poly low = is_first_low ? a : b, high = is_first_low ? b : a;
    struct poly way = poly_subtract(&high, &low), back = poly_subtract(&low, &high);
    way = poly_add_constant(&way, !is_equality && is_strict == holds ? -1 : 0);
    /* What is below a number without sign that is not negative is not negative either. */
    if (is_unsigned) {
        struct range limit = range_of(r, &r->root, &high);
        r->to->overflow = either(r, r->to->overflow, wide_is_negative(r->to, limit.low));
    }
    LLVMValueRef fails = end_own(r, outer);
    add_fact(context, way, is_equality && holds != (predicate == LLVMIntEQ), fails);
    if (is_equality && holds == (predicate == LLVMIntEQ))
        add_fact(context, back, false, fails);
    if (is_unsigned)
        add_fact(context, low, false, fails);
}

/* Adds what a condition says that has a value. */
static void add_condition(struct ranges *r, struct context *context, LLVMValueRef condition, bool holds)
{
    if (!LLVMIsAInstruction(condition))
        return;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(condition);
    LLVMTypeRef type = LLVMTypeOf(condition);
    LLVMValueRef yes = LLVMConstAllOnes(type), no = LLVMConstNull(type);
    if (opcode == LLVMICmp)
        add_comparison(r, context, condition, holds);
    else if (opcode == LLVMFreeze)
        add_condition(r, context, LLVMGetOperand(condition, 0), holds);
    else if (opcode == LLVMXor && LLVMGetOperand(condition, 1) == yes)
        add_condition(r, context, LLVMGetOperand(condition, 0), !holds);
    else if (opcode == (holds ? LLVMAnd : LLVMOr)) {
        add_condition(r, context, LLVMGetOperand(condition, 0), holds);
        add_condition(r, context, LLVMGetOperand(condition, 1), holds);
    } else if (opcode == LLVMSelect && LLVMGetOperand(condition, holds ? 2 : 1) == (holds ? no : yes)) {
        add_condition(r, context, LLVMGetOperand(condition, 0), holds);
        add_condition(r, context, LLVMGetOperand(condition, holds ? 1 : 2), holds);
    }
}

/* Adds what it says that a branch goes to `to`. */
static void add_branch(struct ranges *r, struct context *context, int from, int to)
{
    const struct node *node = &r->cfg->nodes[from];
    if (node->n_succ == 2 && node->succ[0] != node->succ[1])
        add_condition(r, context, LLVMGetCondition(LLVMGetBasicBlockTerminator(node->block)), node->succ[0] == to);
}

/* A value that a node sees is the one that the last branch before it saw, because its definition comes before both. */
static struct context *context_of(struct ranges *r, int node)
{
    struct context **context = &r->contexts[node];
    if (*context)
        return *context;
    *context = arena_alloc(sizeof **context);
    for (int at = node; at > 0; at = r->idom[at])
        if (r->cfg->nodes[at].n_pred == 1)
            add_branch(r, *context, r->cfg->nodes[at].pred[0], at);
    return *context;
}

static struct context *copy_context(const struct context *context)
{
    struct context *copy = arena_alloc(sizeof *copy);
    copy->n_facts = context->n_facts;
    memcpy(copy->facts, context->facts, sizeof copy->facts);
    return copy;
}

static struct context *context_of_edge(struct ranges *r, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    int node = map_get(r->cfg->last_node, from);
    struct context *context = copy_context(node < 0 ? &r->root : context_of(r, node));
    if (node >= 0)
        add_branch(r, context, node, map_get(r->cfg->first_node, to));
    return context;
}

/* Finds a leaf in a polynomial in which it is linear with a constant factor, and takes it out. */
static bool take_leaf(struct poly *poly, int number, long long *factor)
{
    int found = -1;
    for (int i = 0; i < poly->n; i++)
        for (int k = 0; k < poly->of[i].n; k++) {
            if (poly->of[i].symbols[k] != number)
                continue;
            if (found >= 0 || poly->of[i].n != 1)
                return false;
            found = i;
        }
    if (found < 0)
        return false;
    *factor = poly->of[found].coefficient;
    poly->of[found] = poly->of[--poly->n];
    return *factor != LLONG_MIN;
}

/* Returns what is left of a leaf's range if the facts hold. */
static struct range narrow(struct ranges *r, const struct context *context, int number, struct range range)
{
    for (int i = 0; i < context->n_facts; i++) {
        struct poly rest = context->facts[i].value;
        long long factor;
        if (context->facts[i].is_unequal || !take_leaf(&rest, number, &factor))
            continue;
        LLVMValueRef outer = begin_own(r);
        LLVMValueRef most = range_of(r, &r->root, &rest).high;
        LLVMValueRef bound = wide_divide_down(r->to, most, factor < 0 ? -factor : factor);
        if (factor > 0)
            bound = wide_negate(r->to, bound);
        LLVMValueRef fails = either(r, end_own(r, outer), context->facts[i].fails);
        if (factor < 0)
            range.high = choose(r, fails, range.high, wide_least(r->to, range.high, bound));
        else
            range.low = choose(r, fails, range.low, wide_greatest(r->to, range.low, bound));
    }
    return range;
}

/* Returns whether it is known that no thread sees all facts. */
static LLVMValueRef is_empty(struct ranges *r, const struct context *context)
{
    LLVMValueRef empty = LLVMConstNull(r->to->bit);
    for (int i = 0; i < context->n_facts; i++) {
        const struct fact *fact = &context->facts[i];
        if (fact->is_unequal)
            continue;
        LLVMValueRef outer = begin_own(r);
        LLVMValueRef most = range_of(r, &r->root, &fact->value).high;
        LLVMValueRef fails = either(r, end_own(r, outer), fact->fails);
        empty = either(r, empty, both(r, wide_is_negative(r->to, most), opposite(r, fails)));
    }
    return empty;
}

/* Returns the range of a value where it is one of several that another value may be: none if no thread comes there. */
static struct range range_of_choice(struct ranges *r, struct context *context, LLVMValueRef value)
{
    struct range none = constants(r, LLONG_MAX, LLONG_MIN), range = range_of_value(r, context, value);
    return choose_range(r, is_empty(r, context), none, range);
}

/* ---- leaves ---- */

/* Returns the values of a component of the index in the box, which counts tiles if there are any. */
static struct range range_of_index(const struct ranges *r, LLVMValueRef argument)
{
    enum { BYTES = 4 };
    const struct kernel *kernel = r->kernel;
    struct entry_param index = entry_param(kernel, entry_param_number(argument));
    bool is_flat = kernel->rank > kernel->box_rank && index.component == 0;
    if (index.meaning == ENTRY_ARGUMENTS || is_flat)
        return all_of(r, bits_of(argument));
    int tile = kernel->tiled ? kernel->tile[index.component] : 1;
    LLVMValueRef ends[2], size = wide_constant(r->to, tile), one = wide_constant(r->to, 1);
    if (index.meaning == ENTRY_LOCAL)
        return constants(r, 0, tile - 1);
    for (int i = 0; i < 2; i++) {
        long long offset = (2LL * index.dimension + i) * BYTES;
        LLVMValueRef end = wide_load(r->to, r->box, LLVMInt32TypeInContext(r->to->context), offset);
        ends[i] = LLVMBuildSExt(r->to->builder, end, r->to->type, "");
    }
    LLVMValueRef last = LLVMBuildSub(r->to->builder, ends[1], one, "");
    if (index.meaning == ENTRY_TILE)
        return (struct range){ends[0], last};
    LLVMValueRef low = LLVMBuildMul(r->to->builder, ends[0], size, "");
    if (index.meaning == ENTRY_ORIGIN)
        return (struct range){low, LLVMBuildMul(r->to->builder, last, size, "")};
    LLVMValueRef high = LLVMBuildMul(r->to->builder, ends[1], size, "");
    return (struct range){low, LLVMBuildSub(r->to->builder, high, one, "")};
}

static bool is_fixed_in(const struct ranges *r, const struct poly *poly, int loop)
{
    for (int i = 0; i < poly->n; i++)
        for (int k = 0; k < poly->of[i].n; k++) {
            LLVMValueRef value = r->leaves[poly->of[i].symbols[k]].value;
            int node =
                value && LLVMIsAInstruction(value) ? map_get(r->cfg->first_node, LLVMGetInstructionParent(value)) : -1;
            if (node >= 0 && cfg_in_loop(r->cfg, node, loop))
                return false;
        }
    return true;
}

/* A counter with step 1 or -1 that starts before a number, and goes on unless it is there, does not go beyond it.
 * Returns the end of its next values `next`, of which it is known that they are not beyond `end`. */
static LLVMValueRef end_of_unequal(struct ranges *r, const int leaves[2], int loop, int step, struct range start,
                                   struct context *const edges[2], LLVMValueRef end)
{
    for (int f = 0; f < edges[1]->n_facts; f++)
        for (int is_next = 0; is_next < 2; is_next++) {
            struct poly rest = edges[1]->facts[f].value;
            long long factor;
            if (!edges[1]->facts[f].is_unequal || !take_leaf(&rest, leaves[is_next], &factor) ||
                (factor != 1 && factor != -1) || !is_fixed_in(r, &rest, loop))
                continue;
            rest = poly_scale(&rest, -factor);
            rest = poly_add_constant(&rest, is_next ? -step : 0);
            LLVMValueRef outer = begin_own(r);
            struct range stop = range_of(r, edges[0], &rest);
            LLVMValueRef fails = either(r, end_own(r, outer), edges[1]->facts[f].fails);
            LLVMValueRef is_beyond = step > 0 ? is_less(r, stop.low, start.high) : is_less(r, start.low, stop.high);
            LLVMValueRef better = step > 0 ? wide_least(r->to, end, stop.high) : wide_greatest(r->to, end, stop.low);
            end = choose(r, either(r, fails, is_beyond), end, better);
        }
    return end;
}

static int number_of(struct ranges *r, LLVMValueRef value)
{
    struct poly poly = value_leaf(r, value);
    return poly.is_unknown ? -1 : poly.of[0].symbols[0];
}

/* Returns the range of a loop's counter. */
static struct range range_of_counter(struct ranges *r, int number, int loop, unsigned way_back)
{
    LLVMValueRef phi = r->leaves[number].value, next = LLVMGetIncomingValue(phi, way_back);
    int bits = r->leaves[number].bits;
    struct range all = all_of(r, bits);
    if (!LLVMIsAInstruction(next) || LLVMGetInstructionOpcode(next) != LLVMAdd || LLVMGetOperand(next, 0) != phi ||
        !LLVMIsAConstantInt(LLVMGetOperand(next, 1)))
        return all;
    long long step = LLVMConstIntGetSExtValue(LLVMGetOperand(next, 1));
    LLVMBasicBlockRef header = LLVMGetInstructionParent(phi);
    struct context *edges[2];
    for (unsigned i = 0; i < 2; i++)
        edges[i != (1 - way_back)] = context_of_edge(r, LLVMGetIncomingBlock(phi, i), header);
    struct range start = range_of_value(r, edges[0], LLVMGetIncomingValue(phi, 1 - way_back));
    bool is_exact = LLVMGetNSW(next), is_up = step > 0;
    /* What comes up now asks for the counter itself. */
    if (is_exact)
        r->phis[number] = (struct range){is_up ? start.low : all.low, is_up ? all.high : start.high};
    struct range after = range_of_value(r, edges[1], next);
    LLVMValueRef end = is_up ? after.high : after.low;
    const int leaves[2] = {number, number_of(r, next)};
    if (step == 1 || step == -1)
        end = end_of_unequal(r, leaves, loop, (int)step, start, edges, end);
    struct range range = {is_up ? start.low : wide_least(r->to, start.low, end),
                          is_up ? wide_greatest(r->to, start.high, end) : start.high};
    if (is_exact)
        return range;
    LLVMValueRef outer = begin_own(r);
    LLVMValueRef last = wide_add(r->to, is_up ? range.high : range.low, wide_constant(r->to, step));
    LLVMValueRef wraps = is_up ? is_less(r, all.high, last) : is_less(r, last, all.low);
    return choose_range(r, either(r, end_own(r, outer), wraps), all, range);
}

static struct range range_of_phi(struct ranges *r, int number)
{
    const struct cfg *cfg = r->cfg;
    LLVMValueRef phi = r->leaves[number].value;
    LLVMBasicBlockRef block = LLVMGetInstructionParent(phi);
    if (r->has_phi[number])
        return r->phis[number];
    r->has_phi[number] = true;
    struct range range = r->phis[number] = all_of(r, r->leaves[number].bits);
    int node = map_get(cfg->first_node, block), loop = node < 0 ? -1 : cfg->nodes[node].loop;
    unsigned n = LLVMCountIncoming(phi);
    if (loop >= 0 && cfg->loops[loop].header == node) {
        unsigned back = n == 2 && map_get(cfg->last_node, LLVMGetIncomingBlock(phi, 1)) >= node;
        if (n == 2)
            range = range_of_counter(r, number, loop, back);
    } else
        for (unsigned i = 0; i < n; i++) {
            struct context *edge = context_of_edge(r, LLVMGetIncomingBlock(phi, i), block);
            struct range way = range_of_choice(r, edge, LLVMGetIncomingValue(phi, i));
            range = i ? join(r, range, way) : way;
        }
    r->phis[number] = range;
    memset(r->root.has, 0, sizeof r->root.has); /* some may have been found before this was known */
    return range;
}

static struct range range_of_select(struct ranges *r, const struct context *context, LLVMValueRef value)
{
    struct range ways[2];
    for (unsigned i = 0; i < 2; i++) {
        struct context *way = copy_context(context);
        add_condition(r, way, LLVMGetOperand(value, 0), i == 0);
        ways[i] = range_of_choice(r, way, LLVMGetOperand(value, i + 1));
    }
    return join(r, ways[0], ways[1]);
}

/* Returns the range of a quotient or remainder of a divisor that is positive. */
static struct range range_of_division(struct ranges *r, LLVMOpcode opcode, struct range a, struct range b, int bits)
{
    LLVMBuilderRef to = r->to->builder;
    bool is_unsigned = opcode == LLVMUDiv || opcode == LLVMURem, is_quotient = opcode == LLVMUDiv || opcode == LLVMSDiv;
    LLVMValueRef zero = wide_constant(r->to, 0), one = wide_constant(r->to, 1);
    LLVMValueRef low_is_negative = wide_is_negative(r->to, a.low), high_is_negative = wide_is_negative(r->to, a.high);
    LLVMValueRef fails = is_less(r, b.low, one);
    if (is_unsigned)
        fails = either(r, fails, low_is_negative);
    struct range divisor = {wide_greatest(r->to, b.low, one), wide_greatest(r->to, b.high, one)}, result;
    if (is_quotient) {
        result.low = LLVMBuildSDiv(to, a.low, choose(r, low_is_negative, divisor.low, divisor.high), "");
        result.high = LLVMBuildSDiv(to, a.high, choose(r, high_is_negative, divisor.high, divisor.low), "");
    } else {
        LLVMValueRef most = LLVMBuildSub(to, divisor.high, one, "");
        result.low = choose(r, low_is_negative, LLVMBuildSub(to, zero, most, ""), zero);
        result.high = wide_least(r->to, wide_greatest(r->to, a.high, zero), most);
    }
    return choose_range(r, fails, all_of(r, bits), result);
}

static struct range range_of_shift(struct ranges *r, LLVMOpcode opcode, struct range a, LLVMValueRef amount, int bits)
{
    struct range all = all_of(r, bits);
    if (!LLVMIsAConstantInt(amount) || LLVMConstIntGetZExtValue(amount) >= (unsigned)bits)
        return all;
    LLVMValueRef by = wide_constant(r->to, (long long)LLVMConstIntGetZExtValue(amount));
    struct range result = {LLVMBuildAShr(r->to->builder, a.low, by, ""), LLVMBuildAShr(r->to->builder, a.high, by, "")};
    return opcode == LLVMAShr ? result : choose_range(r, wide_is_negative(r->to, a.low), all, result);
}

/* Returns the range of a bitwise operation. Such results are not negative if the operands are not; of an "and", if one
 * of them is not, and it is no greater. */
static struct range range_of_bits(struct ranges *r, LLVMOpcode opcode, struct range a, struct range b, int bits)
{
    struct range result = all_of(r, bits), all = result;
    LLVMValueRef zero = wide_constant(r->to, 0), of_a = wide_is_negative(r->to, a.low),
                 of_b = wide_is_negative(r->to, b.low);
    if (opcode == LLVMAnd) {
        result = choose_range(r, of_a, result, (struct range){zero, a.high});
        struct range other = {zero, choose(r, of_a, b.high, wide_least(r->to, b.high, result.high))};
        return choose_range(r, of_b, result, other);
    }
    LLVMValueRef outer = begin_own(r);
    LLVMValueRef sum = wide_add(r->to, a.high, b.high);
    LLVMValueRef fails = either(r, end_own(r, outer), either(r, of_a, of_b));
    return choose_range(r, fails, all, (struct range){zero, wide_least(r->to, sum, all.high)});
}

/* Returns a range if it fits into so many bits. */
static struct range fitting(const struct ranges *r, struct range range, int bits)
{
    struct range all = all_of(r, bits);
    LLVMValueRef fails = either(r, is_less(r, range.low, all.low), is_less(r, all.high, range.high));
    return bits == WIDE_BITS ? range : choose_range(r, fails, all, range);
}

/* Returns the range of a sum, a difference, a product or a shift to the left that may wrap. */
static struct range range_of_wrapping(struct ranges *r, LLVMOpcode opcode, struct range a, struct range b, int bits)
{
    if (opcode == LLVMMul)
        return fitting(r, multiply(r, a, b), bits);
    if (opcode == LLVMSub)
        b = (struct range){wide_negate(r->to, b.high), wide_negate(r->to, b.low)};
    return fitting(r, (struct range){wide_add(r->to, a.low, b.low), wide_add(r->to, a.high, b.high)}, bits);
}

/* Returns the range of a call of one of LLVM's intrinsics. */
static struct range range_of_call(struct ranges *r, struct context *context, LLVMValueRef call)
{
    int bits = bits_of(call);
    enum extremum extremum = ir_extremum(call);
    if (!extremum)
        return all_of(r, bits);
    bool is_least = extremum == EXTREMUM_SMIN || extremum == EXTREMUM_UMIN,
         is_signed = extremum == EXTREMUM_SMIN || extremum == EXTREMUM_SMAX;
    struct range a = range_of_value(r, context, LLVMGetOperand(call, 0));
    struct range b = range_of_value(r, context, LLVMGetOperand(call, 1)), result;
    result.low = is_least ? wide_least(r->to, a.low, b.low) : wide_greatest(r->to, a.low, b.low);
    result.high = is_least ? wide_least(r->to, a.high, b.high) : wide_greatest(r->to, a.high, b.high);
    LLVMValueRef has_sign = wide_is_negative(r->to, wide_least(r->to, a.low, b.low));
    return is_signed ? result : choose_range(r, has_sign, all_of(r, bits), result);
}

static struct range range_of_instruction(struct ranges *r, struct context *context, LLVMValueRef value)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    int bits = bits_of(value), from;
    struct range a, b;
    switch (opcode) {
    case LLVMCall:
        return range_of_call(r, context, value);
    case LLVMSelect:
        return range_of_select(r, context, value);
    case LLVMTrunc:
        return fitting(r, range_of_value(r, context, LLVMGetOperand(value, 0)), bits);
    case LLVMSExt:
        return range_of_value(r, context, LLVMGetOperand(value, 0));
    case LLVMZExt:
        from = bits_of(LLVMGetOperand(value, 0));
        a = range_of_value(r, context, LLVMGetOperand(value, 0));
        return choose_range(r, wide_is_negative(r->to, a.low), constants(r, 0, (long long)((1ULL << from) - 1)), a);
    case LLVMSDiv:
    case LLVMUDiv:
    case LLVMSRem:
    case LLVMURem:
    case LLVMAShr:
    case LLVMLShr:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
        break;
    default:
        return all_of(r, bits);
    }
    a = range_of_value(r, context, LLVMGetOperand(value, 0));
    b = range_of_value(r, context, LLVMGetOperand(value, 1));
    if (opcode == LLVMAShr || opcode == LLVMLShr)
        return range_of_shift(r, opcode, a, LLVMGetOperand(value, 1), bits);
    if (opcode == LLVMAnd || opcode == LLVMOr || opcode == LLVMXor)
        return range_of_bits(r, opcode, a, b, bits);
    if (opcode == LLVMAdd || opcode == LLVMSub || opcode == LLVMMul)
        return range_of_wrapping(r, opcode, a, b, bits);
    return range_of_division(r, opcode, a, b, bits);
}

static struct range range_of_new_leaf(struct ranges *r, struct context *context, int number)
{
    const struct leaf *leaf = &r->leaves[number];
    if (LLVMIsAArgument(leaf->value))
        return range_of_index(r, leaf->value);
    if (r->depth == MAX_DEPTH || r->work++ > MAX_WORK)
        return all_of(r, leaf->bits);
    r->depth++;
    LLVMValueRef outer = begin_own(r);
    struct range range =
        LLVMIsAPHINode(leaf->value) ? range_of_phi(r, number) : range_of_instruction(r, context, leaf->value);
    r->depth--;
    return choose_range(r, end_own(r, outer), all_of(r, leaf->bits), range);
}

static struct range range_of_leaf(struct ranges *r, struct context *context, int number)
{
    const struct leaf *leaf = &r->leaves[number];
    if (context->has[number])
        return context->ranges[number];
    if (!leaf->value) {
        LLVMValueRef value = load_argument(r, leaf);
        return (struct range){value, value};
    }
    struct range range = narrow(r, context, number, range_of_new_leaf(r, context, number));
    context->ranges[number] = range;
    context->has[number] = true;
    return range;
}

/* ---- what others ask ---- */

static void find_dominators(struct ranges *r)
{
    const struct cfg *cfg = r->cfg;
    r->idom = arena_alloc((size_t)cfg->n * sizeof *r->idom);
    for (int at = 1; at < cfg->n; at++) {
        int found = -1;
        for (int i = 0; i < cfg->nodes[at].n_pred; i++) {
            int pred = cfg->nodes[at].pred[i];
            if (pred >= at)
                continue; /* by a back edge */
            if (found < 0)
                found = pred;
            while (found != pred)
                if (found > pred)
                    found = r->idom[found];
                else
                    pred = r->idom[pred];
        }
        r->idom[at] = found < 0 ? 0 : found;
    }
}

struct ranges *ranges_begin(const struct kernel *kernel, const struct cfg *cfg, struct wide *to, LLVMValueRef args,
                            LLVMValueRef box)
{
    struct ranges *r = arena_alloc(sizeof *r);
    r->kernel = kernel;
    r->cfg = cfg;
    r->to = to;
    r->args = args;
    r->box = box;
    r->contexts = arena_alloc((size_t)cfg->n * sizeof(struct context *));
    find_dominators(r);
    return r;
}

struct range ranges_of(struct ranges *r, int node, const struct poly *poly)
{
    return range_of(r, context_of(r, node), poly);
}

LLVMValueRef ranges_is_empty(struct ranges *r, int node)
{
    return is_empty(r, context_of(r, node));
}

/* SPDX-License-Identifier: MIT
 *
 * Tells blocks and tiles away from the borders from those at a border. Where each of a kernel's guards has one result
 * for all threads, these run a body in which the results are known, so that less is masked, and choices of places are
 * none.
 *
 * To find out, each operand gets an interval before the body: two numbers between which it lies for all threads. They
 * follow from the index's first and last values by arithmetic of intervals, in 64 bits. Comparing both ends of the box,
 * as suffices for lanes, says nothing about what is not linear in the other dimensions of a tile. Where boxes are
 * cut, a binary search along each dimension finds the last thread up to which such intervals show no change. */
#include "widen/borders.h"

#include "kernel/entry.h"
#include "kernel/guards.h"
#include "kernel/ir.h"

#include <limits.h>

struct interval {
    LLVMValueRef low, high;
};

struct evaluation {
    struct run *r;
    struct guards guards;
    const struct border_box *box;
    LLVMValueRef is_unusual; /* i1: some number takes more than the usual number of bits */
};

/* Computes a value for the first or the last thread of the box. */
static LLVMValueRef evaluate(struct evaluation *e, LLVMValueRef value, bool is_last)
{
    return run_evaluate(e->r, value, is_last ? e->box->last : e->box->first, e->box->tile);
}

static LLVMValueRef widened(struct evaluation *e, LLVMValueRef value, bool is_signed)
{
    return LLVMBuildIntCast2(e->r->builder, value, LLVMInt64TypeInContext(e->r->context), is_signed, "");
}

/* Returns the products of an interval and a number. */
static struct interval scaled(LLVMBuilderRef b, struct interval a, LLVMValueRef factor)
{
    LLVMValueRef low = LLVMBuildMul(b, a.low, factor, ""), high = LLVMBuildMul(b, a.high, factor, "");
    LLVMValueRef is_turned = LLVMBuildICmp(b, LLVMIntSLT, factor, LLVMConstNull(LLVMTypeOf(factor)), "");
    return (struct interval){LLVMBuildSelect(b, is_turned, high, low, ""),
                             LLVMBuildSelect(b, is_turned, low, high, "")};
}

static void note_unusual(struct evaluation *e, LLVMValueRef number)
{
    LLVMBuilderRef b = e->r->builder;
    LLVMValueRef half = LLVMConstInt(LLVMTypeOf(number), 1ULL << (GUARDS_USUAL_BITS - 1), false),
                 all = LLVMConstInt(LLVMTypeOf(number), 1ULL << GUARDS_USUAL_BITS, false);
    LLVMValueRef is_unusual = LLVMBuildICmp(b, LLVMIntUGE, LLVMBuildAdd(b, number, half, ""), all, "");
    e->is_unusual = LLVMBuildOr(b, e->is_unusual, is_unusual, "");
}

/* Returns the interval of the smaller or the larger of two. */
static struct interval extremum_of(struct evaluation *e, enum extremum kind, struct interval a, struct interval b)
{
    LLVMIntPredicate is_better = kind == EXTREMUM_SMIN ? LLVMIntSLT : LLVMIntSGT;
    LLVMBuilderRef builder = e->r->builder;
    LLVMValueRef takes_low = LLVMBuildICmp(builder, is_better, a.low, b.low, ""),
                 takes_high = LLVMBuildICmp(builder, is_better, a.high, b.high, "");
    return (struct interval){LLVMBuildSelect(builder, takes_low, a.low, b.low, ""),
                             LLVMBuildSelect(builder, takes_high, a.high, b.high, "")};
}

static struct interval interval_of(struct evaluation *e, LLVMValueRef value);

/* Returns the interval of a counter: up to its last number, or to where it starts, if that is not below. */
static struct interval interval_of_counter(struct evaluation *e, const struct rounds *rounds)
{
    LLVMBuilderRef b = e->r->builder;
    LLVMValueRef start = interval_of(e, rounds->start).low, bound = interval_of(e, rounds->bound).low;
    LLVMValueRef step = LLVMConstInt(LLVMTypeOf(start), (unsigned long long)rounds->step, true),
                 one = LLVMConstInt(LLVMTypeOf(start), 1, false);
    LLVMValueRef distance = LLVMBuildSub(b, rounds->is_last ? bound : LLVMBuildSub(b, bound, one, ""), start, "");
    LLVMValueRef last = LLVMBuildAdd(b, start, LLVMBuildMul(b, LLVMBuildSDiv(b, distance, step, ""), step, ""), "");
    LLVMValueRef is_run = LLVMBuildICmp(b, LLVMIntSGE, last, start, "");
    if (!rounds->is_last)
        return (struct interval){start, LLVMBuildSelect(b, is_run, last, start, "")};
    LLVMTypeRef type = LLVMTypeOf(start);
    return (struct interval){
        LLVMBuildSelect(b, is_run, start, LLVMConstInt(type, (unsigned long long)INT_MIN, true), ""),
        LLVMBuildSelect(b, is_run, last, LLVMConstInt(type, INT_MAX, false), "")};
}

/* Returns the interval of a value in a guard. */
static struct interval interval_of(struct evaluation *e, LLVMValueRef value)
{
    LLVMBuilderRef b = e->r->builder;
    if (guards_is_point(&e->guards, value)) {
        LLVMValueRef number = LLVMBuildFreeze(b, widened(e, evaluate(e, value, false), true), "");
        if (guards_may_be_unusual(&e->guards, value))
            note_unusual(e, number);
        return (struct interval){number, number};
    }
    if (LLVMIsAArgument(value))
        return (struct interval){widened(e, evaluate(e, value, false), true),
                                 widened(e, evaluate(e, value, true), true)};
    struct rounds rounds;
    if (guards_is_counter(&e->guards, value, &rounds))
        return interval_of_counter(e, &rounds);
    struct interval left = interval_of(e, LLVMGetOperand(value, 0)), right = {0};
    if (LLVMIsABinaryOperator(value) || LLVMIsACallInst(value))
        right = interval_of(e, LLVMGetOperand(value, 1));
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMAdd:
    case LLVMOr:
        return (struct interval){LLVMBuildAdd(b, left.low, right.low, ""), LLVMBuildAdd(b, left.high, right.high, "")};
    case LLVMSub:
        return (struct interval){LLVMBuildSub(b, left.low, right.high, ""), LLVMBuildSub(b, left.high, right.low, "")};
    case LLVMMul:
        return guards_is_point(&e->guards, LLVMGetOperand(value, 1)) ? scaled(b, left, right.low)
                                                                     : scaled(b, right, left.low);
    case LLVMShl:
        return (struct interval){LLVMBuildShl(b, left.low, right.low, ""), LLVMBuildShl(b, left.high, right.low, "")};
    case LLVMXor:
        return (struct interval){LLVMBuildNot(b, left.high, ""), LLVMBuildNot(b, left.low, "")};
    case LLVMSExt:
    case LLVMZExt:
        return left;
    case LLVMCall:
        return extremum_of(e, ir_extremum(value), left, right);
    default:
        diag_defect(e->r->kernel->name, "no interval of %s", LLVMPrintValueToString(value));
    }
}

/* Returns the interval of a side of a guard. A point may be any number: one beyond all that the other side may take
 * stands for those farther away. */
static struct interval interval_of_side(struct evaluation *e, LLVMValueRef value, bool is_signed)
{
    LLVMBuilderRef b = e->r->builder;
    if (!guards_is_point(&e->guards, value))
        return interval_of(e, value);
    LLVMValueRef number = LLVMBuildFreeze(b, widened(e, evaluate(e, value, false), is_signed), "");
    bool may_be_huge = !is_signed && LLVMGetIntTypeWidth(LLVMTypeOf(value)) == 64; /* what is negative if signed */
    if (!guards_may_be_unusual(&e->guards, value) && !may_be_huge)
        return (struct interval){number, number};
    LLVMValueRef most = LLVMConstInt(LLVMTypeOf(number), 1ULL << GUARDS_BITS, false),
                 least = LLVMConstInt(LLVMTypeOf(number), -(1ULL << GUARDS_BITS), true);
    LLVMIntPredicate is_more = is_signed ? LLVMIntSGT : LLVMIntUGT;
    number = LLVMBuildSelect(b, LLVMBuildICmp(b, is_more, number, most, ""), most, number, "");
    number = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntSLT, number, least, ""), least, number, "");
    return (struct interval){number, number};
}

/* Returns the signed predicate that is equivalent for numbers that are not negative. */
static LLVMIntPredicate as_signed(LLVMIntPredicate predicate)
{
    switch (predicate) {
    case LLVMIntUGT:
        return LLVMIntSGT;
    case LLVMIntUGE:
        return LLVMIntSGE;
    case LLVMIntULT:
        return LLVMIntSLT;
    case LLVMIntULE:
        return LLVMIntSLE;
    default:
        return predicate;
    }
}

/* Returns an i1: whether one of two intervals has a negative number, which is large when taken as unsigned. */
static LLVMValueRef is_negative(struct evaluation *e, struct interval a, struct interval b)
{
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(a.low));
    return LLVMBuildOr(e->r->builder, LLVMBuildICmp(e->r->builder, LLVMIntSLT, a.low, zero, ""),
                       LLVMBuildICmp(e->r->builder, LLVMIntSLT, b.low, zero, ""), "");
}

/* Returns an i1: whether a comparison may differ between the threads of the box. Sets `*result` to what it is if it
 * does not. */
static LLVMValueRef may_differ(struct evaluation *e, LLVMValueRef comparison, LLVMValueRef *result)
{
    LLVMBuilderRef b = e->r->builder;
    LLVMIntPredicate predicate = LLVMGetICmpPredicate(comparison), plain = as_signed(predicate);
    bool is_signed = predicate == plain;
    struct interval left = interval_of_side(e, LLVMGetOperand(comparison, 0), is_signed),
                    right = interval_of_side(e, LLVMGetOperand(comparison, 1), is_signed);
    if (plain == LLVMIntEQ || plain == LLVMIntNE) {
        *result = LLVMBuildICmp(b, plain, left.low, right.low, "");
        LLVMValueRef overlaps = LLVMBuildAnd(b, LLVMBuildICmp(b, LLVMIntSLE, left.low, right.high, ""),
                                             LLVMBuildICmp(b, LLVMIntSLE, right.low, left.high, ""), "");
        LLVMValueRef is_wide = LLVMBuildOr(b, LLVMBuildICmp(b, LLVMIntNE, left.low, left.high, ""),
                                           LLVMBuildICmp(b, LLVMIntNE, right.low, right.high, ""), "");
        return LLVMBuildAnd(b, overlaps, is_wide, "");
    }
    bool is_less = plain == LLVMIntSLT || plain == LLVMIntSLE;
    LLVMValueRef hardest =
                     LLVMBuildICmp(b, plain, is_less ? left.high : left.low, is_less ? right.low : right.high, ""),
                 easiest =
                     LLVMBuildICmp(b, plain, is_less ? left.low : left.high, is_less ? right.high : right.low, "");
    *result = hardest;
    LLVMValueRef differs = LLVMBuildXor(b, hardest, easiest, "");
    if (is_signed)
        return differs;
    return LLVMBuildOr(b, differs, is_negative(e, left, right), "");
}

/* Returns an i1: whether the smaller or the larger of two may not be operand `taken` for some thread of the box. */
static LLVMValueRef may_take_other(struct evaluation *e, LLVMValueRef extremum, unsigned taken)
{
    LLVMBuilderRef b = e->r->builder;
    enum extremum kind = ir_extremum(extremum);
    bool is_signed = kind == EXTREMUM_SMIN || kind == EXTREMUM_SMAX,
         is_min = kind == EXTREMUM_SMIN || kind == EXTREMUM_UMIN;
    struct interval own = interval_of_side(e, LLVMGetOperand(extremum, taken), is_signed),
                    other = interval_of_side(e, LLVMGetOperand(extremum, !taken), is_signed);
    LLVMValueRef result = is_min ? LLVMBuildICmp(b, LLVMIntSGT, own.high, other.low, "")
                                 : LLVMBuildICmp(b, LLVMIntSLT, own.low, other.high, "");
    return is_signed ? result : LLVMBuildOr(b, result, is_negative(e, own, other), "");
}

/* Returns an i1: whether the quotient, of which this is the remainder, may differ between the threads of the box, or
 * something may be negative. */
static LLVMValueRef may_wrap(struct evaluation *e, LLVMValueRef remainder)
{
    LLVMBuilderRef b = e->r->builder;
    bool is_signed = LLVMGetInstructionOpcode(remainder) == LLVMSRem;
    struct interval dividend = interval_of_side(e, LLVMGetOperand(remainder, 0), is_signed),
                    divisor = interval_of_side(e, LLVMGetOperand(remainder, 1), is_signed);
    LLVMValueRef one = LLVMConstInt(LLVMTypeOf(divisor.low), 1, false);
    LLVMValueRef is_small = LLVMBuildICmp(b, LLVMIntSLT, divisor.low, one, "");
    LLVMValueRef by = LLVMBuildSelect(b, is_small, one, divisor.low, "");
    LLVMValueRef width = LLVMBuildSub(b, dividend.high, dividend.low, "");
    LLVMValueRef end = LLVMBuildAdd(b, LLVMBuildURem(b, dividend.low, by, ""), width, "");
    LLVMValueRef wraps = LLVMBuildICmp(b, LLVMIntSGE, end, by, "");
    return LLVMBuildOr(b, LLVMBuildOr(b, wraps, is_small, ""), is_negative(e, dividend, dividend), "");
}

/* Returns how often a loop goes on that a thread begins with a number. */
static LLVMValueRef rounds_from(struct evaluation *e, const struct strides *strides, LLVMValueRef number)
{
    LLVMBuilderRef b = e->r->builder;
    LLVMTypeRef type = LLVMTypeOf(number);
    LLVMValueRef left = LLVMBuildSub(b, interval_of(e, strides->bound).low, number, "");
    left = LLVMBuildSub(b, left, LLVMConstInt(type, (unsigned long long)strides->ahead, true), "");
    left =
        LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntSGT, left, LLVMConstNull(type), ""), left, LLVMConstNull(type), "");
    left = LLVMBuildAdd(b, left, LLVMConstInt(type, (unsigned long long)strides->step - 1, false), "");
    return LLVMBuildUDiv(b, left, LLVMConstInt(type, (unsigned long long)strides->step, false), "");
}

/* Does what `cross` does for one guard. */
static LLVMValueRef crosses_at(struct evaluation *e, LLVMValueRef guard, int what, LLVMValueRef *known)
{
    LLVMBuilderRef b = e->r->builder;
    if (ir_extremum(guard))
        return may_take_other(e, guard, (what & KNOWN_ONE) != 0);
    if (!LLVMIsAICmpInst(guard))
        return may_wrap(e, guard);
    struct strides strides;
    if ((what & KNOWN_EACH) && guards_is_stride(&e->guards, guard, &strides)) {
        struct interval start = interval_of(e, strides.start);
        return LLVMBuildICmp(b, LLVMIntNE, rounds_from(e, &strides, start.low), rounds_from(e, &strides, start.high),
                             "");
    }
    LLVMValueRef differs = may_differ(e, guard, known);
    if (!(what & KNOWN_RESULT))
        return differs;
    LLVMValueRef wanted = LLVMConstInt(LLVMTypeOf(*known), (what & KNOWN_ONE) != 0, false);
    differs = LLVMBuildOr(b, differs, LLVMBuildICmp(b, LLVMIntNE, *known, wanted, ""), "");
    *known = wanted;
    return differs;
}

/* Does what borders_cross does for the guards that depend on this dimension of the box; -1: for all. */
static LLVMValueRef cross(struct run *r, const struct shapes *shapes, const struct border_box *box, LLVMValueRef *known,
                          int dimension)
{
    LLVMValueRef result = LLVMConstInt(LLVMInt1TypeInContext(r->context), 0, false);
    struct evaluation e = {r, {r->kernel, r->cfg, r->plan->truth, KNOWN_FOR_ALL}, box, result};
    for (int at = 0; at < r->cfg->n; at++)
        for (LLVMValueRef i = r->cfg->nodes[at].first; i != r->cfg->nodes[at].end; i = LLVMGetNextInstruction(i)) {
            int what = map_get(shapes->known, i);
            if (what < 0)
                continue;
            e.guards.known_for = what & KNOWN_FOR;
            if (dimension >= 0 && guards_dimension(&e.guards, i) != dimension)
                continue;
            LLVMValueRef crosses = crosses_at(&e, i, what, &known[map_get(shapes->numbers, i)]);
            result = LLVMBuildOr(r->builder, result, crosses, "");
        }
    return LLVMBuildOr(r->builder, result, e.is_unusual, "");
}

LLVMValueRef borders_cross(struct run *r, const struct shapes *shapes, const struct border_box *box,
                           LLVMValueRef *known)
{
    return cross(r, shapes, box, known, -1);
}

/* ---- tiles ---- */

struct border_box borders_tile(const struct run *r, const LLVMValueRef tile[3])
{
    struct border_box box;
    for (int d = 0; d < 3; d++) {
        int size = d < 3 - r->kernel->rank ? 1 : r->kernel->tile[d - (3 - r->kernel->rank)];
        box.first[d] = run_number(r, 0);
        box.last[d] = run_number(r, size - 1);
        box.tile[d] = tile[d];
    }
    return box;
}

LLVMValueRef borders_cross_any_tile(struct run *r, const struct shapes *shapes)
{
    LLVMBuilderRef b = r->builder;
    LLVMTypeRef bit = LLVMInt1TypeInContext(r->context);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(b);
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(r->entry));
    LLVMValueRef result = LLVMBuildAlloca(b, bit, "crosses");
    LLVMPositionBuilderAtEnd(b, here);
    LLVMValueRef *first = arena_alloc((size_t)shapes->n_values * sizeof *first),
                 *known = arena_alloc((size_t)shapes->n_values * sizeof *known);
    struct border_box box = borders_tile(r, r->begin);
    LLVMBuildStore(b, borders_cross(r, shapes, &box, first), result);
    struct counter planes = run_begin_outer_loop(r, r->begin[0], r->end[0], "plane"),
                   rows = run_begin_outer_loop(r, r->begin[1], r->end[1], "row"),
                   columns = run_begin_loop(r, r->begin[2], r->end[2], 1, "column");
    box = borders_tile(r, (LLVMValueRef[]){planes.index, rows.index, columns.index});
    LLVMValueRef crosses = borders_cross(r, shapes, &box, known);
    for (int value = 0; value < shapes->n_values; value++)
        if (known[value])
            crosses = LLVMBuildOr(b, crosses, LLVMBuildXor(b, known[value], first[value], ""), "");
    LLVMBuildStore(b, LLVMBuildOr(b, crosses, LLVMBuildLoad2(b, bit, result, ""), ""), result);
    run_end_loop(r, &columns);
    run_end_loop(r, &rows);
    run_end_loop(r, &planes);
    return LLVMBuildLoad2(b, bit, result, "");
}

/* ---- parts of a box ---- */

bool borders_depend_on(const struct run *r, const struct shapes *shapes, int dimension)
{
    struct guards guards = {r->kernel, r->cfg, r->plan->truth, KNOWN_FOR_ALL};
    for (int at = 0; at < r->cfg->n; at++)
        for (LLVMValueRef i = r->cfg->nodes[at].first; i != r->cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
            if (map_get(shapes->known, i) >= 0 && guards_dimension(&guards, i) == dimension)
                return true;
    return false;
}

/* Returns an i1: whether guards of a dimension change up to this thread. */
static LLVMValueRef changes_up_to(struct run *r, const struct shapes *shapes, int dimension, LLVMValueRef last)
{
    LLVMValueRef *known = arena_alloc((size_t)shapes->n_values * sizeof *known);
    struct border_box box = {.tile = {NULL}};
    for (int d = 0; d < 3; d++)
        box.first[d] = box.last[d] = r->begin[d];
    box.last[dimension] = last;
    return cross(r, shapes, &box, known, dimension);
}

LLVMValueRef borders_end_of_part(struct run *r, const struct shapes *shapes, int dimension)
{
    LLVMBuilderRef b = r->builder;
    LLVMTypeRef type = run_int(r);
    LLVMValueRef begin = r->begin[dimension], one = run_number(r, 1);
    LLVMValueRef last = LLVMBuildNSWSub(b, r->end[dimension], one, "");
    LLVMBasicBlockRef search = run_new_block(r, "search"), try = run_new_block(r, "try"),
                      done = run_new_block(r, "part");
    LLVMValueRef changes = changes_up_to(r, shapes, dimension, last);
    LLVMBasicBlockRef start = LLVMGetInsertBlock(b);
    LLVMBuildCondBr(b, changes, search, done);

    /* They change between `low`, up to which they do not, and `high`. */
    LLVMPositionBuilderAtEnd(b, search);
    LLVMValueRef low = LLVMBuildPhi(b, type, "low"), high = LLVMBuildPhi(b, type, "high");
    LLVMValueRef distance = LLVMBuildSub(b, high, low, "");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntUGT, distance, one, ""), try, done);
    LLVMPositionBuilderAtEnd(b, try);
    LLVMValueRef middle = run_add(r, low, LLVMBuildLShr(b, distance, one, ""));
    LLVMValueRef is_beyond = changes_up_to(r, shapes, dimension, middle);
    LLVMValueRef next_low = LLVMBuildSelect(b, is_beyond, low, middle, ""),
                 next_high = LLVMBuildSelect(b, is_beyond, middle, high, "");
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, search);
    LLVMAddIncoming(low, (LLVMValueRef[]){begin, next_low}, (LLVMBasicBlockRef[]){start, latch}, 2);
    LLVMAddIncoming(high, (LLVMValueRef[]){last, next_high}, (LLVMBasicBlockRef[]){start, latch}, 2);

    LLVMPositionBuilderAtEnd(b, done);
    LLVMValueRef end = LLVMBuildPhi(b, type, "last");
    LLVMAddIncoming(end, (LLVMValueRef[]){last, low}, (LLVMBasicBlockRef[]){start, search}, 2);
    return run_add(r, end, one);
}

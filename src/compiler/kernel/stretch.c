/* SPDX-License-Identifier: MIT
 *
 * Finds loads whose place moves on by one element with each iteration of a loop, as that of a[row][k] does in
 *
 *     for (int k = 0; k < n; k++)
 *         sum += a[row][k] * x[k];
 *
 * What an integer or address gains with an iteration follows from its operands, down to the counters of the loop. In a
 * narrow type it must not wrap: where it is extended, the operations below it promise that, and a thread that breaks
 * the promise has no defined behaviour, because it goes on to load from that address.
 *
 * Elements of later iterations may only be loaded if these iterations certainly follow. So the loop has one exit, which
 * no thread takes before others, and compares a counter with a value that does not change. What the thread itself may
 * have written in between must be seen, so nothing in the loop may write to memory that could be the array's. Another
 * thread may not write there without a barrier in between: that would be a race. */
#include "kernel/stretch.h"

#include "kernel/calls.h"
#include "kernel/ir.h"
#include "kernel/origin.h"

/* By how much a value grows from iteration to iteration: for addresses in bytes. */
struct gain {
    bool is_known;
    long by;
    bool no_wrap; /* as a signed number it grows by that, too, or it is poison */
};

struct search {
    const struct shapes *shapes;
    const struct loop *loop;
    LLVMTargetDataRef layout;
};

static const struct gain unknown = {0}, none = {.is_known = true, .no_wrap = true};

static bool is_in_loop(const struct search *s, LLVMValueRef value)
{
    int node = LLVMIsAInstruction(value) ? map_get(s->shapes->cfg->first_node, LLVMGetInstructionParent(value)) : -1;
    return node >= s->loop->header && node <= s->loop->last;
}

static int latch_of(const struct search *s)
{
    return cfg_latch(s->shapes->cfg, (int)(s->loop - s->shapes->cfg->loops));
}

/* Returns what comes into a phi of the loop's header from the loop; NULL if it is no such phi. */
static LLVMValueRef next_value(const struct search *s, LLVMValueRef phi)
{
    const struct cfg *cfg = s->shapes->cfg;
    int latch = latch_of(s);
    if (!LLVMIsAPHINode(phi) || latch < 0 || LLVMGetInstructionParent(phi) != cfg->nodes[s->loop->header].block)
        return NULL;
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
        if (LLVMGetIncomingBlock(phi, k) == cfg->nodes[latch].block)
            return LLVMGetIncomingValue(phi, k);
    return NULL;
}

static bool is_small(long number)
{
    return number > -(1L << 31) && number < 1L << 31;
}

static bool small_constant(LLVMValueRef value, long *result)
{
    long long number;
    if (!ir_read_constant(value, &number))
        return false;
    *result = (long)number;
    return is_small(*result);
}

/* Makes a gain of less than 2^31, in either direction, known. */
static struct gain known(long by, bool no_wrap)
{
    return is_small(by) ? (struct gain){true, by, no_wrap || by == 0} : unknown;
}

static struct gain gain_of(const struct search *s, LLVMValueRef value, int depth);

static struct gain gain_of_sum(const struct search *s, LLVMValueRef value, int sign, bool no_wrap, int depth)
{
    struct gain a = gain_of(s, LLVMGetOperand(value, 0), depth);
    struct gain b = a.is_known ? gain_of(s, LLVMGetOperand(value, 1), depth) : unknown;
    return b.is_known ? known(a.by + sign * b.by, no_wrap && a.no_wrap && b.no_wrap) : unknown;
}

static struct gain gain_of_product(const struct search *s, LLVMValueRef value, int depth)
{
    struct gain a = gain_of(s, LLVMGetOperand(value, 0), depth), b = gain_of(s, LLVMGetOperand(value, 1), depth);
    long factor;
    if (!a.is_known || !b.is_known)
        return unknown;
    if (a.by == 0 && b.by == 0)
        return none;
    if (small_constant(LLVMGetOperand(value, 1), &factor))
        return known(a.by * factor, LLVMGetNSW(value) && a.no_wrap);
    return unknown; /* constants stand on the right */
}

/* ~x is -1 - x. */
static struct gain gain_of_complement(const struct search *s, LLVMValueRef value, int depth)
{
    struct gain gain = gain_of(s, LLVMGetOperand(value, 0), depth);
    bool is_not = LLVMGetOperand(value, 1) == LLVMConstAllOnes(LLVMTypeOf(value));
    return is_not && gain.is_known ? known(-gain.by, gain.no_wrap) : unknown;
}

static struct gain gain_of_shift(const struct search *s, LLVMValueRef value, int depth)
{
    struct gain a = gain_of(s, LLVMGetOperand(value, 0), depth), b = gain_of(s, LLVMGetOperand(value, 1), depth);
    long bits;
    if (!a.is_known || !b.is_known || b.by != 0)
        return unknown;
    if (a.by == 0)
        return none;
    if (!small_constant(LLVMGetOperand(value, 1), &bits) || bits < 0 || bits > 31)
        return unknown;
    return known(a.by * (1L << bits), LLVMGetNSW(value) && a.no_wrap);
}

static struct gain gain_of_extension(const struct search *s, LLVMValueRef value, int depth)
{
    LLVMValueRef operand = LLVMGetOperand(value, 0);
    struct gain gain = gain_of(s, operand, depth);
    bool is_signed = LLVMIsASExtInst(value) || LLVMGetNNeg(value) || shape_of(s->shapes, operand).positive;
    if (!gain.is_known || (gain.by != 0 && !(gain.no_wrap && is_signed)))
        return unknown;
    return known(gain.by, true);
}

static struct gain gain_of_address(const struct search *s, LLVMValueRef gep, int depth)
{
    struct gain result = gain_of(s, LLVMGetOperand(gep, 0), depth);
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    for (int i = 1; i < LLVMGetNumOperands(gep) && result.is_known; i++) {
        LLVMValueRef index = LLVMGetOperand(gep, (unsigned)i);
        if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            type = LLVMStructGetTypeAtIndex(type, (unsigned)LLVMConstIntGetZExtValue(index));
            continue;
        }
        if (i > 1)
            type = LLVMGetElementType(type);
        struct gain gain = gain_of(s, index, depth);
        unsigned long long size = LLVMABISizeOfType(s->layout, type);
        if (!gain.is_known || size >= 1UL << 31 || (!gain.no_wrap && LLVMGetIntTypeWidth(LLVMTypeOf(index)) < 64))
            return unknown;
        result = known(result.by + gain.by * (long)size, true);
    }
    return result;
}

/* Returns the gain of a counter: a phi to which each iteration adds a constant. */
static struct gain gain_of_counter(const struct search *s, LLVMValueRef phi)
{
    LLVMValueRef next = next_value(s, phi);
    long step;
    if (!next || !LLVMIsAInstruction(next) || LLVMGetNumOperands(next) != 2 || LLVMGetOperand(next, 0) != phi ||
        !small_constant(LLVMGetOperand(next, 1), &step))
        return unknown;
    switch (LLVMGetInstructionOpcode(next)) {
    case LLVMAdd:
        return known(step, LLVMGetNSW(next));
    case LLVMSub:
        return known(-step, LLVMGetNSW(next));
    case LLVMGetElementPtr:
        return known(step * (long)LLVMABISizeOfType(s->layout, LLVMGetGEPSourceElementType(next)), true);
    default:
        return unknown;
    }
}

static struct gain gain_of(const struct search *s, LLVMValueRef value, int depth)
{
    if (!LLVMIsAInstruction(value) || !is_in_loop(s, value))
        return none;
    if (depth == 0)
        return unknown;
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMPHI:
        return gain_of_counter(s, value);
    case LLVMAdd:
        return gain_of_sum(s, value, 1, LLVMGetNSW(value), depth - 1);
    case LLVMSub:
        return gain_of_sum(s, value, -1, LLVMGetNSW(value), depth - 1);
    case LLVMOr:
        return LLVMGetIsDisjoint(value) ? gain_of_sum(s, value, 1, true, depth - 1) : unknown;
    case LLVMXor:
        return gain_of_complement(s, value, depth - 1);
    case LLVMMul:
        return gain_of_product(s, value, depth - 1);
    case LLVMShl:
        return gain_of_shift(s, value, depth - 1);
    case LLVMSExt:
    case LLVMZExt:
        return gain_of_extension(s, value, depth - 1);
    case LLVMGetElementPtr:
        return gain_of_address(s, value, depth - 1);
    default:
        return unknown;
    }
}

/* ---- the loop ---- */

/* Returns the only node from which control leaves the loop; -1 if there are several, or none. */
static int exit_of(const struct search *s)
{
    const struct cfg *cfg = s->shapes->cfg;
    int exit = -1, n = 0;
    for (int at = s->loop->header; at <= s->loop->last; at++) {
        const struct node *node = &cfg->nodes[at];
        n += node->n_succ == 0;
        for (int i = 0; i < node->n_succ; i++)
            if (node->succ[i] < s->loop->header || node->succ[i] > s->loop->last) {
                exit = at;
                n++;
            }
    }
    return n == 1 ? exit : -1;
}

/* Whether each iteration that goes on to the next one runs `node`. */
static bool is_run_always(const struct search *s, int node)
{
    const struct cfg *cfg = s->shapes->cfg;
    bool *reached = arena_alloc((size_t)cfg->n);
    reached[s->loop->header] = s->loop->header != node;
    for (int at = s->loop->header; at <= s->loop->last; at++)
        for (int i = 0; reached[at] && i < cfg->nodes[at].n_succ; i++)
            if (cfg->nodes[at].succ[i] != node)
                reached[cfg->nodes[at].succ[i]] = true;
    int latch = latch_of(s);
    return latch >= 0 && !reached[latch];
}

/* Returns the predicate that holds while the loop goes on, with the counter on the left. */
static LLVMIntPredicate predicate_of(LLVMValueRef comparison, bool goes_on_if_true, bool is_swapped)
{
    static const LLVMIntPredicate inverse[] = {
        [LLVMIntEQ] = LLVMIntNE,   [LLVMIntNE] = LLVMIntEQ,   [LLVMIntUGT] = LLVMIntULE, [LLVMIntULE] = LLVMIntUGT,
        [LLVMIntUGE] = LLVMIntULT, [LLVMIntULT] = LLVMIntUGE, [LLVMIntSGT] = LLVMIntSLE, [LLVMIntSLE] = LLVMIntSGT,
        [LLVMIntSGE] = LLVMIntSLT, [LLVMIntSLT] = LLVMIntSGE,
    };
    static const LLVMIntPredicate swapped[] = {
        [LLVMIntEQ] = LLVMIntEQ,   [LLVMIntNE] = LLVMIntNE,   [LLVMIntUGT] = LLVMIntULT, [LLVMIntULT] = LLVMIntUGT,
        [LLVMIntUGE] = LLVMIntULE, [LLVMIntULE] = LLVMIntUGE, [LLVMIntSGT] = LLVMIntSLT, [LLVMIntSLT] = LLVMIntSGT,
        [LLVMIntSGE] = LLVMIntSLE, [LLVMIntSLE] = LLVMIntSGE,
    };
    LLVMIntPredicate predicate = LLVMGetICmpPredicate(comparison);
    if (is_swapped)
        predicate = swapped[predicate];
    return goes_on_if_true ? predicate : inverse[predicate];
}

/* Whether a counter that steps so reaches the end of what the predicate allows, and does not pass it unseen. */
static bool is_predicate_of_step(LLVMIntPredicate predicate, long step)
{
    switch (predicate) {
    case LLVMIntNE:
        return step == 1 || step == -1;
    case LLVMIntSLT:
    case LLVMIntSLE:
    case LLVMIntULT:
    case LLVMIntULE:
        return step > 0;
    case LLVMIntSGT:
    case LLVMIntSGE:
    case LLVMIntUGT:
    case LLVMIntUGE:
        return step < 0;
    default:
        return false;
    }
}

/* Returns the counter that the loop compares, perhaps cut to fewer bits, to decide whether it goes on; NULL if there is
 * none. A loop that compares the counter's next value does so when all else is done: then, too, each value that
 * compares so is one more iteration. */
static LLVMValueRef counter_of(const struct search *s, LLVMValueRef compared, int exit)
{
    if (LLVMIsATruncInst(compared))
        compared = LLVMGetOperand(compared, 0);
    const struct node *header = &s->shapes->cfg->nodes[s->loop->header];
    for (LLVMValueRef phi = header->first; phi != header->end && LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi))
        if (compared == phi || (compared == next_value(s, phi) && exit == latch_of(s)))
            return phi;
    return NULL;
}

static bool is_uniform(const struct search *s, LLVMValueRef value)
{
    return shape_of(s->shapes, value).kind == SHAPE_UNIFORM;
}

/* Fills in how the loop decides whether it goes on; `for_each`: each thread for itself. */
static bool find_counter(const struct search *s, bool for_each, struct stretch *stretch)
{
    const struct cfg *cfg = s->shapes->cfg;
    int exit = exit_of(s);
    if (exit < 0 || cfg->nodes[exit].n_succ != 2 || (s->shapes->divergent[exit] && !for_each) || latch_of(s) < 0)
        return false;
    LLVMValueRef comparison = LLVMGetCondition(LLVMGetBasicBlockTerminator(cfg->nodes[exit].block));
    bool goes_on_if_true = cfg_in_loop(cfg, cfg->nodes[exit].succ[0], stretch->loop);
    if (!LLVMIsAICmpInst(comparison) ||
        LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(comparison, 0))) != LLVMIntegerTypeKind)
        return false;
    for (unsigned o = 0; o < 2; o++) {
        stretch->bound = LLVMGetOperand(comparison, 1 - o);
        stretch->counter = counter_of(s, LLVMGetOperand(comparison, o), exit);
        if (!stretch->counter || is_in_loop(s, stretch->bound))
            continue;
        struct gain gain = gain_of_counter(s, stretch->counter);
        stretch->step = gain.by;
        stretch->predicate = predicate_of(comparison, goes_on_if_true, o == 1);
        bool is_whole = LLVMTypeOf(stretch->counter) == LLVMTypeOf(stretch->bound);
        return gain.is_known && is_predicate_of_step(stretch->predicate, gain.by) &&
               (is_whole || stretch->predicate == LLVMIntNE) &&
               (for_each || (is_uniform(s, stretch->counter) && is_uniform(s, stretch->bound)));
    }
    return false;
}

bool stretch_may_write(const struct kernel *kernel, LLVMValueRef i)
{
    LLVMValueRef place;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMStore:
        place = LLVMGetOperand(i, 1);
        break;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        place = LLVMGetOperand(i, 0);
        break;
    case LLVMCall:
        return !calls_is_pure(i) && calls_kind(i) != CALL_HINT;
    case LLVMFence:
        return true;
    default:
        return false;
    }
    return (origin_of(kernel, place).kinds & ~(ORIGIN_TILE | ORIGIN_PRIVATE)) != 0;
}

static bool may_write_in_loop(const struct kernel *kernel, const struct search *s)
{
    const struct cfg *cfg = s->shapes->cfg;
    for (int at = s->loop->header; at <= s->loop->last; at++)
        for (LLVMValueRef i = cfg->nodes[at].first; i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
            if (stretch_may_write(kernel, i))
                return true;
    return false;
}

enum { DEPTH = 8 }; /* longer chains of operations are rare */

static struct search search_in(const struct shapes *shapes, int loop)
{
    return (struct search){shapes, &shapes->cfg->loops[loop],
                           LLVMGetModuleDataLayout(LLVMGetGlobalParent(shapes->cfg->function))};
}

/* Begins a search in the innermost loop around an instruction, which is in one. */
static struct search search_around(const struct shapes *shapes, LLVMValueRef i)
{
    const struct cfg *cfg = shapes->cfg;
    return search_in(shapes, cfg->nodes[map_get(cfg->first_node, LLVMGetInstructionParent(i))].loop);
}

bool stretch_find_counter(const struct shapes *shapes, int loop, struct stretch *stretch)
{
    struct search s = search_in(shapes, loop);
    stretch->loop = loop;
    return find_counter(&s, false, stretch);
}

bool stretch_find_counters(const struct shapes *shapes, int loop, struct stretch *stretch)
{
    struct search s = search_in(shapes, loop);
    stretch->loop = loop;
    return find_counter(&s, true, stretch);
}

const struct stretch *stretch_of(const struct kernel *kernel, const struct shapes *shapes, LLVMValueRef load)
{
    const struct cfg *cfg = shapes->cfg;
    int node = map_get(cfg->first_node, LLVMGetInstructionParent(load));
    if (node < 0 || cfg->nodes[node].loop < 0 || (origin_of(kernel, LLVMGetOperand(load, 0)).kinds & ~ORIGIN_ARRAY))
        return NULL;
    struct search s = search_around(shapes, load);
    struct gain gain = gain_of(&s, LLVMGetOperand(load, 0), DEPTH);
    long size = (long)LLVMStoreSizeOfType(s.layout, LLVMTypeOf(load));
    struct stretch *stretch = arena_alloc(sizeof *stretch);
    stretch->loop = cfg->nodes[node].loop;
    stretch->is_backwards = gain.by < 0;
    bool is_one = gain.is_known && (gain.by == size || gain.by == -size) &&
                  size == (long)LLVMABISizeOfType(s.layout, LLVMTypeOf(load));
    return is_one && is_run_always(&s, node) && find_counter(&s, false, stretch) && !may_write_in_loop(kernel, &s)
               ? stretch
               : NULL;
}

long stretch_gain(const struct shapes *shapes, LLVMValueRef access)
{
    struct search s = search_around(shapes, access);
    return gain_of(&s, LLVMGetOperand(access, LLVMIsAStoreInst(access) != NULL), DEPTH).by;
}

bool stretch_counts(const struct shapes *shapes, int loop, LLVMValueRef phi, long *step)
{
    struct search s = search_in(shapes, loop);
    struct gain gain = gain_of_counter(&s, phi);
    *step = gain.by;
    return gain.is_known;
}

bool stretch_can_be(const struct stretch *stretch, int length)
{
    unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(stretch->bound));
    long distance = length * (stretch->step < 0 ? -stretch->step : stretch->step), first, last;
    if (width > 64 || (width < 64 && distance >= 1L << (width - 1)))
        return false;
    for (unsigned k = 0; k < LLVMCountIncoming(stretch->counter); k++)
        if (small_constant(LLVMGetIncomingValue(stretch->counter, k), &first) && small_constant(stretch->bound, &last))
            return (last > first ? last - first : first - last) >= distance;
    return true;
}

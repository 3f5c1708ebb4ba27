/* SPDX-License-Identifier: MIT
 *
 * A forward analysis to the least fixed point over the lattice unknown < uniform, linear(stride) < varying, together
 * with the divergence of control flow, because each feeds the other: a branch on a varying value makes the phis vary
 * where its paths meet (sync dependence), and, if it leaves a loop, whatever the loop hands out (temporal dependence;
 * the loop-closed form of `prepare` makes those values phis of the exit blocks). To find where paths meet, each
 * successor of the branch gets a label, and labels are pushed forward: a node that two labels reach is a meeting point,
 * and its phis vary if these paths bring different values. Control dependence alone would be simpler, but it would call
 * a loop counter varying because the loop is inside a varying `if`. */
#include "kernel/shape.h"

#include "kernel/calls.h"
#include "kernel/entry.h"
#include "kernel/exact.h"
#include "kernel/interleave.h"

#include <string.h>

static const struct shape uniform_shape = {.kind = SHAPE_UNIFORM, .no_wrap = true};

static bool same_shape(struct shape a, struct shape b)
{
    return a.kind == b.kind && a.stride == b.stride && a.no_wrap == b.no_wrap && a.positive == b.positive &&
           a.rows == b.rows && a.memory == b.memory;
}

/* Returns what is true of any value computed from `a` and `b`. */
static struct shape combine(struct shape a, struct shape b)
{
    struct shape result = {.rows = a.rows || b.rows, .memory = a.memory || b.memory, .no_wrap = true};
    if (a.kind == SHAPE_UNKNOWN || b.kind == SHAPE_UNKNOWN)
        result.kind = SHAPE_UNKNOWN;
    else
        result.kind = a.kind == SHAPE_UNIFORM && b.kind == SHAPE_UNIFORM ? SHAPE_UNIFORM : SHAPE_VARYING;
    return result;
}

static struct shape linear(struct shape shape, long stride, bool no_wrap)
{
    if (shape.kind == SHAPE_UNKNOWN)
        return shape;
    shape.kind = stride ? SHAPE_LINEAR : SHAPE_UNIFORM;
    shape.stride = stride;
    shape.no_wrap = no_wrap || !stride;
    return shape;
}

static bool is_linear(struct shape shape)
{
    return shape.kind == SHAPE_UNIFORM || shape.kind == SHAPE_LINEAR;
}

/* Returns the shape of one value out of several: a select with a uniform condition, or a phi. */
static struct shape join(struct shape a, struct shape b)
{
    if (a.kind == SHAPE_UNKNOWN)
        return b;
    if (b.kind == SHAPE_UNKNOWN)
        return a;
    struct shape result = combine(a, b);
    if (is_linear(a) && is_linear(b) && a.stride == b.stride)
        result = linear(result, a.stride, a.no_wrap && b.no_wrap);
    result.positive = a.positive && b.positive;
    return result;
}

static bool small_constant(LLVMValueRef value, long *result)
{
    if (!LLVMIsAConstantInt(value) || LLVMGetIntTypeWidth(LLVMTypeOf(value)) > 64)
        return false;
    *result = (long)LLVMConstIntGetSExtValue(value);
    return *result > -(1L << 31) && *result < 1L << 31;
}

static bool safe_stride(long a, long b, long *product)
{
    return !__builtin_mul_overflow(a, b, product) && *product < 1L << 40 && *product > -(1L << 40);
}

/* ---- how shapes go through instructions: the rules of ops.def ---- */

typedef struct shape shape_rule(const struct shapes *shapes, LLVMValueRef value);

static struct shape operand_shape(const struct shapes *shapes, LLVMValueRef value, unsigned i)
{
    return shape_of(shapes, LLVMGetOperand(value, i));
}

static struct shape shape_any(const struct shapes *shapes, LLVMValueRef value)
{
    struct shape result = uniform_shape;
    for (int i = 0; i < LLVMGetNumOperands(value); i++)
        if (!LLVMIsABasicBlock(LLVMGetOperand(value, (unsigned)i)))
            result = combine(result, operand_shape(shapes, value, (unsigned)i));
    return result;
}

static bool is_linear_in_both(const struct shapes *shapes, LLVMValueRef value)
{
    return is_linear(operand_shape(shapes, value, 0)) && is_linear(operand_shape(shapes, value, 1));
}

static bool is_sum_of_narrow(LLVMValueRef value, int depth);

/* Whether a phi is a loop's counter that begins with such a sum. */
static bool counts_from_narrow(LLVMValueRef phi, int depth)
{
    bool counts = false;
    for (unsigned i = 0; i < 2 && LLVMCountIncoming(phi) == 2 && !counts; i++) {
        LLVMValueRef next = LLVMGetIncomingValue(phi, i);
        long step;
        counts = LLVMIsAInstruction(next) && LLVMGetInstructionOpcode(next) == LLVMAdd &&
                 LLVMGetOperand(next, 0) == phi && small_constant(LLVMGetOperand(next, 1), &step) &&
                 is_sum_of_narrow(LLVMGetIncomingValue(phi, 1 - i), depth);
    }
    return counts;
}

/* Whether a value of 64 bits is the sum of a few that have 32, of constants, and of counters that begin with such: no
 * loop runs so often that it wraps, whatever they are. */
static bool is_sum_of_narrow(LLVMValueRef value, int depth)
{
    LLVMOpcode opcode = LLVMIsAInstruction(value) ? LLVMGetInstructionOpcode(value) : 0;
    long constant;
    if (opcode == LLVMSExt || opcode == LLVMZExt)
        return LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(value, 0))) <= 32;
    if (opcode == LLVMPHI && depth)
        return counts_from_narrow(value, depth - 1);
    if ((opcode == LLVMAdd || opcode == LLVMSub) && depth)
        return is_sum_of_narrow(LLVMGetOperand(value, 0), depth - 1) &&
               is_sum_of_narrow(LLVMGetOperand(value, 1), depth - 1);
    if (opcode == LLVMShl && depth) /* x + x */
        return small_constant(LLVMGetOperand(value, 1), &constant) && constant == 1 &&
               is_sum_of_narrow(LLVMGetOperand(value, 0), depth - 1);
    return small_constant(value, &constant);
}

static bool is_long_of_narrow(LLVMValueRef value)
{
    enum { DEPTH = 8 };
    LLVMTypeRef type = LLVMTypeOf(value);
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 64 &&
           is_sum_of_narrow(value, DEPTH);
}

/* Whether a result is known not to wrap, because the instruction and its two operands do not. */
static bool wraps_not(const struct shapes *shapes, LLVMValueRef value)
{
    return (LLVMGetNSW(value) || is_long_of_narrow(value)) && operand_shape(shapes, value, 0).no_wrap &&
           operand_shape(shapes, value, 1).no_wrap;
}

static struct shape shape_sum(const struct shapes *shapes, LLVMValueRef value)
{
    struct shape a = operand_shape(shapes, value, 0), b = operand_shape(shapes, value, 1), result = combine(a, b);
    if (!is_linear_in_both(shapes, value))
        return result;
    result.positive = a.positive && b.positive && LLVMGetNSW(value);
    return linear(result, a.stride + b.stride, wraps_not(shapes, value));
}

static struct shape shape_difference(const struct shapes *shapes, LLVMValueRef value)
{
    struct shape a = operand_shape(shapes, value, 0), b = operand_shape(shapes, value, 1), result = combine(a, b);
    return is_linear_in_both(shapes, value) ? linear(result, a.stride - b.stride, wraps_not(shapes, value)) : result;
}

static struct shape shape_product(const struct shapes *shapes, LLVMValueRef value)
{
    struct shape a = operand_shape(shapes, value, 0), b = operand_shape(shapes, value, 1), result = combine(a, b);
    long factor, stride;
    if (!is_linear_in_both(shapes, value))
        return result;
    result.positive = a.positive && b.positive && LLVMGetNSW(value);
    if (small_constant(LLVMGetOperand(value, 1), &factor) && safe_stride(a.stride, factor, &stride))
        return linear(result, stride, wraps_not(shapes, value));
    if (small_constant(LLVMGetOperand(value, 0), &factor) && safe_stride(b.stride, factor, &stride))
        return linear(result, stride, wraps_not(shapes, value));
    return result;
}

static struct shape shape_left_shift(const struct shapes *shapes, LLVMValueRef value)
{
    struct shape a = operand_shape(shapes, value, 0), b = operand_shape(shapes, value, 1), result = combine(a, b);
    long bits, stride;
    if (!is_linear_in_both(shapes, value))
        return result;
    result.positive = a.positive && LLVMGetNSW(value);
    if (small_constant(LLVMGetOperand(value, 1), &bits) && bits >= 0 && bits < 31 &&
        safe_stride(a.stride, 1L << bits, &stride))
        return linear(result, stride, wraps_not(shapes, value));
    return result;
}

/* Returns the shape of ~x, which is -1 - x. */
static struct shape shape_complement(const struct shapes *shapes, LLVMValueRef value)
{
    struct shape operand = operand_shape(shapes, value, 0);
    struct shape result = combine(operand, operand_shape(shapes, value, 1));
    bool is_not = LLVMGetOperand(value, 1) == LLVMConstAllOnes(LLVMTypeOf(value));
    return is_not && is_linear(operand) ? linear(result, -operand.stride, operand.no_wrap) : result;
}

/* Returns the shape of `or disjoint`, an addition without carries, which cannot wrap. */
static struct shape shape_disjunction(const struct shapes *shapes, LLVMValueRef value)
{
    struct shape a = operand_shape(shapes, value, 0), b = operand_shape(shapes, value, 1), result = combine(a, b);
    if (LLVMGetIsDisjoint(value) && is_linear_in_both(shapes, value))
        return linear(result, a.stride + b.stride, a.no_wrap && b.no_wrap);
    return result;
}

static struct shape shape_extension(const struct shapes *shapes, LLVMValueRef value)
{
    bool is_zero = LLVMGetInstructionOpcode(value) == LLVMZExt;
    struct shape operand = operand_shape(shapes, value, 0), result = combine(operand, uniform_shape);
    bool is_signed = !is_zero || LLVMGetNNeg(value) || operand.positive;
    if (operand.kind == SHAPE_UNIFORM || (shapes->threads >= SHAPE_NEXT && is_linear(operand)) ||
        (is_signed && operand.no_wrap && exact_is_possible(shapes, LLVMGetOperand(value, 0))))
        result = linear(result, operand.stride, true);
    result.positive = operand.positive || is_zero;
    return result;
}

static struct shape shape_truncation(const struct shapes *shapes, LLVMValueRef value)
{
    struct shape operand = operand_shape(shapes, value, 0), result = combine(operand, uniform_shape);
    bool is_wide = LLVMGetIntTypeWidth(LLVMTypeOf(value)) >= 32;
    return is_linear(operand) && is_wide ? linear(result, operand.stride, false) : result;
}

static struct shape shape_same(const struct shapes *shapes, LLVMValueRef value)
{
    struct shape operand = operand_shape(shapes, value, 0);
    return is_linear(operand) ? operand : combine(operand, uniform_shape);
}

static struct shape shape_address(const struct shapes *shapes, LLVMValueRef gep)
{
    LLVMTargetDataRef layout =
        LLVMGetModuleDataLayout(LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(gep))));
    struct shape result = shape_of(shapes, LLVMGetOperand(gep, 0));
    bool is_linear_so_far = is_linear(result);
    long stride = result.stride;
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    for (int i = 1; i < LLVMGetNumOperands(gep); i++) {
        struct shape index = shape_of(shapes, LLVMGetOperand(gep, i));
        if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            type = LLVMStructGetTypeAtIndex(type, (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(gep, i)));
            continue;
        }
        if (i > 1)
            type = LLVMGetElementType(type);
        long step;
        is_linear_so_far &=
            is_linear(index) &&
            (index.kind == SHAPE_UNIFORM || LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(gep, i))) == 64) &&
            safe_stride(index.stride, (long)LLVMABISizeOfType(layout, type), &step);
        if (is_linear_so_far)
            stride += step;
        result = combine(result, index);
    }
    return is_linear_so_far ? linear(result, stride, true) : result;
}

static struct shape shape_choice(const struct shapes *shapes, LLVMValueRef value)
{
    struct shape condition = operand_shape(shapes, value, 0);
    struct shape a = operand_shape(shapes, value, 1), b = operand_shape(shapes, value, 2);
    if (condition.kind == SHAPE_UNKNOWN)
        return condition;
    struct shape result = condition.kind == SHAPE_UNIFORM ? join(a, b) : combine(condition, combine(a, b));
    result.rows |= condition.rows;
    return result;
}

static struct shape shape_meeting(const struct shapes *shapes, LLVMValueRef phi)
{
    struct shape result = {.kind = SHAPE_UNKNOWN};
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
        if (map_get(shapes->cfg->last_node, LLVMGetIncomingBlock(phi, i)) >= 0)
            result = join(result, shape_of(shapes, LLVMGetIncomingValue(phi, i)));
    return result;
}

/* Each lane has its own variable; these lie one after another, or element by element. */
static struct shape shape_variable(const struct shapes *shapes, LLVMValueRef value)
{
    (void)shapes;
    struct shape result = uniform_shape;
    long size = interleave_size(value);
    result.rows = true;
    return linear(result, size ? size : (long)shape_private_size(value), true);
}

/* For results of which nothing is known. */
static struct shape shape_own(const struct shapes *shapes, LLVMValueRef value)
{
    (void)shapes, (void)value;
    return (struct shape){.kind = SHAPE_VARYING, .rows = true, .memory = true};
}

static struct shape shape_load(const struct shapes *shapes, LLVMValueRef value)
{
    if (LLVMGetVolatile(value)) /* each thread reads for itself and may read something different */
        return shape_own(shapes, value);
    struct shape pointer = operand_shape(shapes, value, 0), result = combine(pointer, pointer);
    result.memory |= pointer.kind != SHAPE_UNIFORM || pointer.rows;
    return result;
}

static struct shape shape_call(const struct shapes *shapes, LLVMValueRef call)
{
    struct shape result = uniform_shape;
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
        result = combine(result, operand_shape(shapes, call, i));
    return result.kind == SHAPE_UNKNOWN || calls_follows_arguments(call) ? result : shape_own(shapes, call);
}

/* Whether the operands of a comparison lie equally far apart in all lanes, so that its result is that of lane 0. In
 * lane 0, only what cannot wrap is known not to: it may be off, and so it may where nothing is masked, because LLVM
 * computes both sides of a choice. */
static bool keeps_distance(const struct shapes *shapes, LLVMValueRef comparison)
{
    LLVMValueRef a = LLVMGetOperand(comparison, 0), b = LLVMGetOperand(comparison, 1);
    struct shape of_a = shape_of(shapes, a), of_b = shape_of(shapes, b);
    LLVMIntPredicate predicate = LLVMGetICmpPredicate(comparison);
    bool is_unsigned = predicate >= LLVMIntUGT && predicate <= LLVMIntULE;
    return of_a.kind == SHAPE_LINEAR && of_b.kind == SHAPE_LINEAR && of_a.stride == of_b.stride && !is_unsigned &&
           is_long_of_narrow(a) && is_long_of_narrow(b);
}

static struct shape shape_comparison(const struct shapes *shapes, LLVMValueRef value)
{
    struct shape result = shape_any(shapes, value);
    int known = shape_known(shapes, value);
    if (result.kind == SHAPE_VARYING && (known || keeps_distance(shapes, value)))
        result.kind = SHAPE_UNIFORM;
    result.rows &= (known & KNOWN_FOR) != KNOWN_FOR_ALL;
    return result;
}

static struct shape shape_remainder(const struct shapes *shapes, LLVMValueRef value)
{
    struct shape dividend = operand_shape(shapes, value, 0), result = shape_any(shapes, value);
    if (!shape_is_known_remainder(shapes, value) || !is_linear(dividend))
        return result;
    result = linear(result, dividend.stride, true);
    result.positive = true;
    return result;
}

static shape_rule *const rules[] = {
#define OP(opcode, shape, exactness, code, promises) [LLVM##opcode] = shape_##shape,
#include "kernel/ops.def"
#undef OP
};

/* How a phi is known to vary where paths of a branch meet. */
enum { MEET_VARYING = 1, MEET_ROWS = 2, MEET_MEMORY = 4 };

static struct shape instruction_shape(const struct shapes *shapes, LLVMValueRef value, unsigned char meeting)
{
    unsigned opcode = LLVMGetInstructionOpcode(value);
    shape_rule *rule = opcode < sizeof rules / sizeof *rules && rules[opcode] ? rules[opcode] : shape_any;
    LLVMValueRef taken = shape_taken(shapes, value);
    struct shape result = taken ? shape_of(shapes, taken) : rule(shapes, value);
    if (result.kind == SHAPE_UNKNOWN)
        return result;
    if (meeting & MEET_VARYING)
        result = (struct shape){.kind = SHAPE_VARYING, .rows = result.rows, .memory = result.memory};
    result.rows |= (meeting & MEET_ROWS) != 0;
    result.memory |= (meeting & MEET_MEMORY) != 0;
    return result;
}

/* Returns the nodes on the paths from `branch` to its post-dominator, which is excluded. A post-dominator that is
 * reached only by another iteration of a loop does not count: in nested loops, some threads may repeat the outer loop
 * and others the inner one. */
static bool *region_of(const struct cfg *cfg, int branch)
{
    bool *has = arena_alloc(cfg->n * sizeof(bool));
    int *work = arena_alloc(cfg->n * sizeof(int)), n_work = 0, stop = cfg->nodes[branch].ipdom;
    while (stop <= branch)
        stop = cfg->nodes[stop].ipdom;
    for (int at = branch;; at = work[--n_work]) {
        for (int s = 0; s < cfg->nodes[at].n_succ; s++) {
            int to = cfg->nodes[at].succ[s];
            if (to != stop && !has[to])
                has[work[n_work++] = to] = true;
        }
        if (n_work == 0)
            return has;
    }
}

/* Marks with `flags` the phis of `node` to which the following edges bring different values: those from `branch`, from
 * nodes with a label, and from nodes of `loop` (-2: no loop). A value that comes from outside of such a loop is one
 * value. */
static bool mark_phis(const struct shapes *shapes, int node, int branch, const int *labels, int loop,
                      unsigned char *meeting, unsigned char flags)
{
    const struct cfg *cfg = shapes->cfg;
    bool changed = false;
    for (LLVMValueRef phi = cfg->nodes[node].first; phi != cfg->nodes[node].end && LLVMIsAPHINode(phi);
         phi = LLVMGetNextInstruction(phi)) {
        LLVMValueRef common = NULL;
        bool differ = false;
        for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
            int from = map_get(cfg->last_node, LLVMGetIncomingBlock(phi, k));
            LLVMValueRef value = LLVMGetIncomingValue(phi, k);
            bool in_loop = loop > -2 && from >= 0 && cfg_in_loop(cfg, from, loop);
            if (from < 0 || !(in_loop || labels[from] || from == branch))
                continue;
            int maker = LLVMIsAInstruction(value) ? map_get(cfg->last_node, LLVMGetInstructionParent(value)) : -1;
            differ |= (common && common != value) || (in_loop && maker >= 0 && cfg_in_loop(cfg, maker, loop));
            common = value;
        }
        unsigned char *mark = &meeting[map_get(shapes->numbers, phi)];
        changed |= differ && (*mark | flags) != *mark;
        *mark |= differ ? flags : 0;
    }
    return changed;
}

/* Pushes `labels` (node number plus 1; 0: none) forward, and marks the phis of nodes that two different labels reach.
 */
static bool push_labels(const struct shapes *shapes, int *labels, int from, int branch, unsigned char *meeting,
                        unsigned char flags)
{
    const struct cfg *cfg = shapes->cfg;
    bool changed = false, *meets = arena_alloc(cfg->n);
    for (int at = from; at < cfg->n; at++) {
        if (!labels[at])
            continue;
        for (int s = 0; s < cfg->nodes[at].n_succ; s++) {
            int to = cfg->nodes[at].succ[s];
            if (cfg_is_back_edge(cfg, at, to) || labels[to] == labels[at])
                continue;
            meets[to] |= labels[to] != 0;
            labels[to] = labels[to] ? to + 1 : labels[at];
        }
    }
    for (int at = from; at < cfg->n; at++)
        if (meets[at])
            changed |= mark_phis(shapes, at, branch, labels, -2, meeting, flags);
    return changed;
}

/* Marks with `flags` where the paths of the branch that ends `branch` meet. */
static bool mark_meetings(const struct shapes *shapes, int branch, const bool *region, unsigned char *meeting,
                          unsigned char flags)
{
    const struct cfg *cfg = shapes->cfg;
    bool changed = false;
    int *labels = arena_alloc(cfg->n * sizeof(int));
    for (int s = 0; s < cfg->nodes[branch].n_succ; s++)
        if (!cfg_is_back_edge(cfg, branch, cfg->nodes[branch].succ[s]))
            labels[cfg->nodes[branch].succ[s]] = cfg->nodes[branch].succ[s] + 1;
    changed |= push_labels(shapes, labels, branch + 1, branch, meeting, flags);

    /* If lanes leave a loop at different times, values that its exits get from it vary, and so do phis where the exits
     * meet. */
    for (int l = cfg->nodes[branch].loop; l >= 0 && region[cfg->loops[l].header]; l = cfg->loops[l].parent) {
        memset(labels, 0, cfg->n * sizeof(int));
        for (int at = cfg->loops[l].header; at <= cfg->loops[l].last; at++)
            for (int s = 0; s < cfg->nodes[at].n_succ; s++)
                if (!cfg_in_loop(cfg, cfg->nodes[at].succ[s], l))
                    labels[cfg->nodes[at].succ[s]] = cfg->nodes[at].succ[s] + 1;
        for (int at = cfg->loops[l].last + 1; at < cfg->n; at++)
            if (labels[at])
                changed |= mark_phis(shapes, at, -1, labels, l, meeting, flags);
        changed |= push_labels(shapes, labels, cfg->loops[l].last + 1, -1, meeting, flags);
    }
    return changed;
}

static struct shape param_shape(const struct kernel *kernel, enum shape_threads threads, int number)
{
    struct entry_param param = entry_param(kernel, number);
    struct shape shape = {.kind = SHAPE_UNIFORM, .no_wrap = true, .positive = true};
    bool is_last = param.component == kernel->box_rank - 1;
    if (param.meaning == ENTRY_ARGUMENTS || threads == SHAPE_SCALAR)
        return uniform_shape;
    if (threads >= SHAPE_NEXT) {
        bool is_next = threads == SHAPE_NEXT ? is_last : param.component == kernel->box_rank - 2;
        shape.rows = param.differs_between_tiles && !is_next;
        long apart = param.meaning == ENTRY_TILE ? 1 : kernel->tile[param.component];
        return param.differs_between_tiles && is_next ? linear(shape, apart, true) : shape;
    }
    if (kernel->tiled && kernel->tile[param.component] == 1 && threads != SHAPE_TILES)
        return shape;
    shape.rows = is_last ? threads == SHAPE_TILES && param.differs_between_tiles : param.differs_in_tile;
    return is_last && param.differs_in_tile ? linear(shape, 1, true) : shape;
}

/* Checks loop-closed form. Without it a masked loop would hand out wrong values, and nothing else would notice. */
static void check_loop_closed(const struct kernel *kernel, const struct cfg *cfg)
{
    struct map *node_of = map_new();
    for (int at = 0; at < cfg->n; at++)
        for (LLVMValueRef i = cfg->nodes[at].first; i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
            map_set(node_of, i, at);
    for (int at = 0; at < cfg->n; at++)
        for (LLVMValueRef i = cfg->nodes[at].first; i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
            for (int o = 0; o < LLVMGetNumOperands(i); o++) {
                bool is_phi = LLVMGetInstructionOpcode(i) == LLVMPHI;
                int user = is_phi ? map_get(cfg->last_node, LLVMGetIncomingBlock(i, (unsigned)o)) : at;
                int maker = map_get(node_of, LLVMGetOperand(i, (unsigned)o));
                if (maker >= 0 && user >= 0 && !cfg_in_loop(cfg, user, cfg->nodes[maker].loop))
                    diag_defect(kernel->name, "a value leaves its loop without a phi: %s", LLVMPrintValueToString(i));
            }
}

/* ---- the analysis ---- */

static int count_values(const struct kernel *kernel, const struct cfg *cfg)
{
    int n = entry_n_params(kernel);
    for (int at = 0; at < cfg->n; at++)
        for (LLVMValueRef i = cfg->nodes[at].first; i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
            n++;
    return n;
}

/* Numbers the values, and gives them their initial shapes. */
static struct shapes *number_values(const struct kernel *kernel, const struct cfg *cfg, enum shape_threads threads,
                                    const struct map *known)
{
    struct shapes *shapes = arena_alloc(sizeof *shapes);
    int n_values = count_values(kernel, cfg), n = 0;
    *shapes = (struct shapes){.cfg = cfg,
                              .threads = threads,
                              .known = known,
                              .n_values = n_values,
                              .numbers = map_new(),
                              .shapes = arena_alloc((size_t)n_values * sizeof(struct shape)),
                              .divergent = arena_alloc((size_t)cfg->n),
                              .masked = arena_alloc((size_t)cfg->n),
                              .exit = arena_alloc((size_t)cfg->n * sizeof(int)),
                              .regions = arena_alloc((size_t)cfg->n * sizeof(bool *)),
                              .controls_barrier = arena_alloc((size_t)cfg->n)};
    bool scalar = threads == SHAPE_SCALAR;
    for (int p = 0; p < entry_n_params(kernel); p++) {
        shapes->shapes[n] = param_shape(kernel, threads, p);
        map_set(shapes->numbers, LLVMGetParam(cfg->function, (unsigned)p), n++);
    }
    for (int at = 0; at < cfg->n; at++)
        for (LLVMValueRef i = cfg->nodes[at].first; i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i)) {
            shapes->shapes[n] = scalar ? uniform_shape : (struct shape){.kind = SHAPE_UNKNOWN};
            map_set(shapes->numbers, i, n++);
        }
    return shapes;
}

/* Updates the shape of an instruction, which only goes up in the lattice. Returns whether it changed. */
static bool update_shape(struct shapes *shapes, LLVMValueRef i, const unsigned char *meeting)
{
    int number = map_get(shapes->numbers, i);
    struct shape *old = &shapes->shapes[number], now = instruction_shape(shapes, i, meeting[number]);
    if (old->kind == SHAPE_VARYING && now.kind != SHAPE_VARYING)
        now.kind = SHAPE_VARYING;
    now.rows |= old->rows;
    now.memory |= old->memory;
    if (old->kind != SHAPE_UNKNOWN) {
        now.no_wrap &= old->no_wrap;
        now.positive &= old->positive;
        if (is_linear(*old) && is_linear(now) && old->stride != now.stride)
            now = (struct shape){.kind = SHAPE_VARYING, .rows = now.rows, .memory = now.memory};
    }
    if (now.kind == SHAPE_VARYING)
        now.stride = 0, now.no_wrap = false, now.positive = false;
    bool changed = !same_shape(*old, now);
    *old = now;
    return changed;
}

/* Notes how threads diverge at the branch that ends `node`. Returns whether that changed anything. */
static bool update_branch(struct shapes *shapes, int node, unsigned char *meeting)
{
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(shapes->cfg->nodes[node].block);
    struct shape condition = shape_of(shapes, LLVMGetCondition(branch));
    if (shapes->controls_barrier[node]) { /* this holds within a tile, by the rules of the language */
        shapes->any_rows_branch |= shapes->threads == SHAPE_TILES && condition.rows;
        return false;
    }
    bool varies = condition.kind == SHAPE_LINEAR || condition.kind == SHAPE_VARYING;
    bool changed = varies && !shapes->divergent[node];
    shapes->divergent[node] |= varies;
    shapes->any_divergent |= varies;
    shapes->any_rows_branch |= condition.rows;
    if (varies || condition.rows)
        changed |= mark_meetings(shapes, node, shapes->regions[node], meeting,
                                 (varies ? MEET_VARYING : 0) | (condition.rows ? MEET_ROWS : 0) |
                                     (condition.memory ? MEET_MEMORY : 0));
    return changed;
}

/* Marks the nodes that may run with lanes off, and where the regions end. Overlapping regions end at the later of their
 * ends. */
static void mark_regions(struct shapes *shapes)
{
    const struct cfg *cfg = shapes->cfg;
    for (int at = 0; at < cfg->n; at++)
        for (int to = 0; shapes->divergent[at] && to < cfg->n; to++)
            shapes->masked[to] |= shapes->regions[at][to];
    for (int at = 0; at < cfg->n; at++) {
        int exit = at;
        while (exit < cfg->n && shapes->masked[exit])
            exit = cfg->nodes[exit].ipdom;
        shapes->exit[at] = exit;
    }
}

struct shapes *shape_analyse(const struct kernel *kernel, const struct cfg *cfg, enum shape_threads threads,
                             const struct map *known)
{
    check_loop_closed(kernel, cfg);
    struct shapes *shapes = number_values(kernel, cfg, threads, known);

    /* Branches that decide about a barrier are uniform by the rules of the language. */
    for (int at = 0; at < cfg->n; at++) {
        if (cfg->nodes[at].n_succ < 2)
            continue;
        shapes->regions[at] = region_of(cfg, at);
        for (int to = 0; to < cfg->n; to++)
            shapes->controls_barrier[at] |= shape_controls(shapes, at, to);
    }
    if (threads == SHAPE_SCALAR)
        return shapes;

    unsigned char *meeting = arena_alloc((size_t)shapes->n_values);
    for (bool changed = true; changed;) {
        changed = false;
        for (int at = 0; at < cfg->n; at++) {
            for (LLVMValueRef i = cfg->nodes[at].first; i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
                changed |= update_shape(shapes, i, meeting);
            if (shapes->regions[at])
                changed |= update_branch(shapes, at, meeting);
        }
    }
    mark_regions(shapes);
    return shapes;
}

/* SPDX-License-Identifier: MIT
 *
 * Writes for each kernel a function of the host that says which elements of its arrays the kernel can touch when it
 * runs a box of its domain. For
 *
 *     void shift(amp_index1 idx, int N, const float x[N], float y[N]) restrict(amp)
 *     {
 *         if (idx[0] > 0)
 *             y[idx[0]] = x[idx[0] - 1];
 *     }
 *
 * and the box {b, e} it says that x is read from max(b, 1) - 1 to e - 2, and y written from max(b, 1) to e - 1. These
 * boxes have everything that is touched, and maybe more; an element of which neither is said is certainly not touched.
 *
 * The address of an access is a polynomial (ranges.c). Divided by the steps of the array's dimensions, it becomes
 * subscripts, which are the access's own if all but the first are within the bounds: that is asked at run time, and
 * otherwise the box is the whole array, as where 64 bits do not suffice. If few accesses read an array, the function
 * also says the box of each. An array is whole for all launches if its
 * address goes where accesses are not seen, or if an access could be to any array. */
#include "kernel/reach.h"

#include "../../abi/descriptor.h"

#include "kernel/entry.h"
#include "kernel/ir.h"
#include "kernel/origin.h"
#include "kernel/ranges.h"
#include "kernel/steps.h"

#include <limits.h>
#include <string.h>

enum { KIND_READ, KIND_WRITE, N_KINDS };
enum { MAX_ACCESSES = 64 }; /* of a kernel; others make their arrays whole */

/* What is known about a parameter. */
struct found {
    struct reach *reach;
    bool is_begun; /* it has an access */
    struct range boxes[N_KINDS][MAX_RANK];
    int n_reads; /* accesses that read; of the first ones, their boxes */
    struct range reads[AMP__MAX_READS][MAX_RANK];
};

/* An access that was seen. */
struct seen {
    int node;
    bool is_write;
    long long size;
    struct poly bytes;
};

struct search {
    const struct kernel *kernel;
    struct wide *to;
    struct ranges *ranges;
    LLVMValueRef function;
    struct found *found; /* by the kernel's parameters */
    int n_seen;
    struct seen seen[MAX_ACCESSES];
    const struct param *params[MAX_ACCESSES]; /* of those seen */
};

enum { PARAM_ARGS, PARAM_BOX, PARAM_BOXES, N_PARAMS };

/* ---- arrays that are whole ---- */

static void make_whole(struct search *s, const struct param *param, LLVMValueRef i, bool reads, bool writes)
{
    for (int p = 0; p < s->kernel->n_params; p++) {
        struct reach *reach = s->found[p].reach;
        if (s->kernel->params[p].kind != PARAM_ARRAY || (param && param != &s->kernel->params[p]))
            continue;
        reach->reads |= reads;
        reach->writes |= writes;
        reach->reduces = 0;
        s->found[p].is_begun = true;
        if (!reach->is_whole)
            reach->place = ir_place(i, s->kernel->place);
        reach->is_whole = true;
    }
}

/* Whether an address could be one in an array; `*param`: in which, or NULL. */
static bool is_in_array(const struct search *s, LLVMValueRef pointer, const struct param **param)
{
    struct origin origin = origin_of(s->kernel, pointer);
    bool is_clear = origin.kinds == ORIGIN_ARRAY;
    *param = is_clear ? origin.param : NULL;
    return origin.kinds & (ORIGIN_ARRAY | ORIGIN_SHARED | ORIGIN_UNKNOWN | ORIGIN_LOADED);
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
        struct poly index = ranges_poly(s->ranges, operand);
        struct poly bytes = poly_scale(&index, (long long)LLVMABISizeOfType(ir_layout_of(gep), type));
        result = poly_add(&result, &bytes);
    }
    return result;
}

/* Returns where in its array an address lies; unknown if that is not clear. */
static struct poly find_address(struct search *s, LLVMValueRef pointer)
{
    struct poly bytes = poly_constant(0);
    for (; LLVMIsAGetElementPtrInst(pointer); pointer = LLVMGetOperand(pointer, 0)) {
        struct poly offset = offset_of(s, pointer);
        bytes = poly_add(&bytes, &offset);
    }
    bool is_base = LLVMIsALoadInst(pointer) && entry_argument(s->kernel, LLVMGetOperand(pointer, 0));
    return is_base ? bytes : poly_unknown;
}

static LLVMValueRef either(const struct search *s, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildOr(s->to->builder, a, b, "");
}

static LLVMValueRef choose(const struct search *s, LLVMValueRef condition, LLVMValueRef yes, LLVMValueRef no)
{
    return LLVMBuildSelect(s->to->builder, condition, yes, no, "");
}

/* Asks whether a range goes below 0 or up to `end`. */
static LLVMValueRef is_beyond(const struct search *s, struct range range, LLVMValueRef end)
{
    LLVMValueRef is_above = LLVMBuildICmp(s->to->builder, LLVMIntSGE, range.high, end, "");
    return either(s, wide_is_negative(s->to, range.low), is_above);
}

/* Asks whether a bound is not what steps.c takes it for. */
static LLVMValueRef is_no_bound(const struct search *s, struct range bound)
{
    return is_beyond(s, bound, wide_constant(s->to, 1LL << 31));
}

/* Sets the subscripts of an access. Returns whether it could be anywhere in the array. */
static LLVMValueRef find_subscripts(struct search *s, const struct param *param, const struct seen *access,
                                    struct range subscripts[MAX_RANK])
{
    struct poly rest = access->bytes;
    struct steps steps;
    steps_find(s->kernel, param, ranges_argument, s->ranges, &steps);
    LLVMValueRef fails = LLVMConstNull(s->to->bit);
    ranges_of(s->ranges, access->node, &access->bytes); /* so that it is known whether an address could wrap */
    for (int d = 0; d < param->rank; d++) {
        struct poly subscript = poly_divide(&rest, &steps.bytes[d]);
        subscripts[d] = ranges_of(s->ranges, access->node, &subscript);
        if (d == 0)
            continue;
        struct range bound = ranges_of(s->ranges, access->node, &steps.bounds[d]);
        fails = either(s, fails, either(s, is_no_bound(s, bound), is_beyond(s, subscripts[d], bound.low)));
    }
    struct range byte = ranges_of(s->ranges, access->node, &rest);
    LLVMValueRef end = wide_constant(s->to, param->element_size - access->size + 1);
    return either(s, fails, is_beyond(s, byte, end));
}

/* Adds what an access touches to the boxes of its array. */
static void add_box(struct search *s, const struct param *param, const struct seen *access)
{
    struct found *found = &s->found[param - s->kernel->params];
    struct range subscripts[MAX_RANK], *box = found->boxes[access->is_write ? KIND_WRITE : KIND_READ];
    LLVMValueRef fails = find_subscripts(s, param, access, subscripts);
    fails = either(s, fails, s->to->overflow);
    LLVMValueRef empty = ranges_is_empty(s->ranges, access->node);
    LLVMValueRef first = wide_constant(s->to, LLONG_MIN), last = wide_constant(s->to, LLONG_MAX);
    for (int d = 0; d < param->rank; d++) {
        LLVMValueRef low = choose(s, empty, last, choose(s, fails, first, subscripts[d].low));
        LLVMValueRef high = choose(s, empty, first, choose(s, fails, last, subscripts[d].high));
        box[d].low = box[d].low ? wide_least(s->to, box[d].low, low) : low;
        box[d].high = box[d].high ? wide_greatest(s->to, box[d].high, high) : high;
        if (!access->is_write && found->n_reads < AMP__MAX_READS)
            found->reads[found->n_reads][d] = (struct range){low, high};
    }
    found->n_reads += !access->is_write;
}

/* Whether the same access was seen at the node. */
static bool is_seen(const struct search *s, const struct param *param, const struct seen *access)
{
    for (int i = 0; i < s->n_seen; i++) {
        const struct seen *old = &s->seen[i];
        if (s->params[i] == param && old->node == access->node && old->is_write == access->is_write &&
            old->size == access->size && poly_is_equal(&old->bytes, &access->bytes))
            return true;
    }
    return false;
}

/* Returns how an access reduces its array; 0 if it does not. */
static int reduction_of(const struct param *param, LLVMValueRef i, long long size)
{
    static const int reductions[] = {
        [LLVMAtomicRMWBinOpAdd] = AMP__REDUCES_ADD,   [LLVMAtomicRMWBinOpSub] = AMP__REDUCES_ADD,
        [LLVMAtomicRMWBinOpAnd] = AMP__REDUCES_AND,   [LLVMAtomicRMWBinOpOr] = AMP__REDUCES_OR,
        [LLVMAtomicRMWBinOpXor] = AMP__REDUCES_XOR,   [LLVMAtomicRMWBinOpMax] = AMP__REDUCES_MAX,
        [LLVMAtomicRMWBinOpMin] = AMP__REDUCES_MIN,   [LLVMAtomicRMWBinOpUMax] = AMP__REDUCES_UMAX,
        [LLVMAtomicRMWBinOpUMin] = AMP__REDUCES_UMIN, [LLVMAtomicRMWBinOpFAdd] = AMP__REDUCES_FADD,
        [LLVMAtomicRMWBinOpFSub] = AMP__REDUCES_FADD, [LLVMAtomicRMWBinOpFMax] = AMP__REDUCES_FMAX,
        [LLVMAtomicRMWBinOpFMin] = AMP__REDUCES_FMIN};
    if (LLVMGetInstructionOpcode(i) != LLVMAtomicRMW || LLVMGetFirstUse(i) || size != param->element_size)
        return 0;
    size_t operation = (size_t)LLVMGetAtomicRMWBinOp(i);
    return operation < sizeof reductions / sizeof *reductions ? reductions[operation] : 0;
}

static void visit_access(struct search *s, int node, LLVMValueRef i, LLVMTypeRef type, LLVMValueRef address)
{
    const struct param *param;
    bool reads = LLVMGetInstructionOpcode(i) != LLVMStore, writes = LLVMGetInstructionOpcode(i) != LLVMLoad;
    if (!is_in_array(s, address, &param))
        return;
    s->to->overflow = LLVMConstNull(s->to->bit);
    struct seen access = {.node = node, .size = (long long)LLVMStoreSizeOfType(ir_layout_of(i), type)};
    access.bytes = find_address(s, address);
    if (!param || access.bytes.is_unknown || param->rank > MAX_RANK) {
        make_whole(s, param, i, reads, writes);
        return;
    }
    struct found *found = &s->found[param - s->kernel->params];
    int reduction = reduction_of(param, i, access.size);
    found->reach->reduces = !found->is_begun || found->reach->reduces == reduction ? reduction : 0;
    found->is_begun = true;
    found->reach->reads |= reads;
    found->reach->writes |= writes;
    for (int kind = 0; kind < N_KINDS; kind++) {
        access.is_write = kind == KIND_WRITE;
        if (!(access.is_write ? writes : reads) || is_seen(s, param, &access) || found->reach->is_whole)
            continue;
        if (s->n_seen == MAX_ACCESSES) {
            make_whole(s, param, i, reads, writes);
            return;
        }
        s->params[s->n_seen] = param;
        s->seen[s->n_seen++] = access;
        add_box(s, param, &access);
    }
}

/* Looks for addresses that go where accesses are not seen. */
static void visit(struct search *s, int node, LLVMValueRef i)
{
    unsigned address = 0;
    const struct param *param;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    LLVMTypeRef type = ir_accessed_type(i, &address);
    if (type)
        visit_access(s, node, i, type, LLVMGetOperand(i, address));
    if (opcode == LLVMGetElementPtr || opcode == LLVMPHI || opcode == LLVMSelect || opcode == LLVMICmp ||
        opcode == LLVMFreeze)
        return;
    for (unsigned o = 0; o < (unsigned)LLVMGetNumOperands(i); o++) {
        LLVMValueRef operand = LLVMGetOperand(i, o);
        bool is_address = LLVMGetTypeKind(LLVMTypeOf(operand)) == LLVMPointerTypeKind && !LLVMIsAFunction(operand);
        if (is_address && !(type && o == address) && is_in_array(s, operand, &param))
            make_whole(s, param, i, true, true);
    }
}

/* ---- the function and the table ---- */

static LLVMValueRef number(const struct search *s, int value)
{
    return LLVMConstInt(LLVMInt32TypeInContext(s->to->context), (unsigned long long)value, true);
}

/* Leaves out the boxes of reads where there are too many, or only one, which is the hull. */
static void choose_reads(const struct search *s)
{
    int n = 0;
    for (int p = 0; p < s->kernel->n_params; p++) {
        struct found *found = &s->found[p];
        if (found->reach->is_whole || found->n_reads < 2 || found->n_reads > AMP__MAX_READS ||
            n + found->n_reads > AMP__MAX_ALL_READS)
            found->n_reads = 0;
        n += found->n_reads;
    }
}

/* Stores the ends of ranges; of one that is not known, that there is none. */
static void write_ranges(const struct search *s, const struct range *ranges, int n, long long *at)
{
    LLVMValueRef boxes = LLVMGetParam(s->function, PARAM_BOXES);
    for (int d = 0; d < n; d++) {
        LLVMValueRef ends[] = {ranges[d].low ? ranges[d].low : wide_constant(s->to, LLONG_MAX),
                               ranges[d].high ? ranges[d].high : wide_constant(s->to, LLONG_MIN)};
        for (int i = 0; i < 2; i++, ++*at) {
            LLVMValueRef place = wide_constant(s->to, *at);
            place = LLVMBuildGEP2(s->to->builder, s->to->type, boxes, &place, 1, "");
            LLVMBuildStore(s->to->builder, ends[i], place);
        }
    }
}

static void write_boxes(const struct search *s)
{
    long long at = 0;
    for (int p = 0; p < s->kernel->n_params; p++) {
        const struct param *param = &s->kernel->params[p];
        if (param->kind != PARAM_ARRAY || s->found[p].reach->is_whole)
            continue;
        for (int kind = 0; kind < N_KINDS; kind++)
            write_ranges(s, s->found[p].boxes[kind], param->rank, &at);
        for (int i = 0; i < s->found[p].n_reads; i++)
            write_ranges(s, s->found[p].reads[i], param->rank, &at);
    }
    LLVMBuildRetVoid(s->to->builder);
}

/* Adds the array of struct amp__reach. */
static void add_table(const struct search *s)
{
    enum { N_FIELDS = 6 };
    LLVMTypeRef integer = LLVMInt32TypeInContext(s->to->context);
    LLVMTypeRef members[N_FIELDS] = {integer, integer, integer, integer, integer, integer};
    LLVMTypeRef type = LLVMStructTypeInContext(s->to->context, members, N_FIELDS, false);
    LLVMValueRef *rows = arena_alloc((size_t)s->kernel->n_params * sizeof *rows);
    unsigned n = 0;
    for (int p = 0; p < s->kernel->n_params; p++) {
        const struct reach *reach = s->found[p].reach;
        LLVMValueRef fields[N_FIELDS] = {number(s, p),
                                         number(s, reach->reads),
                                         number(s, reach->writes),
                                         number(s, reach->reduces),
                                         number(s, reach->is_whole),
                                         number(s, s->found[p].n_reads)};
        if (s->kernel->params[p].kind == PARAM_ARRAY)
            rows[n++] = LLVMConstStructInContext(s->to->context, fields, N_FIELDS, false);
    }
    LLVMValueRef value = LLVMConstArray2(type, rows, n);
    LLVMValueRef global = LLVMAddGlobal(s->to->module, LLVMTypeOf(value), s->kernel->reach_table);
    LLVMSetInitializer(global, value);
    LLVMSetGlobalConstant(global, true);
}

void reach_write(struct kernel *kernel, const struct cfg *cfg, struct wide *to)
{
    LLVMTypeRef pointer = LLVMPointerTypeInContext(to->context, 0), params[N_PARAMS] = {pointer, pointer, pointer};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(to->context), params, N_PARAMS, false);
    struct search *s = arena_alloc(sizeof *s);
    s->kernel = kernel;
    s->to = to;
    s->function = LLVMAddFunction(to->module, kernel->reach_function, type);
    s->found = arena_alloc((size_t)kernel->n_params * sizeof *s->found);
    kernel->reaches = arena_alloc((size_t)kernel->n_params * sizeof *kernel->reaches);
    for (int p = 0; p < kernel->n_params; p++)
        s->found[p].reach = &kernel->reaches[p];
    ir_add_attribute(s->function, IR_FUNCTION, "nounwind");
    LLVMPositionBuilderAtEnd(to->builder, LLVMAppendBasicBlockInContext(to->context, s->function, ""));
    to->overflow = LLVMConstNull(to->bit);
    LLVMValueRef args = LLVMGetParam(s->function, PARAM_ARGS), box = LLVMGetParam(s->function, PARAM_BOX);
    s->ranges = ranges_begin(kernel, cfg, to, args, box);
    for (int at = 0; at < cfg->n; at++)
        for (LLVMValueRef i = cfg->nodes[at].first; i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
            visit(s, at, i);
    choose_reads(s);
    write_boxes(s);
    add_table(s);
}

/* SPDX-License-Identifier: MIT
 *
 * Writes for each kernel a function of the host that a launch calls before it runs: it looks for accesses that surely
 * take place (touch.c) outside of their arrays. For
 *
 *     void fill(amp_index1 idx, int N, float x[N]) restrict(amp) { x[idx[0]] = 1; }
 *
 * it writes, shortened:
 *
 *     int amp__outside_0(const struct amp__args_0 *args, const int *extent, long long *box)
 *     {
 *         if (extent[0] - 1 < args->N)
 *             return 0;
 *         box[0] = 0, box[1] = extent[0] - 1;
 *         return 1;
 *     }
 *
 * Everything is computed in 64 bits, and where that overflows, nothing is said about the access. Overflow, and whether
 * the access takes place, are asked only if it seems to be outside, so a launch of a right program pays for the
 * addresses alone.
 *
 * needs   the kernels' form
 * keeps   the kernels' form
 * breaks  nothing */
#include "ampcc.h"
#include "kernel/entry.h"
#include "kernel/ir.h"
#include "kernel/touch.h"

#include <string.h>

/* The function being written, and the access that it is about. */
struct writer {
    const struct touches *touches;
    const struct touch *touch;
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMBuilderRef builder;
    LLVMTypeRef wide, bit; /* integers of 64 bits and of one */
    LLVMValueRef function;
    LLVMValueRef overflow; /* whether anything has overflowed since it was set to false; NULL: nobody asks */
    LLVMValueRef fails;    /* whether a symbol has no values, or no limit */
    bool is_everywhere;    /* only the limits that loops set apply */
};

enum { PARAM_ARGS, PARAM_EXTENT, PARAM_BOX, N_PARAMS };
enum { WIDEST = 64 }; /* bits in which everything is computed */

struct range {
    LLVMValueRef low, high;
};

/* ---- arithmetic ---- */

static LLVMValueRef constant(const struct writer *w, long long value)
{
    return LLVMConstInt(w->wide, (unsigned long long)value, true);
}

static LLVMValueRef call(const struct writer *w, const char *name, LLVMValueRef a, LLVMValueRef b)
{
    LLVMTypeRef type = LLVMTypeOf(a);
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(w->module, LLVMLookupIntrinsicID(name, strlen(name)), &type, 1);
    return LLVMBuildCall2(w->builder, LLVMGlobalGetValueType(function), function, (LLVMValueRef[]){a, b}, 2, "");
}

static bool is_constant(LLVMValueRef value, long long number)
{
    return LLVMIsAConstantInt(value) && LLVMConstIntGetSExtValue(value) == number;
}

static int width_of(LLVMValueRef value, int depth);

/* Returns how many bits the exact result has, with its sign. */
static int width_of_result(LLVMOpcode operation, LLVMValueRef a, LLVMValueRef b, int depth)
{
    int of_a = width_of(a, depth), of_b = width_of(b, depth);
    return operation == LLVMMul ? of_a + of_b : (of_a > of_b ? of_a : of_b) + 1;
}

/* Returns how many bits an integer has at most, with its sign. */
static int width_of(LLVMValueRef value, int depth)
{
    enum { DEEPEST = 6 };
    int width = WIDEST;
    if (LLVMIsAConstantInt(value))
        return WIDEST - __builtin_clrsbll(LLVMConstIntGetSExtValue(value));
    if (LLVMIsASExtInst(value))
        return (int)LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(value, 0)));
    if (LLVMIsABinaryOperator(value) && depth < DEEPEST) {
        LLVMOpcode operation = LLVMGetInstructionOpcode(value);
        if (operation == LLVMAdd || operation == LLVMSub || operation == LLVMMul)
            width = width_of_result(operation, LLVMGetOperand(value, 0), LLVMGetOperand(value, 1), depth + 1);
    }
    return width < WIDEST ? width : WIDEST;
}

/* Computes `simple`, or if somebody asks for overflow, calls the intrinsic that also says whether there was any. */
static LLVMValueRef compute(struct writer *w, LLVMOpcode simple, const char *name, LLVMValueRef a, LLVMValueRef b)
{
    if (!w->overflow || width_of_result(simple, a, b, 0) <= WIDEST)
        return LLVMBuildBinOp(w->builder, simple, a, b, "");
    LLVMValueRef both = call(w, name, a, b);
    w->overflow = LLVMBuildOr(w->builder, w->overflow, LLVMBuildExtractValue(w->builder, both, 1, ""), "");
    return LLVMBuildExtractValue(w->builder, both, 0, "");
}

static LLVMValueRef add(struct writer *w, LLVMValueRef a, LLVMValueRef b)
{
    if (is_constant(a, 0) || is_constant(b, 0))
        return is_constant(a, 0) ? b : a;
    return compute(w, LLVMAdd, "llvm.sadd.with.overflow", a, b);
}

static LLVMValueRef multiply(struct writer *w, LLVMValueRef a, LLVMValueRef b)
{
    if (is_constant(a, 1) || is_constant(b, 0))
        return b;
    if (is_constant(b, 1) || is_constant(a, 0))
        return a;
    return compute(w, LLVMMul, "llvm.smul.with.overflow", a, b);
}

static LLVMValueRef negate(struct writer *w, LLVMValueRef a)
{
    return compute(w, LLVMSub, "llvm.ssub.with.overflow", constant(w, 0), a);
}

static LLVMValueRef least(const struct writer *w, LLVMValueRef a, LLVMValueRef b)
{
    return call(w, "llvm.smin", a, b);
}

static LLVMValueRef greatest(const struct writer *w, LLVMValueRef a, LLVMValueRef b)
{
    return call(w, "llvm.smax", a, b);
}

static LLVMValueRef is_negative(const struct writer *w, LLVMValueRef value)
{
    return LLVMBuildICmp(w->builder, LLVMIntSLT, value, constant(w, 0), "");
}

/* Divides by a positive constant and rounds down. */
static LLVMValueRef divide_down(const struct writer *w, LLVMValueRef value, long long divisor)
{
    if (divisor == 1)
        return value;
    LLVMValueRef rest = LLVMBuildSRem(w->builder, value, constant(w, divisor), "");
    LLVMValueRef correction = LLVMBuildSExt(w->builder, is_negative(w, rest), w->wide, "");
    return LLVMBuildAdd(w->builder, LLVMBuildSDiv(w->builder, value, constant(w, divisor), ""), correction, "");
}

/* ---- uniform values ---- */

static LLVMValueRef load(const struct writer *w, int param, LLVMTypeRef type, long long offset)
{
    LLVMTypeRef byte = LLVMInt8TypeInContext(w->context);
    LLVMValueRef at = constant(w, offset);
    LLVMValueRef address = LLVMBuildGEP2(w->builder, byte, LLVMGetParam(w->function, (unsigned)param), &at, 1, "");
    LLVMValueRef value = LLVMBuildLoad2(w->builder, type, address, "");
    LLVMSetAlignment(value, 1);
    LLVMSetMetadata(value, LLVMGetMDKindIDInContext(w->context, "invariant.load", 14),
                    LLVMMetadataAsValue(w->context, LLVMMDNodeInContext2(w->context, NULL, 0)));
    return value;
}

/* Computes an integer as the kernel does. */
static LLVMValueRef copy_value(const struct writer *w, LLVMValueRef value)
{
    LLVMValueRef operands[3] = {NULL};
    long long offset;
    if (LLVMIsAConstantInt(value))
        return value;
    if (LLVMIsALoadInst(value)) {
        entry_place(LLVMGetOperand(value, 0), &offset);
        return load(w, PARAM_ARGS, LLVMTypeOf(value), offset);
    }
    for (int i = 0; i < LLVMGetNumOperands(value); i++)
        operands[i] = copy_value(w, LLVMGetOperand(value, (unsigned)i));
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMFreeze:
        return operands[0];
    case LLVMICmp:
        return LLVMBuildICmp(w->builder, LLVMGetICmpPredicate(value), operands[0], operands[1], "");
    case LLVMSelect:
        return LLVMBuildSelect(w->builder, operands[0], operands[1], operands[2], "");
    default:
        return operands[1]
                   ? LLVMBuildBinOp(w->builder, LLVMGetInstructionOpcode(value), operands[0], operands[1], "")
                   : LLVMBuildCast(w->builder, LLVMGetInstructionOpcode(value), operands[0], LLVMTypeOf(value), "");
    }
}

/* ---- ranges ---- */

static struct range range_of(struct writer *w, const struct poly *poly);

/* Returns the value of a polynomial that is uniform. */
static LLVMValueRef value_of(struct writer *w, const struct poly *poly)
{
    return range_of(w, poly).low;
}

static struct range exactly(LLVMValueRef value)
{
    return (struct range){value, value};
}

static LLVMValueRef extent_of(const struct writer *w, const struct entry_param *index)
{
    const struct kernel *kernel = w->touches->kernel;
    enum { BYTES = 4 };
    int dimension = kernel->rank - kernel->box_rank + index->component;
    LLVMValueRef extent = load(w, PARAM_EXTENT, LLVMInt32TypeInContext(w->context), (long long)dimension * BYTES);
    return LLVMBuildSExt(w->builder, extent, w->wide, "");
}

/* Returns the values that a component of the index has in the domain. */
static struct range range_of_index(const struct writer *w, const struct entry_param *index)
{
    const struct kernel *kernel = w->touches->kernel;
    LLVMValueRef size = kernel->tiled ? constant(w, kernel->tile[index->component]) : NULL;
    if (index->meaning != ENTRY_LOCAL) {
        LLVMValueRef extent = extent_of(w, index);
        size = index->meaning == ENTRY_GLOBAL ? extent : LLVMBuildSDiv(w->builder, extent, size, "");
    }
    return (struct range){constant(w, 0), LLVMBuildSub(w->builder, size, constant(w, 1), "")};
}

/* Returns the values of an index or counter within its limits. A counter has a limit, or nothing is said. */
static struct range range_within_limits(struct writer *w, int number)
{
    const struct symbol *symbol = &w->touches->symbols[number];
    bool is_limited = symbol->kind == SYMBOL_INDEX;
    struct range range = {constant(w, 0), constant(w, 0)};
    if (is_limited)
        range = range_of_index(w, &symbol->index);
    for (int i = 0; i < w->touch->n_limits; i++) {
        const struct limit *limit = &w->touch->limits[i];
        if (limit->symbol != number || (w->is_everywhere && !limit->is_of_loop))
            continue;
        struct poly value = limit->is_upper ? limit->value : poly_scale(&limit->value, -1);
        LLVMValueRef bound = divide_down(w, value_of(w, &value), limit->divisor);
        if (!limit->is_upper)
            range.low = greatest(w, range.low, negate(w, bound));
        else
            range.high = is_limited ? least(w, range.high, bound) : bound;
        is_limited |= limit->is_upper;
    }
    LLVMValueRef is_empty = LLVMBuildICmp(w->builder, LLVMIntSGT, range.low, range.high, "");
    w->fails = LLVMBuildOr(w->builder, w->fails, is_limited ? is_empty : LLVMConstAllOnes(w->bit), "");
    return range;
}

static struct range range_of_symbol(struct writer *w, int number)
{
    const struct symbol *symbol = &w->touches->symbols[number];
    LLVMValueRef value;
    struct range a, b;
    switch (symbol->kind) {
    case SYMBOL_ARGUMENT:
        value = load(w, PARAM_ARGS, LLVMIntTypeInContext(w->context, (unsigned)symbol->bits), symbol->offset);
        return exactly(LLVMBuildSExt(w->builder, value, w->wide, ""));
    case SYMBOL_VALUE:
        value = LLVMBuildFreeze(w->builder, copy_value(w, symbol->value), "");
        return exactly(LLVMBuildSExt(w->builder, value, w->wide, ""));
    case SYMBOL_INDEX:
    case SYMBOL_COUNTER:
        return range_within_limits(w, number);
    case SYMBOL_LEAST:
    case SYMBOL_GREATEST:
        a = range_of(w, &symbol->operands[0]);
        b = range_of(w, &symbol->operands[1]);
        return symbol->kind == SYMBOL_LEAST ? (struct range){least(w, a.low, b.low), least(w, a.high, b.high)}
                                            : (struct range){greatest(w, a.low, b.low), greatest(w, a.high, b.high)};
    default:
        a = range_of(w, &symbol->operands[0]);
        return (struct range){divide_down(w, a.low, symbol->divisor), divide_down(w, a.high, symbol->divisor)};
    }
}

/* Returns the number of the varying symbol in a monomial, or -1. */
static int varying_symbol(const struct writer *w, const struct monomial *monomial)
{
    for (int k = 0; k < monomial->n; k++)
        if (touch_varies(w->touches, monomial->symbols[k]))
            return monomial->symbols[k];
    return -1;
}

/* Returns the product of a monomial's factor and symbols, except `without`. */
static LLVMValueRef factor_of(struct writer *w, const struct monomial *monomial, int without)
{
    LLVMValueRef product = constant(w, monomial->coefficient);
    for (int k = 0; k < monomial->n; k++)
        if (monomial->symbols[k] != without)
            product = multiply(w, product, range_of_symbol(w, monomial->symbols[k]).low);
    return product;
}

/* Returns the factor of a symbol in the sum that a polynomial is (-1: what is uniform), and marks its monomials. */
static LLVMValueRef take_factor(struct writer *w, const struct poly *poly, int number, bool *taken)
{
    LLVMValueRef sum = NULL;
    for (int i = 0; i < poly->n; i++)
        if (varying_symbol(w, &poly->of[i]) == number) {
            LLVMValueRef factor = factor_of(w, &poly->of[i], number);
            sum = sum ? add(w, sum, factor) : factor;
            taken[i] = true;
        }
    return sum ? sum : constant(w, 0);
}

static struct range scale(struct writer *w, struct range range, LLVMValueRef factor)
{
    LLVMValueRef a = multiply(w, factor, range.low), b = multiply(w, factor, range.high);
    if (!LLVMIsAConstantInt(factor))
        return (struct range){least(w, a, b), greatest(w, a, b)};
    return LLVMConstIntGetSExtValue(factor) > 0 ? (struct range){a, b} : (struct range){b, a};
}

/* Returns the least and the greatest value of a polynomial. Each varying symbol is in its own summands. */
static struct range range_of(struct writer *w, const struct poly *poly)
{
    bool taken[POLY_MONOMIALS] = {false};
    struct range sum = exactly(take_factor(w, poly, -1, taken));
    for (int i = 0; i < poly->n; i++) {
        if (taken[i])
            continue;
        int number = varying_symbol(w, &poly->of[i]);
        LLVMValueRef factor = take_factor(w, poly, number, taken);
        struct range range = scale(w, range_of_symbol(w, number), factor);
        sum.low = add(w, sum.low, range.low);
        sum.high = add(w, sum.high, range.high);
    }
    return sum;
}

/* ---- the function ---- */

static void begin_part(struct writer *w, LLVMBasicBlockRef block, bool asks_for_overflow)
{
    LLVMPositionBuilderAtEnd(w->builder, block);
    w->fails = LLVMConstNull(w->bit);
    w->overflow = asks_for_overflow ? w->fails : NULL;
    w->is_everywhere = false;
}

static LLVMBasicBlockRef new_block(const struct writer *w)
{
    return LLVMAppendBasicBlockInContext(w->context, w->function, "");
}

/* Asks whether the access is outside. */
static LLVMValueRef write_is_outside(struct writer *w)
{
    const struct touch *touch = w->touch;
    struct range bytes = range_of(w, &touch->bytes);
    LLVMValueRef end = add(w, bytes.high, constant(w, touch->size));
    LLVMValueRef is_after = LLVMBuildICmp(w->builder, LLVMIntSGT, end, value_of(w, &touch->total), "");
    return LLVMBuildOr(w->builder, is_negative(w, bytes.low), is_after, "");
}

/* Asks whether the access certainly takes place, and outside. */
static LLVMValueRef write_is_certain(struct writer *w)
{
    const struct touch *touch = w->touch;
    LLVMValueRef holds = write_is_outside(w);
    for (int i = 0; i < touch->n_limits; i++)
        range_within_limits(w, touch->limits[i].symbol);
    for (int i = 0; i < touch->n_conditions; i++) {
        w->is_everywhere = touch->conditions[i].is_everywhere;
        LLVMValueRef low = range_of(w, &touch->conditions[i].value).low;
        holds = LLVMBuildAnd(w->builder, holds, LLVMBuildNot(w->builder, is_negative(w, low), ""), "");
    }
    w->is_everywhere = false;
    LLVMValueRef fails = LLVMBuildOr(w->builder, w->overflow, w->fails, "");
    return LLVMBuildAnd(w->builder, holds, LLVMBuildNot(w->builder, fails, ""), "");
}

static void write_box(struct writer *w)
{
    for (int d = 0; d < w->touch->param->rank; d++) {
        struct range range = range_of(w, &w->touch->subscripts[d]);
        LLVMValueRef ends[] = {range.low, range.high};
        for (int i = 0; i < 2; i++) {
            LLVMValueRef at = constant(w, 2 * d + i);
            LLVMValueRef box = LLVMGetParam(w->function, PARAM_BOX);
            LLVMBuildStore(w->builder, ends[i], LLVMBuildGEP2(w->builder, w->wide, box, &at, 1, ""));
        }
    }
}

static LLVMTypeRef function_type(const struct writer *w)
{
    LLVMTypeRef pointer = LLVMPointerTypeInContext(w->context, 0), params[N_PARAMS] = {pointer, pointer, pointer};
    return LLVMFunctionType(LLVMInt32TypeInContext(w->context), params, N_PARAMS, false);
}

static LLVMValueRef number(const struct writer *w, int value)
{
    return LLVMConstInt(LLVMInt32TypeInContext(w->context), (unsigned long long)value, true);
}

static void write_function(struct writer *w)
{
    w->function = LLVMAddFunction(w->module, w->touches->kernel->outside, function_type(w));
    ir_add_attribute(w->function, IR_FUNCTION, "nounwind");
    LLVMBasicBlockRef next = new_block(w);
    for (int i = 0; i < w->touches->n; i++) {
        LLVMBasicBlockRef ask = new_block(w), report = new_block(w), here = next;
        w->touch = w->touches->of[i];
        next = new_block(w);
        begin_part(w, here, false);
        LLVMBuildCondBr(w->builder, write_is_outside(w), ask, next);
        begin_part(w, ask, true);
        LLVMBuildCondBr(w->builder, write_is_certain(w), report, next);
        begin_part(w, report, false);
        write_box(w);
        LLVMBuildRet(w->builder, number(w, i + 1));
    }
    LLVMPositionBuilderAtEnd(w->builder, next);
    LLVMBuildRet(w->builder, number(w, 0));
}

/* ---- the data ---- */

static LLVMValueRef add_text(const struct writer *w, const char *text)
{
    LLVMValueRef value = LLVMConstStringInContext2(w->context, text, strlen(text), false);
    LLVMValueRef global = LLVMAddGlobal(w->module, LLVMTypeOf(value), "");
    LLVMSetInitializer(global, value);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    return global;
}

/* Adds the array of struct amp__touch. */
static void add_touches(const struct writer *w)
{
    LLVMTypeRef integer = LLVMInt32TypeInContext(w->context);
    LLVMTypeRef members[] = {LLVMPointerTypeInContext(w->context, 0), integer, integer};
    LLVMTypeRef type = LLVMStructTypeInContext(w->context, members, sizeof members / sizeof *members, false);
    LLVMValueRef rows[MAX_TOUCHES];
    for (int i = 0; i < w->touches->n; i++) {
        const struct touch *touch = w->touches->of[i];
        const char *place = arena_printf("%s:%u:%u", touch->place.file, touch->place.line, touch->place.column);
        int param = (int)(touch->param - w->touches->kernel->params);
        LLVMValueRef fields[] = {add_text(w, place), number(w, param), number(w, touch->is_write)};
        rows[i] = LLVMConstStructInContext(w->context, fields, sizeof fields / sizeof *fields, false);
    }
    LLVMValueRef value = LLVMConstArray2(type, rows, (uint64_t)w->touches->n);
    LLVMValueRef global = LLVMAddGlobal(w->module, LLVMTypeOf(value), w->touches->kernel->touches);
    LLVMSetInitializer(global, value);
    LLVMSetGlobalConstant(global, true);
}

bool footprint(struct unit *unit)
{
    struct writer w = {.context = unit->context,
                       .module = ir_module_like(unit->host),
                       .builder = LLVMCreateBuilderInContext(unit->context),
                       .wide = LLVMInt64TypeInContext(unit->context),
                       .bit = LLVMInt1TypeInContext(unit->context)};
    for (int k = 0; k < unit->n_kernels; k++) {
        struct cfg *cfg = cfg_build(LLVMGetNamedFunction(unit->form, unit->kernels[k].entry));
        if (!cfg)
            diag_defect(unit->kernels[k].name, "a loop with several entries is left");
        w.touches = touch_find(&unit->kernels[k], cfg);
        write_function(&w);
        add_touches(&w);
    }
    LLVMDisposeBuilder(w.builder);
    ir_run_passes(w.module, NULL, "function(early-cse,simplifycfg)");
    unit->footprints = w.module;
    return true;
}

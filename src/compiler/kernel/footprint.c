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
#include "kernel/reach.h"
#include "kernel/touch.h"
#include "kernel/wide.h"

#include <string.h>

/* The function being written, and the access that it is about. */
struct writer {
    const struct touches *touches;
    const struct touch *touch;
    struct wide to;
    LLVMValueRef function;
    LLVMValueRef fails; /* whether a symbol has no values, or no limit */
    bool is_everywhere; /* only the limits that loops set apply */
};

enum { PARAM_ARGS, PARAM_EXTENT, PARAM_BOX, N_PARAMS };

/* ---- uniform values ---- */

/* Computes an integer as the kernel does. */
static LLVMValueRef copy_value(const struct writer *w, LLVMValueRef value)
{
    LLVMValueRef operands[3] = {NULL};
    long long offset;
    if (LLVMIsAConstantInt(value))
        return value;
    if (LLVMIsALoadInst(value)) {
        entry_place(LLVMGetOperand(value, 0), &offset);
        return wide_load(&w->to, LLVMGetParam(w->function, PARAM_ARGS), LLVMTypeOf(value), offset);
    }
    for (int i = 0; i < LLVMGetNumOperands(value); i++)
        operands[i] = copy_value(w, LLVMGetOperand(value, (unsigned)i));
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMFreeze:
        return operands[0];
    case LLVMICmp:
        return LLVMBuildICmp(w->to.builder, LLVMGetICmpPredicate(value), operands[0], operands[1], "");
    case LLVMSelect:
        return LLVMBuildSelect(w->to.builder, operands[0], operands[1], operands[2], "");
    default:
        return operands[1]
                   ? LLVMBuildBinOp(w->to.builder, LLVMGetInstructionOpcode(value), operands[0], operands[1], "")
                   : LLVMBuildCast(w->to.builder, LLVMGetInstructionOpcode(value), operands[0], LLVMTypeOf(value), "");
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
    LLVMValueRef extent = wide_load(&w->to, LLVMGetParam(w->function, PARAM_EXTENT),
                                    LLVMInt32TypeInContext(w->to.context), (long long)dimension * BYTES);
    return LLVMBuildSExt(w->to.builder, extent, w->to.type, "");
}

/* Returns the values that a component of the index has in the domain. */
static struct range range_of_index(const struct writer *w, const struct entry_param *index)
{
    const struct kernel *kernel = w->touches->kernel;
    LLVMValueRef size = kernel->tiled ? wide_constant(&w->to, kernel->tile[index->component]) : NULL;
    if (index->meaning != ENTRY_LOCAL) {
        LLVMValueRef extent = extent_of(w, index);
        size = index->meaning == ENTRY_GLOBAL ? extent : LLVMBuildSDiv(w->to.builder, extent, size, "");
    }
    return (struct range){wide_constant(&w->to, 0), LLVMBuildSub(w->to.builder, size, wide_constant(&w->to, 1), "")};
}

/* Returns the values of an index or counter within its limits. A counter has a limit, or nothing is said. */
static struct range range_within_limits(struct writer *w, int number)
{
    const struct symbol *symbol = &w->touches->symbols[number];
    bool is_limited = symbol->kind == SYMBOL_INDEX;
    struct range range = {wide_constant(&w->to, 0), wide_constant(&w->to, 0)};
    if (is_limited)
        range = range_of_index(w, &symbol->index);
    for (int i = 0; i < w->touch->n_limits; i++) {
        const struct limit *limit = &w->touch->limits[i];
        if (limit->symbol != number || (w->is_everywhere && !limit->is_of_loop))
            continue;
        struct poly value = limit->is_upper ? limit->value : poly_scale(&limit->value, -1);
        LLVMValueRef bound = wide_divide_down(&w->to, value_of(w, &value), limit->divisor);
        if (!limit->is_upper)
            range.low = wide_greatest(&w->to, range.low, wide_negate(&w->to, bound));
        else
            range.high = is_limited ? wide_least(&w->to, range.high, bound) : bound;
        is_limited |= limit->is_upper;
    }
    LLVMValueRef is_empty = LLVMBuildICmp(w->to.builder, LLVMIntSGT, range.low, range.high, "");
    w->fails = LLVMBuildOr(w->to.builder, w->fails, is_limited ? is_empty : LLVMConstAllOnes(w->to.bit), "");
    return range;
}

static struct range range_of_symbol(struct writer *w, int number)
{
    const struct symbol *symbol = &w->touches->symbols[number];
    LLVMValueRef value;
    struct range a, b;
    switch (symbol->kind) {
    case SYMBOL_ARGUMENT:
        value = wide_load(&w->to, LLVMGetParam(w->function, PARAM_ARGS),
                          LLVMIntTypeInContext(w->to.context, (unsigned)symbol->bits), symbol->offset);
        return exactly(LLVMBuildSExt(w->to.builder, value, w->to.type, ""));
    case SYMBOL_VALUE:
        value = LLVMBuildFreeze(w->to.builder, copy_value(w, symbol->value), "");
        return exactly(LLVMBuildSExt(w->to.builder, value, w->to.type, ""));
    case SYMBOL_INDEX:
    case SYMBOL_COUNTER:
        return range_within_limits(w, number);
    case SYMBOL_LEAST:
    case SYMBOL_GREATEST:
        a = range_of(w, &symbol->operands[0]);
        b = range_of(w, &symbol->operands[1]);
        return symbol->kind == SYMBOL_LEAST
                   ? (struct range){wide_least(&w->to, a.low, b.low), wide_least(&w->to, a.high, b.high)}
                   : (struct range){wide_greatest(&w->to, a.low, b.low), wide_greatest(&w->to, a.high, b.high)};
    default:
        a = range_of(w, &symbol->operands[0]);
        return (struct range){wide_divide_down(&w->to, a.low, symbol->divisor),
                              wide_divide_down(&w->to, a.high, symbol->divisor)};
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
    LLVMValueRef product = wide_constant(&w->to, monomial->coefficient);
    for (int k = 0; k < monomial->n; k++)
        if (monomial->symbols[k] != without)
            product = wide_multiply(&w->to, product, range_of_symbol(w, monomial->symbols[k]).low);
    return product;
}

/* Returns the factor of a symbol in the sum that a polynomial is (-1: what is uniform), and marks its monomials. */
static LLVMValueRef take_factor(struct writer *w, const struct poly *poly, int number, bool *taken)
{
    LLVMValueRef sum = NULL;
    for (int i = 0; i < poly->n; i++)
        if (varying_symbol(w, &poly->of[i]) == number) {
            LLVMValueRef factor = factor_of(w, &poly->of[i], number);
            sum = sum ? wide_add(&w->to, sum, factor) : factor;
            taken[i] = true;
        }
    return sum ? sum : wide_constant(&w->to, 0);
}

static struct range scale(struct writer *w, struct range range, LLVMValueRef factor)
{
    LLVMValueRef a = wide_multiply(&w->to, factor, range.low), b = wide_multiply(&w->to, factor, range.high);
    if (!LLVMIsAConstantInt(factor))
        return (struct range){wide_least(&w->to, a, b), wide_greatest(&w->to, a, b)};
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
        sum.low = wide_add(&w->to, sum.low, range.low);
        sum.high = wide_add(&w->to, sum.high, range.high);
    }
    return sum;
}

/* ---- the function ---- */

static void begin_part(struct writer *w, LLVMBasicBlockRef block, bool asks_for_overflow)
{
    LLVMPositionBuilderAtEnd(w->to.builder, block);
    w->fails = LLVMConstNull(w->to.bit);
    w->to.overflow = asks_for_overflow ? w->fails : NULL;
    w->is_everywhere = false;
}

static LLVMBasicBlockRef new_block(const struct writer *w)
{
    return LLVMAppendBasicBlockInContext(w->to.context, w->function, "");
}

/* Asks whether the access is outside. */
static LLVMValueRef write_is_outside(struct writer *w)
{
    const struct touch *touch = w->touch;
    struct range bytes = range_of(w, &touch->bytes);
    LLVMValueRef end = wide_add(&w->to, bytes.high, wide_constant(&w->to, touch->size));
    LLVMValueRef is_after = LLVMBuildICmp(w->to.builder, LLVMIntSGT, end, value_of(w, &touch->total), "");
    return LLVMBuildOr(w->to.builder, wide_is_negative(&w->to, bytes.low), is_after, "");
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
        holds = LLVMBuildAnd(w->to.builder, holds, LLVMBuildNot(w->to.builder, wide_is_negative(&w->to, low), ""), "");
    }
    w->is_everywhere = false;
    LLVMValueRef fails = LLVMBuildOr(w->to.builder, w->to.overflow, w->fails, "");
    return LLVMBuildAnd(w->to.builder, holds, LLVMBuildNot(w->to.builder, fails, ""), "");
}

static void write_box(struct writer *w)
{
    for (int d = 0; d < w->touch->param->rank; d++) {
        struct range range = range_of(w, &w->touch->subscripts[d]);
        LLVMValueRef ends[] = {range.low, range.high};
        for (int i = 0; i < 2; i++) {
            LLVMValueRef at = wide_constant(&w->to, 2 * d + i);
            LLVMValueRef box = LLVMGetParam(w->function, PARAM_BOX);
            LLVMBuildStore(w->to.builder, ends[i], LLVMBuildGEP2(w->to.builder, w->to.type, box, &at, 1, ""));
        }
    }
}

static LLVMTypeRef function_type(const struct writer *w)
{
    LLVMTypeRef pointer = LLVMPointerTypeInContext(w->to.context, 0), params[N_PARAMS] = {pointer, pointer, pointer};
    return LLVMFunctionType(LLVMInt32TypeInContext(w->to.context), params, N_PARAMS, false);
}

static LLVMValueRef number(const struct writer *w, int value)
{
    return LLVMConstInt(LLVMInt32TypeInContext(w->to.context), (unsigned long long)value, true);
}

static void write_function(struct writer *w)
{
    w->function = LLVMAddFunction(w->to.module, w->touches->kernel->outside, function_type(w));
    ir_add_attribute(w->function, IR_FUNCTION, "nounwind");
    LLVMBasicBlockRef next = new_block(w);
    for (int i = 0; i < w->touches->n; i++) {
        LLVMBasicBlockRef ask = new_block(w), report = new_block(w), here = next;
        w->touch = w->touches->of[i];
        next = new_block(w);
        begin_part(w, here, false);
        LLVMBuildCondBr(w->to.builder, write_is_outside(w), ask, next);
        begin_part(w, ask, true);
        LLVMBuildCondBr(w->to.builder, write_is_certain(w), report, next);
        begin_part(w, report, false);
        write_box(w);
        LLVMBuildRet(w->to.builder, number(w, i + 1));
    }
    LLVMPositionBuilderAtEnd(w->to.builder, next);
    LLVMBuildRet(w->to.builder, number(w, 0));
}

/* ---- the data ---- */

static LLVMValueRef add_text(const struct writer *w, const char *text)
{
    LLVMValueRef value = LLVMConstStringInContext2(w->to.context, text, strlen(text), false);
    LLVMValueRef global = LLVMAddGlobal(w->to.module, LLVMTypeOf(value), "");
    LLVMSetInitializer(global, value);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    return global;
}

/* Adds the array of struct amp__touch. */
static void add_touches(const struct writer *w)
{
    LLVMTypeRef integer = LLVMInt32TypeInContext(w->to.context);
    LLVMTypeRef members[] = {LLVMPointerTypeInContext(w->to.context, 0), integer, integer};
    LLVMTypeRef type = LLVMStructTypeInContext(w->to.context, members, sizeof members / sizeof *members, false);
    LLVMValueRef rows[MAX_TOUCHES];
    for (int i = 0; i < w->touches->n; i++) {
        const struct touch *touch = w->touches->of[i];
        const char *place = arena_printf("%s:%u:%u", touch->place.file, touch->place.line, touch->place.column);
        int param = (int)(touch->param - w->touches->kernel->params);
        LLVMValueRef fields[] = {add_text(w, place), number(w, param), number(w, touch->is_write)};
        rows[i] = LLVMConstStructInContext(w->to.context, fields, sizeof fields / sizeof *fields, false);
    }
    LLVMValueRef value = LLVMConstArray2(type, rows, (uint64_t)w->touches->n);
    LLVMValueRef global = LLVMAddGlobal(w->to.module, LLVMTypeOf(value), w->touches->kernel->touches);
    LLVMSetInitializer(global, value);
    LLVMSetGlobalConstant(global, true);
}

bool footprint(struct unit *unit)
{
    struct writer w = {.to = wide_begin(ir_module_like(unit->form))};
    for (int k = 0; k < unit->n_kernels; k++) {
        struct cfg *cfg = cfg_build(LLVMGetNamedFunction(unit->form, unit->kernels[k].entry));
        if (!cfg)
            diag_defect(unit->kernels[k].name, "a loop with several entries is left");
        w.touches = touch_find(&unit->kernels[k], cfg);
        write_function(&w);
        add_touches(&w);
        reach_write(&unit->kernels[k], cfg, &w.to);
    }
    LLVMDisposeBuilder(w.to.builder);
    ir_run_passes(w.to.module, NULL, "function(early-cse,simplifycfg)");
    unit->footprints = w.to.module;
    return true;
}

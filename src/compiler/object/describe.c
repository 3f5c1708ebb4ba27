/* SPDX-License-Identifier: MIT
 *
 * Reports for each kernel and target what its C became: lanes and blocks, how each access reaches memory, where lanes
 * diverge, what runs lane by lane, and what does not fit into registers. For what is slow, it says what would avoid
 * that.
 *
 *     mm.c:3: kernel mxm (rank 2; a[][], b[][], c[][]) for x86-64-v4: 16 lanes, blocks of 8 rows x 2 vectors
 *         memory  line 8   read a    uniform
 *                 line 8   read b    contiguous, the same for all rows of a block
 *                 line 9   write c   contiguous
 *         masks   none
 *         spills  none
 *
 * The report takes most from the plan by which code is generated. Only the finished assembly shows spills, and the
 * calls into which LLVM turns operations that a target lacks. So the work has two parts: `lanes` calls describe_kernel
 * while the entry, with the places in the source, still exists; the pass `describe` generates code once more and
 * prints.
 *
 * needs   optimised modules
 * keeps   everything: the assembly is made from a copy
 * breaks  nothing */
#include "object/describe.h"

#include "driver/driver.h"
#include "kernel/calls.h"
#include "kernel/ir.h"
#include "kernel/origin.h"
#include "widen/stretch_sums.h"

#include <amp.h>
#include <stdlib.h>
#include <string.h>

enum section { MEMORY, MASKS, CALLS, NOTES, N_SECTIONS };

struct item {
    enum section section;
    struct place place; /* line 0: unknown */
    const char *what;   /* an array, a function, a statement */
    const char *access; /* "read", "write", "update"; "" outside of MEMORY */
    const char *kind;   /* in JSON: the kind of thing */
    const char *text;   /* in text: how it runs */
    const char *advice; /* what would avoid the cost, or NULL */
    long stride;        /* in elements; 0: unknown */
    bool masked;
};

struct report {
    struct report *next;
    const struct plan *plan;
    const struct kernel *kernel;
    const struct image *image;
    struct item *items;
    int n_items, capacity;
    int vector_spills, scalar_spills;
    int inner_spills, inner_vector_spills; /* in innermost loops; spilled vectors are the ones that cost time */
    unsigned spill_line;                   /* of the first spill in an innermost loop; 0: unknown */
};

/* ---- finding things ---- */

static void add_item(struct report *report, struct item item)
{
    /* Unrolled loops and blocks contain the same access many times. */
    for (int i = 0; i < report->n_items; i++) {
        const struct item *old = &report->items[i];
        if (old->section == item.section && old->place.line == item.place.line && !strcmp(old->what, item.what) &&
            !strcmp(old->access, item.access) && !strcmp(old->text, item.text) && old->advice == item.advice)
            return;
    }
    if (report->n_items == report->capacity) {
        report->capacity = report->capacity ? 2 * report->capacity : 16;
        struct item *items = arena_alloc((size_t)report->capacity * sizeof *items);
        if (report->n_items)
            memcpy(items, report->items, (size_t)report->n_items * sizeof *items);
        report->items = items;
    }
    /* Items are sorted by section and line. */
    int at = report->n_items++;
    for (; at > 0 &&
           (report->items[at - 1].section > item.section ||
            (report->items[at - 1].section == item.section && report->items[at - 1].place.line > item.place.line));
         at--)
        report->items[at] = report->items[at - 1];
    report->items[at] = item;
}

/* Returns the place of an instruction or, if unknown, that of what its operands are made of. */
static struct place place_below(LLVMValueRef instruction, int depth)
{
    struct place place = ir_place(instruction, (struct place){0});
    for (int o = LLVMGetNumOperands(instruction) - 1; o >= 0 && !place.line && depth > 0; o--)
        if (LLVMIsAInstruction(LLVMGetOperand(instruction, (unsigned)o)))
            place = place_below(LLVMGetOperand(instruction, (unsigned)o), depth - 1);
    return place;
}

/* Returns the place of an instruction; if optimisation lost it, that of its operands, of what uses its value, or of
 * what follows a branch. */
static struct place place_near(LLVMValueRef instruction)
{
    struct place place = place_below(instruction, 3);
    for (LLVMUseRef use = LLVMGetFirstUse(instruction); use && !place.line; use = LLVMGetNextUse(use))
        if (LLVMIsAInstruction(LLVMGetUser(use)))
            place = place_below(LLVMGetUser(use), 1);
    bool is_branch = LLVMIsATerminatorInst(instruction) != NULL;
    for (unsigned s = 0; is_branch && s < LLVMGetNumSuccessors(instruction) && !place.line; s++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetSuccessor(instruction, s)); i && !place.line;
             i = LLVMGetNextInstruction(i))
            place = ir_place(i, place);
    return place;
}

/* Returns what the source calls a variable. */
static const char *name_of_variable(LLVMValueRef variable)
{
    const char *name = LLVMGetValueName(variable);
    if (!LLVMIsAAllocaInst(variable))
        return ir_variable_name(variable);
    return *name ? arena_printf("%.*s", (int)strcspn(name, "."), name) : "a local array";
}

/* Returns the source's name of the array or variable in which an address lies; "memory" if that is unknown, NULL for
 * the argument block. */
static const char *name_of(const struct kernel *kernel, LLVMValueRef address)
{
    struct origin origin = origin_of(kernel, address);
    if (origin.kinds == ORIGIN_ARGUMENTS)
        return NULL;
    return origin.param ? origin.param->name : origin.variable ? name_of_variable(origin.variable) : "memory";
}

/* ---- why lanes do not lie side by side ---- */

static const char wraps[] =
    "the index may wrap around in its type: compute it in int, by + and *, not in unsigned, short "
    "or char, nor by <<, nor with -fwrapv";
static const char backwards[] = "lanes go backwards through it: let the index grow with the last dimension";
static const char bits[] =
    "the index goes through /, % or bit operations, so lanes do not lie side by side: give the kernel one more "
    "dimension instead";
static const char none[] = ""; /* no advice is known to help */
static const char rows[] = "lanes lie rows apart: let the last dimension of the index stand last, x[...][idx[n]]";

/* Returns why `value`, an address or part of an index, is not linear in the lanes, and what to do about it; NULL if it
 * is linear. */
static const char *why_not_linear(const struct shapes *shapes, LLVMValueRef value, struct map *seen)
{
    if (!LLVMIsAInstruction(value) || shape_of(shapes, value).kind != SHAPE_VARYING || map_get(seen, value) >= 0)
        return NULL;
    map_set(seen, value, 1);
    const char *inner = NULL;
    bool is_phi = LLVMIsAPHINode(value) != NULL;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    bool is_source = opcode == LLVMLoad || opcode == LLVMCall || opcode == LLVMFPToSI || opcode == LLVMFPToUI;
    for (int o = 0; o < LLVMGetNumOperands(value) && !inner && !is_source; o++) {
        LLVMValueRef operand = LLVMGetOperand(value, (unsigned)o);
        struct shape shape = shape_of(shapes, operand);
        bool is_index = LLVMGetTypeKind(LLVMTypeOf(operand)) == LLVMIntegerTypeKind &&
                        LLVMGetIntTypeWidth(LLVMTypeOf(operand)) < 64;
        if (opcode == LLVMSelect && o == 0)
            continue;
        if (opcode == LLVMGetElementPtr && is_index && shape.kind == SHAPE_LINEAR && !shape.no_wrap)
            return wraps;
        inner = why_not_linear(shapes, operand, seen);
    }
    if (inner)
        return inner;
    struct shape first = is_phi ? (struct shape){0} : shape_of(shapes, LLVMGetOperand(value, 0));
    switch (opcode) {
    case LLVMLoad:
        return "the index comes from memory: order the data so that neighbours in the last dimension read neighbours";
    case LLVMMul:
        return first.kind == SHAPE_UNIFORM || shape_of(shapes, LLVMGetOperand(value, 1)).kind == SHAPE_UNIFORM ? rows
                                                                                                               : none;
    case LLVMSExt: /* LLVM forgets that an int that goes backwards does not wrap */
        return first.kind == SHAPE_LINEAR && first.stride < 0 ? backwards : wraps;
    case LLVMZExt:
        return first.no_wrap && first.stride < 0 ? backwards : wraps;
    case LLVMTrunc:
        return wraps;
    case LLVMXor:
        if (LLVMIsAConstantInt(LLVMGetOperand(value, 1)) && LLVMConstIntGetSExtValue(LLVMGetOperand(value, 1)) == -1)
            return backwards; /* ~x is -1 - x */
        return none;
    case LLVMFPToSI:
    case LLVMFPToUI:
        return "the index comes from floating point: compute it in int";
    case LLVMAnd:
    case LLVMOr:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
        return bits;
    default: /* also a choice: LLVM turns a choice between values into one between addresses */
        return none;
    }
}

/* Whether lanes differ in a subscript that is not the last. */
static bool is_rows_apart(const struct kernel *kernel, const struct shapes *shapes, LLVMValueRef address)
{
    const struct param *param = origin_of(kernel, address).param;
    struct subscript subscripts[MAX_SUBSCRIPTS];
    for (int i = origin_subscripts(kernel, address, subscripts) - 1; i >= 0; i--)
        if (subscripts[i].dimension < param->rank - 1 && shape_of(shapes, subscripts[i].value).kind != SHAPE_UNIFORM)
            return true;
    return false;
}

static const char *gather_advice(const struct kernel *kernel, const struct shapes *shapes, LLVMValueRef address,
                                 long stride)
{
    const char *why = why_not_linear(shapes, address, map_new());
    int kinds = origin_of(kernel, address).kinds;
    if (kinds == ORIGIN_PRIVATE)
        return "each thread has this array in memory: with constant indices, or loops of constant length, it is kept "
               "in registers";
    if (kinds == ORIGIN_TABLE || (kinds == ORIGIN_TILE && stride % 2 != 0))
        return NULL; /* padded rows of tile memory are there to be read across */
    if (why)
        return *why ? why : NULL;
    if (stride < 0)
        return backwards;
    if (is_rows_apart(kernel, shapes, address))
        return rows;
    return kinds == ORIGIN_TILE
               ? "lanes lie several elements apart: let the last dimension of the thread in the tile stand last"
               : "lanes lie several elements apart: an array for each member instead of an array of structs puts them "
                 "side by side";
}

/* ---- the parts of a kernel ---- */

/* Whether elements of 32 bits could take the place of those at an address, which are not parts of structs. */
static bool has_64_bits(const struct kernel *kernel, LLVMValueRef address, LLVMTypeRef type)
{
    struct origin origin = origin_of(kernel, address);
    if (origin.kinds == ORIGIN_PRIVATE)
        return false;
    if (origin.param && origin.param->type)
        return origin.param->type == AMP_TYPE_F64 || origin.param->type == AMP_TYPE_I64 ||
               origin.param->type == AMP_TYPE_U64;
    return LLVMGetTypeKind(type) == LLVMDoubleTypeKind;
}

/* Whether a region of a tile that has this node runs its threads one after another. */
static bool runs_one_by_one(const struct report *report, int node)
{
    return report->plan->one_by_one && report->plan->one_by_one[node];
}

/* Says how the threads of a group access memory together. */
static void say_how(struct item *item, const struct report *report, const struct body *body, LLVMValueRef i,
                    enum access access)
{
    LLVMValueRef address = LLVMGetOperand(i, LLVMGetInstructionOpcode(i) == LLVMStore);
    const struct cfg *cfg = body->shapes->cfg;
    const struct stretch_sums *sums = body->stretch_sums[map_get(cfg->first_node, LLVMGetInstructionParent(i))];
    if (sums && !stretch_sums_is_at_one_place(body->shapes, i)) {
        item->kind = access == ACCESS_UNIFORM ? "uniform" : "stretches";
        item->text = arena_printf(access == ACCESS_UNIFORM ? "uniform: stretches of %d, for all lanes"
                                                           : "stretches of %d, of one lane after another",
                                  sums->at_once);
        return;
    }
    switch (access) {
    case ACCESS_UNIFORM:
        item->kind = "uniform";
        item->text = "uniform: one scalar for all lanes";
        break;
    case ACCESS_CONTIGUOUS:
        item->kind = "contiguous";
        item->text = body->block.rows > 1 && !shape_of(body->shapes, address).rows
                         ? "contiguous, the same for all rows of a block"
                         : "contiguous";
        break;
    case ACCESS_REVERSED:
        item->kind = "contiguous";
        item->text = "contiguous, backwards: one vector and a shuffle";
        break;
    case ACCESS_STRIDED:
        item->kind = "strided";
        item->text = arena_printf("strided by %ld: %ld vectors and a shuffle", item->stride, item->stride);
        break;
    case ACCESS_STRETCHES:
        item->kind = "stretches";
        item->text = arena_printf("stretches of %d for each lane, transposed", plan_way(body, i)->length);
        break;
    case ACCESS_GUESS:
        item->kind = LLVMIsAStoreInst(i) ? "scatter" : "gather";
        item->text = arena_printf("%s where a test finds it, otherwise %s",
                                  plan_way(body, i)->apart ? "contiguous" : "one place for all lanes", item->kind);
        item->advice = gather_advice(report->kernel, body->shapes, address, item->stride);
        break;
    case ACCESS_APART:
        item->kind = "apart";
        item->text = arena_printf("strided by %ld: scalars, of all lanes", item->stride);
        item->advice = gather_advice(report->kernel, body->shapes, address, item->stride);
        break;
    case ACCESS_GATHER:
        item->kind = LLVMGetInstructionOpcode(i) == LLVMStore ? "scatter" : "gather";
        item->text = item->stride ? arena_printf("strided by %ld: %s", item->stride, item->kind) : item->kind;
        if (plan_way(body, i)->members && (!item->masked || plan_way(body, i)->can_skip)) {
            item->text = arena_printf("%s of %d members at once", item->text, plan_way(body, i)->members->n);
            break;
        }
        item->advice = gather_advice(report->kernel, body->shapes, address, item->stride);
        break;
    case ACCESS_LANE_BY_LANE:
        item->kind = "lane by lane";
        item->text = item->kind;
        if (LLVMGetVolatile(i))
            item->advice = "volatile: each thread's access stands for itself; drop it if nobody else looks";
        break;
    }
}

static void add_access(struct report *report, const struct body *body, LLVMValueRef i, int at, bool masked)
{
    bool store = LLVMGetInstructionOpcode(i) == LLVMStore;
    LLVMValueRef address = LLVMGetOperand(i, store);
    LLVMTypeRef type = store ? LLVMTypeOf(LLVMGetOperand(i, 0)) : LLVMTypeOf(i);
    struct shape shape = shape_of(body->shapes, address);
    long size = (long)LLVMStoreSizeOfType(LLVMGetModuleDataLayout(report->image->module), type);
    struct item item = {
        .section = MEMORY, .place = place_near(i), .access = store ? "write" : "read", .masked = masked};
    item.what = name_of(report->kernel, address);
    if (!item.what)
        return;
    if (masked && runs_one_by_one(report, at)) {
        item.kind = "one by one";
        item.text = "one thread after another";
        add_item(report, item);
        return;
    }
    item.stride = shape.kind == SHAPE_LINEAR && shape.stride % size == 0 ? shape.stride / size : 0;
    enum access access = plan_way(body, i)->access;
    if (access == ACCESS_STRIDED && masked && !plan_way(body, i)->can_skip)
        access = ACCESS_GATHER;
    say_how(&item, report, body, i, access);
    if (masked)
        item.text = arena_printf("%s, under a mask", item.text);
    const struct panel *panel = report->plan->panel;
    const struct strip *strip = report->plan->strip;
    int number = map_get(body->shapes->numbers, i);
    if ((panel && panel->ends[number]) || (strip && strip->ends[number])) {
        item.text = arena_printf("%s; large boxes read a copy", item.text);
        item.advice = NULL;
    }
    add_item(report, item);
    if (access != ACCESS_UNIFORM && has_64_bits(report->kernel, address, type))
        add_item(report, (struct item){.section = NOTES,
                                       .place = item.place,
                                       .what = item.what,
                                       .access = "",
                                       .kind = "64 bits",
                                       .text = "64-bit elements: half as many in a vector as of 32 bits",
                                       .advice = "float or int, where they suffice, take half the time"});
}

/* Returns what makes fewer atomic operations on an address that lanes update one by one, or NULL. */
static const char *atomic_advice(const struct kernel *kernel, const struct body *body, LLVMValueRef address)
{
    enum shape_kind kind = shape_of(body->shapes, address).kind;
    if (origin_is_local(kernel, address) || kind == SHAPE_LINEAR)
        return NULL;
    return kind == SHAPE_UNIFORM ? "let each thread combine several values in a variable of its own first"
                                 : "combine in tile_static memory first, then add once per tile";
}

/* Returns what to use instead of a function without a vector version, if there is something. */
static const char *instead_of(const struct options *options, const struct kernel *kernel, const char *name)
{
    /* LLVM turns exp2 of an int into ldexp. */
    static const char power[] =
        "x times a float of the bits (n + 127) << 23, if n is -126 to 127 (for double n + 1023, << 52)";
    static const char *const known[] = {
        [MATH_fdim] = "fmax(x - y, 0)",
        [MATH_fmod] = "x - y * trunc(x / y) if x / y is small and the last bits do not matter",
        [MATH_frexp] = "amp_fast_frexpf of <amp_math.h>, or bit operations",
        [MATH_ilogb] = "floor(log2(fabs(x)))",
        [MATH_ldexp] = power,
        [MATH_logb] = "floor(log2(fabs(x)))",
        [MATH_llrint] = "(long long)rint(x)",
        [MATH_llround] = "(long long)round(x)",
        [MATH_lrint] = "(long)rint(x)",
        [MATH_lround] = "(long)round(x)",
        [MATH_modf] = "amp_fast_modff of <amp_math.h>, or x - trunc(x)",
        [MATH_remainder] = "x - y * rint(x / y) if x / y is small and the last bits do not matter",
        [MATH_scalbln] = "x * exp2(n)",
        [MATH_scalbn] = power,
        [MATH_sincos] = "amp_sincos of <amp_math.h>",
    };
    const struct callee *callee = calls_find(name);
    if (callee->kind != CALL_MATH)
        return NULL;
    if (callee->lanes == LANES_libmvec && options->precise_math)
        return "--amp-precise-math asks for it";
    if (callee->math < sizeof known / sizeof *known && known[callee->math])
        return arena_printf("it has no version for vectors; write %s", known[callee->math]);
    if (callee->lanes == LANES_each && !callee->intrinsic)
        return "it has no version for vectors: call it less often, for example once and keep the values in an array";
    return kernel->lanes
               ? arena_printf("it has no version for vectors of the %d lanes that are asked for", kernel->lanes)
               : NULL;
}

static void add_call(const struct options *options, struct report *report, const struct body *body, LLVMValueRef i,
                     bool masked)
{
    struct item item = {.section = CALLS, .place = place_near(i), .access = "", .masked = masked};
    enum work work = plan_way(body, i)->work;
    if (!LLVMIsACallInst(i)) {
        const char *array = name_of(report->kernel, LLVMGetOperand(i, 0));
        item.section = MEMORY;
        item.what = array ? array : "memory";
        item.access = "update";
        item.kind = work == WORK_SUM ? "summed" : work == WORK_ONCE ? "combined" : "lane by lane";
        item.text = work == WORK_SUM    ? "atomic, summed in registers: once for many threads"
                    : work == WORK_ONCE ? "atomic, combined: once for all lanes"
                                        : "atomic, lane by lane";
        if (work == WORK_LANE_BY_LANE)
            item.advice = atomic_advice(report->kernel, body, LLVMGetOperand(i, 0));
    } else {
        item.what = arena_printf("%s", LLVMGetValueName(LLVMGetCalledValue(i)));
        if (work == WORK_MATH) {
            item.kind = "vector";
            item.text = "a function for vectors";
        } else if (work == WORK_LANE_BY_LANE) {
            item.kind = "lane by lane";
            item.text = item.kind;
            item.advice = instead_of(options, report->kernel, item.what);
        } else
            return;
    }
    add_item(report, item);
}

static void add_arithmetic(struct report *report, const struct body *body, LLVMValueRef i)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    if (shape_of(body->shapes, i).kind != SHAPE_VARYING)
        return;
    if (opcode == LLVMFPExt && LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMDoubleTypeKind)
        add_item(report, (struct item){.section = NOTES,
                                       .place = place_near(i),
                                       .what = "float",
                                       .access = "",
                                       .kind = "to double",
                                       .text = "becomes double: half as many in a vector",
                                       .advice = "write constants as 0.5f and functions as sinf if float will do"});
    bool divides = opcode == LLVMSDiv || opcode == LLVMUDiv, rest = opcode == LLVMSRem || opcode == LLVMURem;
    if ((divides || rest) && !LLVMIsAConstant(LLVMGetOperand(i, 1)) && !plan_divides_in_double(i))
        add_item(report, (struct item){
                             .section = CALLS,
                             .place = place_near(i),
                             .what = divides ? "/" : "%",
                             .access = "",
                             .kind = "lane by lane",
                             .text = "of 64-bit integers: lane by lane, for want of an instruction for vectors",
                             .advice = "divide by a constant (#define, enum), or 32-bit integers where they suffice"});
}

/* Whether nothing but reads and arithmetic depends on a branch: no mask could be spared there. */
static bool only_reads(const struct cfg *cfg, int branch)
{
    int join = branch + 1;
    for (int at = branch; at < join; at++) {
        const struct node *node = &cfg->nodes[at];
        for (int s = 0; s < node->n_succ; s++)
            join = node->succ[s] > join ? node->succ[s] : join;
        for (LLVMValueRef i = node->first; i != node->end && at > branch; i = LLVMGetNextInstruction(i))
            if (LLVMIsAStoreInst(i) || LLVMIsACallInst(i) || LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i))
                return false;
    }
    return true;
}

static const char *count(int n, const char *one)
{
    return arena_printf("%d %s%s", n, one, n == 1 ? "" : "s");
}

static bool terminator_tests(const struct node *node, LLVMValueRef condition)
{
    return LLVMGetCondition(LLVMGetBasicBlockTerminator(node->block)) == condition;
}

static const char *convoy_text(const struct report *report)
{
    const char *who =
        arena_printf("convoys of %s", count(report->plan->convoy, report->kernel->tiled ? "tile" : "block"));
    if (report->kernel->tiled && report->plan->convoy == 1)
        who = "the blocks of a tile";
    const char *turn = report->plan->turn > 1 ? arena_printf(" by turns of %d iterations", report->plan->turn) : "";
    return arena_printf("%s go through it together%s, where the array and the steps are large", who, turn);
}

/* Adds the loop in which convoys go down columns. */
static void add_columns(struct report *report)
{
    const struct plan *plan = report->plan;
    if (plan->convoy && !plan->convoy_test)
        add_item(report, (struct item){.section = NOTES,
                                       .place = place_near(plan->convoy_call),
                                       .what = "loop",
                                       .access = "",
                                       .kind = "convoy",
                                       .text = convoy_text(report)});
}

/* Adds the branches of `body` that lanes may take differently: in `inner`, if there is such a body, or only at
 * borders. */
static void add_masks(struct report *report, const struct body *body, const struct body *inner)
{
    const struct shapes *shapes = body->shapes;
    const struct cfg *cfg = shapes->cfg;
    const bool *whole = inner->shapes ? inner->whole : body->whole;
    const bool *serial = inner->shapes ? inner->serial : body->serial;
    for (int loops = 1; loops >= 0; loops--) /* a loop's guard, an `if` in its line, is not repeated */
        for (int at = 0; at < cfg->n; at++) {
            bool is_head = shape_is_predicated(shapes, at) && !shapes->masked[at];
            if (!shapes->divergent[at] && !is_head)
                continue;
            const struct node *node = &cfg->nodes[at];
            bool leaves = false, told = false, is_whole = false, is_serial = false;
            for (int s = 0; s < node->n_succ; s++) {
                leaves |= node->loop >= 0 && !cfg_in_loop(cfg, node->succ[s], node->loop);
                is_whole |= whole && whole[node->succ[s]];
                is_serial |= serial && serial[node->succ[s]];
            }
            struct item item = {
                .section = MASKS, .place = place_near(LLVMGetBasicBlockTerminator(node->block)), .access = ""};
            item.what = leaves ? "loop" : "if";
            for (int i = 0; i < report->n_items; i++)
                told |= report->items[i].section == MASKS && report->items[i].place.line == item.place.line;
            if (leaves != loops || (told && !loops))
                continue;
            bool one_by_one = runs_one_by_one(report, at), at_borders = inner->shapes && !inner->shapes->divergent[at];
            item.kind = at_borders ? "at borders" : one_by_one ? "one by one" : "divergent";
            if (report->plan->convoy_test && terminator_tests(node, report->plan->convoy_test)) {
                item.kind = "convoy";
                item.what = "loop";
                item.text = convoy_text(report);
            } else if (at_borders)
                item.text = "masks at the borders of the domain only";
            else if (shape_is_predicated(inner->shapes ? inner->shapes : shapes, at))
                item.text = "lanes part: only what it reads and writes is under masks, and under none if all threads "
                            "of a block take it";
            else if (one_by_one)
                item.text = "the threads that take it run one after another: lanes would take longer, by the "
                            "compiler's estimate";
            else if (leaves) {
                item.text = "lanes leave it at different times: it runs until the last one has";
                item.advice =
                    "as many passes for all lanes, or an order of the threads in which neighbours take about as many";
            } else if (is_serial) {
                item.text = "lanes part: what is slow under a mask runs for one lane after another, unless all take it";
            } else if (is_whole) {
                item.text = "lanes part: each side runs under a mask if some lane takes it, without one if all do";
            } else if (only_reads(cfg, at)) {
                item.text = "lanes part: what only one side reads or computes runs under a mask";
            } else {
                item.text = "lanes part: each side runs under a mask if some lane takes it";
                item.advice = "a condition that is the same along the last dimension, or ?: between values (not "
                              "indices) instead of stores and calls";
            }
            add_item(report, item);
        }
}

/* Adds the accesses that would be gathers and scatters: the usual reason why threads run one by one. */
static void add_would_be_gathers(struct report *report)
{
    const struct body *tried = &report->plan->tried;
    const struct cfg *cfg = report->plan->cfg;
    for (int at = 0; at < cfg->n; at++)
        for (LLVMValueRef i = cfg->nodes[at].first; i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i)) {
            bool store = LLVMIsAStoreInst(i) != NULL;
            LLVMValueRef address = store || LLVMIsALoadInst(i) ? LLVMGetOperand(i, store) : NULL;
            const char *name = address ? name_of(report->kernel, address) : NULL;
            if (name && plan_way(tried, i)->access == ACCESS_GATHER)
                add_item(report, (struct item){.section = NOTES,
                                               .place = place_near(i),
                                               .what = name,
                                               .access = "",
                                               .kind = "gather",
                                               .text = store ? "lanes would scatter it" : "lanes would gather it",
                                               .advice = gather_advice(report->kernel, tried->shapes, address, 0)});
        }
}

/* Adds the lanes that a tile of this width leaves without a thread. */
static void add_idle_lanes(struct report *report, struct block block)
{
    const struct kernel *kernel = report->kernel;
    int width = block.lanes * block.vectors,
        last = report->plan->kernel->tiled ? kernel->tile[kernel->rank - 1] : width;
    if (last % width == 0)
        return;
    add_item(report, (struct item){.section = NOTES,
                                   .place = kernel->place,
                                   .what = "tile",
                                   .access = "",
                                   .kind = "idle lanes",
                                   .text = arena_printf("%d of %d lanes have no thread: the tile is %d wide",
                                                        width - last % width, (last + width - 1) / width * width, last),
                                   .advice = arena_printf("a last dimension that is a multiple of %d", width)});
}

/* Adds what the instructions become, in the body without masks if there is one. */
static void add_instructions(const struct options *options, struct report *report, const struct body *body)
{
    const struct cfg *cfg = body->shapes->cfg;
    for (int at = 0; at < cfg->n; at++)
        for (LLVMValueRef i = cfg->nodes[at].first; i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i)) {
            bool masked = body->shapes->masked[at];
            if (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i))
                add_access(report, body, i, at, masked);
            else if (LLVMIsACallInst(i) || LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i))
                add_call(options, report, body, i, masked);
            else
                add_arithmetic(report, body, i);
        }
}

void describe_kernel(struct unit *unit, const struct image *image, const struct plan *plan)
{
    struct report *report = arena_alloc(sizeof *report), **end = &unit->reports;
    const struct body *body = plan_main_body(plan);
    bool has_inner = plan->inner.block.lanes > 0;
    *report = (struct report){.plan = plan, .kernel = &unit->kernels[plan->kernel->number], .image = image};
    while (*end)
        end = &(*end)->next;
    *end = report;
    if (body->block.lanes == 1) {
        if (unit->options->opt_level > 0)
            add_would_be_gathers(report);
        return;
    }
    add_instructions(unit->options, report, has_inner ? &plan->inner : body);
    add_masks(report, body, &plan->inner);
    add_columns(report);
    add_idle_lanes(report, body->block);
}

/* ---- what the assembly shows ---- */

static const char *next_line(const char *at)
{
    const char *end = strchr(at, '\n');
    return end ? end + 1 : at + strlen(at);
}

static const char *find_within(const char *line, const char *end, const char *what)
{
    const char *at = strstr(line, what);
    return at && at < end ? at : NULL;
}

/* Returns the function's text without what comes before and after its code. */
static char *code_of(const char *assembly, const char *name)
{
    const char *begin = strstr(assembly, arena_printf("\n%s:", name)),
               *end = begin ? strstr(begin, "\n.Lfunc_end") : NULL;
    if (!end)
        diag_defect(NULL, "no assembly of %s", name);
    return arena_printf("%.*s", (int)(end - begin), begin);
}

static void add_scalar_call(struct report *report, const char *name, unsigned line, bool has_libmvec)
{
    bool told = has_libmvec && strncmp(name, "_ZGV", 4) == 0;
    for (int i = 0; i < report->n_items; i++)
        told |= report->items[i].section == CALLS && !strcmp(report->items[i].what, name);
    const struct callee *callee = calls_find(name);
    if (told || callee->kind != CALL_MATH)
        return;
    add_item(report,
             (struct item){.section = CALLS,
                           .place = {report->kernel->place.file, line, 0},
                           .what = name,
                           .access = "",
                           .kind = "lane by lane",
                           .text = "lane by lane: this target has no instruction for it",
                           .advice = callee->math == MATH_fma ? "x86-64-v3 has it; a * b + c lets the compiler choose"
                                                              : "a later target may have it: see --amp-cpu"});
}

/* Counts spills, and finds calls that LLVM made. The assembly's comments show loops: "=>This Inner Loop Header" after a
 * label, "in Loop: Header=LABEL" after the labels of the loop's other basic blocks. */
static void read_code(struct report *report, const char *code, unsigned long glue)
{
    struct words inner = {0};
    const char *label = "", *end;
    for (const char *line = code; *line; line = end) {
        end = next_line(line);
        if (strncmp(line, ".L", 2) == 0)
            label = arena_printf("%.*s", (int)strcspn(line + 2, ":"), line + 2);
        if (find_within(line, end, "Inner Loop Header"))
            words_add(&inner, label);
    }
    bool is_inner = false;
    unsigned source_line = 0;
    for (const char *line = code; *line; line = end) {
        end = next_line(line);
        const char *at;
        if (strncmp(line, ".L", 2) == 0 || find_within(line, end, " %bb."))
            is_inner = false;
        if ((at = find_within(line, end, "in Loop: Header=")))
            for (int i = 0; i < inner.n; i++)
                is_inner |= !strncmp(at + 16, inner.items[i], strcspn(at + 16, " \n")) &&
                            !inner.items[i][strcspn(at + 16, " \n")];
        is_inner |= find_within(line, end, "Inner Loop Header") != NULL;
        if (strncmp(line, "\t.loc\t", 6) == 0) {
            char *rest;
            unsigned long of_file = strtoul(line + 6, &rest, 10);
            unsigned here = (unsigned)strtoul(rest, NULL, 10);
            source_line = here && of_file != glue ? here : source_line; /* 0: of no particular line */
        }
        const char *size = find_within(line, end, "-byte Spill");
        size = size ? size : find_within(line, end, "-byte Folded Spill");
        if (size) {
            while (size > line && size[-1] >= '0' && size[-1] <= '9')
                size--;
            bool is_vector = atoi(size) >= 16;
            (is_vector ? &report->vector_spills : &report->scalar_spills)[0]++;
            report->inner_spills += is_inner;
            report->inner_vector_spills += is_inner && is_vector;
            if (is_inner && !report->spill_line)
                report->spill_line = source_line;
        }
        if (strncmp(line, "\tcallq\t", 7) == 0 || strncmp(line, "\tbl\t", 4) == 0) {
            const char *name = strrchr(arena_printf("%.*s", (int)strcspn(line + 1, "\n@ "), line + 1), '\t') + 1;
            if (*name != '*')
                add_scalar_call(report, name, source_line, true);
        }
    }
}

/* Returns the number of glue's text among the assembly's files; 0 if there is none. */
static unsigned long number_of_glue(const char *assembly)
{
    const char *at = strstr(assembly, "\"<ampcc>\"");
    while (at && at > assembly && *at != '\n')
        at--;
    return at && strncmp(at, "\n\t.file\t", 8) == 0 ? strtoul(at + 8, NULL, 10) : 0;
}

static void read_assembly(struct unit *unit, const struct image *image)
{
    char *message = NULL;
    LLVMMemoryBufferRef buffer = NULL;
    LLVMModuleRef copy = LLVMCloneModule(image->module); /* code generation changes it */
    LLVMSetTargetMachineAsmVerbosity(image->machine, true);
    if (LLVMTargetMachineEmitToMemoryBuffer(image->machine, copy, LLVMAssemblyFile, &message, &buffer))
        diag_defect(NULL, "no assembly for %s: %s", image->name, message);
    char *assembly = arena_printf("%.*s", (int)LLVMGetBufferSize(buffer), LLVMGetBufferStart(buffer));
    for (struct report *report = unit->reports; report; report = report->next)
        if (report->image == image)
            read_code(report, code_of(assembly, image->codes[report->kernel->number].symbol), number_of_glue(assembly));
    LLVMDisposeMemoryBuffer(buffer);
    LLVMDisposeModule(copy);
}

/* ---- the report as text ---- */

static const char *line_of(const struct report *report, struct place place)
{
    if (!place.line)
        return "line ?";
    return !place.file || is_same_file(place.file, report->kernel->place.file)
               ? arena_printf("line %u", place.line)
               : arena_printf("%s:%u", place.file, place.line);
}

static const char *tile_text(const struct kernel *kernel)
{
    const char *text = "";
    for (int d = 0; d < kernel->rank; d++)
        text = arena_printf("%s%s%d", text, d ? "x" : "", kernel->tile[d]);
    return text;
}

const char *describe_ranks(const struct kernel *kernel)
{
    struct text text = {0};
    int n = 0;
    text_add(&text, "%s (rank %d", kernel->name, kernel->rank);
    for (int i = 0; i < kernel->n_params && !kernel->is_closure; i++) {
        const struct param *param = &kernel->params[i];
        if (param->kind != PARAM_ARRAY)
            continue;
        text_add(&text, "%s %s", n++ ? "," : ";", param->name);
        for (int d = 0; d < param->rank; d++)
            text_add(&text, "[]");
    }
    text_add(&text, ")");
    return text.chars;
}

static void print_headline(const struct report *report, FILE *file)
{
    const struct kernel *kernel = report->kernel;
    const struct plan *plan = report->plan;
    struct block block = plan_main_body(plan)->block;
    bool tiled = plan->kernel->tiled;
    fprintf(file, "%s:%u: kernel %s for %s: ", kernel->place.file, kernel->place.line, describe_ranks(kernel),
            report->image->name);
    if (block.lanes == 1)
        fprintf(file, "no SIMD, one thread after another: %s", plan->why_scalar);
    else {
        fputs(count(block.lanes, "lane"), file);
        if (block.rows * block.vectors > 1)
            fprintf(file, ", blocks of %s x %s", count(block.rows, "row"), count(block.vectors, "vector"));
    }
    if (plan->division_line)
        fprintf(file, "; by rows and columns, as in line %u", plan->division_line);
    if (plan->store_line)
        fprintf(file, "; without tiles of %s, whose copies, as in line %u, are not needed", tile_text(kernel),
                plan->store_line);
    if (plan->truth->known)
        fprintf(file, "; cut where conditions on the index change");
    if (plan->fast && plan->fast->body.block.lanes != block.lanes)
        fprintf(file, "; on Intel's processors, which scatter faster, %s", count(plan->fast->body.block.lanes, "lane"));
    if (tiled && block.lanes == 1)
        fprintf(file, "; tiles of %s", tile_text(kernel));
    else if (tiled && block.tiles > 1)
        fprintf(file, "; one block does %d tiles of %s", block.tiles, tile_text(kernel));
    else if (tiled && plan->body.n_blocks == 1)
        fprintf(file, "; one block does a tile of %s", tile_text(kernel));
    else if (tiled)
        fprintf(file, "; a tile of %s takes %d blocks", tile_text(kernel), plan->body.n_blocks);
    const struct body *inner = &plan->inner;
    if (inner->block.lanes)
        fprintf(file, "; away from the borders %s with%s masks",
                tiled ? count(inner->n_blocks, "block") : count(inner->block.vectors, "vector"),
                inner->shapes->any_divergent || inner->shapes->predicate ? " fewer" : "out");
    if (plan->alone.block.lanes)
        fprintf(file, ", at borders one thread after another");
    fputc('\n', file);
}

static void print_spills(const struct report *report, FILE *file)
{
    int vectors = report->vector_spills, scalars = report->scalar_spills;
    bool calls = false;
    for (int i = 0; i < report->n_items; i++)
        calls |= report->items[i].section == CALLS;
    fprintf(file, "    spills  %s%s%s", vectors ? count(vectors, "vector") : "", vectors && scalars ? ", " : "",
            scalars ? count(scalars, "scalar") : "");
    if (vectors + scalars == 0)
        fputs("none\n", file);
    else if (!report->inner_spills)
        fputs("; none in an innermost loop\n", file);
    else
        fprintf(file, "; %d in innermost loops%s\n", report->inner_spills,
                report->spill_line
                    ? arena_printf(", first near %s", line_of(report, (struct place){NULL, report->spill_line, 0}))
                    : "");
    if (report->inner_vector_spills)
        fprintf(file, "            -> %s\n",
                calls ? "fewer values that are computed before a call and used after it: call in a kernel before this"
                      : "fewer values at once, as in a shorter body");
}

static void print_report(const struct report *report, FILE *file)
{
    static const char *const titles[] = {"memory", "masks", "calls", "notes"};
    print_headline(report, file);
    int wide_line = 0, wide_what = 0;
    for (int i = 0; i < report->n_items; i++) {
        const struct item *item = &report->items[i];
        int line = (int)strlen(line_of(report, item->place)),
            what = (int)(strlen(item->access) + strlen(item->what) + (*item->access != 0));
        wide_line = line > wide_line ? line : wide_line;
        wide_what = what > wide_what ? what : wide_what;
    }
    for (int section = 0; section < N_SECTIONS; section++) {
        int n = 0;
        for (int i = 0; i < report->n_items; i++) {
            const struct item *item = &report->items[i];
            if ((int)item->section != section)
                continue;
            const char *what = *item->access ? arena_printf("%s %s", item->access, item->what) : item->what;
            fprintf(file, "    %-6s  %-*s  %-*s  %s\n", n++ ? "" : titles[section], wide_line,
                    line_of(report, item->place), wide_what, what, item->text);
            const struct item *next = i + 1 < report->n_items ? item + 1 : NULL;
            bool again = next && next->section == item->section && next->advice && item->advice &&
                         !strcmp(next->advice, item->advice);
            if (item->advice && !again)
                fprintf(file, "    %-6s  %-*s    -> %s\n", "", wide_line, "", item->advice);
        }
        if (n == 0 && section == MASKS && !report->plan->why_scalar)
            fprintf(file, "    %-6s  none\n", titles[section]);
    }
    print_spills(report, file);
}

/* ---- the report as JSON ---- */

static void add_line(struct text *to, const char *key, unsigned line)
{
    text_add(to, line ? "\"%s\": %u" : "\"%s\": null", key, line);
}

void describe_ranks_json(const struct kernel *kernel, struct text *to)
{
    int n = 0;
    text_add(to, ", \"rank\": %d, \"arrays\": [", kernel->rank);
    for (int i = 0; i < kernel->n_params; i++) {
        const struct param *param = &kernel->params[i];
        if (param->kind != PARAM_ARRAY)
            continue;
        text_add(to, n++ ? ", {" : "{");
        json_add_string(to, "name", param->name);
        text_add(to, ", \"rank\": %d}", param->rank);
    }
    text_add(to, "]");
}

static void add_item_json(struct text *to, const struct item *item)
{
    text_add(to, "{");
    json_add_string(to, "file", item->place.file);
    text_add(to, ", ");
    add_line(to, "line", item->place.line);
    text_add(to, ", ");
    json_add_string(to, "what", item->what);
    text_add(to, ", ");
    if (item->section == MEMORY) {
        json_add_string(to, "access", item->access);
        text_add(to, item->stride ? ", \"stride\": %ld" : ", \"stride\": null", item->stride);
        text_add(to, ", \"masked\": %s, ", item->masked ? "true" : "false");
    }
    json_add_string(to, "kind", item->kind);
    text_add(to, ", ");
    json_add_string(to, "text", item->text);
    text_add(to, ", ");
    json_add_string(to, "advice", item->advice);
    text_add(to, "}");
}

/* Adds what parts of a launch may touch. */
static void add_reaches_json(struct text *to, const struct kernel *kernel)
{
    int n = 0;
    text_add(to, ",\n  \"parts\": [");
    for (int i = 0; i < kernel->n_params; i++) {
        const struct reach *reach = &kernel->reaches[i];
        if (kernel->params[i].kind != PARAM_ARRAY)
            continue;
        text_add(to, n++ ? ",\n    {" : "\n    {");
        json_add_string(to, "array", kernel->params[i].name);
        text_add(to, ", ");
        json_add_string(to, "touch", reach->is_whole ? "whole" : reach->reduces ? "reduced" : "box");
        text_add(to, ", \"reads\": %s, \"writes\": %s, ", reach->reads ? "true" : "false",
                 reach->writes ? "true" : "false");
        json_add_string(to, "file", reach->is_whole ? reach->place.file : NULL);
        text_add(to, ", ");
        add_line(to, "line", reach->is_whole ? reach->place.line : 0);
        text_add(to, "}");
    }
    text_add(to, "]");
}

static void add_json(const struct report *report, struct text *to)
{
    static const char *const keys[] = {"memory", "masks", "calls", "notes"};
    const struct kernel *kernel = report->kernel;
    const struct plan *plan = report->plan;
    struct block block = plan_main_body(plan)->block, inner = plan->inner.block;
    text_add(to, "{");
    json_add_string(to, "kernel", kernel->name);
    text_add(to, ", ");
    json_add_string(to, "file", kernel->place.file);
    text_add(to, ", \"line\": %u, ", kernel->place.line);
    json_add_string(to, "target", report->image->name);
    describe_ranks_json(kernel, to);
    text_add(to, ",\n  \"lanes\": %d, \"rows\": %d, \"vectors\": %d, ", block.lanes, block.rows, block.vectors);
    text_add(to, plan->fast ? "\"lanes_on_intel\": %d, " : "\"lanes_on_intel\": null, ",
             plan->fast ? plan->fast->body.block.lanes : 0);
    text_add(to, "\"rows_by\": ");
    text_add(to, plan->division_line ? "%u, " : "null, ", plan->division_line);
    text_add(to, "\"without_tiles\": %s, ", plan->store_line ? "true" : "false");
    text_add(to, plan->convoy ? "\"convoy\": %d, \"turn\": %d, " : "\"convoy\": null, \"turn\": null, ", plan->convoy,
             plan->turn);
    text_add(to, "\"tile\": ");
    for (int d = 0; plan->kernel->tiled && d < kernel->rank; d++)
        text_add(to, "%s%d", d ? ", " : "[", kernel->tile[d]);
    if (plan->kernel->tiled)
        text_add(to, "], \"tiles\": %d, \"blocks\": %d", block.tiles, plan->body.n_blocks);
    else
        text_add(to, "null, \"tiles\": null, \"blocks\": null");
    if (!plan->kernel->tiled)
        text_add(to, ", \"cycles_in_lanes\": %.2f, \"cycles_one_by_one\": %.2f", plan->cost.lanes, plan->cost.one);
    text_add(to, ", \"cut\": %s", plan->truth->known ? "true" : "false");
    text_add(to, inner.lanes ? ", \"inner_vectors\": %d" : ", \"inner_vectors\": null", inner.vectors);
    text_add(to, ", \"alone_at_borders\": %s", plan->alone.block.lanes ? "true" : "false");
    text_add(to, inner.lanes && plan->kernel->tiled ? ", \"inner_blocks\": %d, " : ", \"inner_blocks\": null, ",
             plan->inner.n_blocks);
    json_add_string(to, "why_scalar", plan->why_scalar);
    for (int section = 0; section < N_SECTIONS; section++) {
        int n = 0;
        text_add(to, ",\n  \"%s\": [", keys[section]);
        for (int i = 0; i < report->n_items; i++)
            if ((int)report->items[i].section == section) {
                text_add(to, n++ ? ",\n    " : "\n    ");
                add_item_json(to, &report->items[i]);
            }
        text_add(to, "]");
    }
    add_reaches_json(to, kernel);
    text_add(to, ",\n  \"spills\": {\"vectors\": %d, \"scalars\": %d, \"in_innermost_loops\": %d, ",
             report->vector_spills, report->scalar_spills, report->inner_spills);
    add_line(to, "line", report->spill_line);
    text_add(to, "}}");
}

bool describe(struct unit *unit)
{
    struct text *json = unit->options->report == REPORT_JSON ? json_elements() : NULL;
    if (!unit->options->report)
        return true;
    for (int i = 0; i < unit->n_images; i++)
        if (!unit->images[i].target->has_grid && !unit->images[i].target->has_checks)
            read_assembly(unit, &unit->images[i]);
    for (const struct report *report = unit->reports; report; report = report->next)
        if (json) {
            text_add(json, json->size ? ",\n " : "");
            add_json(report, json);
        } else
            print_report(report, stderr);
    for (int i = 0; i < unit->n_images; i++)
        if (unit->images[i].target->report)
            unit->images[i].target->report(unit, i, json);
    return true;
}

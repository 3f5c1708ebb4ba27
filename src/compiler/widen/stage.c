/* SPDX-License-Identifier: MIT
 *
 * In the textbook product, the threads of a GPU's block read the same elements of a and b again and again:
 *
 *     for (int k = 0; k < W; k++)
 *         sum += a[row][k] * b[k][col];
 *
 * So the loop runs in rounds of a few iterations. The threads first copy the elements of a round to the block's memory,
 * each thread a share, and then compute with the copies. Meanwhile the elements of the next round are being loaded: the
 * memory has two halves, and a barrier ends each round. gpu/rounds.c makes that loop. This file decides which loops get
 * it, and emits what the body does differently there.
 *
 * Which elements there are follows from the code itself: the address of a load depends on nothing but arguments, the
 * index along one dimension, and the loop's counter. A thread that copies an element computes the address again with
 * another index and another counter. The loop is one basic block, and a round takes place only if all of its iterations
 * do, so what is copied is exactly what the points read.
 *
 * That is right because no element that is copied can change meanwhile. If several threads read it, another one that
 * wrote it would race with at least one of them: kernels without tiles have no barriers, and those with atomic
 * operations or fences are left alone. If only one thread reads it, because the domain has one row or column, that
 * thread may write it, but nothing is written before the loop or in it, and no thread goes on after the loop before all
 * copies are made.
 *
 * Needs: branches that are the same for all threads of a block, which choose_points ensures. Keeps: each point's order
 * of operations, so sums do not change. */
#include "widen/stage.h"

#include "kernel/calls.h"
#include "kernel/entry.h"
#include "kernel/ir.h"
#include "kernel/origin.h"
#include "widen/parts.h"

/* ---- the plan ---- */

enum {
    SIDE = 16,    /* threads of a block along either dimension: 8 x 8 points each read 2 numbers for 8 products */
    DEPTH = 8,    /* iterations of a round: a warp copies 32 bytes of each row of a */
    WIDEST = 16,  /* bytes of the widest access */
    DEEPEST = 16, /* the longest chain of instructions that computes an address */
};

/* Whether an instruction computes something from its operands alone, or reads an argument. */
static bool is_arithmetic(LLVMValueRef i)
{
    if (LLVMIsALoadInst(i))
        return entry_is_argument(LLVMGetOperand(i, 0));
    if (LLVMIsACallInst(i)) /* the larger of two integers and the like */
        return calls_is_pure(i) && LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMIntegerTypeKind;
    return LLVMIsABinaryOperator(i) || LLVMIsACastInst(i) || LLVMIsAGetElementPtrInst(i) || LLVMIsAICmpInst(i) ||
           LLVMIsASelectInst(i) || LLVMIsAFreezeInst(i);
}

/* Whether a thread can compute a value again for another one, or for another iteration. Adds to `*dimensions` on which
 * components of the index it depends, as a set. */
static bool can_compute_again(const struct kernel *kernel, LLVMValueRef counter, LLVMValueRef value, int depth,
                              int *dimensions)
{
    if (LLVMIsAArgument(value)) {
        struct entry_param param = entry_param(kernel, entry_param_number(value));
        *dimensions |= param.meaning == ENTRY_ARGUMENTS ? 0 : 1 << param.dimension;
        return true;
    }
    if (value == counter || LLVMIsAConstant(value))
        return true;
    if (depth == 0 || !LLVMIsAInstruction(value) || !is_arithmetic(value))
        return false;
    for (int o = 0; o < LLVMGetNumOperands(value); o++)
        if (!can_compute_again(kernel, counter, LLVMGetOperand(value, (unsigned)o), depth - 1, dimensions))
            return false;
    return true;
}

/* Plans the copies of a load; returns false if they cannot be made. */
static bool plan_load(const struct stage *stage, const struct kernel *kernel, const struct shapes *shapes,
                      LLVMTargetDataRef layout, LLVMValueRef load, struct staged *staged)
{
    enum { ROWS = 1 << 1, COLUMNS = 1 << 2 };
    LLVMValueRef address = LLVMGetOperand(load, 0);
    int dimensions = 0;
    LLVMTypeRef type = LLVMTypeOf(load);
    unsigned long long bytes = LLVMABISizeOfType(layout, type);
    if (!ir_is_element(type) || bytes > 8 || WIDEST % bytes || (origin_of(kernel, address).kinds & ~ORIGIN_ARRAY) ||
        LLVMGetVolatile(load) || LLVMGetOrdering(load) != LLVMAtomicOrderingNotAtomic ||
        !can_compute_again(kernel, stage->counts.counter, address, DEEPEST, &dimensions) ||
        (!(dimensions & ROWS)) == (!(dimensions & COLUMNS)))
        return false;
    *staged = (struct staged){load, dimensions & ROWS ? 1 : 2, false, (int)bytes};
    long gain = stretch_gain(shapes, load);
    staged->along_counter = gain == (long)bytes || gain == -(long)bytes;
    return true;
}

/* Plans the copies of all loads that differ between points; returns how many there are, or 0 if some cannot be made. */
static int plan_loads(struct stage *stage, const struct kernel *kernel, const struct shapes *shapes,
                      LLVMTargetDataRef layout)
{
    const struct node *node = &shapes->cfg->nodes[shapes->cfg->loops[stage->counts.loop].header];
    for (LLVMValueRef i = node->first; i != node->end; i = LLVMGetNextInstruction(i)) {
        if (!LLVMIsALoadInst(i))
            continue;
        struct shape shape = shape_of(shapes, LLVMGetOperand(i, 0));
        if (shape.kind == SHAPE_UNIFORM && !shape.rows)
            continue;
        if (stage->n == STAGE_MOST || !plan_load(stage, kernel, shapes, layout, i, &stage->loads[stage->n]))
            return 0;
        stage->n++;
    }
    return stage->n;
}

/* Whether a thread may have written to an array when it comes to an iteration of the loop. */
static bool writes_before(const struct kernel *kernel, const struct cfg *cfg, int l)
{
    int last = cfg->loops[l].last;
    for (int outer = l; outer >= 0; outer = cfg->loops[outer].parent)
        last = cfg->loops[outer].last;
    for (int at = 0; at <= last; at++)
        for (LLVMValueRef i = cfg->nodes[at].first; i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
            if (stretch_may_write(kernel, i))
                return true;
    return false;
}

/* Whether a value follows from what is in memory, other than arguments. `seen` has the values that were looked at. */
static bool is_from_memory(struct map *seen, LLVMValueRef value)
{
    if (!LLVMIsAInstruction(value) || map_get(seen, value) >= 0)
        return false;
    map_set(seen, value, 1);
    if (LLVMIsALoadInst(value))
        return !entry_is_argument(LLVMGetOperand(value, 0));
    int n = LLVMIsAPHINode(value) ? (int)LLVMCountIncoming(value) : LLVMGetNumOperands(value);
    for (int o = 0; o < n; o++)
        if (is_from_memory(seen, LLVMIsAPHINode(value) ? LLVMGetIncomingValue(value, (unsigned)o)
                                                       : LLVMGetOperand(value, (unsigned)o)))
            return true;
    return false;
}

/* Whether some address outside of the loop follows from what is in memory. A thread that computes the last point again
 * may find there what that point's own thread has stored meanwhile. */
static bool has_address_from_memory(const struct cfg *cfg, int l)
{
    struct map *seen = map_new();
    for (int at = 0; at < cfg->n; at++)
        for (LLVMValueRef i = cfg->nodes[at].first; i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
            if (at != cfg->loops[l].header && LLVMIsALoadInst(i) && is_from_memory(seen, LLVMGetOperand(i, 0)))
                return true;
    return false;
}

static bool has_load_along(const struct stage *stage, int dimension)
{
    for (int l = 0; l < stage->n; l++)
        if (stage->loads[l].dimension == dimension)
            return true;
    return false;
}

/* Whether the loop counts up to a bound, in a way that tells on entry how many iterations there will be: by comparing
 * the counter's next value. */
static bool counts_up(const struct kernel *kernel, const struct shapes *shapes, int l, struct stretch *counts)
{
    int dimensions = 0;
    const struct loop *loop = &shapes->cfg->loops[l];
    if (loop->header != loop->last || !stretch_find_counter(shapes, l, counts) || counts->step <= 0 ||
        LLVMTypeOf(counts->counter) != LLVMTypeOf(counts->bound) ||
        LLVMGetIntTypeWidth(LLVMTypeOf(counts->counter)) < 8) /* it also counts the iterations of a round */
        return false;
    LLVMValueRef comparison = LLVMGetCondition(LLVMGetBasicBlockTerminator(shapes->cfg->nodes[loop->header].block));
    for (unsigned o = 0; o < 2; o++)
        if (LLVMGetOperand(comparison, o) == counts->counter)
            return false;
    return can_compute_again(kernel, NULL, counts->bound, DEEPEST, &dimensions);
}

static int min(int a, int b)
{
    return a < b ? a : b;
}

/* Lays out the block's memory, so that neighbouring points of a thread are loaded at once; returns how many bytes it
 * takes. A thread's rows and columns are powers of two, so that groups and shares come out even. */
static int lay_out(struct stage *stage, struct block block)
{
    int bytes = 0;
    stage->group = min(block.rows, block.vectors);
    for (int l = 0; l < stage->n; l++)
        stage->group = min(stage->group, WIDEST / stage->loads[l].bytes);
    for (int l = 0; l < stage->n; l++) {
        struct staged *load = &stage->loads[l];
        load->places = stage->side * (load->dimension == 1 ? block.rows : block.vectors);
        load->pad = load->along_counter ? WIDEST / load->bytes : 0; /* puts an iteration's elements into other banks */
        bytes += 2 * stage->depth * (load->places + load->pad) * load->bytes;
    }
    return bytes;
}

const struct stage *stage_plan(const struct unit *unit, const struct image *image, const struct kernel *kernel,
                               const struct shapes *shapes, struct block block)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(image->module);
    bool is_test = unit->options->panels > 0; /* for tests: all sizes are small */
    struct stage *stage = arena_alloc(sizeof *stage);
    if (unit->options->panels < 0 || block.rows == 1 || block.vectors == 1)
        return NULL;
    for (int l = 0; l < shapes->cfg->n_loops; l++) {
        *stage = (struct stage){.side = is_test ? SIDE / 4 : SIDE, .depth = is_test ? DEPTH / 2 : DEPTH};
        if (counts_up(kernel, shapes, l, &stage->counts) && !writes_before(kernel, shapes->cfg, l) &&
            !has_address_from_memory(shapes->cfg, l) && plan_loads(stage, kernel, shapes, layout) > 0 &&
            has_load_along(stage, 1) && has_load_along(stage, 2) && lay_out(stage, block) <= image->facts.tile_bytes)
            return stage;
    }
    return NULL;
}

/* ---- in the body ---- */

LLVMTypeRef stage_type(const struct stage *stage, const struct staged *load)
{
    LLVMTypeRef row = LLVMArrayType2(LLVMTypeOf(load->load), (unsigned long long)(load->places + load->pad));
    return LLVMArrayType2(LLVMArrayType2(row, (unsigned long long)stage->depth), 2);
}

LLVMValueRef stage_place(const struct stage *stage, LLVMBuilderRef builder, LLVMValueRef thread, LLVMValueRef point)
{
    LLVMTypeRef type = LLVMTypeOf(thread);
    LLVMValueRef group = LLVMConstInt(type, (unsigned long long)stage->group, false),
                 apart = LLVMConstInt(type, (unsigned long long)(stage->group * stage->side), false);
    LLVMValueRef groups = LLVMBuildNUWMul(builder, LLVMBuildUDiv(builder, point, group, ""), apart, "");
    LLVMValueRef own = LLVMBuildNUWMul(builder, thread, group, "");
    return LLVMBuildNUWAdd(builder, LLVMBuildNUWAdd(builder, groups, own, ""), LLVMBuildURem(builder, point, group, ""),
                           "");
}

LLVMValueRef stage_index(LLVMBuilderRef builder, LLVMValueRef first, LLVMValueRef place, LLVMValueRef end)
{
    LLVMValueRef index = LLVMBuildAdd(builder, first, place, "");
    LLVMValueRef last = LLVMBuildSub(builder, end, LLVMConstInt(LLVMTypeOf(end), 1, false), "");
    return ir_combine(builder, LLVMAtomicRMWBinOpUMin, index, last);
}

static int number_of(const struct widener *w, LLVMValueRef load)
{
    if (w->stage && w->stage->is_round)
        for (int l = 0; l < w->stage->stage->n; l++)
            if (w->stage->stage->loads[l].load == load)
                return l;
    return -1;
}

bool stage_has(const struct widener *w, LLVMValueRef load)
{
    return number_of(w, load) >= 0;
}

LLVMValueRef stage_read(struct widener *w, LLVMValueRef load, int row, int vector)
{
    struct stage_use *use = w->stage;
    const struct stage *stage = use->stage;
    int l = number_of(w, load), d = stage->loads[l].dimension, point = d == 1 ? row : vector;
    LLVMValueRef *group = &use->groups[l][point / stage->group];
    if (!*group) {
        LLVMValueRef first = widen_i32(w, point / stage->group * stage->group);
        LLVMValueRef at[] = {widen_i32(w, 0), use->half, use->iteration,
                             stage_place(stage, w->builder, use->thread[d], first)};
        LLVMValueRef address =
            LLVMBuildInBoundsGEP2(w->builder, stage_type(stage, &stage->loads[l]), use->memory[l], at, 4, "");
        *group = LLVMBuildLoad2(w->builder, LLVMVectorType(LLVMTypeOf(load), (unsigned)stage->group), address, "");
        LLVMSetAlignment(*group, (unsigned)(stage->group * stage->loads[l].bytes));
    }
    return LLVMBuildExtractElement(w->builder, *group, widen_i32(w, point % stage->group), "");
}

LLVMBasicBlockRef stage_follow(const struct widener *w, int to)
{
    const struct stage_use *use = w->stage;
    int header = w->cfg->loops[use->stage->counts.loop].header;
    return to == header ? use->entered : w->blocks[to];
}

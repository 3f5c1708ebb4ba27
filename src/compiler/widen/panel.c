/* SPDX-License-Identifier: MIT
 *
 * In the textbook product all rows read the same columns of b:
 *
 *     for (int k = 0; k < W; k++)
 *         sum += a[row][k] * b[k][col];
 *
 * A block reads 32 elements of each row of b. When rows are long, each of these lies in another page, all of them in
 * few sets of the caches, and the next block of rows has to fetch them again. And each column of blocks reads all of a,
 * which is too large for the caches. So for each group of columns this happens:
 *
 *     fill:  for each column: run the loop for one row, and copy what it reads from b into the column's panel
 *     use:   for all rows of blocks: for each column: run the loop, and read the panel where it says b
 *
 * The panels have room for a number of iterations, so that those of a group fit into a cache, and what a row of blocks
 * reads of a besides. At their end, the loop pauses as if there were a barrier: a block saves what its loop carries,
 * and the filling body does the same. Then both go on from there, until the loop ends; only then does the code after
 * the loop run. What stands before the loop runs again each time.
 *
 * Numbers that are computed for a row, like factor * a[row][k], would be computed again in each column. So before each
 * row of blocks the loop runs for these alone, and the blocks read the copies.
 *
 * That is right because no element that is copied can change meanwhile. Each is read by the threads of at least two
 * rows, because branches and the addresses of these loads do not differ between rows. If some thread wrote it, that
 * would be a race with at least one of the others. Before and in the loop nothing is written, so a thread cannot learn
 * there that another one has written, and running the code before the loop again makes no difference. Threads read
 * nothing that they would not read otherwise.
 *
 * Every thread's own order of operations stays as it is, so sums do not change. */
#include "widen/panel.h"

#include "kernel/calls.h"
#include "kernel/entry.h"
#include "kernel/ir.h"
#include "kernel/origin.h"
#include "widen/parts.h"

/* ---- the plan ---- */

enum {
    MOST_ITERATIONS = 4096,
    MOST_STRIPS = 8,
    MOST_BYTES = 1 << 20,           /* of the copies of so many: a second-level cache of today */
    MOST_ROWS = 4096,               /* of a box, before the panels are filled again */
    LEAST_BLOCKS = 4,               /* below one another, for which filling a panel pays */
    MOST_BYTES_OF_ITERATION = 4096, /* so that there is room for many iterations */
    MOST_ROW_BYTES = 1 << 15        /* of the copies of what is computed for rows, for a first-level cache */
};

/* Whether it has no effect, and returns the same if a thread repeats it. */
static bool is_repeatable(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMStore:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMFence:
        return false;
    case LLVMLoad:
        return !LLVMGetVolatile(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic;
    case LLVMCall:
        return calls_is_pure(i) || calls_kind(i) == CALL_HINT;
    default:
        return true;
    }
}

/* Whether the first loop can pause: it stands alone, what it carries can be saved, and everything up to its end can be
 * repeated. Nothing may leave the function in another way than by its end, where the panel's memory is freed. */
static bool can_pause(const struct cfg *cfg)
{
    const struct loop *loop = &cfg->loops[0];
    for (int l = 1; l < cfg->n_loops; l++)
        if (cfg->loops[l].header < loop->last)
            return false;
    for (int at = 0; at < cfg->n; at++)
        for (LLVMValueRef i = cfg->nodes[at].first; i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i)) {
            bool is_carried = at == loop->header && LLVMIsAPHINode(i);
            if ((is_carried && !ir_is_element(LLVMTypeOf(i))) || (at <= loop->last && !is_repeatable(i)) ||
                calls_kind(i) == CALL_ABORT)
                return false;
        }
    return true;
}

/* Whether a load reads vectors of memory that all threads see, the same ones in all rows. */
static bool is_shared(const struct kernel *kernel, const struct shapes *shapes, LLVMValueRef load)
{
    LLVMValueRef address = LLVMGetOperand(load, 0);
    struct shape shape = shape_of(shapes, address);
    if (shape.kind == SHAPE_UNIFORM || shape.rows || !ir_is_element(LLVMTypeOf(load)))
        return false;
    return !(origin_of(kernel, address).kinds & ~(ORIGIN_ARRAY | ORIGIN_SHARED | ORIGIN_LOADED));
}

bool panel_suits(const struct kernel *kernel, const struct shapes *shapes, const struct options *options,
                 LLVMValueRef load)
{
    const struct cfg *cfg = shapes->cfg;
    int node = map_get(cfg->first_node, LLVMGetInstructionParent(load));
    return options->panels >= 0 && !kernel->tiled && kernel->rank > 1 && !shapes->any_divergent &&
           !shapes->any_rows_branch && cfg->n_loops > 0 && cfg_in_loop(cfg, node, 0) &&
           is_shared(kernel, shapes, load) && can_pause(cfg);
}

static int aligned(int bytes)
{
    return (bytes + PANEL_ALIGN - 1) / PANEL_ALIGN * PANEL_ALIGN;
}

/* Returns the bytes of a vector, or of a scalar, of which there is one for each vector of the block. */
static int bytes_of(LLVMTargetDataRef layout, LLVMTypeRef type, struct shape shape, int lanes)
{
    return (int)LLVMABISizeOfType(layout, type) * (shape.kind == SHAPE_VARYING ? lanes : 1);
}

/* Returns how many bytes the values take that the loop carries. */
static int bytes_to_save(const struct body *body, const struct node *header, LLVMTargetDataRef layout)
{
    int bytes = 0;
    for (LLVMValueRef i = header->first; LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i)) {
        struct shape shape = shape_of(body->shapes, i);
        int rows = shape.rows ? body->block.rows : 1, vectors = shape.kind == SHAPE_UNIFORM ? 1 : body->block.vectors;
        bytes += rows * vectors * bytes_of(layout, LLVMTypeOf(i), shape, body->block.lanes);
    }
    return aligned(bytes);
}

/* Whether all columns of a row have the same value, because it depends on nothing else. */
static bool is_of_row(const struct kernel *kernel, LLVMValueRef value, struct map *seen)
{
    if (LLVMIsAConstant(value) || map_get(seen, value) >= 0)
        return true;
    map_set(seen, value, 1);
    if (LLVMIsAArgument(value))
        return entry_param(kernel, entry_param_number(value)).dimension != 2;
    if (!LLVMIsAInstruction(value) || LLVMIsAAllocaInst(value) || !is_repeatable(value))
        return false;
    bool is = true;
    for (int i = 0; is && i < LLVMGetNumOperands(value); i++)
        is = LLVMIsAFunction(LLVMGetOperand(value, (unsigned)i)) ||
             is_of_row(kernel, LLVMGetOperand(value, (unsigned)i), seen);
    return is;
}

/* Whether a number is computed for a row, for use in all its columns. */
static bool is_computed_for_row(const struct kernel *kernel, const struct shapes *shapes, LLVMValueRef i)
{
    struct shape shape = shape_of(shapes, i);
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(i));
    if (shape.kind != SHAPE_UNIFORM || !shape.rows || !LLVMIsABinaryOperator(i) ||
        (kind != LLVMFloatTypeKind && kind != LLVMDoubleTypeKind))
        return false;
    bool is_for_columns = false;
    for (LLVMUseRef use = LLVMGetFirstUse(i); use; use = LLVMGetNextUse(use))
        is_for_columns |= shape_of(shapes, LLVMGetUser(use)).kind == SHAPE_VARYING;
    return is_for_columns && is_of_row(kernel, i, map_new());
}

const struct panel *panel_plan(const struct kernel *kernel, const struct cfg *cfg, const struct body *body,
                               LLVMTargetDataRef layout, const struct options *options)
{
    if (body->block.rows == 1 || cfg->n_loops == 0 || options->panels < 0 || !can_pause(cfg))
        return NULL;
    const struct loop *loop = &cfg->loops[0];
    int *ends = arena_alloc((size_t)body->shapes->n_values * sizeof *ends), bytes = 0;
    int *row_ends = arena_alloc((size_t)body->shapes->n_values * sizeof *row_ends), row_bytes = 0;
    for (int at = loop->header; at <= loop->last; at++)
        for (LLVMValueRef i = cfg->nodes[at].first; i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
            if (LLVMIsALoadInst(i) && is_shared(kernel, body->shapes, i)) {
                bytes +=
                    body->block.vectors * bytes_of(layout, LLVMTypeOf(i), shape_of(body->shapes, i), body->block.lanes);
                ends[map_get(body->shapes->numbers, i)] = bytes;
            } else if (is_computed_for_row(kernel, body->shapes, i)) {
                row_bytes += body->block.rows * (int)LLVMABISizeOfType(layout, LLVMTypeOf(i));
                row_ends[map_get(body->shapes->numbers, i)] = row_bytes;
            }
    bytes = aligned(bytes);
    if (bytes == 0 || bytes > MOST_BYTES_OF_ITERATION)
        return NULL;
    struct panel *panel = arena_alloc(sizeof *panel);
    int rows = body->block.rows, iterations = MOST_BYTES / MOST_STRIPS / bytes;
    if (row_bytes > MOST_BYTES_OF_ITERATION)
        row_bytes = 0;
    if (row_bytes && iterations > MOST_ROW_BYTES / row_bytes)
        iterations = MOST_ROW_BYTES / row_bytes;
    *panel = (struct panel){.loop = 0,
                            .ends = ends,
                            .bytes = bytes,
                            .row_ends = row_ends,
                            .row_bytes = row_bytes,
                            .iterations = iterations < MOST_ITERATIONS ? iterations : MOST_ITERATIONS,
                            .strips = MOST_STRIPS,
                            .saved_bytes = bytes_to_save(body, &cfg->nodes[loop->header], layout),
                            .least_rows = LEAST_BLOCKS * rows,
                            .most_rows = MOST_ROWS / rows * rows};
    if (options->panels) { /* for tests: all sizes are small */
        panel->iterations = options->panels;
        panel->strips = 2;
        panel->least_rows = rows;
        panel->most_rows = 2 * rows;
    }
    return panel;
}

/* ---- copies ---- */

const bool *panel_nodes(const struct widener *w)
{
    bool *nodes = arena_alloc((size_t)w->cfg->n);
    bool is_all = !w->panel || w->panel->part == PANEL_READS;
    for (int at = 0; at < w->cfg->n; at++)
        nodes[at] = is_all || at <= w->cfg->loops[w->panel->panel->loop].last;
    return nodes;
}

bool panel_has(const struct widener *w, LLVMValueRef load)
{
    return w->panel && w->panel->panel->ends[widen_number(w, load)] > 0;
}

static LLVMValueRef i64(const struct widener *w, long value)
{
    return LLVMConstInt(LLVMInt64TypeInContext(w->context), (unsigned long long)value, true);
}

static LLVMValueRef offset_by(const struct widener *w, LLVMValueRef address, LLVMValueRef bytes)
{
    return LLVMBuildInBoundsGEP2(w->builder, LLVMInt8TypeInContext(w->context), address, &bytes, 1, "");
}

/* Returns the alignment of a place that is `bytes` after an aligned one. */
static unsigned alignment_at(int bytes)
{
    int align = bytes & -bytes;
    return (unsigned)(align == 0 || align > PANEL_ALIGN ? PANEL_ALIGN : align);
}

static LLVMValueRef load_aligned(const struct widener *w, LLVMTypeRef type, LLVMValueRef address, unsigned align)
{
    LLVMValueRef load = LLVMBuildLoad2(w->builder, type, address, "");
    LLVMSetAlignment(load, align);
    return load;
}

static void store_aligned(const struct widener *w, LLVMValueRef value, LLVMValueRef address, unsigned align)
{
    LLVMSetAlignment(LLVMBuildStore(w->builder, value, address), align);
}

/* Returns where the copy of a load's vector is, and sets `*align`. */
static LLVMValueRef place_of_copy(const struct widener *w, LLVMValueRef load, int vector, unsigned *align)
{
    const struct panel_use *use = w->panel;
    int bytes = bytes_of(w->layout, LLVMTypeOf(load), shape_of(w->shapes, load), w->block.lanes);
    int at = use->panel->ends[widen_number(w, load)] - (w->block.vectors - vector) * bytes;
    LLVMValueRef count = LLVMBuildLoad2(w->builder, LLVMInt64TypeInContext(w->context), use->count, "");
    LLVMValueRef iteration = LLVMBuildNSWMul(w->builder, count, i64(w, use->panel->bytes), "");
    *align = alignment_at(at);
    return offset_by(w, offset_by(w, use->memory, iteration), i64(w, at));
}

void panel_write(struct widener *w, LLVMValueRef load, LLVMValueRef value, int vector)
{
    unsigned align;
    LLVMValueRef place = place_of_copy(w, load, vector, &align);
    store_aligned(w, value, place, align);
}

LLVMValueRef panel_read(struct widener *w, LLVMValueRef load, int vector)
{
    unsigned align;
    LLVMTypeRef type = widen_type(w, LLVMTypeOf(load), shape_of(w->shapes, load));
    LLVMValueRef place = place_of_copy(w, load, vector, &align);
    return load_aligned(w, type, place, align);
}

bool panel_has_row_copy(const struct widener *w, LLVMValueRef value)
{
    return w->panel && w->panel->row_copies && w->panel->panel->row_ends[widen_number(w, value)] > 0;
}

static LLVMValueRef place_of_row_copy(const struct widener *w, LLVMValueRef value, int row)
{
    const struct panel_use *use = w->panel;
    int bytes = (int)LLVMABISizeOfType(w->layout, LLVMTypeOf(value));
    LLVMValueRef count = LLVMBuildLoad2(w->builder, LLVMInt64TypeInContext(w->context), use->count, "");
    LLVMValueRef iteration = LLVMBuildNSWMul(w->builder, count, i64(w, use->panel->row_bytes), "");
    int at = use->panel->row_ends[widen_number(w, value)] - (w->block.rows - row) * bytes;
    return offset_by(w, offset_by(w, use->row_copies, iteration), i64(w, at));
}

void panel_write_row(struct widener *w, LLVMValueRef value, LLVMValueRef result, int row)
{
    LLVMBuildStore(w->builder, result, place_of_row_copy(w, value, row));
}

LLVMValueRef panel_read_row(struct widener *w, LLVMValueRef value, int row)
{
    return LLVMBuildLoad2(w->builder, LLVMTypeOf(value), place_of_row_copy(w, value, row), "");
}

/* ---- pausing ---- */

/* Saves what the loop carries, or restores it. The body that fills needs only what does not differ between rows; the
 * one that copies for rows goes on from where the first block will. */
static void save_or_restore(struct widener *w, bool save)
{
    const struct panel_use *use = w->panel;
    const struct node *header = &w->cfg->nodes[w->cfg->loops[use->panel->loop].header];
    int at = 0;
    for (LLVMValueRef i = header->first; LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i)) {
        struct shape shape = shape_of(w->shapes, i);
        LLVMTypeRef type = widen_type(w, LLVMTypeOf(i), shape);
        if (use->part == PANEL_FILLS && shape.rows)
            continue;
        for (int row = 0; row < widen_rows(w, shape); row++)
            for (int vector = 0; vector < widen_vectors(w, shape); vector++) {
                LLVMValueRef slot = w->slots[widen_number(w, i)].phi[widen_instance(w, row, vector)];
                LLVMValueRef place = offset_by(w, use->saved, i64(w, at));
                if (save)
                    store_aligned(w, LLVMBuildLoad2(w->builder, type, slot, ""), place, alignment_at(at));
                else
                    LLVMBuildStore(w->builder, load_aligned(w, type, place, alignment_at(at)), slot);
                at += bytes_of(w->layout, LLVMTypeOf(i), shape, w->block.lanes);
            }
    }
}

/* Begins a basic block that control reaches from here if `condition` is true; otherwise it goes on at `other`. Returns
 * the branch. */
static LLVMValueRef branch_aside(struct widener *w, LLVMValueRef condition, const char *name, LLVMBasicBlockRef other)
{
    LLVMBasicBlockRef aside = LLVMAppendBasicBlockInContext(w->context, w->function, name);
    LLVMMoveBasicBlockAfter(aside, LLVMGetInsertBlock(w->builder));
    LLVMValueRef branch = LLVMBuildCondBr(w->builder, condition, aside, other);
    LLVMPositionBuilderAtEnd(w->builder, aside);
    return branch;
}

LLVMBasicBlockRef panel_follow(struct widener *w, int from, int to, LLVMBasicBlockRef end)
{
    const struct panel_use *use = w->panel;
    const struct loop *loop = &w->cfg->loops[use->panel->loop];
    if (use->part != PANEL_READS && to > loop->last)
        return end;
    if (to != loop->header)
        return w->blocks[to];
    if (!cfg_in_loop(w->cfg, from, use->panel->loop)) {
        LLVMBuildStore(w->builder, i64(w, 0), use->count);
        branch_aside(w, use->goes_on, "goes.on", w->blocks[to]);
        save_or_restore(w, false);
        return w->blocks[to];
    }
    LLVMValueRef count = LLVMBuildLoad2(w->builder, LLVMInt64TypeInContext(w->context), use->count, "");
    count = LLVMBuildNSWAdd(w->builder, count, i64(w, 1), "");
    LLVMBuildStore(w->builder, count, use->count);
    LLVMValueRef is_full = LLVMBuildICmp(w->builder, LLVMIntEQ, count, i64(w, use->panel->iterations), "");
    LLVMValueRef back = branch_aside(w, is_full, "pause", w->blocks[to]);
    if (use->part == PANEL_FILLS)
        ir_mark_loop(back, "llvm.loop.unroll.disable", NULL); /* it waits for memory */
    if (use->part == PANEL_FILLS_ROWS)
        return end;
    save_or_restore(w, true);
    LLVMBuildStore(w->builder, LLVMConstInt(LLVMInt1TypeInContext(w->context), 1, false), use->has_paused);
    return end;
}

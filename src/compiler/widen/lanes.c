/* SPDX-License-Identifier: MIT
 *
 * Makes the function that runs a box of the domain, amp__run_N_IMAGE(args, box), out of the kernel's entry, which runs
 * one thread. plan.c has chosen the block, and widen.c emits the body for it; this file makes the loops around it.
 *
 *     untiled:  for the rows of the box: for the full blocks of a row: body;  what is left: body under a mask
 *     tiled:    for the tiles of the box: for each region between barriers: for the blocks of the tile: body
 *
 * A flat index that threads divide into a row and a column runs by rows, if these are long (rows.c). Where guards at
 * borders change, boxes are cut, or blocks and tiles choose between two bodies (borders.c).
 *
 * Where blocks have several rows that share values, the loop over rows is the inner one, so that what a column of
 * blocks reads again stays in the cache; in large boxes they read copies of it (panel.c).
 *
 * A tile that fits into one block needs no regions: its threads run in lockstep and reach a barrier together. Small
 * neighbouring tiles that take the same branches share a block, as if they lay below one another. All others run region
 * by region (regions.c).
 *
 * Needs: prepared entries. Breaks: nothing; the entry is deleted. */
#include "../../abi/descriptor.h"
#include "kernel/entry.h"
#include "kernel/ir.h"
#include "kernel/untile.h"
#include "object/describe.h"
#include "widen/borders.h"
#include "widen/convoy.h"
#include "widen/heap.h"
#include "widen/panel.h"
#include "widen/parts.h"
#include "widen/regions.h"
#include "widen/row_loads.h"
#include "widen/rows.h"
#include "widen/strip.h"
#include "widen/sums.h"
#include "widen/variables.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

enum {
    MAX_STACK = 1 << 20,    /* bytes of a worker's stack that a kernel's arrays may take, */
    MAX_DESCRIBED = 2 << 20 /* and its variables for debuggers */
};

/* ---- untiled kernels ---- */

static void emit_rows(struct run *r, struct widener *w, LLVMValueRef plane, LLVMValueRef row, LLVMValueRef column,
                      bool masked)
{
    w->base_mask = masked ? run_lanes_below(w, r, column, r->end[2]) : NULL;
    run_set_index(r, w, (LLVMValueRef[]){plane, row, column}, NULL);
    run_place_privates(r, w, run_number(r, 0));
    run_emit_body(r, w);
}

/* Makes the loads for whole rows, for the bodies that begin after this. The row must have a thread: one without threads
 * may lie beyond the arrays. */
static void emit_row_loads(struct run *r, LLVMValueRef plane, LLVMValueRef row)
{
    const struct row_loads *loads = r->plan->by_row;
    r->row_values = arena_alloc(MOST_ROW_LOADS * sizeof *r->row_values);
    for (int i = 0; i < loads->n; i++) {
        LLVMValueRef load = LLVMInstructionClone(loads->loads[i]);
        LLVMValueRef index[] = {plane, row, r->begin[2]};
        LLVMSetOperand(load, 0, run_evaluate(r, LLVMGetOperand(load, 0), index, NULL));
        LLVMInsertIntoBuilder(r->builder, load);
        r->row_values[i] = load;
    }
}

/* ---- panels ---- */

/* Returns memory of that size, which the function gives back to the heap, if the box `is_large`; NULL otherwise, or if
 * there is none. */
static LLVMValueRef new_memory(struct run *r, LLVMValueRef is_large, long bytes)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(r->builder), large = run_new_block(r, "large"),
                      any = run_new_block(r, "any");
    LLVMBuildCondBr(r->builder, is_large, large, any);
    LLVMPositionBuilderAtEnd(r->builder, large);
    LLVMValueRef memory = heap_alloc(r->image, r->builder, (unsigned long long)bytes, PANEL_ALIGN);
    LLVMBuildBr(r->builder, any);
    LLVMPositionBuilderAtEnd(r->builder, any);
    LLVMTypeRef pointer = LLVMTypeOf(memory);
    LLVMValueRef result = LLVMBuildPhi(r->builder, pointer, "copies");
    LLVMAddIncoming(result, (LLVMValueRef[]){LLVMConstNull(pointer), memory}, (LLVMBasicBlockRef[]){here, large}, 2);
    return result;
}

/* The memory for panels has those of a group of columns, then what their blocks save, then what the bodies that fill
 * do, then the copies of what is computed for rows. Each returns where one begins, in bytes. */
static LLVMValueRef place_of_panel(struct run *r, LLVMValueRef strip)
{
    const struct panel *panel = r->plan->panel;
    return LLVMBuildMul(r->builder, strip, run_number(r, (long)panel->iterations * panel->bytes), "");
}

static LLVMValueRef place_of_saved(struct run *r, LLVMValueRef block, LLVMValueRef strip)
{
    const struct panel *panel = r->plan->panel;
    LLVMValueRef at = LLVMBuildMul(r->builder, block, run_number(r, panel->strips), "");
    at = LLVMBuildMul(r->builder, run_add(r, at, strip), run_number(r, panel->saved_bytes), "");
    return run_add(r, at, run_number(r, (long)panel->strips * panel->iterations * panel->bytes));
}

static long place_of_row_copies(const struct run *r)
{
    const struct panel *panel = r->plan->panel;
    long blocks = panel->most_rows / r->plan->body.block.rows + 1; /* one for the bodies that fill */
    return panel->strips * ((long)panel->iterations * panel->bytes + blocks * panel->saved_bytes);
}

/* Returns memory for panels, or NULL if the box is too small for one. Without memory, boxes run as small ones do. */
static LLVMValueRef new_panel(struct run *r)
{
    const struct panel *panel = r->plan->panel;
    struct block block = r->plan->body.block;
    long bytes = place_of_row_copies(r) + (long)panel->iterations * panel->row_bytes;
    LLVMValueRef rows = LLVMBuildNSWSub(r->builder, r->end[1], r->begin[1], ""),
                 columns = LLVMBuildNSWSub(r->builder, r->end[2], r->begin[2], "");
    LLVMValueRef is_large = LLVMBuildAnd(
        r->builder, LLVMBuildICmp(r->builder, LLVMIntSGE, rows, run_number(r, panel->least_rows), ""),
        LLVMBuildICmp(r->builder, LLVMIntSGE, columns, run_number(r, block.lanes * block.vectors), ""), "");
    return new_memory(r, is_large, bytes);
}

/* Returns the address so many bytes after the beginning of the panels. */
static LLVMValueRef in_panel(struct run *r, LLVMValueRef bytes)
{
    LLVMValueRef wide = LLVMBuildIntCast2(r->builder, bytes, LLVMInt64TypeInContext(r->context), true, "");
    return LLVMBuildInBoundsGEP2(r->builder, LLVMInt8TypeInContext(r->context), r->panel, &wide, 1, "");
}

/* Emits the blocks of a group of columns that begin at one of the rows, with a body that fills their panels or uses
 * them. */
static void emit_strips(struct run *r, struct widener *w, struct panel_use *how, LLVMValueRef plane, LLVMValueRef row,
                        LLVMValueRef block, const LLVMValueRef columns[2])
{
    int width = w->block.lanes * w->block.vectors;
    struct counter strips = run_begin_loop(r, columns[0], columns[1], width, "strips");
    strips.stays_rolled = true;
    LLVMValueRef strip = LLVMBuildSub(r->builder, strips.index, columns[0], "");
    strip = LLVMBuildUDiv(r->builder, strip, run_number(r, width), "");
    how->memory = in_panel(r, place_of_panel(r, strip));
    how->saved = in_panel(r, place_of_saved(r, block, strip));
    w->panel = how;
    emit_rows(r, w, plane, row, strips.index, false);
    run_end_loop(r, &strips);
}

/* Emits the full blocks of a group of columns in rows [first, limit): fills their panels and runs all blocks with them,
 * until their loops have ended. Before each row of blocks, what is computed for rows is copied. */
static void emit_panels(struct run *r, struct widener *fill, struct widener *use, LLVMValueRef plane,
                        const LLVMValueRef columns[2], LLVMValueRef first, LLVMValueRef limit)
{
    const struct panel *panel = r->plan->panel;
    LLVMTypeRef i1 = LLVMInt1TypeInContext(r->context);
    struct panel_use how = {.panel = panel};
    LLVMBasicBlockRef before = LLVMGetInsertBlock(r->builder), again = run_new_block(r, "panel"),
                      done = run_new_block(r, "done");
    LLVMBuildBr(r->builder, again);
    LLVMPositionBuilderAtEnd(r->builder, again);
    how.goes_on = LLVMBuildPhi(r->builder, i1, "goes.on");
    how.count = widen_slot(fill, LLVMInt64TypeInContext(r->context), "count");
    how.has_paused = widen_slot(fill, i1, "has.paused");
    LLVMBuildStore(r->builder, LLVMConstInt(i1, 0, false), how.has_paused);
    struct panel_use filling = how;
    filling.part = PANEL_FILLS;
    emit_strips(r, fill, &filling, plane, first, run_number(r, panel->most_rows / use->block.rows), columns);
    struct counter rows = run_begin_outer_loop(r, first, limit, "rows");
    rows.step = use->block.rows;
    LLVMValueRef block = LLVMBuildSub(r->builder, rows.index, first, "");
    block = LLVMBuildUDiv(r->builder, block, run_number(r, use->block.rows), "");
    if (panel->row_bytes) {
        struct widener fill_rows = run_new_body(r, &r->plan->body, use->block, 1);
        how.row_copies = in_panel(r, run_number(r, place_of_row_copies(r)));
        how.part = PANEL_FILLS_ROWS;
        LLVMValueRef only_first[] = {columns[0], run_add(r, columns[0], run_number(r, 1))};
        emit_strips(r, &fill_rows, &how, plane, rows.index, block, only_first);
        how.part = PANEL_READS;
    }
    emit_strips(r, use, &how, plane, rows.index, block, columns);
    run_end_loop(r, &rows);
    LLVMValueRef has_paused = LLVMBuildLoad2(r->builder, i1, how.has_paused, "");
    LLVMBasicBlockRef end = LLVMGetInsertBlock(r->builder);
    LLVMBuildCondBr(r->builder, has_paused, again, done);
    LLVMAddIncoming(how.goes_on, (LLVMValueRef[]){LLVMConstInt(i1, 0, false), LLVMConstInt(i1, 1, false)},
                    (LLVMBasicBlockRef[]){before, end}, 2);
    LLVMPositionBuilderAtEnd(r->builder, done);
}

/* Begins a loop over [from, end), a multiple of steps of which `most` are a group. Sets `group` to where that begins
 * and ends. */
static struct counter begin_groups(struct run *r, LLVMValueRef from, LLVMValueRef end, long most, const char *name,
                                   LLVMValueRef group[2])
{
    struct counter groups = run_begin_counter(r, from, end, most, true, name);
    LLVMValueRef left = LLVMBuildSub(r->builder, end, groups.index, "");
    LLVMValueRef is_last = LLVMBuildICmp(r->builder, LLVMIntULT, left, run_number(r, most), "");
    left = LLVMBuildSelect(r->builder, is_last, left, run_number(r, most), "");
    groups.stays_rolled = true;
    group[0] = groups.index;
    group[1] = LLVMBuildAdd(r->builder, groups.index, left, "");
    return groups;
}

/* Returns the end of the full blocks of a dimension. */
static LLVMValueRef end_of_blocks(struct run *r, int dimension, int size)
{
    LLVMValueRef length = LLVMBuildNSWSub(r->builder, r->end[dimension], r->begin[dimension], "");
    length =
        LLVMBuildMul(r->builder, LLVMBuildUDiv(r->builder, length, run_number(r, size), ""), run_number(r, size), "");
    return run_add(r, r->begin[dimension], length);
}

/* Emits the full blocks of a plane with panels, if there is memory for them. Returns the first row that is left. */
static LLVMValueRef emit_with_panels(struct run *r, LLVMValueRef plane)
{
    const struct panel *panel = r->plan->panel;
    struct block block = r->plan->body.block, one = {block.lanes, 1, block.vectors, 1};
    struct widener fill = run_new_body(r, &r->plan->body, one, 1), use = run_new_body(r, &r->plan->body, block, 1);
    LLVMValueRef is_small = LLVMBuildIsNull(r->builder, r->panel, ""), columns[2], rows[2];
    int width = block.lanes * block.vectors;
    LLVMValueRef end = end_of_blocks(r, 2, width);
    end = LLVMBuildSelect(r->builder, is_small, r->begin[2], end, "");
    LLVMValueRef end_of_rows = end_of_blocks(r, 1, block.rows);
    end_of_rows = LLVMBuildSelect(r->builder, is_small, r->begin[1], end_of_rows, "");
    struct counter of_columns = begin_groups(r, r->begin[2], end, (long)panel->strips * width, "columns", columns);
    struct counter of_rows = begin_groups(r, r->begin[1], end_of_rows, panel->most_rows, "panels", rows);
    emit_panels(r, &fill, &use, plane, columns, rows[0], rows[1]);
    run_end_loop(r, &of_rows);
    run_end_loop(r, &of_columns);
    return end_of_rows;
}

/* ---- rows ---- */

/* Emits the loop over full blocks of rows from row `from` on, then one over the rows that are left. */
static void emit_column(struct run *r, struct block block, LLVMValueRef plane, LLVMValueRef from, LLVMValueRef column,
                        bool masked)
{
    if (block.rows > 1) {
        struct widener w = run_new_body(r, &r->plan->body, block, 1);
        LLVMValueRef limit = LLVMBuildNSWSub(r->builder, r->end[1], run_number(r, block.rows - 1), "");
        struct counter rows = run_begin_loop(r, from, limit, block.rows, "rows");
        emit_rows(r, &w, plane, rows.index, column, masked);
        run_end_loop(r, &rows);
        from = rows.index;
        block.rows = 1;
    }
    struct widener w = run_new_body(r, &r->plan->body, block, 1);
    struct counter rows = run_begin_loop(r, from, r->end[1], 1, "row");
    emit_rows(r, &w, plane, rows.index, column, masked);
    run_end_loop(r, &rows);
}

/* ---- blocks away from the borders ---- */

static void emit_inner_or_border_block(struct run *r, const struct body *inner, int vectors, LLVMValueRef plane,
                                       LLVMValueRef row, LLVMValueRef column);

/* Emits `vectors` vectors of an inner body that lie at a border: tries each alone, then what has fewer lanes, and uses
 * the general body for the rest. */
static void emit_border_block(struct run *r, const struct body *inner, int vectors, LLVMValueRef plane,
                              LLVMValueRef row, LLVMValueRef column)
{
    const struct body *general = &r->plan->body, *narrow = &r->plan->inner_rest[0];
    LLVMValueRef end = run_add(r, column, run_number(r, inner->block.lanes * vectors));
    int width = vectors > 1 ? inner->block.lanes : general->block.lanes;
    struct counter columns = run_begin_loop(r, column, end, width, "border.column");
    if (vectors > 1)
        emit_inner_or_border_block(r, inner, 1, plane, row, columns.index);
    else if (inner != narrow && narrow->block.lanes > 0)
        emit_inner_or_border_block(r, narrow, 1, plane, row, columns.index);
    else {
        struct widener w = run_new_body(r, general, general->block, 1);
        emit_rows(r, &w, plane, row, columns.index, false);
    }
    run_end_loop(r, &columns);
}

/* Emits a branch to what is returned if some guard differs in a block; the builder goes on where none does. */
static LLVMBasicBlockRef begin_inside(struct run *r, struct widener *w, LLVMValueRef plane, LLVMValueRef row,
                                      LLVMValueRef column)
{
    LLVMBasicBlockRef border = run_new_block(r, "border"), inside = run_new_block(r, "inside");
    LLVMValueRef last = run_add(r, column, run_number(r, w->block.lanes * w->block.vectors - 1));
    struct border_box box = {{plane, row, column}, {plane, row, last}, {NULL}};
    LLVMBuildCondBr(r->builder, borders_cross(r, w->shapes, &box, w->known), border, inside);
    LLVMPositionBuilderAtEnd(r->builder, inside);
    return border;
}

/* Emits `vectors` vectors of an inner body: with it where no guard differs, otherwise as at a border. */
static void emit_inner_or_border_block(struct run *r, const struct body *inner, int vectors, LLVMValueRef plane,
                                       LLVMValueRef row, LLVMValueRef column)
{
    struct block block = inner->block;
    block.vectors = vectors;
    struct widener w = run_new_body(r, inner, block, 1);
    LLVMBasicBlockRef border = begin_inside(r, &w, plane, row, column), done = run_new_block(r, "block.done");
    emit_rows(r, &w, plane, row, column, false);
    LLVMBuildBr(r->builder, done);
    LLVMPositionBuilderAtEnd(r->builder, border);
    emit_border_block(r, inner, vectors, plane, row, column);
    LLVMBuildBr(r->builder, done);
    LLVMPositionBuilderAtEnd(r->builder, done);
}

/* Returns where the blocks end that begin with an inner one and in all of which no guard differs. Most rows have one
 * border at their end, so first all blocks are tried, then all but the last; then a binary search finds where guards
 * change. Of a few blocks each is tested for itself, which takes less time. */
static LLVMValueRef end_of_inner_blocks(struct run *r, const struct shapes *shapes, int width, LLVMValueRef plane,
                                        LLVMValueRef row, LLVMValueRef column)
{
    enum { FEW = 8 };
    LLVMBuilderRef b = r->builder;
    LLVMValueRef one = run_number(r, 1), size = run_number(r, width);
    LLVMValueRef all = LLVMBuildUDiv(b, LLVMBuildNSWSub(b, r->end[2], column, ""), size, "");
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b), try = run_new_block(r, "try"), next = run_new_block(r, "next"),
                      found = run_new_block(r, "inner.blocks");
    LLVMValueRef above = run_add(r, all, one);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULE, all, run_number(r, FEW), ""), found, try);

    /* There are at least `low` such blocks, and less than `high`; `n` are tried. */
    LLVMPositionBuilderAtEnd(b, try);
    LLVMValueRef n = LLVMBuildPhi(b, run_int(r), "n"), low = LLVMBuildPhi(b, run_int(r), "low"),
                 high = LLVMBuildPhi(b, run_int(r), "high");
    LLVMValueRef last = LLVMBuildNSWSub(b, run_add(r, column, LLVMBuildMul(b, n, size, "")), one, "");
    struct border_box box = {{plane, row, column}, {plane, row, last}, {NULL}};
    LLVMValueRef *known = arena_alloc((size_t)shapes->n_values * sizeof *known);
    LLVMValueRef crosses = borders_cross(r, shapes, &box, known);
    LLVMValueRef new_low = LLVMBuildSelect(b, crosses, low, n, ""), new_high = LLVMBuildSelect(b, crosses, n, high, "");
    LLVMValueRef distance = LLVMBuildSub(b, new_high, new_low, "");
    LLVMBasicBlockRef tried = LLVMGetInsertBlock(b);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntUGT, distance, one, ""), next, found);
    LLVMPositionBuilderAtEnd(b, next);
    LLVMValueRef middle = run_add(r, new_low, LLVMBuildLShr(b, distance, one, ""));
    LLVMValueRef is_first = LLVMBuildICmp(b, LLVMIntEQ, n, all, "");
    LLVMValueRef next_n = LLVMBuildSelect(b, is_first, LLVMBuildSub(b, n, one, ""), middle, "");
    LLVMBuildBr(b, try);
    LLVMBasicBlockRef from[] = {before, next};
    LLVMAddIncoming(n, (LLVMValueRef[]){all, next_n}, from, 2);
    LLVMAddIncoming(low, (LLVMValueRef[]){one, new_low}, from, 2);
    LLVMAddIncoming(high, (LLVMValueRef[]){above, new_high}, from, 2);
    LLVMPositionBuilderAtEnd(b, found);
    LLVMValueRef blocks = LLVMBuildPhi(b, run_int(r), "blocks");
    LLVMAddIncoming(blocks, (LLVMValueRef[]){one, new_low}, (LLVMBasicBlockRef[]){before, tried}, 2);
    return run_add(r, column, LLVMBuildMul(b, blocks, size, ""));
}

/* Emits all blocks from an inner one on in which no guard differs. Returns the column after them. */
static LLVMValueRef emit_inner_blocks(struct run *r, struct widener *w, const LLVMValueRef at[3])
{
    int width = w->block.lanes * w->block.vectors;
    LLVMValueRef end = end_of_inner_blocks(r, w->shapes, width, at[0], at[1], at[2]);
    struct counter blocks = run_begin_loop(r, at[2], end, width, "inner.column");
    blocks.stays_rolled = true;
    emit_rows(r, w, at[0], at[1], blocks.index, false);
    run_end_loop(r, &blocks);
    return blocks.index;
}

/* Emits the full blocks of a row, with an inner body where no guard differs. Returns the first column that is left. */
static LLVMValueRef emit_inner_and_border_blocks(struct run *r, LLVMValueRef plane, LLVMValueRef row,
                                                 LLVMValueRef limit)
{
    const struct body *inner = &r->plan->inner;
    int width = inner->block.lanes * inner->block.vectors;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(r->builder), header = run_new_block(r, "column"),
                      body = run_new_block(r, "block"), done = run_new_block(r, "columns.done");
    LLVMBuildBr(r->builder, header);
    LLVMPositionBuilderAtEnd(r->builder, header);
    LLVMValueRef column = LLVMBuildPhi(r->builder, run_int(r), "column");
    LLVMBuildCondBr(r->builder, LLVMBuildICmp(r->builder, LLVMIntSLT, column, limit, ""), body, done);
    LLVMPositionBuilderAtEnd(r->builder, body);
    struct widener w = run_new_body(r, inner, inner->block, 1);
    LLVMBasicBlockRef border = begin_inside(r, &w, plane, row, column);
    LLVMValueRef after = emit_inner_blocks(r, &w, (LLVMValueRef[]){plane, row, column});
    LLVMBuildBr(r->builder, header);
    LLVMBasicBlockRef inside = LLVMGetInsertBlock(r->builder);
    LLVMPositionBuilderAtEnd(r->builder, border);
    emit_border_block(r, inner, inner->block.vectors, plane, row, column);
    LLVMValueRef next = run_add(r, column, run_number(r, width));
    LLVMBuildBr(r->builder, header);
    LLVMAddIncoming(column, (LLVMValueRef[]){r->begin[2], after, next},
                    (LLVMBasicBlockRef[]){before, inside, LLVMGetInsertBlock(r->builder)}, 3);
    LLVMPositionBuilderAtEnd(r->builder, done);
    return column;
}

/* Emits, where a block of an inner body fits into what is left of a row and no guard differs in it, this block, or all
 * such blocks that follow it, if there may be `many`. Returns the column after them; the builder goes on in `next`
 * where there is none. */
static LLVMValueRef emit_inner_if_any(struct run *r, const struct body *inner, bool many, const LLVMValueRef at[3],
                                      LLVMBasicBlockRef next)
{
    LLVMBuilderRef b = r->builder;
    struct block block = inner->block;
    int width = block.lanes * block.vectors;
    LLVMValueRef limit = LLVMBuildNSWSub(b, r->end[2], run_number(r, width - 1), "");
    LLVMBasicBlockRef fits = run_new_block(r, "fits");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLT, at[2], limit, ""), fits, next);
    LLVMPositionBuilderAtEnd(b, fits);
    struct widener w = run_new_body(r, inner, block, 1);
    LLVMBasicBlockRef border = begin_inside(r, &w, at[0], at[1], at[2]), inside = LLVMGetInsertBlock(b);
    LLVMPositionBuilderAtEnd(b, border);
    LLVMBuildBr(b, next);
    LLVMPositionBuilderAtEnd(b, inside);
    if (many)
        return emit_inner_blocks(r, &w, at);
    emit_rows(r, &w, at[0], at[1], at[2], false);
    return run_add(r, at[2], run_number(r, width));
}

/* Ends a way through the loop over a row's columns, which begins in `header` with the phi `column`. */
static void go_on_at(struct run *r, LLVMValueRef column, LLVMBasicBlockRef header, LLVMValueRef next)
{
    LLVMBasicBlockRef end = LLVMGetInsertBlock(r->builder);
    LLVMBuildBr(r->builder, header);
    LLVMAddIncoming(column, &next, &end, 1);
}

/* Emits a branch to what is returned if a border is wide: if threads that run alone would not soon reach a place
 * without one, while there are enough for a block. */
static LLVMBasicBlockRef begin_narrow_border(struct run *r, const LLVMValueRef at[3])
{
    enum { SOON = 4 }; /* threads: most stencils reach less far */
    LLVMBuilderRef b = r->builder;
    LLVMBasicBlockRef fits = run_new_block(r, "border.fits"), wide = run_new_block(r, "wide.border"),
                      narrow = run_new_block(r, "narrow.border");
    int lanes = r->plan->body.block.lanes, needed = lanes > SOON + 2 ? lanes : SOON + 2;
    LLVMValueRef limit = LLVMBuildNSWSub(b, r->end[2], run_number(r, needed - 1), "");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLT, at[2], limit, ""), fits, narrow);
    LLVMPositionBuilderAtEnd(b, fits);
    struct widener w = run_new_body(r, &r->plan->inner, r->plan->inner.block, 1);
    LLVMValueRef first = run_add(r, at[2], run_number(r, SOON)), last = run_add(r, first, run_number(r, 1));
    struct border_box box = {{at[0], at[1], first}, {at[0], at[1], last}, {NULL}};
    LLVMBuildCondBr(b, borders_cross(r, w.shapes, &box, w.known), wide, narrow);
    LLVMPositionBuilderAtEnd(b, narrow);
    return wide;
}

/* Emits a row whose threads at borders run alone: at each place blocks of the inner body that has the most lanes of
 * those that fit, or else a single thread, or at wide borders a block of the general body. */
static void emit_blocks_and_threads(struct run *r, LLVMValueRef plane, LLVMValueRef row)
{
    LLVMBuilderRef b = r->builder;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b), header = run_new_block(r, "column"),
                      next = run_new_block(r, "place"), done = run_new_block(r, "columns.done");
    LLVMBuildBr(b, header);
    LLVMPositionBuilderAtEnd(b, header);
    LLVMValueRef column = LLVMBuildPhi(b, run_int(r), "column"), at[] = {plane, row, column};
    LLVMAddIncoming(column, &r->begin[2], &before, 1);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLT, column, r->end[2], ""), next, done);
    for (int i = 0; i <= N_RESTS; i++) {
        const struct body *inner = i == 0 ? &r->plan->inner : &r->plan->inner_rest[i - 1];
        if (inner->block.lanes == 0)
            break;
        LLVMPositionBuilderAtEnd(b, next);
        next = run_new_block(r, "narrower");
        go_on_at(r, column, header, emit_inner_if_any(r, inner, i == 0, at, next));
    }
    LLVMPositionBuilderAtEnd(b, next);
    LLVMBasicBlockRef wide = begin_narrow_border(r, at);
    const struct body *bodies[] = {&r->plan->alone, &r->plan->body};
    for (int i = 0; i < 2; i++) {
        struct widener w = run_new_body(r, bodies[i], bodies[i]->block, 1);
        emit_rows(r, &w, plane, row, column, false);
        go_on_at(r, column, header, run_add(r, column, run_number(r, bodies[i]->block.lanes)));
        LLVMPositionBuilderAtEnd(b, i == 0 ? wide : done);
    }
}

/* Emits full blocks from row `from` on, and then under masks what they leave of their rows. Blocks of one row are those
 * of row `row`. */
static void emit_blocks_and_rest(struct run *r, LLVMValueRef plane, LLVMValueRef row, LLVMValueRef from)
{
    struct block block = r->plan->body.block, inner = r->plan->inner.block;
    int width = inner.lanes ? inner.lanes * inner.vectors : block.lanes * block.vectors;
    const struct body *rest_body = r->plan->rest.block.lanes ? &r->plan->rest : &r->plan->body;
    struct block rest = {rest_body->block.lanes, block.rows, 1, 1};
    LLVMValueRef limit = LLVMBuildNSWSub(r->builder, r->end[2], run_number(r, width - 1), "");
    LLVMValueRef left;
    if (inner.lanes)
        left = emit_inner_and_border_blocks(r, plane, row, limit);
    else {
        struct counter columns = run_begin_loop(r, r->begin[2], limit, width, "column");
        columns.stays_rolled = columns.stays_rolled || block.rows > 1;
        if (block.rows == 1) {
            struct widener w = run_new_body(r, &r->plan->body, block, 1);
            emit_rows(r, &w, plane, row, columns.index, false);
        } else
            emit_column(r, block, plane, from, columns.index, false);
        run_end_loop(r, &columns);
        left = columns.index;
    }
    const struct body *narrow = &r->plan->inner_rest[0];
    if (narrow->block.lanes) {
        limit = LLVMBuildNSWSub(r->builder, r->end[2], run_number(r, narrow->block.lanes - 1), "");
        struct counter columns = run_begin_loop(r, left, limit, narrow->block.lanes, "column.narrow");
        columns.stays_rolled = true;
        emit_inner_or_border_block(r, narrow, 1, plane, row, columns.index);
        run_end_loop(r, &columns);
        left = columns.index;
    }
    if (width > 1) {
        struct counter tail = run_begin_counter(r, left, r->end[2], rest.lanes, true, "tail");
        tail.stays_rolled = tail.stays_rolled || block.rows > 1;
        if (block.rows == 1) {
            struct widener w = run_new_body(r, rest_body, rest, 1);
            emit_rows(r, &w, plane, row, tail.index, true);
        } else
            emit_column(r, rest, plane, r->begin[1], tail.index, true);
        run_end_loop(r, &tail);
    }
}

/* Emits the box, or a part of it. */
static void emit_part(struct run *r)
{
    bool by_rows = r->plan->body.block.rows == 1;
    r->panel = r->plan->panel ? new_panel(r) : NULL;
    struct counter planes = run_begin_outer_loop(r, r->begin[0], r->end[0], "plane"), rows = {0};
    LLVMValueRef from = r->panel ? emit_with_panels(r, planes.index) : r->begin[1];
    if (by_rows)
        rows = run_begin_outer_loop(r, r->begin[1], r->end[1], "row");
    if (r->plan->by_row)
        emit_row_loads(r, planes.index, rows.index);
    if (r->plan->alone.block.lanes)
        emit_blocks_and_threads(r, planes.index, rows.index);
    else
        emit_blocks_and_rest(r, planes.index, rows.index, from);
    if (by_rows)
        run_end_loop(r, &rows);
    run_end_loop(r, &planes);
    if (r->panel)
        heap_free(r->image, r->builder, r->panel);
}

/* Emits the parts of the box in which the guards that depend on this dimension, and on those after it, are known. */
static void emit_parts_along(struct run *r, int dimension)
{
    const struct shapes *shapes = r->plan->truth;
    if (dimension == 3) {
        struct border_box box = {.tile = {NULL}};
        for (int d = 0; d < 3; d++) {
            box.first[d] = r->begin[d];
            box.last[d] = LLVMBuildNSWSub(r->builder, r->end[d], run_number(r, 1), "");
        }
        borders_cross(r, shapes, &box, r->known);
        emit_part(r);
        return;
    }
    if (!borders_depend_on(r, shapes, dimension)) {
        emit_parts_along(r, dimension + 1);
        return;
    }
    LLVMValueRef begin = r->begin[dimension], end = r->end[dimension];
    LLVMBasicBlockRef before = LLVMGetInsertBlock(r->builder), header = run_new_block(r, "part.begin"),
                      body = run_new_block(r, "part.body"), done = run_new_block(r, "parts.done");
    LLVMBuildBr(r->builder, header);
    LLVMPositionBuilderAtEnd(r->builder, header);
    LLVMValueRef from = LLVMBuildPhi(r->builder, run_int(r), "from");
    LLVMBuildCondBr(r->builder, LLVMBuildICmp(r->builder, LLVMIntSLT, from, end, ""), body, done);
    LLVMPositionBuilderAtEnd(r->builder, body);
    r->begin[dimension] = from;
    LLVMValueRef next = r->end[dimension] = borders_end_of_part(r, shapes, dimension);
    emit_parts_along(r, dimension + 1);
    LLVMAddIncoming(from, (LLVMValueRef[]){begin, next}, (LLVMBasicBlockRef[]){before, LLVMGetInsertBlock(r->builder)},
                    2);
    LLVMBuildBr(r->builder, header);
    LLVMPositionBuilderAtEnd(r->builder, done);
    r->begin[dimension] = begin;
    r->end[dimension] = end;
}

static void emit_untiled(struct run *r)
{
    if (r->plan->truth->known) {
        r->known = arena_alloc((size_t)r->plan->truth->n_values * sizeof *r->known);
        emit_parts_along(r, 0);
    } else
        emit_part(r);
}

/* ---- tiled kernels ---- */

/* Tells LLVM that the life of a tile's memory begins or ends here. */
static void mark_lifetime(struct run *r, const char *intrinsic)
{
    LLVMTypeRef pointer = LLVMPointerTypeInContext(r->context, 0);
    LLVMValueRef mark =
        LLVMGetIntrinsicDeclaration(r->image->module, LLVMLookupIntrinsicID(intrinsic, strlen(intrinsic)), &pointer, 1);
    for (int i = 0; i < r->n_tile_memory; i++) {
        LLVMValueRef memory = r->tile_memory[i].all, args[2];
        unsigned n = 0;
#if LLVM_VERSION_MAJOR < 22
        args[n++] = LLVMConstInt(
            LLVMInt64TypeInContext(r->context),
            LLVMABISizeOfType(LLVMGetModuleDataLayout(r->image->module), LLVMGetAllocatedType(memory)), false);
#endif
        args[n++] = memory;
        LLVMBuildCall2(r->builder, LLVMGlobalGetValueType(mark), mark, args, n, "");
    }
}

/* Emits one pass of a body over a tile, or over several that share a block. */
static void emit_tile(struct run *r, struct widener *w, int n_blocks, const LLVMValueRef tile[3])
{
    int width = w->block.lanes * w->block.vectors, columns_of_tile = r->kernel->tile[r->kernel->rank - 1];
    mark_lifetime(r, "llvm.lifetime.start");
    if (n_blocks == 1 && !r->plan->windows) {
        LLVMValueRef zero = run_number(r, 0);
        w->base_mask = columns_of_tile % width ? run_lanes_below(w, r, zero, run_number(r, columns_of_tile)) : NULL;
        run_set_index(r, w, (LLVMValueRef[]){zero, zero, zero}, tile);
        run_place_privates(r, w, zero);
        run_emit_body(r, w);
    } else
        regions_emit(r, w, n_blocks, tile, NULL);
    mark_lifetime(r, "llvm.lifetime.end");
}

/* Emits a tile: with the inner body where the tile is away from the borders, unless the stack has no room for what two
 * bodies keep across barriers. `strip` is that of inner tiles. */
static void emit_inner_or_border_tile(struct run *r, struct widener *w, struct strip_use *strip,
                                      const LLVMValueRef tile[3])
{
    if (!r->plan->inner.block.lanes) {
        emit_tile(r, w, r->plan->body.n_blocks, tile);
        return;
    }
    LLVMBasicBlockRef border = run_new_block(r, "border"), inside = run_new_block(r, "inside"),
                      done = run_new_block(r, "tile.done"), here = LLVMGetInsertBlock(r->builder);
    LLVMPositionBuilderAtEnd(r->builder, border);
    emit_tile(r, w, r->plan->body.n_blocks, tile);
    LLVMBuildBr(r->builder, done);
    LLVMPositionBuilderAtEnd(r->builder, here);
    LLVMValueRef crosses = LLVMConstInt(LLVMInt1TypeInContext(r->context), 1, false);
    if (r->stack_bytes <= MAX_STACK / 2) {
        const struct body *body = &r->plan->inner;
        struct widener inner = run_new_body(r, body, body->block, body->n_blocks);
        inner.strip = strip;
        struct border_box box = borders_tile(r, tile);
        crosses = borders_cross(r, inner.shapes, &box, inner.known);
        LLVMPositionBuilderAtEnd(r->builder, inside);
        emit_tile(r, &inner, body->n_blocks, tile);
    } else
        LLVMPositionBuilderAtEnd(r->builder, inside);
    LLVMBuildBr(r->builder, done);
    LLVMPositionBuilderAtEnd(r->builder, here);
    LLVMBuildCondBr(r->builder, crosses, border, inside);
    LLVMPositionBuilderAtEnd(r->builder, done);
}

/* Emits the tiles of a row from column `from` on, while there are enough for a block. Returns where the rest begins. */
static LLVMValueRef emit_tiles(struct run *r, const struct body *body, LLVMValueRef plane, LLVMValueRef row,
                               LLVMValueRef from)
{
    struct widener w = run_new_body(r, body, body->block, body->n_blocks);
    int tiles = body->block.tiles > 1 ? body->block.tiles : 1;
    LLVMValueRef limit = LLVMBuildNSWSub(r->builder, r->end[2], run_number(r, tiles - 1), "");
    struct counter columns = run_begin_loop(r, from, limit, tiles, "tile");
    LLVMValueRef tile[] = {plane, row, columns.index};
    if (body == &r->plan->body)
        emit_inner_or_border_tile(r, &w, NULL, tile);
    else
        emit_tile(r, &w, body->n_blocks, tile);
    run_end_loop(r, &columns);
    return columns.index;
}

/* ---- strips ---- */

/* What is known while tiles run in groups of columns. */
struct columns {
    LLVMValueRef memory; /* for copies: those for the columns, and after them those for a row; NULL at run time if the
                            box has few rows */
    LLVMValueRef spare_of_column, spare_of_row; /* memory for one round instead */
    LLVMValueRef limit, copied; /* slots: where this group of columns ends; the bytes of copies of a column */
};

/* Returns the bytes of the copies for all columns, with a round that has no place of its own. */
static long bytes_for_columns(const struct strip *strip)
{
    return COLUMNS_BYTES + strip->of_column.bytes;
}

/* Says where a tile finds the copies for its column, or for its row: if `has_memory`, at `memory`, where there is room
 * for so many rounds. */
static void set_part(struct run *r, struct strip_part *part, LLVMValueRef has_memory, LLVMValueRef memory,
                     LLVMValueRef spare, long rounds, LLVMValueRef fills)
{
    LLVMBuilderRef b = r->builder;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(r->context);
    part->memory = LLVMBuildSelect(b, has_memory, memory, spare, "strip");
    LLVMValueRef most = LLVMConstInt(i64, (unsigned long long)rounds, false);
    part->rounds = LLVMBuildSelect(b, has_memory, most, LLVMConstNull(i64), "rounds");
    part->fills = fills;
}

/* Emits a tile of the group of columns that begins at `from`. The group ends before that tile if it is in the first row
 * and there is no room for its copies. */
static void emit_tile_of_strip(struct run *r, struct widener *w, struct strip_use *use, const struct columns *c,
                               const struct counter *loop, LLVMValueRef from, const LLVMValueRef tile[3])
{
    const struct strip *strip = use->strip;
    LLVMBuilderRef b = r->builder;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(r->context), byte = LLVMInt8TypeInContext(r->context);
    LLVMValueRef has_memory = LLVMBuildIsNotNull(b, c->memory, ""), copied = LLVMBuildLoad2(b, i64, c->copied, "");
    LLVMValueRef is_first = LLVMBuildICmp(b, LLVMIntEQ, tile[1], r->begin[1], "");
    LLVMValueRef place = LLVMBuildSExt(b, LLVMBuildNSWSub(b, tile[2], from, ""), i64, "");
    place = LLVMBuildNSWMul(b, place, copied, "");
    LLVMValueRef is_full = LLVMBuildICmp(b, LLVMIntSGT, LLVMBuildNSWAdd(b, place, copied, ""),
                                         LLVMConstInt(i64, COLUMNS_BYTES, false), "");
    is_full = LLVMBuildAnd(b, is_full, LLVMBuildAnd(b, has_memory, is_first, ""), "");
    LLVMValueRef limit = LLVMBuildLoad2(b, run_int(r), c->limit, "");
    LLVMBuildStore(b, LLVMBuildSelect(b, is_full, tile[2], limit, ""), c->limit);
    run_leave_unless(r, loop, LLVMBuildNot(b, is_full, ""));
    LLVMValueRef memory = LLVMBuildGEP2(b, byte, c->memory, &place, 1, "");
    set_part(r, &use->column, has_memory, memory, c->spare_of_column, strip->of_column.rounds, is_first);
    if (strip->of_row.bytes) {
        LLVMValueRef at = LLVMConstInt(i64, (unsigned long long)bytes_for_columns(strip), false);
        LLVMValueRef is_alone =
            LLVMBuildICmp(b, LLVMIntEQ, LLVMBuildNSWSub(b, limit, from, ""), run_number(r, 1), "is.alone");
        LLVMValueRef has_others = LLVMBuildAnd(b, has_memory, LLVMBuildNot(b, is_alone, ""), "");
        memory = LLVMBuildGEP2(b, byte, c->memory, &at, 1, "");
        set_part(r, &use->row, has_others, memory, c->spare_of_row, strip->of_row.rounds,
                 LLVMBuildICmp(b, LLVMIntEQ, tile[2], from, ""));
    }
    use->block = run_number(r, 0);
    LLVMBuildStore(b, LLVMConstNull(i64), use->round);
    emit_inner_or_border_tile(r, w, use, tile);
    LLVMValueRef rounds = LLVMBuildLoad2(b, i64, use->round, ""),
                 room = LLVMConstInt(i64, (unsigned long long)strip->of_column.rounds + 1, false);
    rounds = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntULT, rounds, room, ""), rounds, room, "");
    LLVMValueRef bytes =
        LLVMBuildNSWMul(b, rounds, LLVMConstInt(i64, (unsigned long long)strip->of_column.bytes, false), "");
    LLVMBuildStore(b, bytes, c->copied);
}

static LLVMValueRef new_spare(struct run *r, struct widener *w, int bytes)
{
    LLVMTypeRef byte = LLVMInt8TypeInContext(r->context);
    LLVMValueRef spare = widen_slot(w, LLVMArrayType2(byte, (unsigned long long)bytes), "spare");
    LLVMSetAlignment(spare, PANEL_ALIGN);
    return spare;
}

/* Emits the tiles of a plane in groups of columns, as many as there is room for copies of what they read. Without
 * memory all columns are a group. */
static void emit_by_strips(struct run *r, struct columns *c, LLVMValueRef plane)
{
    LLVMBuilderRef b = r->builder;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(r->context);
    struct widener w = run_new_body(r, &r->plan->body, r->plan->body.block, r->plan->body.n_blocks);
    struct strip_use use = {.strip = r->plan->strip, .round = widen_slot(&w, i64, "round")};
    w.strip = use.strip->body == &r->plan->body ? &use : NULL;
    c->spare_of_column = new_spare(r, &w, use.strip->of_column.bytes);
    if (use.strip->of_row.bytes)
        c->spare_of_row = new_spare(r, &w, use.strip->of_row.bytes);
    c->limit = widen_slot(&w, run_int(r), "limit");
    c->copied = widen_slot(&w, i64, "copied");
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b), group = run_new_block(r, "group"),
                      body = run_new_block(r, "columns"), done = run_new_block(r, "done");
    LLVMBuildBr(b, group);
    LLVMPositionBuilderAtEnd(b, group);
    LLVMValueRef from = LLVMBuildPhi(b, run_int(r), "from");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLT, from, r->end[2], ""), body, done);
    LLVMPositionBuilderAtEnd(b, body);
    LLVMBuildStore(b, r->end[2], c->limit);
    LLVMBuildStore(b, LLVMConstNull(i64), c->copied);
    struct counter rows = run_begin_outer_loop(r, r->begin[1], r->end[1], "tile.row");
    struct counter columns = run_begin_loop(r, from, LLVMBuildLoad2(b, run_int(r), c->limit, ""), 1, "tile");
    emit_tile_of_strip(r, &w, &use, c, &columns, from, (LLVMValueRef[]){plane, rows.index, columns.index});
    run_end_loop(r, &columns);
    run_end_loop(r, &rows);
    LLVMValueRef limit = LLVMBuildLoad2(b, run_int(r), c->limit, "");
    LLVMBasicBlockRef after = LLVMGetInsertBlock(b);
    LLVMAddIncoming(from, (LLVMValueRef[]){r->begin[2], limit}, (LLVMBasicBlockRef[]){before, after}, 2);
    LLVMBuildBr(b, group);
    LLVMPositionBuilderAtEnd(b, done);
}

static void emit_tiled(struct run *r)
{
    const struct strip *strip = r->plan->strip;
    struct columns c = {0};
    if (strip) {
        LLVMValueRef rows = LLVMBuildNSWSub(r->builder, r->end[1], r->begin[1], "");
        LLVMValueRef is_large = LLVMBuildICmp(r->builder, LLVMIntSGE, rows, run_number(r, strip->least_rows), "");
        if (strip->body == &r->plan->inner) {
            LLVMValueRef crosses = borders_cross_any_tile(r, strip->body->shapes);
            is_large = LLVMBuildAnd(r->builder, is_large, LLVMBuildNot(r->builder, crosses, ""), "");
        }
        long of_row = strip->of_row.bytes ? ROW_BYTES + strip->of_row.bytes : 0;
        c.memory = new_memory(r, is_large, bytes_for_columns(strip) + of_row);
    }
    struct counter planes = run_begin_outer_loop(r, r->begin[0], r->end[0], "tile.plane");
    if (strip) {
        emit_by_strips(r, &c, planes.index);
    } else {
        struct counter rows = run_begin_outer_loop(r, r->begin[1], r->end[1], "tile.row");
        LLVMValueRef from = r->begin[2];
        if (r->plan->tiles.block.lanes)
            from = emit_tiles(r, &r->plan->tiles, planes.index, rows.index, from);
        emit_tiles(r, &r->plan->body, planes.index, rows.index, from);
        run_end_loop(r, &rows);
    }
    run_end_loop(r, &planes);
    if (strip)
        heap_free(r->image, r->builder, c.memory);
}

/* ---- convoys ---- */

/* Emits the box of a kernel of rank 1, tiled or not. What is left of full blocks is a convoy of its own. */
static void emit_convoys(struct run *r)
{
    const struct body *body = &r->plan->body;
    int most = r->plan->convoy, width = r->kernel->tiled ? 1 : body->block.lanes * body->block.vectors;
    int blocks = r->kernel->tiled ? body->n_blocks : most;
    struct widener w = run_new_body(r, body, body->block, most * body->n_blocks);
    LLVMValueRef end = end_of_blocks(r, 2, width), group[2];
    struct counter convoys = begin_groups(r, r->begin[2], end, (long)most * width, "convoy", group);
    LLVMValueRef count = LLVMBuildSub(r->builder, group[1], group[0], "");
    struct members_of_convoy members = {LLVMBuildUDiv(r->builder, count, run_number(r, width), ""), most};
    r->convoy = group[0];
    regions_emit(r, &w, blocks, (LLVMValueRef[]){r->begin[0], r->begin[1], group[0]}, &members);
    run_end_loop(r, &convoys);
    if (!r->kernel->tiled && width > 1) {
        struct block vector = {body->block.lanes, 1, 1, 1}; /* its mask is for one */
        struct widener rest = run_new_body(r, body, vector, 1);
        struct counter tail = run_begin_counter(r, end, r->end[2], vector.lanes, true, "tail");
        r->convoy = tail.index;
        emit_rows(r, &rest, r->begin[0], r->begin[1], tail.index, true);
        run_end_loop(r, &tail);
    }
}

/* ---- the pass ---- */

static void add_function_attribute(struct run *r, const char *name, const char *value)
{
    LLVMAttributeRef attribute =
        LLVMCreateStringAttribute(r->context, name, (unsigned)strlen(name), value, (unsigned)strlen(value));
    LLVMAddAttributeAtIndex(r->function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attribute);
}

static void begin_function(struct run *r)
{
    enum { LINE = 64 }; /* bytes of code that are fetched together: loops then lie alike wherever the function is */
    r->function = entry_add_run(r->image->module, r->image->codes[r->kernel->number].symbol);
    LLVMSetAlignment(r->function, LINE);
    add_function_attribute(r, "target-cpu", r->image->cpu);
    add_function_attribute(r, "target-features", r->image->features); /* even if empty, or the host's would apply */
    add_function_attribute(r, "prefer-vector-width", arena_printf("%d", r->image->facts.vector_bits));
    add_function_attribute(r, "min-legal-vector-width", arena_printf("%d", r->image->facts.vector_bits));
    add_function_attribute(r, "no-trapping-math", "true");
    /* LLVM aligns the stack for vectors in memory, but not for those that only its register allocator spills: by
     * chance, these may lie across cache lines. black-scholes then takes up to 1.5 times as long. */
    if (r->image->facts.stack_align)
        ir_add_number(r->function, IR_FUNCTION, "alignstack", (unsigned)r->image->facts.stack_align);
    /* So that what only some threads need is loaded before the loop over blocks, too. A tile has a loop of its own, and
     * panels need the registers: products of int would take 1.2 times as long. */
    if (r->kernel->args_bytes > 0 && !r->kernel->tiled && !r->plan->panel) {
        ir_add_number(r->function, 1 + RUN_ARGS, "dereferenceable", (unsigned long long)r->kernel->args_bytes);
        ir_add_number(r->function, 1 + RUN_ARGS, "align", (unsigned long long)r->kernel->args_align);
    }
    add_function_attribute(r, "no-builtins", ""); /* copy loops are short and must not become calls of memcpy */
    /* A large frame must not step over the guard page of a small stack. The interval is a page, less what a frame may
     * have outside of what is probed: the red zone, and vectors' alignment. */
    add_function_attribute(r, "probe-stack", "inline-asm");
    add_function_attribute(r, "stack-probe-size", "3584");

    /* The entry's debug information now describes this function, because inlined code names it as its caller. */
    LLVMMetadataRef subprogram = LLVMGetSubprogram(r->entry_function);
    LLVMSetSubprogram(r->entry_function, NULL);
    if (subprogram) {
        LLVMSetSubprogram(r->function, subprogram);
        r->no_location = LLVMDIBuilderCreateDebugLocation(r->context, 0, 0, subprogram, NULL);
    }
    r->args = LLVMGetParam(r->function, RUN_ARGS);
    r->entry = run_new_block(r, "entry");
    LLVMPositionBuilderAtEnd(r->builder, r->entry);
    LLVMSetCurrentDebugLocation2(r->builder, r->no_location);
    int tiles = plan_main_body(r->plan)->block.tiles;
    int fast_tiles = r->plan->fast ? plan_main_body(r->plan->fast)->block.tiles : 1;
    run_place_tile_memory(r, tiles > fast_tiles ? tiles : fast_tiles);
    LLVMValueRef box[6];
    for (int i = 0; i < 6; i++) {
        LLVMValueRef at = run_number(r, i);
        box[i] =
            LLVMBuildLoad2(r->builder, run_int(r),
                           LLVMBuildGEP2(r->builder, run_int(r), LLVMGetParam(r->function, RUN_BOX), &at, 1, ""), "");
    }
    LLVMBasicBlockRef start = run_new_block(r, "start");
    LLVMBuildBr(r->builder, start);
    LLVMPositionBuilderAtEnd(r->builder, start);
    for (int d = 0; d < 3; d++) {
        r->begin[d] = box[2 * d];
        r->end[d] = box[2 * d + 1];
    }
}

static void end_box(struct run *r)
{
    sums_end(r->sums, r->builder, r->args);
    LLVMBuildRetVoid(r->builder);
}

/* Emits the code of another plan, and a branch to it, which is taken if a condition holds. */
static void emit_instead(struct run *r, const struct plan *plan, LLVMValueRef condition, const char *name)
{
    struct run other = *r;
    LLVMBasicBlockRef here = run_new_block(r, name), others = run_new_block(r, "others");
    LLVMBuildCondBr(r->builder, condition, here, others);
    LLVMPositionBuilderAtEnd(r->builder, here);
    other.plan = plan;
    other.cfg = plan->cfg;
    if (r->kernel->tiled)
        emit_tiled(&other);
    else
        emit_untiled(&other);
    r->stack_bytes = other.stack_bytes;
    end_box(r);
    LLVMPositionBuilderAtEnd(r->builder, others);
}

/* Returns whether the processor scatters fast. */
static LLVMValueRef scatters_fast(struct run *r)
{
    LLVMTypeRef type = LLVMFunctionType(run_int(r), NULL, 0, false);
    LLVMValueRef callee = LLVMGetNamedFunction(r->image->module, "amp__scatters_fast");
    if (!callee)
        callee = LLVMAddFunction(r->image->module, "amp__scatters_fast", type);
    return LLVMBuildIsNotNull(r->builder, LLVMBuildCall2(r->builder, type, callee, NULL, 0, ""), "");
}

/* Returns whether the box's arrays do not fit into a processor's share of the caches, and the processor gains by being
 * asked for what follows: Intel's, which scatter fast, fetch it in time by themselves where threads write, too. Each of
 * several workers gets sixteen boxes, and so sixteen times as much in all. But a box at the origin may be all there is,
 * so that one must have as much itself. */
static LLVMValueRef is_far(struct run *r)
{
    enum { MANY = 1 << 20, BOXES = 16 }; /* bytes; by a triad and saxpy of 2^14 to 2^24 elements on a Zen 4 */
    LLVMTypeRef i64 = LLVMInt64TypeInContext(r->context);
    LLVMValueRef threads = LLVMConstInt(i64, 1, false), origin = run_number(r, 0);
    for (int d = 0; d < 3; d++) {
        LLVMValueRef size = LLVMBuildNSWSub(r->builder, r->end[d], r->begin[d], "");
        threads = LLVMBuildMul(r->builder, threads, LLVMBuildSExt(r->builder, size, i64, ""), "");
        origin = LLVMBuildOr(r->builder, origin, r->begin[d], "");
    }
    unsigned long long least = (unsigned long long)(MANY / r->plan->bytes_of_thread);
    LLVMValueRef is_first = LLVMBuildIsNull(r->builder, origin, "");
    LLVMValueRef many = LLVMBuildSelect(r->builder, is_first, LLVMConstInt(i64, BOXES * least, false),
                                        LLVMConstInt(i64, least, false), "");
    LLVMValueRef is_large = LLVMBuildICmp(r->builder, LLVMIntSGE, threads, many, "");
    if (r->plan->only_reads)
        return is_large;
    return LLVMBuildAnd(r->builder, is_large, LLVMBuildNot(r->builder, scatters_fast(r), ""), "");
}

/* Emits the code for a flat index that is a row and a column, and a branch to it, which is taken if rows are long. A
 * box has three parts, of which any may be empty: the end of a row, whole rows, and the beginning of another. */
static void emit_by_rows(struct run *r, const struct rows *rows, const struct plan *plan)
{
    struct run by_rows = *r;
    LLVMBuilderRef b = r->builder;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(r->context);
    LLVMValueRef length = LLVMBuildFreeze(b, rows_length(b, rows, r->args), "");
    length = LLVMBuildIntCast2(b, length, i64, true, "");
    LLVMValueRef is_long = LLVMBuildICmp(b, LLVMIntSGE, length, LLVMConstInt(i64, AMP__LEAST_ROW, false), "");
    LLVMValueRef is_int = LLVMBuildICmp(b, LLVMIntSLE, length, LLVMConstInt(i64, INT32_MAX, false), "");
    LLVMBasicBlockRef here = run_new_block(r, "rows"), flat = run_new_block(r, "flat");
    LLVMBuildCondBr(b, LLVMBuildAnd(b, is_long, is_int, ""), here, flat);
    LLVMPositionBuilderAtEnd(b, here);
    length = LLVMBuildTrunc(b, length, run_int(r), "length");
    LLVMValueRef zero = run_number(r, 0);
    LLVMValueRef first = LLVMBuildUDiv(b, r->begin[2], length, ""), from = LLVMBuildURem(b, r->begin[2], length, "");
    LLVMValueRef last = LLVMBuildUDiv(b, r->end[2], length, ""), to = LLVMBuildURem(b, r->end[2], length, "");
    LLVMValueRef is_one = LLVMBuildICmp(b, LLVMIntEQ, first, last, "");
    LLVMValueRef starts_within = LLVMBuildICmp(b, LLVMIntNE, from, zero, "");
    LLVMValueRef second = run_add(r, first, LLVMBuildZExt(b, starts_within, run_int(r), ""));
    LLVMValueRef after_first = LLVMBuildSelect(b, is_one, run_add(r, first, run_number(r, 1)), second, "");
    LLVMValueRef ends_within = LLVMBuildZExt(b, LLVMBuildICmp(b, LLVMIntNE, to, zero, ""), run_int(r), "");
    LLVMValueRef after_last = LLVMBuildSelect(b, is_one, last, run_add(r, last, ends_within), "");
    struct counter parts = run_begin_outer_loop(r, zero, run_number(r, 3), "part");
    LLVMValueRef is_start = LLVMBuildICmp(b, LLVMIntEQ, parts.index, zero, "");
    LLVMValueRef is_end = LLVMBuildICmp(b, LLVMIntEQ, parts.index, run_number(r, 2), "");
#define CHOOSE(start, middle, end) LLVMBuildSelect(b, is_start, start, LLVMBuildSelect(b, is_end, end, middle, ""), "")
    by_rows.begin[1] = CHOOSE(first, second, last);
    by_rows.end[1] = CHOOSE(after_first, last, after_last);
    by_rows.begin[2] = CHOOSE(from, zero, zero);
    by_rows.end[2] = CHOOSE(LLVMBuildSelect(b, is_one, to, length, ""), length, to);
#undef CHOOSE
    by_rows.kernel = &rows->kernel;
    by_rows.plan = plan;
    by_rows.cfg = plan->cfg;
    emit_untiled(&by_rows);
    run_end_loop(r, &parts);
    r->stack_bytes = by_rows.stack_bytes;
    end_box(r);
    LLVMPositionBuilderAtEnd(b, flat);
}

/* Emits the code without tiles, and a branch to it, which is taken if the box is large enough for its panels, and has
 * several tiles wherever that is needed. */
static void emit_without_tiles(struct run *r, const struct untiled *untiled, const struct plan *plan)
{
    struct run without = *r;
    LLVMBuilderRef b = r->builder;
    LLVMValueRef is_large = LLVMConstInt(LLVMInt1TypeInContext(r->context), 1, false);
    for (int d = 1; d < 3; d++) {
        LLVMValueRef size = run_number(r, r->kernel->tile[d - 1]);
        without.begin[d] = LLVMBuildNSWMul(b, r->begin[d], size, "");
        without.end[d] = LLVMBuildNSWMul(b, r->end[d], size, "");
        long least = untiled->is_shared[d - 1] ? 2L * r->kernel->tile[d - 1] : 1;
        if (d == 1 && least < plan->panel->least_rows)
            least = plan->panel->least_rows;
        LLVMValueRef threads = LLVMBuildNSWSub(b, without.end[d], without.begin[d], "");
        is_large = LLVMBuildAnd(b, is_large, LLVMBuildICmp(b, LLVMIntSGE, threads, run_number(r, least), ""), "");
    }
    LLVMBasicBlockRef here = run_new_block(r, "untiled"), tiled = run_new_block(r, "tiled");
    LLVMBuildCondBr(b, is_large, here, tiled);
    LLVMPositionBuilderAtEnd(b, here);
    without.kernel = &untiled->kernel;
    without.plan = plan;
    without.cfg = plan->cfg;
    emit_untiled(&without);
    r->stack_bytes = without.stack_bytes;
    end_box(r);
    LLVMPositionBuilderAtEnd(b, tiled);
}

/* Emits the code for convoys, and a branch to it, which is taken where they pay, if there is memory for them. */
static void emit_by_convoys(struct run *r, const struct convoy *convoy, const struct plan *convoys)
{
    struct run by_convoys = *r;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(r->context);
    LLVMValueRef count = LLVMBuildSExt(r->builder, LLVMBuildSub(r->builder, r->end[2], r->begin[2], ""), i64, "");
    LLVMValueRef each = LLVMConstInt(i64, r->kernel->tiled ? (unsigned long long)r->kernel->tile[0] : 1, false);
    LLVMValueRef pays = convoy_pays(r->builder, convoy, r->args, LLVMBuildMul(r->builder, count, each, ""));
    LLVMBasicBlockRef memory = run_new_block(r, "convoys.memory"), here = run_new_block(r, "convoys"),
                      without = run_new_block(r, "convoys.without"), alone = run_new_block(r, "alone");
    LLVMBuildCondBr(r->builder, pays, memory, alone);
    struct heap heap = heap_begin(r->image, memory);
    LLVMPositionBuilderAtEnd(r->builder, here);
    by_convoys.kernel = &convoy->kernel;
    by_convoys.plan = convoys;
    by_convoys.cfg = convoys->cfg;
    by_convoys.heap = &heap;
    run_place_tile_memory(&by_convoys, convoys->convoy);
    emit_convoys(&by_convoys);
    heap_free_arrays(&heap, r->builder);
    end_box(r);
    heap_end(&heap, here, without);
    LLVMPositionBuilderAtEnd(r->builder, without);
    heap_free_arrays(&heap, r->builder);
    LLVMBuildBr(r->builder, alone);
    LLVMPositionBuilderAtEnd(r->builder, alone);
}

static int threads_of(struct block block)
{
    return block.lanes * block.rows * block.vectors;
}

/* Returns how many bytes the local arrays of a plan's bodies take at most. */
static unsigned long long bytes_of_arrays(const struct plan *plan)
{
    /* One and several vectors, at a border and at the end of a row; or a block, halves of it, and so on. */
    enum { BODIES = 4 };
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(LLVMGetGlobalParent(plan->cfg->function));
    int body = threads_of(plan->body.block), inner = threads_of(plan->inner.block);
    unsigned long long bytes = 0;
    for (LLVMValueRef i = plan->cfg->nodes[0].first; i; i = LLVMGetNextInstruction(i))
        if (LLVMIsAAllocaInst(i))
            bytes += LLVMABISizeOfType(layout, LLVMGetAllocatedType(i));
    return bytes * BODIES * (unsigned long long)(body > inner ? body : inner);
}

/* Plans the code for a flat index that is a row and a column. Returns NULL if there is none, if its threads, too, run
 * one after another, or if their arrays are so large that the stack might not hold those of both forms. */
static const struct plan *plan_rows(struct unit *unit, struct image *image, const struct plan *flat,
                                    const struct rows **rows)
{
    bool is_wanted = unit->options->opt_level > 0 && !flat->is_described;
    *rows = is_wanted ? rows_of(image->module, flat->kernel) : NULL;
    if (!*rows)
        return NULL;
    struct plan *plan = arena_alloc(sizeof *plan);
    struct image any_box = *image;
    any_box.facts.far_ahead = 0;
    *plan = *plan_lanes(unit, &any_box, &(*rows)->kernel);
    plan->division_line = (*rows)->line;
    if (plan->body.block.lanes > 1 && bytes_of_arrays(plan) + bytes_of_arrays(flat) <= MAX_STACK / 2)
        return plan;
    LLVMDeleteFunction(LLVMGetNamedFunction(image->module, (*rows)->kernel.entry));
    return NULL;
}

/* Plans the code without tiles. Returns NULL if there is none, or if it would not have panels. */
static const struct plan *plan_untiled(struct unit *unit, struct image *image, const struct plan *tiled,
                                       const struct untiled **untiled)
{
    bool is_wanted = unit->options->opt_level > 0 && unit->options->panels >= 0 && !tiled->is_described &&
                     tiled->body.block.lanes > 1;
    *untiled = is_wanted ? untiled_of(image->module, tiled->kernel) : NULL;
    if (!*untiled)
        return NULL;
    struct plan *plan = arena_alloc(sizeof *plan);
    *plan = *plan_lanes(unit, image, &(*untiled)->kernel);
    plan->store_line = (*untiled)->line;
    if (plan->panel && bytes_of_arrays(plan) + bytes_of_arrays(tiled) <= MAX_STACK / 2)
        return plan;
    LLVMDeleteFunction(LLVMGetNamedFunction(image->module, (*untiled)->kernel.entry));
    return NULL;
}

/* Returns the plan of a kernel whose tiles few boxes need: it has one form of them, which LLVM compiles sooner. */
static const struct plan *plan_few_boxes(const struct plan *tiled)
{
    struct plan *plan = arena_alloc(sizeof *plan);
    *plan = *tiled;
    plan->strip = NULL;
    plan->inner = (struct body){0};
    return plan;
}

/* Plans the code for convoys. Returns NULL if there is none, or if it would not pay. */
static const struct plan *plan_convoy(struct unit *unit, struct image *image, const struct plan *flat,
                                      const struct convoy **convoy)
{
    int least = unit->options->convoys > 0 ? 1 : 4; /* blocks */
    bool is_wanted = unit->options->opt_level > 0 && !flat->is_described && flat->body.block.lanes > 1;
    *convoy = is_wanted ? convoy_of(image->module, flat, unit->options) : NULL;
    if (!*convoy)
        return NULL;
    struct plan *plan = arena_alloc(sizeof *plan);
    *plan = *plan_convoys(unit, image, &(*convoy)->kernel);
    plan->convoy_test = (*convoy)->test;
    plan->convoy_call = (*convoy)->call;
    plan->turn = (*convoy)->turn;
    plan->convoy = convoy_most(*convoy, plan, LLVMGetModuleDataLayout(image->module), unit->options);
    if (plan->body.block.lanes > 1 && plan->convoy * plan->body.n_blocks >= least)
        return plan;
    LLVMDeleteFunction(LLVMGetNamedFunction(image->module, (*convoy)->kernel.entry));
    return NULL;
}

_Static_assert(MAX_GEOMETRY == AMP__GEOMETRY, "the runtime reads what the compiler writes");

/* Notes what launches need to know. */
static void set_geometry(struct code *code, const struct plan *plan, const struct rows *rows,
                         const struct plan *by_rows, const struct plan *without_tiles, const struct convoy *convoy,
                         const struct plan *convoys)
{
    struct block block = plan_main_body(plan)->block;
    code->geometry[0] = block.lanes;
    code->geometry[1] = block.rows;
    code->geometry[2] = block.vectors;
    code->geometry[4] = plan->panel || without_tiles || (plan->strip && plan->strip->of_row.bytes) ? AMP__CUT_BOTH
                        : plan->strip                                                              ? AMP__CUT_COLUMNS
                                                                                                   : AMP__CUT_ROWS;
    code->geometry[5] = cfg_calls(plan->cfg, CALL_ABORT);
    if (plan->fast) {
        block = plan->fast->body.block;
        code->geometry[6] = block.lanes;
        code->geometry[7] = block.rows;
        code->geometry[8] = block.vectors;
    }
    if (by_rows) {
        long long offset;
        code->geometry[9] = by_rows->body.block.rows;
        code->geometry[10] = (int)rows_constant(rows, &offset);
        code->geometry[11] = (int)offset;
        if (by_rows->panel)
            code->geometry[4] = AMP__CUT_LONG;
    }
    if (convoys && convoys->convoy > 1 && !convoy->has_inner_loops) {
        block = convoys->body.block;
        code->geometry[12] = convoys->convoy * (convoys->kernel->tiled ? 1 : block.lanes * block.vectors);
    }
}

static void run_kernel(struct unit *unit, struct image *image, const struct kernel *kernel)
{
    struct code *code = &image->codes[kernel->number];
    const struct plan *plan = code->plan = plan_lanes(unit, image, kernel);
    const struct rows *rows;
    const struct plan *by_rows = plan_rows(unit, image, plan, &rows);
    const struct untiled *untiled;
    const struct plan *without_tiles = plan_untiled(unit, image, plan, &untiled);
    if (without_tiles)
        plan = code->plan = plan_few_boxes(plan);
    const struct convoy *convoy = NULL;
    const struct plan *convoys = by_rows || without_tiles ? NULL : plan_convoy(unit, image, plan, &convoy);
    struct sums sums = {NULL};
    struct run r = {.kernel = kernel,
                    .plan = plan,
                    .image = image,
                    .context = unit->context,
                    .entry_function = LLVMGetNamedFunction(image->module, kernel->entry),
                    .cfg = plan->cfg,
                    .sums = &sums};
    r.builder = LLVMCreateBuilderInContext(unit->context);
    r.variables = plan->is_described ? variables_list(image->module, r.entry_function) : NULL;
    begin_function(&r);
    if (convoys)
        emit_by_convoys(&r, convoy, convoys);
    if (by_rows)
        emit_by_rows(&r, rows, by_rows);
    if (without_tiles)
        emit_without_tiles(&r, untiled, without_tiles);
    if (plan->fast)
        emit_instead(&r, plan->fast, scatters_fast(&r), "scatters.fast");
    if (plan->far)
        emit_instead(&r, plan->far, is_far(&r), "far");
    if (kernel->tiled)
        emit_tiled(&r);
    else
        emit_untiled(&r);
    int most = r.variables ? MAX_DESCRIBED : MAX_STACK;
    if (r.stack_bytes > (unsigned long long)most)
        diag_error(
            kernel->place,
            "the local arrays of '%s', and what it keeps across barriers, take %llu bytes for the threads that run "
            "together; there are %d: make the arrays or the tile smaller [memory of a tile]",
            kernel->name, r.stack_bytes, most);
    end_box(&r);
    LLVMDisposeBuilder(r.builder);
    variables_free(r.variables);
    if (unit->options->report)
        describe_kernel(unit, image, convoys ? convoys : by_rows ? by_rows : without_tiles ? without_tiles : plan);
    set_geometry(code, plan, rows, by_rows, without_tiles, convoy, convoys);
    LLVMDeleteFunction(r.entry_function);
    if (by_rows)
        LLVMDeleteFunction(LLVMGetNamedFunction(image->module, rows->kernel.entry));
    if (without_tiles)
        LLVMDeleteFunction(LLVMGetNamedFunction(image->module, untiled->kernel.entry));
    if (convoys)
        LLVMDeleteFunction(LLVMGetNamedFunction(image->module, convoy->kernel.entry));
}

bool lanes(struct unit *unit)
{
    for (int k = 0; k < unit->n_kernels; k++) {
        unsigned errors = diag_count(); /* one target's errors are enough */
        for (int i = 0; i < unit->n_images && diag_count() == errors; i++)
            if (!unit->images[i].target->has_grid && !unit->images[i].target->has_checks)
                run_kernel(unit, &unit->images[i], &unit->kernels[k]);
    }
    return diag_count() == 0;
}

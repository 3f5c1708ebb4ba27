/* SPDX-License-Identifier: MIT
 *
 * Makes the function that runs a box of the domain, amp__run_N_IMAGE(args, box), out of the kernel's entry, which runs
 * one thread. plan.c has chosen the block, and widen.c emits the body for it; this file makes the loops around it.
 *
 *     untiled:  for the rows of the box: for the full blocks of a row: body;  what is left: body under a mask
 *     tiled:    for the tiles of the box: for each region between barriers: for the blocks of the tile: body
 *
 * Where blocks have several rows that share values, the loop over rows is the inner one, so that what a column of
 * blocks reads again stays in the cache; in large boxes they read copies of it (panel.c).
 *
 * A tile that fits into one block needs no regions: its threads run in lockstep and reach a barrier together. Small
 * neighbouring tiles that take the same branches share a block, as if they lay below one another. Otherwise each
 * region, from one barrier to the next ones, gets a copy of the nodes that it reaches and a loop over the blocks of the
 * tile around it. A block's slots that are live at a barrier are saved, by block; a value that is the same for all
 * threads of the tile is saved once. Such a value goes from one region to the next through a pair of variables, because
 * a block must not see what the previous block left for the next region. Where only the first threads of a tile have
 * something to do, the blocks after theirs are left out; and if these threads would gather and scatter, a loop over
 * single threads takes the place of that over blocks. Since every region has its own copy, barriers
 * may stand in any uniform control flow. Splitting loops in place, as is often done, would need them in special
 * positions.
 *
 * Needs: prepared entries. Breaks: nothing; the entry is deleted. */
#include "../../abi/descriptor.h"
#include "kernel/entry.h"
#include "kernel/exact.h"
#include "kernel/ir.h"
#include "object/describe.h"
#include "widen/cost.h"
#include "widen/panel.h"
#include "widen/parts.h"
#include "widen/strip.h"
#include "widen/variables.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

enum {
    MAX_STACK = 1 << 20,    /* bytes of a worker's stack that a kernel's arrays may take, */
    MAX_DESCRIBED = 2 << 20 /* and its variables for debuggers */
};

/* The function under construction, which may have several variants of the body. */
struct run {
    const struct kernel *kernel;
    const struct plan *plan;
    struct image *image;
    LLVMContextRef context;
    LLVMValueRef entry_function, function, args;
    LLVMBasicBlockRef entry;
    LLVMBuilderRef builder;
    LLVMMetadataRef no_location;
    const struct cfg *cfg;
    struct variables *variables; /* that debuggers shall find; NULL: none */
    struct tile_memory *tile_memory;
    int n_tile_memory;
    long tile_room;                /* before and after each of them */
    LLVMValueRef begin[3], end[3]; /* of the box */
    LLVMValueRef panel; /* memory for a panel, NULL at run time if the box is small; NULL here if the plan has none */
    unsigned long long stack_bytes; /* of local arrays and of what lives across barriers */
};

/* ---- small constructions ---- */

static LLVMTypeRef int_type(const struct run *r)
{
    return LLVMInt32TypeInContext(r->context);
}

static LLVMValueRef number(const struct run *r, long value)
{
    return LLVMConstInt(int_type(r), (unsigned long long)value, true);
}

static LLVMValueRef add(const struct run *r, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildNSWAdd(r->builder, a, b, "");
}

static LLVMBasicBlockRef new_block(const struct run *r, const char *name)
{
    return LLVMAppendBasicBlockInContext(r->context, r->function, name);
}

struct counter {
    LLVMBasicBlockRef header, exit;
    LLVMValueRef index; /* also valid after the loop: where it stopped */
    long step;
    bool may_pass; /* the last step may pass the limit, and even INT_MAX */
    bool is_unrolled;
    bool hoists_nothing; /* LLVM leaves in it what does not change */
    bool stays_rolled;   /* LLVM would not unroll it, as if it contains loops: it need not compute the cost */
};

/* Begins for (index = from; index < limit; index += step). */
static struct counter begin_counter(const struct run *r, LLVMValueRef from, LLVMValueRef limit, long step,
                                    bool may_pass, const char *name)
{
    struct counter loop = {new_block(r, name), new_block(r, "done"), NULL, step, may_pass, false, false, false};
    loop.stays_rolled = r->cfg->n_loops > 0;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(r->builder), body = new_block(r, "body");
    LLVMBuildBr(r->builder, loop.header);
    LLVMPositionBuilderAtEnd(r->builder, loop.header);
    loop.index = LLVMBuildPhi(r->builder, int_type(r), name);
    LLVMAddIncoming(loop.index, &from, &before, 1);
    LLVMValueRef goes_on = LLVMBuildICmp(r->builder, may_pass ? LLVMIntULT : LLVMIntSLT, loop.index, limit, "");
    LLVMBuildCondBr(r->builder, goes_on, body, loop.exit);
    LLVMPositionBuilderAtEnd(r->builder, body);
    return loop;
}

static struct counter begin_loop(const struct run *r, LLVMValueRef from, LLVMValueRef limit, long step,
                                 const char *name)
{
    return begin_counter(r, from, limit, step, false, name);
}

/* Begins a loop that contains other loops. */
static struct counter begin_outer_loop(const struct run *r, LLVMValueRef from, LLVMValueRef limit, const char *name)
{
    struct counter loop = begin_loop(r, from, limit, 1, name);
    loop.stays_rolled = true;
    return loop;
}

/* Leaves the loop, whose counter has not been raised yet, unless `goes_on`. */
static void leave_unless(const struct run *r, const struct counter *loop, LLVMValueRef goes_on)
{
    LLVMBasicBlockRef next = new_block(r, "next");
    LLVMBuildCondBr(r->builder, goes_on, next, loop->exit);
    LLVMPositionBuilderAtEnd(r->builder, next);
}

static void end_loop(const struct run *r, struct counter *loop)
{
    LLVMSetCurrentDebugLocation2(r->builder, r->no_location);
    LLVMValueRef step = number(r, loop->step);
    LLVMValueRef next = loop->may_pass ? LLVMBuildAdd(r->builder, loop->index, step, "") : add(r, loop->index, step);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(r->builder);
    LLVMAddIncoming(loop->index, &next, &here, 1);
    LLVMValueRef back = LLVMBuildBr(r->builder, loop->header);
    const char *unrolling = loop->is_unrolled    ? "llvm.loop.unroll.full"
                            : loop->stays_rolled ? "llvm.loop.unroll.disable"
                                                 : NULL;
    const char *hoisting = loop->hoists_nothing ? "llvm.licm.disable" : NULL;
    if (unrolling || hoisting)
        ir_mark_loop(back, unrolling, hoisting);
    LLVMPositionBuilderAtEnd(r->builder, loop->exit);
}

/* Returns the mask of lanes whose column, `column` plus the lane, is below `limit`. */
static LLVMValueRef lanes_below(const struct widener *w, const struct run *r, LLVMValueRef column, LLVMValueRef limit)
{
    LLVMValueRef left = LLVMBuildSub(r->builder, limit, column, "");
    return LLVMBuildICmp(r->builder, LLVMIntSLT, widen_steps(w, int_type(r), 1), widen_splat(w, left), "mask");
}

/* ---- the body ---- */

static void add_tile_memory(struct run *r, LLVMValueRef value)
{
    if (!ir_is_in_tile_memory(value))
        return;
    for (int i = 0; LLVMIsAConstantExpr(value) && i < LLVMGetNumOperands(value); i++)
        add_tile_memory(r, LLVMGetOperand(value, (unsigned)i));
    for (int i = 0; i < r->n_tile_memory; i++)
        if (r->tile_memory[i].variable == value)
            return;
    if (LLVMIsAGlobalVariable(value))
        r->tile_memory[r->n_tile_memory++].variable = value;
}

/* Allocates an array of `count` elements, for threads or blocks, on the worker's stack. */
static LLVMValueRef new_array(struct run *r, struct widener *w, LLVMTypeRef type, int count, const char *name)
{
    LLVMTypeRef array = LLVMArrayType2(type, (unsigned long long)count);
    r->stack_bytes += LLVMABISizeOfType(w->layout, array);
    return widen_slot(w, array, name);
}

/* Allocates the memory of `tiles` tiles on the worker's stack. */
static void place_tile_memory(struct run *r, int tiles)
{
    int n = 0;
    for (LLVMValueRef g = LLVMGetFirstGlobal(r->image->module); g; g = LLVMGetNextGlobal(g))
        n++;
    r->tile_memory = arena_alloc((size_t)(n + 1) * sizeof *r->tile_memory);
    for (int at = 0; at < r->cfg->n; at++)
        for (LLVMValueRef i = r->cfg->nodes[at].first; i != r->cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
            for (int o = 0; o < LLVMGetNumOperands(i); o++)
                add_tile_memory(r, LLVMGetOperand(i, (unsigned)o));
    const struct facts *least = targets_least_tile();
    unsigned long long bytes = 0;
    long fast_room = r->plan->fast ? r->plan->fast->tile_room : 0;
    r->tile_room = fast_room > r->plan->tile_room ? fast_room : r->plan->tile_room;
    for (int i = 0; i < r->n_tile_memory; i++) {
        LLVMValueRef variable = r->tile_memory[i].variable;
        LLVMTargetDataRef layout = LLVMGetModuleDataLayout(r->image->module);
        unsigned align = LLVMGetAlignment(variable);
        if (align == (unsigned)r->image->facts.tile_align) /* retarget.c may have raised it to that */
            align = (unsigned)least->tile_align;
        bytes += (LLVMABISizeOfType(layout, LLVMGlobalGetValueType(variable)) + align - 1) / align * align;
        unsigned long long before = ((unsigned long long)r->tile_room + LLVMGetAlignment(variable) - 1) /
                                    LLVMGetAlignment(variable) * LLVMGetAlignment(variable);
        LLVMTypeRef i8 = LLVMInt8TypeInContext(r->context);
        LLVMTypeRef type =
            LLVMArrayType2(i8, before + (unsigned long long)tiles * widen_tile_stride(layout, variable) + before);
        LLVMValueRef at = LLVMConstInt(LLVMInt64TypeInContext(r->context), before, false);
        struct tile_memory *memory = &r->tile_memory[i];
        memory->all = LLVMBuildAlloca(r->builder, tiles > 1 || before ? type : LLVMGlobalGetValueType(variable),
                                      LLVMGetValueName(variable));
        LLVMSetAlignment(memory->all, LLVMGetAlignment(variable));
        memory->memory = before ? LLVMBuildInBoundsGEP2(r->builder, i8, memory->all, &at, 1, "") : memory->all;
    }
    if (bytes > (unsigned long long)least->tile_bytes)
        diag_error(
            r->kernel->place,
            "the tile_static variables of '%s' take %llu bytes; every accelerator has %d for a tile [tile_static size]",
            r->kernel->name, bytes, least->tile_bytes);
}

/* Begins a body of the plan for `n_blocks` blocks, which may have fewer rows and vectors than planned. */
static struct widener new_body(struct run *r, const struct body *body, struct block block, int n_blocks)
{
    struct widener w = {
        .kernel = r->kernel,
        .cfg = r->cfg,
        .shapes = body->shapes,
        .ways = body->ways,
        .block = block,
        .context = r->context,
        .module = r->image->module,
        .layout = LLVMGetModuleDataLayout(r->image->module),
    };
    w.function = r->function;
    w.builder = r->builder;
    w.entry = r->entry;
    w.no_location = r->no_location;
    w.variables = r->variables;
    w.parameters = arena_alloc((size_t)entry_n_params(r->kernel) * MAX_INSTANCES * sizeof(LLVMValueRef));
    w.tile_memory = r->tile_memory;
    w.n_tile_memory = r->n_tile_memory;
    w.tile_room = r->tile_room;
    w.recompute = n_blocks > 1;
    for (int at = 0; at < r->cfg->n; at++)
        for (LLVMValueRef i = r->cfg->nodes[at].first; i != r->cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
            w.n_privates += LLVMIsAAllocaInst(i) != NULL;
    w.privates = arena_alloc((size_t)(w.n_privates + 1) * sizeof *w.privates);
    int n = 0;
    for (int at = 0; at < r->cfg->n; at++)
        for (LLVMValueRef i = r->cfg->nodes[at].first; i != r->cfg->nodes[at].end; i = LLVMGetNextInstruction(i)) {
            if (!LLVMIsAAllocaInst(i))
                continue;
            /* There is one copy for each thread of all blocks, with lanes innermost. */
            int count = n_blocks * block.rows * block.vectors * block.lanes;
            LLVMTypeRef type = LLVMArrayType2(LLVMInt8TypeInContext(r->context), shape_private_size(i));
            w.privates[n].variable = i;
            w.privates[n].memory = new_array(r, &w, type, count, LLVMGetValueName(i));
            if (r->variables)
                w.privates[n].place = widen_slot(&w, LLVMPointerTypeInContext(r->context, 0), "place");
            LLVMSetAlignment(w.privates[n++].memory, LLVMGetAlignment(i));
        }
    widen_begin(&w);
    return w;
}

/* Points the body at the private memory of the block with this number. */
static void place_privates(struct run *r, struct widener *w, LLVMValueRef number_of_block)
{
    for (int p = 0; p < w->n_privates; p++)
        for (int i = 0; i < w->block.rows * w->block.vectors; i++) {
            LLVMValueRef at =
                LLVMBuildMul(r->builder, number_of_block, number(r, w->block.rows * w->block.vectors), "");
            at = LLVMBuildMul(r->builder, add(r, at, number(r, i)), number(r, w->block.lanes), "");
            LLVMTypeRef type =
                LLVMArrayType2(LLVMInt8TypeInContext(r->context), shape_private_size(w->privates[p].variable));
            w->privates[p].instances[i] = LLVMBuildGEP2(r->builder, type, w->privates[p].memory, &at, 1, "");
            if (i == 0 && w->variables)
                LLVMBuildStore(r->builder, w->privates[p].instances[0], w->privates[p].place);
        }
}

/* Sets the index parameters for the block whose first thread is `first`; in a tile, `first` is local and `tile` the
 * (first) tile's number along each dimension. Arrays are indexed by dimension of the box; the kernel's dimensions are
 * the last `box_rank`. */
static void set_index(struct run *r, struct widener *w, const LLVMValueRef first[3], const LLVMValueRef tile[3])
{
    const struct kernel *k = r->kernel;
    for (int p = 0; p < entry_n_params(k); p++) {
        struct entry_param param = entry_param(k, p);
        int d = param.dimension;
        for (int row = 0; row < w->block.rows; row++)
            for (int vector = 0; vector < w->block.vectors; vector++) {
                LLVMValueRef value = first[d];
                int rows_of_tile = w->block.tiles > 1 ? w->block.rows / w->block.tiles : w->block.rows;
                if (d == 1)
                    value = add(r, value, number(r, row % rows_of_tile));
                if (d == 2)
                    value = add(r, value, number(r, vector * w->block.lanes));
                struct entry_thread thread = {r->args, value, tile ? tile[d] : NULL};
                if (tile && d == 2)
                    thread.tile = add(r, tile[d], number(r, row / rows_of_tile));
                w->parameters[p * MAX_INSTANCES + row * w->block.vectors + vector] =
                    entry_value(r->builder, k, &param, &thread);
            }
    }
}

/* Emits the whole body once, at the builder's place, for threads that run in lockstep. */
static void emit_body(struct run *r, struct widener *w)
{
    LLVMBasicBlockRef end = new_block(r, "block.end");
    widen_nodes(w, panel_nodes(w), 0, end, NULL, NULL);
    LLVMPositionBuilderAtEnd(r->builder, end);
    LLVMSetCurrentDebugLocation2(r->builder, r->no_location);
}

/* ---- untiled kernels ---- */

static void emit_rows(struct run *r, struct widener *w, LLVMValueRef plane, LLVMValueRef row, LLVMValueRef column,
                      bool masked)
{
    w->base_mask = masked ? lanes_below(w, r, column, r->end[2]) : NULL;
    set_index(r, w, (LLVMValueRef[]){plane, row, column}, NULL);
    place_privates(r, w, number(r, 0));
    emit_body(r, w);
}

/* ---- panels ---- */

/* Returns memory of that size, which the function frees with `free_memory`, if the box `is_large`; NULL otherwise, or
 * if there is none. */
static LLVMValueRef new_memory(struct run *r, LLVMValueRef is_large, long bytes)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(r->context), pointer = LLVMPointerTypeInContext(r->context, 0);
    LLVMTypeRef type = LLVMFunctionType(pointer, (LLVMTypeRef[]){i64, i64}, 2, false);
    LLVMValueRef callee = LLVMGetNamedFunction(r->image->module, "aligned_alloc"), null = LLVMConstNull(pointer);
    if (!callee) {
        callee = LLVMAddFunction(r->image->module, "aligned_alloc", type);
        ir_add_attribute(callee, LLVMAttributeReturnIndex, "noalias");
    }
    LLVMValueRef args[] = {LLVMConstInt(i64, PANEL_ALIGN, false), LLVMConstInt(i64, (unsigned long long)bytes, false)};
    LLVMBasicBlockRef here = LLVMGetInsertBlock(r->builder), large = new_block(r, "large"), any = new_block(r, "any");
    LLVMBuildCondBr(r->builder, is_large, large, any);
    LLVMPositionBuilderAtEnd(r->builder, large);
    LLVMValueRef memory = LLVMBuildCall2(r->builder, type, callee, args, 2, "");
    LLVMBuildBr(r->builder, any);
    LLVMPositionBuilderAtEnd(r->builder, any);
    LLVMValueRef result = LLVMBuildPhi(r->builder, pointer, "copies");
    LLVMAddIncoming(result, (LLVMValueRef[]){null, memory}, (LLVMBasicBlockRef[]){here, large}, 2);
    return result;
}

static void free_memory(struct run *r, LLVMValueRef memory)
{
    LLVMTypeRef pointer = LLVMPointerTypeInContext(r->context, 0);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(r->context), &pointer, 1, false);
    LLVMValueRef callee = LLVMGetNamedFunction(r->image->module, "free");
    if (!callee)
        callee = LLVMAddFunction(r->image->module, "free", type);
    LLVMBuildCall2(r->builder, type, callee, &memory, 1, "");
}

/* The memory for panels has those of a group of columns, then what their blocks save, then what the bodies that fill
 * do. Each returns where one begins, in bytes. */
static LLVMValueRef place_of_panel(struct run *r, LLVMValueRef strip)
{
    const struct panel *panel = r->plan->panel;
    return LLVMBuildMul(r->builder, strip, number(r, (long)panel->iterations * panel->bytes), "");
}

static LLVMValueRef place_of_saved(struct run *r, LLVMValueRef block, LLVMValueRef strip)
{
    const struct panel *panel = r->plan->panel;
    LLVMValueRef at = LLVMBuildMul(r->builder, block, number(r, panel->strips), "");
    at = LLVMBuildMul(r->builder, add(r, at, strip), number(r, panel->saved_bytes), "");
    return add(r, at, number(r, (long)panel->strips * panel->iterations * panel->bytes));
}

/* Returns memory for panels, or NULL if the box is too small for one. Without memory, boxes run as small ones do. */
static LLVMValueRef new_panel(struct run *r)
{
    const struct panel *panel = r->plan->panel;
    struct block block = r->plan->body.block;
    long blocks = panel->most_rows / block.rows + 1; /* one for the bodies that fill */
    long bytes = panel->strips * ((long)panel->iterations * panel->bytes + blocks * panel->saved_bytes);
    LLVMValueRef rows = LLVMBuildNSWSub(r->builder, r->end[1], r->begin[1], ""),
                 columns = LLVMBuildNSWSub(r->builder, r->end[2], r->begin[2], "");
    LLVMValueRef is_large =
        LLVMBuildAnd(r->builder, LLVMBuildICmp(r->builder, LLVMIntSGE, rows, number(r, panel->least_rows), ""),
                     LLVMBuildICmp(r->builder, LLVMIntSGE, columns, number(r, block.lanes * block.vectors), ""), "");
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
    struct counter strips = begin_loop(r, columns[0], columns[1], width, "strips");
    strips.stays_rolled = true;
    LLVMValueRef strip = LLVMBuildSub(r->builder, strips.index, columns[0], "");
    strip = LLVMBuildUDiv(r->builder, strip, number(r, width), "");
    how->memory = in_panel(r, place_of_panel(r, strip));
    how->saved = in_panel(r, place_of_saved(r, block, strip));
    w->panel = how;
    emit_rows(r, w, plane, row, strips.index, false);
    end_loop(r, &strips);
}

/* Emits the full blocks of a group of columns in rows [first, limit): fills their panels and runs all blocks with them,
 * until their loops have ended. */
static void emit_panels(struct run *r, struct widener *fill, struct widener *use, LLVMValueRef plane,
                        const LLVMValueRef columns[2], LLVMValueRef first, LLVMValueRef limit)
{
    const struct panel *panel = r->plan->panel;
    LLVMTypeRef i1 = LLVMInt1TypeInContext(r->context);
    struct panel_use how = {.panel = panel};
    LLVMBasicBlockRef before = LLVMGetInsertBlock(r->builder), again = new_block(r, "panel"),
                      done = new_block(r, "done");
    LLVMBuildBr(r->builder, again);
    LLVMPositionBuilderAtEnd(r->builder, again);
    how.goes_on = LLVMBuildPhi(r->builder, i1, "goes.on");
    how.count = widen_slot(fill, LLVMInt64TypeInContext(r->context), "count");
    how.has_paused = widen_slot(fill, i1, "has.paused");
    LLVMBuildStore(r->builder, LLVMConstInt(i1, 0, false), how.has_paused);
    struct panel_use filling = how;
    filling.fills = true;
    emit_strips(r, fill, &filling, plane, first, number(r, panel->most_rows / use->block.rows), columns);
    struct counter rows = begin_outer_loop(r, first, limit, "rows");
    rows.step = use->block.rows;
    LLVMValueRef block = LLVMBuildSub(r->builder, rows.index, first, "");
    block = LLVMBuildUDiv(r->builder, block, number(r, use->block.rows), "");
    emit_strips(r, use, &how, plane, rows.index, block, columns);
    end_loop(r, &rows);
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
    struct counter groups = begin_counter(r, from, end, most, true, name);
    LLVMValueRef left = LLVMBuildSub(r->builder, end, groups.index, "");
    LLVMValueRef is_last = LLVMBuildICmp(r->builder, LLVMIntULT, left, number(r, most), "");
    left = LLVMBuildSelect(r->builder, is_last, left, number(r, most), "");
    groups.stays_rolled = true;
    group[0] = groups.index;
    group[1] = LLVMBuildAdd(r->builder, groups.index, left, "");
    return groups;
}

/* Returns the end of the full blocks of a dimension. */
static LLVMValueRef end_of_blocks(struct run *r, int dimension, int size)
{
    LLVMValueRef length = LLVMBuildNSWSub(r->builder, r->end[dimension], r->begin[dimension], "");
    length = LLVMBuildMul(r->builder, LLVMBuildUDiv(r->builder, length, number(r, size), ""), number(r, size), "");
    return add(r, r->begin[dimension], length);
}

/* Emits the full blocks of a plane with panels, if there is memory for them. Returns the first row that is left. */
static LLVMValueRef emit_with_panels(struct run *r, LLVMValueRef plane)
{
    const struct panel *panel = r->plan->panel;
    struct block block = r->plan->body.block, one = {block.lanes, 1, block.vectors, 1};
    struct widener fill = new_body(r, &r->plan->body, one, 1), use = new_body(r, &r->plan->body, block, 1);
    LLVMValueRef is_small = LLVMBuildIsNull(r->builder, r->panel, ""), columns[2], rows[2];
    int width = block.lanes * block.vectors;
    LLVMValueRef end = end_of_blocks(r, 2, width);
    end = LLVMBuildSelect(r->builder, is_small, r->begin[2], end, "");
    LLVMValueRef end_of_rows = end_of_blocks(r, 1, block.rows);
    end_of_rows = LLVMBuildSelect(r->builder, is_small, r->begin[1], end_of_rows, "");
    struct counter of_columns = begin_groups(r, r->begin[2], end, (long)panel->strips * width, "columns", columns);
    struct counter of_rows = begin_groups(r, r->begin[1], end_of_rows, panel->most_rows, "panels", rows);
    emit_panels(r, &fill, &use, plane, columns, rows[0], rows[1]);
    end_loop(r, &of_rows);
    end_loop(r, &of_columns);
    return end_of_rows;
}

/* ---- rows ---- */

/* Emits the loop over full blocks of rows from row `from` on, then one over the rows that are left. */
static void emit_column(struct run *r, struct block block, LLVMValueRef plane, LLVMValueRef from, LLVMValueRef column,
                        bool masked)
{
    if (block.rows > 1) {
        struct widener w = new_body(r, &r->plan->body, block, 1);
        LLVMValueRef limit = LLVMBuildNSWSub(r->builder, r->end[1], number(r, block.rows - 1), "");
        struct counter rows = begin_loop(r, from, limit, block.rows, "rows");
        emit_rows(r, &w, plane, rows.index, column, masked);
        end_loop(r, &rows);
        from = rows.index;
        block.rows = 1;
    }
    struct widener w = new_body(r, &r->plan->body, block, 1);
    struct counter rows = begin_loop(r, from, r->end[1], 1, "row");
    emit_rows(r, &w, plane, rows.index, column, masked);
    end_loop(r, &rows);
}

/* ---- blocks away from the borders ---- */

/* Computes before the body a value that is the same for all lanes. */
static LLVMValueRef evaluate(struct run *r, const struct widener *w, LLVMValueRef value)
{
    if (LLVMIsAConstant(value))
        return value;
    if (LLVMIsAArgument(value))
        return w->parameters[entry_param_number(value) * MAX_INSTANCES];
    LLVMValueRef clone = LLVMInstructionClone(value);
    for (int i = 0; i < LLVMGetNumOperands(value); i++)
        LLVMSetOperand(clone, (unsigned)i, evaluate(r, w, LLVMGetOperand(value, (unsigned)i)));
    LLVMInsertIntoBuilder(r->builder, clone);
    return clone;
}

/* Does the same, and returns a 64-bit number. */
static LLVMValueRef evaluate_wide(struct run *r, const struct widener *w, LLVMValueRef value, bool is_signed)
{
    LLVMValueRef number = evaluate(r, w, value);
    if (shape_of(r->plan->truth, value).kind == SHAPE_UNIFORM)
        number = LLVMBuildFreeze(r->builder, number, "");
    return LLVMBuildIntCast2(r->builder, number, LLVMInt64TypeInContext(r->context), is_signed, "");
}

struct evaluation {
    struct run *r;
    const struct widener *w;
};

static LLVMValueRef evaluate_leaf(void *user, LLVMValueRef value)
{
    const struct evaluation *e = user;
    return evaluate_wide(e->r, e->w, value, true);
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

/* Returns an i1: whether a comparison may differ between the threads of the block. */
static LLVMValueRef may_differ(struct run *r, const struct widener *w, LLVMValueRef comparison)
{
    LLVMBuilderRef b = r->builder;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(r->context);
    LLVMIntPredicate predicate = LLVMGetICmpPredicate(comparison), plain = as_signed(predicate);
    bool swapped = shape_of(r->plan->truth, LLVMGetOperand(comparison, 0)).kind == SHAPE_UNIFORM,
         is_signed = predicate == plain;
    LLVMValueRef linear = LLVMGetOperand(comparison, swapped), other = LLVMGetOperand(comparison, !swapped);
    struct evaluation evaluation = {r, w};
    LLVMValueRef first = exact_compute(r->plan->truth, b, linear, evaluate_leaf, &evaluation);
    LLVMValueRef bound = evaluate_wide(r, w, other, is_signed);
    long distance = shape_of(r->plan->truth, linear).stride * (w->block.lanes * w->block.vectors - 1);
    LLVMValueRef last = LLVMBuildAdd(b, first, LLVMConstInt(i64, (unsigned long long)distance, true), "");
    if (predicate == LLVMIntEQ || predicate == LLVMIntNE) {
        LLVMValueRef low = distance > 0 ? first : last, high = distance > 0 ? last : first;
        return LLVMBuildAnd(b, LLVMBuildICmp(b, LLVMIntSLE, low, bound, ""),
                            LLVMBuildICmp(b, LLVMIntSLE, bound, high, ""), "");
    }
    LLVMValueRef differs =
        LLVMBuildXor(b, LLVMBuildICmp(b, plain, swapped ? bound : first, swapped ? first : bound, ""),
                     LLVMBuildICmp(b, plain, swapped ? bound : last, swapped ? last : bound, ""), "");
    if (is_signed)
        return differs;
    /* A negative number is large when taken as unsigned. */
    LLVMValueRef zero = LLVMConstNull(i64);
    LLVMValueRef negative =
        LLVMBuildOr(b, LLVMBuildICmp(b, LLVMIntSLT, first, zero, ""), LLVMBuildICmp(b, LLVMIntSLT, last, zero, ""), "");
    return LLVMBuildOr(b, differs, negative, "");
}

/* Returns an i1: whether any of the comparisons may. */
static LLVMValueRef is_at_border(struct run *r, const struct widener *w, const struct map *comparisons)
{
    LLVMValueRef result = LLVMConstInt(LLVMInt1TypeInContext(r->context), 0, false);
    for (int at = 0; at < r->cfg->n; at++)
        for (LLVMValueRef i = r->cfg->nodes[at].first; i != r->cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
            if (map_get(comparisons, i) >= 0)
                result = LLVMBuildOr(r->builder, result, may_differ(r, w, i), "");
    return result;
}

/* Emits `inner.vectors` vectors: with the inner body where no comparison differs. Otherwise it tries the same for each
 * vector alone, and uses the general body for a vector that lies at a border. */
static void emit_inner_or_border(struct run *r, struct block inner, LLVMValueRef plane, LLVMValueRef row,
                                 LLVMValueRef column)
{
    struct widener w = new_body(r, &r->plan->inner, inner, 1);
    set_index(r, &w, (LLVMValueRef[]){plane, row, column}, NULL);
    LLVMBasicBlockRef border = new_block(r, "border"), inside = new_block(r, "inside"),
                      done = new_block(r, "block.done");
    LLVMBuildCondBr(r->builder, is_at_border(r, &w, r->plan->comparisons), border, inside);
    LLVMPositionBuilderAtEnd(r->builder, inside);
    emit_rows(r, &w, plane, row, column, false);
    LLVMBuildBr(r->builder, done);
    LLVMPositionBuilderAtEnd(r->builder, border);
    LLVMValueRef end = add(r, column, number(r, inner.lanes * inner.vectors));
    if (inner.vectors > 1) {
        struct counter columns = begin_loop(r, column, end, inner.lanes, "border.vector");
        inner.vectors = 1;
        emit_inner_or_border(r, inner, plane, row, columns.index);
        end_loop(r, &columns);
    } else {
        const struct body *border = &r->plan->border;
        struct counter columns = begin_loop(r, column, end, border->block.lanes, "border.column");
        struct widener general = new_body(r, border, border->block, 1);
        emit_rows(r, &general, plane, row, columns.index, false);
        end_loop(r, &columns);
    }
    LLVMBuildBr(r->builder, done);
    LLVMPositionBuilderAtEnd(r->builder, done);
}

static void emit_untiled(struct run *r)
{
    struct block block = r->plan->body.block, inner = r->plan->inner.block;
    int width = inner.lanes ? inner.lanes * inner.vectors : block.lanes * block.vectors;
    struct block rest = {block.lanes, block.rows, 1, 1};
    r->panel = r->plan->panel ? new_panel(r) : NULL;
    struct counter planes = begin_outer_loop(r, r->begin[0], r->end[0], "plane"), rows = {0};
    LLVMValueRef from = r->panel ? emit_with_panels(r, planes.index) : r->begin[1];
    if (block.rows == 1)
        rows = begin_outer_loop(r, r->begin[1], r->end[1], "row");
    LLVMValueRef limit = LLVMBuildNSWSub(r->builder, r->end[2], number(r, width - 1), "");
    struct counter columns = begin_loop(r, r->begin[2], limit, width, "column");
    columns.stays_rolled = columns.stays_rolled || inner.lanes || block.rows > 1;
    if (inner.lanes)
        emit_inner_or_border(r, inner, planes.index, rows.index, columns.index);
    else if (block.rows == 1) {
        struct widener w = new_body(r, &r->plan->body, block, 1);
        emit_rows(r, &w, planes.index, rows.index, columns.index, false);
    } else
        emit_column(r, block, planes.index, from, columns.index, false);
    end_loop(r, &columns);
    if (width > 1) {
        struct counter tail = begin_counter(r, columns.index, r->end[2], block.lanes, true, "tail");
        tail.stays_rolled = tail.stays_rolled || block.rows > 1;
        if (block.rows == 1) {
            struct widener w = new_body(r, &r->plan->body, rest, 1);
            emit_rows(r, &w, planes.index, rows.index, tail.index, true);
        } else
            emit_column(r, rest, planes.index, r->begin[1], tail.index, true);
        end_loop(r, &tail);
    }
    if (block.rows == 1)
        end_loop(r, &rows);
    end_loop(r, &planes);
    if (r->panel)
        free_memory(r, r->panel);
}

/* ---- tiled kernels ---- */

/* The regions of a tile that has more than one block. */
struct regions {
    struct run *r;
    struct widener *w;           /* for blocks of the tile, */
    struct widener *one;         /* and for one thread after another; NULL if no region may run so */
    struct widener *current;     /* that of the region being emitted */
    int n_blocks;                /* of `w` */
    int n, *starts;              /* the node that each region starts at */
    LLVMBasicBlockRef *entries;  /* of each region */
    LLVMBasicBlockRef block_end; /* of the region being emitted */
    LLVMValueRef next;           /* slot: the region that comes next, or n when the tile is done */
    LLVMValueRef block_number;   /* in the region being emitted */
    bool **live;                 /* by node and value: needed at the start of the node */
    bool *stays;                 /* by value: its array has it from the beginning of the region being emitted */
    struct saved {
        LLVMValueRef memory; /* by block and instance; for a value of the tile, what the blocks of a region read */
        LLVMValueRef out;    /* for a value of the tile, what they leave for the next region; otherwise NULL */
    } *saved;                /* by value; `memory` is NULL if the value lives across no barrier */
};

static void compute_liveness(struct regions *g)
{
    const struct cfg *cfg = g->r->cfg;
    const struct shapes *shapes = g->w->shapes;
    size_t n_values = (size_t)shapes->n_values;
    g->live = arena_alloc((size_t)cfg->n * sizeof *g->live);
    bool **uses = arena_alloc((size_t)cfg->n * sizeof *uses), **makes = arena_alloc((size_t)cfg->n * sizeof *makes);
    for (int at = 0; at < cfg->n; at++) {
        g->live[at] = arena_alloc(n_values);
        uses[at] = arena_alloc(n_values);
        makes[at] = arena_alloc(n_values);
    }
    for (int at = 0; at < cfg->n; at++)
        for (LLVMValueRef i = cfg->nodes[at].first; i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i)) {
            bool is_phi = LLVMGetInstructionOpcode(i) == LLVMPHI;
            LLVMValueRef *operands;
            int n_operands = widen_uses(g->w, i, &operands);
            for (int o = 0; o < n_operands; o++) {
                int value = map_get(shapes->numbers, operands[o]);
                int user = is_phi ? map_get(cfg->last_node, LLVMGetIncomingBlock(i, (unsigned)o)) : at;
                if (value >= 0 && user >= 0 && g->w->crosses[value])
                    uses[user][value] = true;
            }
            makes[at][map_get(shapes->numbers, i)] = true;
        }
    for (bool changed = true; changed;) {
        changed = false;
        for (int at = cfg->n - 1; at >= 0; at--)
            for (size_t value = 0; value < n_values; value++) {
                bool live = uses[at][value];
                for (int s = 0; s < cfg->nodes[at].n_succ; s++)
                    live |= g->live[cfg->nodes[at].succ[s]][value];
                live &= !makes[at][value];
                changed |= live != g->live[at][value];
                g->live[at][value] = live;
            }
    }
}

/* Returns how a value of `type` lies in memory: truth values are bytes. If one of many loaded bits is used, LLVM's
 * vector-combine makes a load of one bit, and the code generator then treats the whole byte as that bit. */
static LLVMTypeRef memory_type(const struct run *r, LLVMTypeRef type)
{
    LLVMTypeRef parts[2];
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(type) == 1 ? LLVMInt8TypeInContext(r->context) : type;
    case LLVMVectorTypeKind:
        return LLVMVectorType(memory_type(r, LLVMGetElementType(type)), LLVMGetVectorSize(type));
    case LLVMStructTypeKind: /* a result and whether it overflowed */
        if (LLVMCountStructElementTypes(type) != 2)
            return type;
        for (unsigned i = 0; i < 2; i++)
            parts[i] = memory_type(r, LLVMStructGetTypeAtIndex(type, i));
        return LLVMStructTypeInContext(r->context, parts, 2, false);
    default:
        return type;
    }
}

/* Converts a value to `type`, from or to the type that it has in memory. */
static LLVMValueRef convert(const struct run *r, LLVMValueRef value, LLVMTypeRef type)
{
    if (LLVMTypeOf(value) == type)
        return value;
    if (LLVMGetTypeKind(type) != LLVMStructTypeKind)
        return LLVMBuildIntCast2(r->builder, value, type, false, "");
    LLVMValueRef result = LLVMGetPoison(type);
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef part = LLVMBuildExtractValue(r->builder, value, i, "");
        result = LLVMBuildInsertValue(r->builder, result, convert(r, part, LLVMStructGetTypeAtIndex(type, i)), i, "");
    }
    return result;
}

/* Whether a value lives across a barrier. */
static bool is_saved(const struct regions *g, int value)
{
    for (int s = 0; s < g->n; s++)
        if (g->live[g->starts[s]][value])
            return true;
    return false;
}

static LLVMTypeRef saved_type(const struct regions *g, int value)
{
    return memory_type(g->r, LLVMGetAllocatedType(g->w->slots[value].value[0]));
}

/* Whether a value is saved for each block, in an array. */
static bool has_array(const struct saved *saved)
{
    return saved->memory && !saved->out;
}

/* Whether two values are needed after the same barrier. */
static bool live_together(const struct regions *g, int a, int b)
{
    for (int s = 0; s < g->n; s++)
        if (g->live[g->starts[s]][a] && g->live[g->starts[s]][b])
            return true;
    return false;
}

/* Lets the values that share an array with `a` share that of `b`, unless two of them are live together. `first` has the
 * first value of each array. */
static void share_array(const struct regions *g, int *first, int a, int b)
{
    int n = g->w->shapes->n_values, of_a = first[a], of_b = first[b];
    if (of_a < 0 || of_b < 0 || of_a == of_b || saved_type(g, a) != saved_type(g, b))
        return;
    for (int x = 0; x < n; x++)
        for (int y = 0; y < n && first[x] == of_a; y++)
            if (first[y] == of_b && live_together(g, x, y))
                return;
    for (int x = 0; x < n; x++)
        if (first[x] == of_a)
            first[x] = of_b;
}

/* Chooses which values share an array: those that a loop carries on to one another, which so stay where they are in a
 * region that does not change them. Returns for each value the first one of its array; -1 if it needs none. */
static int *choose_arrays(const struct regions *g)
{
    const struct cfg *cfg = g->r->cfg;
    const struct shapes *shapes = g->w->shapes, *truth = g->r->plan->truth;
    int *first = arena_alloc((size_t)shapes->n_values * sizeof *first);
    for (int value = 0; value < shapes->n_values; value++) {
        bool is_of_tile = truth->shapes[value].kind == SHAPE_UNIFORM && !truth->shapes[value].rows;
        first[value] = is_of_tile || !is_saved(g, value) ? -1 : value;
    }
    for (int at = 0; at < cfg->n; at++)
        for (LLVMValueRef i = cfg->nodes[at].first; i != cfg->nodes[at].end && LLVMIsAPHINode(i);
             i = LLVMGetNextInstruction(i))
            for (unsigned e = 0; e < LLVMCountIncoming(i); e++) {
                int source = map_get(shapes->numbers, LLVMGetIncomingValue(i, e));
                if (source >= 0)
                    share_array(g, first, source, map_get(shapes->numbers, i));
            }
    return first;
}

static void make_saved(struct regions *g)
{
    struct widener *w = g->w;
    int *first = choose_arrays(g), count = g->n_blocks * w->block.rows * w->block.vectors;
    g->saved = arena_alloc((size_t)w->shapes->n_values * sizeof *g->saved);
    for (int value = 0; value < w->shapes->n_values; value++)
        if (first[value] == value)
            g->saved[value].memory = new_array(g->r, w, saved_type(g, value), count, "tile.saved");
    for (int value = 0; value < w->shapes->n_values; value++)
        if (first[value] >= 0) {
            g->saved[value].memory = g->saved[first[value]].memory;
        } else if (is_saved(g, value)) {
            LLVMTypeRef type = LLVMGetAllocatedType(w->slots[value].value[0]);
            g->saved[value].memory = widen_slot(w, type, "tile.in");
            g->saved[value].out = widen_slot(w, type, "tile.out");
        }
}

/* Saves the slots that are live at `node`, or restores them, for the current block. */
static void save_or_restore(struct regions *g, int node, bool save)
{
    struct run *r = g->r;
    struct widener *w = g->current;
    int n_instances = w->block.rows * w->block.vectors;
    for (int value = 0; value < w->shapes->n_values; value++) {
        if (!g->live[node][value] || (w == g->one && !g->saved[value].out))
            continue;
        if (save && g->stays[value])
            continue;
        for (int i = 0; i < n_instances; i++) {
            LLVMValueRef slot = w->slots[value].value[i], place = g->saved[value].memory;
            if (!slot)
                continue;
            LLVMTypeRef type = LLVMGetAllocatedType(slot), saved_type = type;
            if (g->saved[value].out)
                place = save ? g->saved[value].out : place;
            else {
                LLVMValueRef at = LLVMBuildMul(r->builder, g->block_number, number(r, n_instances), "");
                at = add(r, at, number(r, i));
                saved_type = memory_type(r, type);
                place = LLVMBuildGEP2(r->builder, saved_type, place, &at, 1, "");
            }
            LLVMValueRef loaded = LLVMBuildLoad2(r->builder, save ? type : saved_type, save ? slot : place, "");
            LLVMBuildStore(r->builder, convert(r, loaded, save ? saved_type : type), save ? place : slot);
        }
    }
}

static void leave_region(void *user, int next_node)
{
    struct regions *g = user;
    if (!g->r->variables) /* debuggers stop at the barrier */
        LLVMSetCurrentDebugLocation2(g->r->builder, g->r->no_location);
    save_or_restore(g, next_node, true);
    int next = 0;
    while (g->starts[next] != next_node)
        next++;
    LLVMBuildStore(g->r->builder, number(g->r, next), g->next);
    LLVMBuildBr(g->r->builder, g->block_end);
}

/* Whether a branch depends only on where in its tile a thread is. */
static bool asks_for_place(const struct shapes *shapes, const struct node *node)
{
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(node->block), condition = LLVMGetCondition(branch);
    if (!LLVMIsAICmpInst(condition))
        return false;
    for (unsigned i = 0; i < 2; i++) {
        int kind = shape_of(shapes, LLVMGetOperand(condition, i)).kind;
        if (kind != SHAPE_UNIFORM && kind != SHAPE_LINEAR)
            return false;
    }
    return true;
}

/* Decides about the loop over the blocks of a region. The code is repeated for each block if it is short and the
 * block's number makes masks constant, mostly all lanes or none. A tree reduction depends on this for its speed. LLVM
 * itself does not unroll a loop around as many accesses as blocks of many rows have, so it need not compute the
 * cost. Such blocks leave no registers for what all of them read: LLVM would copy it from the tile's memory to the
 * stack before the loop. */
static void choose_unrolling(const struct regions *g, const bool *has, struct counter *blocks)
{
    enum { MOST_BLOCKS = 16, MOST_INSTRUCTIONS = 512, MANY_BLOCKS = 4, MANY_ACCESSES = 32 };
    const struct shapes *shapes = g->w->shapes;
    bool any_divergent = false, asks_for_places = true;
    int n = 0, n_accesses = 0;
    for (int at = 0; at < g->r->cfg->n; at++) {
        const struct node *node = &g->r->cfg->nodes[at];
        if (!has[at])
            continue;
        any_divergent |= shapes->divergent[at];
        asks_for_places &= !shapes->divergent[at] || asks_for_place(shapes, node);
        for (LLVMValueRef i = node->first; i != node->end; i = LLVMGetNextInstruction(i), n++)
            n_accesses += LLVMIsALoadInst(i) || LLVMIsAStoreInst(i);
    }
    bool is_short = g->n_blocks <= MOST_BLOCKS && n * g->n_blocks <= MOST_INSTRUCTIONS;
    blocks->is_unrolled = any_divergent && asks_for_places && is_short;
    n_accesses *= g->w->block.rows * g->w->block.vectors;
    blocks->stays_rolled = g->n_blocks >= MANY_BLOCKS && n_accesses >= MANY_ACCESSES;
    blocks->hoists_nothing = g->w->block.rows > 1 && n_accesses >= MANY_ACCESSES;
}

/* Whether the threads of a tile that take the branch of a region's first node into its masked nodes come before those
 * that do not. Sets `*inside` to the number of the successor there. */
static bool is_prefix(const struct regions *g, int start, int *inside)
{
    const struct shapes *shapes = g->w->shapes;
    const struct node *node = &g->r->cfg->nodes[start];
    if (g->r->kernel->box_rank > 1 || shapes->masked[start] || !shapes->divergent[start] ||
        shapes->masked[node->succ[0]] == shapes->masked[node->succ[1]])
        return false;
    LLVMValueRef condition = LLVMGetCondition(LLVMGetBasicBlockTerminator(node->block));
    if (!LLVMIsAICmpInst(condition))
        return false;
    LLVMIntPredicate predicate = LLVMGetICmpPredicate(condition);
    struct shape left = shape_of(shapes, LLVMGetOperand(condition, 0)),
                 right = shape_of(shapes, LLVMGetOperand(condition, 1));
    bool swapped = left.kind == SHAPE_UNIFORM;
    struct shape linear = swapped ? right : left, other = swapped ? left : right;
    if (linear.kind != SHAPE_LINEAR || !linear.no_wrap || other.kind != SHAPE_UNIFORM)
        return false;
    bool is_less = predicate == LLVMIntSLT || predicate == LLVMIntSLE,
         is_more = predicate == LLVMIntSGT || predicate == LLVMIntSGE;
    if (linear.positive) {
        is_less |= predicate == LLVMIntULT || predicate == LLVMIntULE;
        is_more |= predicate == LLVMIntUGT || predicate == LLVMIntUGE;
    }
    *inside = shapes->masked[node->succ[0]] ? 0 : 1;
    bool first_ones = (linear.stride > 0) != swapped != (*inside == 1);
    return first_ones ? is_less : is_more;
}

/* Whether a node's branch into masked nodes is taken by the first thread of the tile alone. */
static bool is_for_first(const struct regions *g, int at)
{
    const struct shapes *shapes = g->w->shapes;
    const struct node *node = &g->r->cfg->nodes[at];
    if (!shapes->divergent[at] || shapes->masked[at] || shapes->masked[node->succ[1]])
        return false;
    LLVMValueRef condition = LLVMGetCondition(LLVMGetBasicBlockTerminator(node->block));
    if (!LLVMIsAICmpInst(condition) || LLVMGetICmpPredicate(condition) != LLVMIntEQ)
        return false;
    LLVMValueRef place = LLVMGetOperand(condition, 0), zero = LLVMGetOperand(condition, 1);
    return LLVMIsAArgument(place) && LLVMIsAConstantInt(zero) && LLVMIsNull(zero) &&
           entry_param(g->r->kernel, entry_param_number(place)).meaning == ENTRY_LOCAL;
}

/* Whether a block that comes after one whose last thread does not take the branch of a region's first node can be left
 * out: its threads take no other branch either, and the nodes of all threads have no effects, and compute nothing for
 * later regions that each block has for itself. */
static bool can_leave_out(const struct regions *g, const bool *has, int start)
{
    const struct cfg *cfg = g->r->cfg;
    const struct shapes *shapes = g->w->shapes;
    bool *is_skipped = arena_alloc((size_t)cfg->n);
    for (int branch = 0; branch < cfg->n; branch++)
        for (int at = 0; has[branch] && at < cfg->n; at++)
            if (shapes->masked[at] && (branch == start || is_for_first(g, branch)))
                is_skipped[at] |= shapes->regions[branch][at];
    for (int at = 0; at < cfg->n; at++) {
        const struct node *node = &cfg->nodes[at];
        for (LLVMValueRef i = node->first; has[at] && !is_skipped[at] && i != node->end;
             i = LLVMGetNextInstruction(i)) {
            if (i == node->barrier || LLVMIsATerminatorInst(i))
                continue;
            const struct saved *saved = &g->saved[map_get(shapes->numbers, i)];
            if (widen_has_effect(i) || has_array(saved) || (LLVMIsALoadInst(i) && LLVMGetVolatile(i)))
                return false;
        }
    }
    return true;
}

/* Whether the threads of a region can run one after another: what it reads from earlier regions, and leaves for later
 * ones, is the same for all threads. */
static bool can_run_one_by_one(const struct regions *g, const bool *has, int start)
{
    const struct widener *one = g->one;
    if (!one || one->n_privates > 0)
        return false;
    for (int at = 0; at < g->r->cfg->n; at++)
        for (LLVMValueRef i = g->r->cfg->nodes[at].first; has[at] && i != g->r->cfg->nodes[at].end;
             i = LLVMGetNextInstruction(i)) {
            int number = map_get(one->shapes->numbers, i);
            if (g->saved[number].memory && !(g->saved[number].out && one->slots[number].value[0]))
                return false;
            LLVMValueRef *operands;
            int n_operands = widen_uses(one, i, &operands);
            for (int o = 0; o < n_operands; o++) {
                int used = map_get(one->shapes->numbers, operands[o]);
                if (used < 0 || !one->crosses[used])
                    continue;
                bool is_from_outside = !has[map_get(one->node_of, operands[o])] || g->live[start][used];
                if (is_from_outside && !g->saved[used].out)
                    return false;
            }
        }
    return true;
}

/* Whether an instruction reads nothing that the nodes in `before` compute, unless it is computed again. */
static bool reads_nothing_of(const struct regions *g, const bool *before, LLVMValueRef i)
{
    LLVMValueRef *operands;
    int n_operands = widen_uses(g->one, i, &operands);
    for (int o = 0; o < n_operands; o++) {
        int maker = LLVMIsAInstruction(operands[o]) ? map_get(g->one->node_of, operands[o]) : -1;
        if (maker >= 0 && before[maker] && !g->one->recomputed[map_get(g->one->shapes->numbers, operands[o])])
            return false;
    }
    return true;
}

/* Finds where in a region the threads that take its first branch meet the others. What follows need not be in the loop
 * over them, because only the first thread does anything there. Sets `before` to the nodes up to there. Returns -1 if
 * the region cannot be divided so: if what follows, or a later region, needs what these nodes compute. */
static int meeting_of(const struct regions *g, const bool *has, int start, bool *before)
{
    const struct cfg *cfg = g->r->cfg;
    int meeting = -1;
    for (int at = 0; at < cfg->n; at++)
        before[at] = has[at] && (at == start || g->w->shapes->regions[start][at]);
    for (int at = 0; at < cfg->n; at++) {
        const struct node *node = &cfg->nodes[at];
        if (before[at] && (node->barrier || node->n_succ == 0))
            return -1;
        for (int s = 0; has[at] && !node->barrier && s < node->n_succ; s++) {
            if (before[at] == before[node->succ[s]])
                continue;
            if (!before[at] || (meeting >= 0 && meeting != node->succ[s]))
                return -1;
            meeting = node->succ[s];
        }
    }
    if (meeting < 0 || LLVMIsAPHINode(cfg->nodes[meeting].first))
        return -1;
    for (int at = 0; at < cfg->n; at++)
        for (LLVMValueRef i = cfg->nodes[at].first; has[at] && i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
            if (before[at] ? g->saved[map_get(g->one->shapes->numbers, i)].memory != NULL
                           : !reads_nothing_of(g, before, i))
                return -1;
    return meeting;
}

/* Emits what follows, for the first thread. */
static void emit_rest(struct regions *g, int start, const bool *has, const bool *before, int meeting,
                      const LLVMValueRef tile[3])
{
    struct run *r = g->r;
    bool *rest = arena_alloc((size_t)r->cfg->n);
    for (int at = 0; at < r->cfg->n; at++)
        rest[at] = has[at] && !before[at];
    LLVMValueRef zero = number(r, 0);
    g->block_number = zero;
    g->block_end = new_block(r, "block.end");
    set_index(r, g->one, (LLVMValueRef[]){zero, zero, zero}, tile);
    save_or_restore(g, start, false);
    widen_nodes(g->one, rest, meeting, g->block_end, leave_region, g);
    LLVMPositionBuilderAtEnd(r->builder, g->block_end);
    LLVMSetCurrentDebugLocation2(r->builder, r->no_location);
}

/* Returns how many threads at most take the first branch of a region, which the first threads do. */
static LLVMValueRef count_first(struct regions *g, int start)
{
    const struct run *r = g->r;
    LLVMValueRef all = number(r, r->kernel->tile[r->kernel->box_rank - 1]);
    LLVMValueRef condition = LLVMGetCondition(LLVMGetBasicBlockTerminator(r->cfg->nodes[start].block));
    LLVMIntPredicate predicate = LLVMGetICmpPredicate(condition);
    bool is_swapped = predicate == LLVMIntSGT || predicate == LLVMIntUGT;
    LLVMValueRef place = LLVMGetOperand(condition, is_swapped), bound = LLVMGetOperand(condition, !is_swapped);
    int value = map_get(g->one->shapes->numbers, bound);
    if ((!is_swapped && predicate != LLVMIntSLT && predicate != LLVMIntULT) || !LLVMIsAArgument(place) ||
        entry_param(r->kernel, entry_param_number(place)).meaning != ENTRY_LOCAL || value < 0 ||
        !g->live[start][value] || !g->saved[value].out)
        return all;
    bound = LLVMBuildLoad2(r->builder, int_type(r), g->saved[value].memory, "");
    bool is_signed = predicate == LLVMIntSLT || predicate == LLVMIntSGT;
    LLVMValueRef is_less = LLVMBuildICmp(r->builder, is_signed ? LLVMIntSLT : LLVMIntULT, bound, all, "");
    return LLVMBuildSelect(r->builder, is_less, bound, all, "");
}

/* Whether a phi of a region gets, along all edges inside, what the array that it is saved in has already. */
static bool gets_what_stays(const struct regions *g, const bool *has, const bool *stays, LLVMValueRef phi)
{
    LLVMValueRef memory = g->saved[map_get(g->w->shapes->numbers, phi)].memory;
    for (unsigned e = 0; e < LLVMCountIncoming(phi); e++) {
        int source = map_get(g->w->shapes->numbers, LLVMGetIncomingValue(phi, e));
        if (has[map_get(g->r->cfg->last_node, LLVMGetIncomingBlock(phi, e))] &&
            (source < 0 || !stays[source] || g->saved[source].memory != memory))
            return false;
    }
    return true;
}

/* Returns which values, of those that blocks save in arrays, a region leaves as it finds them there. */
static bool *find_what_stays(const struct regions *g, const bool *has)
{
    const struct cfg *cfg = g->r->cfg;
    int n = g->w->shapes->n_values;
    bool *stays = arena_alloc((size_t)n);
    for (int value = 0; value < n; value++)
        stays[value] = has_array(&g->saved[value]);
    for (int at = 0; at < cfg->n; at++)
        for (LLVMValueRef i = cfg->nodes[at].first; has[at] && i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
            stays[map_get(g->w->shapes->numbers, i)] = false;
    for (bool changed = true; changed;) {
        changed = false;
        for (int at = 0; at < cfg->n; at++)
            for (LLVMValueRef i = cfg->nodes[at].first; has[at] && i != cfg->nodes[at].end && LLVMIsAPHINode(i);
                 i = LLVMGetNextInstruction(i)) {
                int value = map_get(g->w->shapes->numbers, i);
                if (!stays[value] && has_array(&g->saved[value]) && gets_what_stays(g, has, stays, i))
                    changed = stays[value] = true;
            }
    }
    return stays;
}

static void emit_region(struct regions *g, int region, const LLVMValueRef tile[3], LLVMBasicBlockRef tile_done)
{
    struct run *r = g->r;
    const struct kernel *k = r->kernel;

    /* 1. Find the nodes up to the next barriers. */
    bool *has = arena_alloc((size_t)r->cfg->n);
    int *work = arena_alloc((size_t)r->cfg->n * sizeof(int)), n_work = 0;
    has[work[n_work++] = g->starts[region]] = true;
    while (n_work > 0) {
        const struct node *node = &r->cfg->nodes[work[--n_work]];
        for (int s = 0; s < node->n_succ && !node->barrier; s++)
            if (!has[node->succ[s]])
                has[work[n_work++] = node->succ[s]] = true;
    }

    /* 2. For each block, set its place in the tile, restore its values and emit the nodes. */
    g->stays = find_what_stays(g, has);
    LLVMPositionBuilderAtEnd(r->builder, g->entries[region]);
    LLVMBuildStore(r->builder, number(r, g->n), g->next);
    int inside;
    bool can_stop = is_prefix(g, g->starts[region], &inside) && can_leave_out(g, has, g->starts[region]);
    bool one_by_one = can_stop && can_run_one_by_one(g, has, g->starts[region]) &&
                      cost_is_tree(k, &r->image->facts, &r->plan->body, g->w->layout, has);
    for (int at = 0; one_by_one && at < r->cfg->n; at++)
        if (has[at] && (at == g->starts[region] || g->w->shapes->masked[at]))
            r->plan->one_by_one[at] = true;
    struct widener *w = g->current = one_by_one ? g->one : g->w;
    bool *before = arena_alloc((size_t)r->cfg->n);
    int meeting = one_by_one ? meeting_of(g, has, g->starts[region], before) : -1;
    LLVMValueRef n_blocks = meeting >= 0 ? count_first(g, g->starts[region])
                                         : number(r, one_by_one ? k->tile[k->box_rank - 1] : g->n_blocks);
    struct counter blocks = begin_loop(r, number(r, 0), n_blocks, 1, "block");
    if (!one_by_one)
        choose_unrolling(g, has, &blocks);
    g->block_number = blocks.index;
    g->block_end = new_block(r, "block.end");
    int size[3] = {1, 1, 1}, width = w->block.lanes * w->block.vectors;
    for (int d = 0; d < k->rank; d++)
        size[3 - k->rank + d] = k->tile[d];
    int across = (size[2] + width - 1) / width, down = size[1] / w->block.rows;
    LLVMValueRef rest = LLVMBuildUDiv(r->builder, blocks.index, number(r, across), "");
    LLVMValueRef first[3] = {
        LLVMBuildUDiv(r->builder, rest, number(r, down), ""),
        LLVMBuildMul(r->builder, LLVMBuildURem(r->builder, rest, number(r, down), ""), number(r, w->block.rows), ""),
        LLVMBuildMul(r->builder, LLVMBuildURem(r->builder, blocks.index, number(r, across), ""), number(r, width), "")};
    w->base_mask = size[2] % width ? lanes_below(w, r, first[2], number(r, size[2])) : NULL;
    set_index(r, w, first, tile);
    place_privates(r, w, blocks.index);
    if (w->strip)
        w->strip->block = blocks.index;
    save_or_restore(g, g->starts[region], false);
    if (meeting >= 0) {
        w->blocks[meeting] = g->block_end;
        blocks.stays_rolled = false;
    }
    widen_nodes(w, meeting >= 0 ? before : has, g->starts[region], g->block_end, leave_region, g);
    LLVMPositionBuilderAtEnd(r->builder, g->block_end);
    LLVMSetCurrentDebugLocation2(r->builder, r->no_location);
    if (can_stop && !blocks.is_unrolled) {
        LLVMValueRef last = one_by_one ? w->divided : widen_lane(w, w->divided, w->block.lanes - 1);
        leave_unless(r, &blocks, inside == 0 ? last : LLVMBuildNot(r->builder, last, ""));
    }
    end_loop(r, &blocks);
    strip_end_region(w, has);
    if (meeting >= 0)
        emit_rest(g, g->starts[region], has, before, meeting, tile);

    /* 3. Keep what the blocks leave for the tile, and go to the next region. */
    for (int value = 0; value < w->shapes->n_values; value++)
        if (g->saved[value].out) {
            LLVMTypeRef type = LLVMGetAllocatedType(g->saved[value].out);
            LLVMBuildStore(r->builder, LLVMBuildLoad2(r->builder, type, g->saved[value].out, ""),
                           g->saved[value].memory);
        }
    LLVMValueRef next = LLVMBuildLoad2(r->builder, int_type(r), g->next, "next");
    LLVMValueRef choice = LLVMBuildSwitch(r->builder, next, tile_done, (unsigned)g->n);
    for (int s = 0; s < g->n; s++)
        LLVMAddCase(choice, number(r, s), g->entries[s]);
}

static void emit_tile_by_regions(struct run *r, struct widener *w, int n_blocks, const LLVMValueRef tile[3])
{
    struct regions g = {.r = r, .w = w, .n_blocks = n_blocks};
    struct widener one;
    if (r->plan->single.block.lanes) {
        one = new_body(r, &r->plan->single, r->plan->single.block, n_blocks);
        g.one = &one;
    }
    g.starts = arena_alloc((size_t)(r->cfg->n + 1) * sizeof(int));
    g.starts[g.n++] = 0;
    for (int at = 0; at < r->cfg->n; at++)
        if (r->cfg->nodes[at].barrier)
            g.starts[g.n++] = r->cfg->nodes[at].succ[0];
    g.entries = arena_alloc((size_t)g.n * sizeof *g.entries);
    for (int s = 0; s < g.n; s++)
        g.entries[s] = new_block(r, "region");
    g.next = widen_slot(w, int_type(r), "next");
    compute_liveness(&g);
    make_saved(&g);
    LLVMBasicBlockRef tile_done = new_block(r, "tile.end");
    LLVMBuildBr(r->builder, g.entries[0]);
    for (int s = 0; s < g.n; s++)
        emit_region(&g, s, tile, tile_done);
    LLVMPositionBuilderAtEnd(r->builder, tile_done);
}

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
static void emit_tile(struct run *r, struct widener *w, const LLVMValueRef tile[3])
{
    int width = w->block.lanes * w->block.vectors, columns_of_tile = r->kernel->tile[r->kernel->rank - 1];
    mark_lifetime(r, "llvm.lifetime.start");
    if (r->plan->n_blocks == 1) {
        LLVMValueRef zero = number(r, 0);
        w->base_mask = columns_of_tile % width ? lanes_below(w, r, zero, number(r, columns_of_tile)) : NULL;
        set_index(r, w, (LLVMValueRef[]){zero, zero, zero}, tile);
        place_privates(r, w, zero);
        emit_body(r, w);
    } else
        emit_tile_by_regions(r, w, r->plan->n_blocks, tile);
    mark_lifetime(r, "llvm.lifetime.end");
}

/* Emits the tiles of a row from column `from` on, while there are enough for a block. Returns where the rest begins. */
static LLVMValueRef emit_tiles(struct run *r, const struct body *body, LLVMValueRef plane, LLVMValueRef row,
                               LLVMValueRef from)
{
    struct widener w = new_body(r, body, body->block, r->plan->n_blocks);
    LLVMValueRef limit = LLVMBuildNSWSub(r->builder, r->end[2], number(r, body->block.tiles - 1), "");
    struct counter columns = begin_loop(r, from, limit, body->block.tiles, "tile");
    emit_tile(r, &w, (LLVMValueRef[]){plane, row, columns.index});
    end_loop(r, &columns);
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
static void emit_tile_of_strip(struct run *r, struct widener *w, const struct columns *c, const struct counter *loop,
                               LLVMValueRef from, const LLVMValueRef tile[3])
{
    struct strip_use *use = w->strip;
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
    LLVMValueRef limit = LLVMBuildLoad2(b, int_type(r), c->limit, "");
    LLVMBuildStore(b, LLVMBuildSelect(b, is_full, tile[2], limit, ""), c->limit);
    leave_unless(r, loop, LLVMBuildNot(b, is_full, ""));
    LLVMValueRef memory = LLVMBuildGEP2(b, byte, c->memory, &place, 1, "");
    set_part(r, &use->column, has_memory, memory, c->spare_of_column, strip->of_column.rounds, is_first);
    if (strip->of_row.bytes) {
        LLVMValueRef at = LLVMConstInt(i64, (unsigned long long)bytes_for_columns(strip), false);
        LLVMValueRef is_alone =
            LLVMBuildICmp(b, LLVMIntEQ, LLVMBuildNSWSub(b, limit, from, ""), number(r, 1), "is.alone");
        LLVMValueRef has_others = LLVMBuildAnd(b, has_memory, LLVMBuildNot(b, is_alone, ""), "");
        memory = LLVMBuildGEP2(b, byte, c->memory, &at, 1, "");
        set_part(r, &use->row, has_others, memory, c->spare_of_row, strip->of_row.rounds,
                 LLVMBuildICmp(b, LLVMIntEQ, tile[2], from, ""));
    }
    use->block = number(r, 0);
    LLVMBuildStore(b, LLVMConstNull(i64), use->round);
    emit_tile(r, w, tile);
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
    struct widener w = new_body(r, &r->plan->body, r->plan->body.block, r->plan->n_blocks);
    struct strip_use use = {.strip = r->plan->strip, .round = widen_slot(&w, i64, "round")};
    w.strip = &use;
    c->spare_of_column = new_spare(r, &w, use.strip->of_column.bytes);
    if (use.strip->of_row.bytes)
        c->spare_of_row = new_spare(r, &w, use.strip->of_row.bytes);
    c->limit = widen_slot(&w, int_type(r), "limit");
    c->copied = widen_slot(&w, i64, "copied");
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b), group = new_block(r, "group"), body = new_block(r, "columns"),
                      done = new_block(r, "done");
    LLVMBuildBr(b, group);
    LLVMPositionBuilderAtEnd(b, group);
    LLVMValueRef from = LLVMBuildPhi(b, int_type(r), "from");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLT, from, r->end[2], ""), body, done);
    LLVMPositionBuilderAtEnd(b, body);
    LLVMBuildStore(b, r->end[2], c->limit);
    LLVMBuildStore(b, LLVMConstNull(i64), c->copied);
    struct counter rows = begin_outer_loop(r, r->begin[1], r->end[1], "tile.row");
    struct counter columns = begin_loop(r, from, LLVMBuildLoad2(b, int_type(r), c->limit, ""), 1, "tile");
    emit_tile_of_strip(r, &w, c, &columns, from, (LLVMValueRef[]){plane, rows.index, columns.index});
    end_loop(r, &columns);
    end_loop(r, &rows);
    LLVMValueRef limit = LLVMBuildLoad2(b, int_type(r), c->limit, "");
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
        LLVMValueRef is_large = LLVMBuildICmp(r->builder, LLVMIntSGE, rows, number(r, strip->least_rows), "");
        long of_row = strip->of_row.bytes ? ROW_BYTES + strip->of_row.bytes : 0;
        c.memory = new_memory(r, is_large, bytes_for_columns(strip) + of_row);
    }
    struct counter planes = begin_outer_loop(r, r->begin[0], r->end[0], "tile.plane");
    if (strip) {
        emit_by_strips(r, &c, planes.index);
    } else {
        struct counter rows = begin_outer_loop(r, r->begin[1], r->end[1], "tile.row");
        LLVMValueRef from = r->begin[2];
        if (r->plan->tiles.block.lanes)
            from = emit_tiles(r, &r->plan->tiles, planes.index, rows.index, from);
        emit_tiles(r, &r->plan->body, planes.index, rows.index, from);
        end_loop(r, &rows);
    }
    end_loop(r, &planes);
    if (strip)
        free_memory(r, c.memory);
}

/* ---- the pass ---- */

static void add_function_attribute(struct run *r, const char *name, const char *value)
{
    LLVMAttributeRef attribute =
        LLVMCreateStringAttribute(r->context, name, (unsigned)strlen(name), value, (unsigned)strlen(value));
    LLVMAddAttributeAtIndex(r->function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attribute);
}

/* LLVM aligns the stack for vectors in memory, but not for those that only its register allocator spills: by chance,
 * these may lie across cache lines. black-scholes then takes up to 1.5 times as long. */
static void align_stack(struct run *r, unsigned bytes)
{
    LLVMAttributeRef attribute =
        LLVMCreateEnumAttribute(r->context, LLVMGetEnumAttributeKindForName("alignstack", 10), bytes);
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
    if (r->image->facts.stack_align)
        align_stack(r, (unsigned)r->image->facts.stack_align);
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
    r->entry = new_block(r, "entry");
    LLVMPositionBuilderAtEnd(r->builder, r->entry);
    LLVMSetCurrentDebugLocation2(r->builder, r->no_location);
    int tiles = plan_main_body(r->plan)->block.tiles;
    int fast_tiles = r->plan->fast ? plan_main_body(r->plan->fast)->block.tiles : 1;
    place_tile_memory(r, tiles > fast_tiles ? tiles : fast_tiles);
    LLVMValueRef box[6];
    for (int i = 0; i < 6; i++) {
        LLVMValueRef at = number(r, i);
        box[i] =
            LLVMBuildLoad2(r->builder, int_type(r),
                           LLVMBuildGEP2(r->builder, int_type(r), LLVMGetParam(r->function, RUN_BOX), &at, 1, ""), "");
    }
    LLVMBasicBlockRef start = new_block(r, "start");
    LLVMBuildBr(r->builder, start);
    LLVMPositionBuilderAtEnd(r->builder, start);
    for (int d = 0; d < 3; d++) {
        r->begin[d] = box[2 * d];
        r->end[d] = box[2 * d + 1];
    }
}

/* Emits the code for processors that scatter fast, and a branch to it. */
static void emit_fast(struct run *r)
{
    struct run fast = *r;
    LLVMTypeRef type = LLVMFunctionType(int_type(r), NULL, 0, false);
    LLVMValueRef callee = LLVMGetNamedFunction(r->image->module, "amp__scatters_fast");
    if (!callee)
        callee = LLVMAddFunction(r->image->module, "amp__scatters_fast", type);
    LLVMValueRef is_fast = LLVMBuildCall2(r->builder, type, callee, NULL, 0, "");
    LLVMBasicBlockRef here = new_block(r, "scatters.fast"), others = new_block(r, "others");
    LLVMBuildCondBr(r->builder, LLVMBuildIsNotNull(r->builder, is_fast, ""), here, others);
    LLVMPositionBuilderAtEnd(r->builder, here);
    fast.plan = r->plan->fast;
    fast.cfg = fast.plan->cfg;
    if (r->kernel->tiled)
        emit_tiled(&fast);
    else
        emit_untiled(&fast);
    r->stack_bytes = fast.stack_bytes;
    LLVMBuildRetVoid(r->builder);
    LLVMPositionBuilderAtEnd(r->builder, others);
}

static void run_kernel(struct unit *unit, struct image *image, const struct kernel *kernel)
{
    struct code *code = &image->codes[kernel->number];
    const struct plan *plan = code->plan = plan_lanes(unit, image, kernel);
    struct run r = {.kernel = kernel,
                    .plan = plan,
                    .image = image,
                    .context = unit->context,
                    .entry_function = LLVMGetNamedFunction(image->module, kernel->entry),
                    .cfg = plan->cfg};
    r.builder = LLVMCreateBuilderInContext(unit->context);
    r.variables = plan->is_described ? variables_list(image->module, r.entry_function) : NULL;
    code->geometry[5] = cfg_calls(plan->cfg, CALL_ABORT);
    begin_function(&r);
    if (plan->fast)
        emit_fast(&r);
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
    LLVMBuildRetVoid(r.builder);
    LLVMDisposeBuilder(r.builder);
    variables_free(r.variables);
    if (unit->options->report)
        describe_kernel(unit, image, plan);
    LLVMDeleteFunction(r.entry_function);
    struct block block = plan_main_body(plan)->block;
    code->geometry[0] = block.lanes;
    code->geometry[1] = block.rows;
    code->geometry[2] = block.vectors;
    code->geometry[4] = plan->panel || (plan->strip && plan->strip->of_row.bytes) ? AMP__CUT_BOTH
                        : plan->strip                                             ? AMP__CUT_COLUMNS
                                                                                  : AMP__CUT_ROWS;
    if (plan->fast) {
        block = plan->fast->body.block;
        code->geometry[6] = block.lanes;
        code->geometry[7] = block.rows;
        code->geometry[8] = block.vectors;
    }
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

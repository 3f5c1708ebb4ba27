/* SPDX-License-Identifier: MIT
 *
 * The loops and bodies of the function that runs a box. */
#include "widen/run.h"

#include "kernel/entry.h"
#include "kernel/ir.h"
#include "widen/heap.h"
#include "widen/panel.h"
#include "widen/parts.h"

/* ---- small constructions ---- */

LLVMTypeRef run_int(const struct run *r)
{
    return LLVMInt32TypeInContext(r->context);
}

LLVMValueRef run_number(const struct run *r, long value)
{
    return LLVMConstInt(run_int(r), (unsigned long long)value, true);
}

LLVMValueRef run_add(const struct run *r, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildNSWAdd(r->builder, a, b, "");
}

LLVMBasicBlockRef run_new_block(const struct run *r, const char *name)
{
    return LLVMAppendBasicBlockInContext(r->context, r->function, name);
}

struct counter run_begin_counter(const struct run *r, LLVMValueRef from, LLVMValueRef limit, long step, bool may_pass,
                                 const char *name)
{
    struct counter loop = {run_new_block(r, name), run_new_block(r, "done"), NULL, step, may_pass, false, false, false};
    loop.stays_rolled = r->cfg->n_loops > 0;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(r->builder), body = run_new_block(r, "body");
    LLVMBuildBr(r->builder, loop.header);
    LLVMPositionBuilderAtEnd(r->builder, loop.header);
    loop.index = LLVMBuildPhi(r->builder, run_int(r), name);
    LLVMAddIncoming(loop.index, &from, &before, 1);
    LLVMValueRef goes_on = LLVMBuildICmp(r->builder, may_pass ? LLVMIntULT : LLVMIntSLT, loop.index, limit, "");
    LLVMBuildCondBr(r->builder, goes_on, body, loop.exit);
    LLVMPositionBuilderAtEnd(r->builder, body);
    return loop;
}

struct counter run_begin_loop(const struct run *r, LLVMValueRef from, LLVMValueRef limit, long step, const char *name)
{
    return run_begin_counter(r, from, limit, step, false, name);
}

struct counter run_begin_outer_loop(const struct run *r, LLVMValueRef from, LLVMValueRef limit, const char *name)
{
    struct counter loop = run_begin_loop(r, from, limit, 1, name);
    loop.stays_rolled = true;
    return loop;
}

void run_leave_unless(const struct run *r, const struct counter *loop, LLVMValueRef goes_on)
{
    LLVMBasicBlockRef next = run_new_block(r, "next");
    LLVMBuildCondBr(r->builder, goes_on, next, loop->exit);
    LLVMPositionBuilderAtEnd(r->builder, next);
}

void run_end_loop(const struct run *r, struct counter *loop)
{
    LLVMSetCurrentDebugLocation2(r->builder, r->no_location);
    LLVMValueRef step = run_number(r, loop->step);
    LLVMValueRef next =
        loop->may_pass ? LLVMBuildAdd(r->builder, loop->index, step, "") : run_add(r, loop->index, step);
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

LLVMValueRef run_lanes_below(const struct widener *w, const struct run *r, LLVMValueRef column, LLVMValueRef limit)
{
    LLVMValueRef left = LLVMBuildSub(r->builder, limit, column, "");
    return LLVMBuildICmp(r->builder, LLVMIntSLT, widen_steps(w, run_int(r), 1), widen_splat(w, left), "mask");
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

LLVMValueRef run_new_array(struct run *r, struct widener *w, LLVMTypeRef type, int count, unsigned align,
                           const char *name)
{
    LLVMTypeRef array = LLVMArrayType2(type, (unsigned long long)count);
    unsigned long long bytes = LLVMABISizeOfType(w->layout, array);
    if (r->heap)
        return heap_new_array(r->heap, bytes, align ? align : LLVMABIAlignmentOfType(w->layout, type));
    r->stack_bytes += bytes;
    LLVMValueRef slot = widen_slot(w, array, name);
    if (align > 0)
        LLVMSetAlignment(slot, align);
    return slot;
}

void run_place_tile_memory(struct run *r, int tiles)
{
    int n = 0;
    for (LLVMValueRef g = LLVMGetFirstGlobal(r->image->module); g; g = LLVMGetNextGlobal(g))
        n++;
    r->tile_memory = arena_alloc((size_t)(n + 1) * sizeof *r->tile_memory);
    r->n_tile_memory = 0;
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
        if (r->heap) {
            memory->all = heap_new_array(r->heap, LLVMABISizeOfType(layout, type), LLVMGetAlignment(variable));
        } else {
            memory->all = LLVMBuildAlloca(r->builder, tiles > 1 || before ? type : LLVMGlobalGetValueType(variable),
                                          LLVMGetValueName(variable));
            LLVMSetAlignment(memory->all, LLVMGetAlignment(variable));
        }
        memory->first = before ? LLVMBuildInBoundsGEP2(r->builder, i8, memory->all, &at, 1, "") : memory->all;
        memory->memory = memory->first;
    }
    if (!r->heap && bytes > (unsigned long long)least->tile_bytes)
        diag_error(
            r->kernel->place,
            "the tile_static variables of '%s' take %llu bytes; every accelerator has %d for a tile [tile_static size]",
            r->kernel->name, bytes, least->tile_bytes);
}

void run_set_tile_memory(struct run *r, LLVMValueRef number)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(r->context), i8 = LLVMInt8TypeInContext(r->context);
    number = number ? LLVMBuildSExt(r->builder, number, i64, "") : NULL;
    for (int i = 0; i < r->n_tile_memory; i++) {
        struct tile_memory *memory = &r->tile_memory[i];
        memory->memory = memory->first;
        if (!number)
            continue;
        unsigned long long stride = widen_tile_stride(LLVMGetModuleDataLayout(r->image->module), memory->variable);
        LLVMValueRef at = LLVMBuildNSWMul(r->builder, number, LLVMConstInt(i64, stride, false), "");
        memory->memory = LLVMBuildInBoundsGEP2(r->builder, i8, memory->first, &at, 1, "");
    }
}

LLVMValueRef run_evaluate(struct run *r, LLVMValueRef value, const LLVMValueRef index[3], const LLVMValueRef tile[3])
{
    if (LLVMIsAConstant(value))
        return value;
    if (LLVMIsAArgument(value)) {
        struct entry_param param = entry_param(r->kernel, entry_param_number(value));
        struct entry_thread thread = {r->args, index[param.dimension], tile ? tile[param.dimension] : NULL};
        return entry_value(r->builder, r->kernel, &param, &thread);
    }
    LLVMValueRef clone = LLVMInstructionClone(value);
    for (int i = 0; i < LLVMGetNumOperands(value); i++)
        LLVMSetOperand(clone, (unsigned)i, run_evaluate(r, LLVMGetOperand(value, (unsigned)i), index, tile));
    LLVMInsertIntoBuilder(r->builder, clone);
    return clone;
}

struct widener run_new_body(struct run *r, const struct body *body, struct block block, int n_blocks)
{
    struct widener w = {
        .kernel = r->kernel,
        .cfg = r->cfg,
        .shapes = body->shapes,
        .ways = body->ways,
        .block = block,
        .whole = body->whole,
        .serial = body->serial,
        .stretch_sums = body->stretch_sums,
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
    w.recompute = n_blocks > 1 || r->plan->windows;
    w.sums = r->sums;
    w.by_row = r->plan->by_row;
    w.row_values = r->row_values;
    w.sum_chains = body->sum_chains;
    w.known = r->known ? r->known : arena_alloc((size_t)body->shapes->n_values * sizeof *w.known);
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
            w.privates[n].memory = run_new_array(r, &w, type, count, LLVMGetAlignment(i), LLVMGetValueName(i));
            if (r->variables)
                w.privates[n].place = widen_slot(&w, LLVMPointerTypeInContext(r->context, 0), "place");
            n++;
        }
    widen_begin(&w);
    return w;
}

void run_place_privates(struct run *r, struct widener *w, LLVMValueRef number_of_block)
{
    for (int p = 0; p < w->n_privates; p++)
        for (int i = 0; i < w->block.rows * w->block.vectors; i++) {
            LLVMValueRef at =
                LLVMBuildMul(r->builder, number_of_block, run_number(r, w->block.rows * w->block.vectors), "");
            at = LLVMBuildMul(r->builder, run_add(r, at, run_number(r, i)), run_number(r, w->block.lanes), "");
            LLVMTypeRef type =
                LLVMArrayType2(LLVMInt8TypeInContext(r->context), shape_private_size(w->privates[p].variable));
            w->privates[p].instances[i] = LLVMBuildGEP2(r->builder, type, w->privates[p].memory, &at, 1, "");
            if (i == 0 && w->variables)
                LLVMBuildStore(r->builder, w->privates[p].instances[0], w->privates[p].place);
        }
}

void run_set_index(struct run *r, struct widener *w, const LLVMValueRef first[3], const LLVMValueRef tile[3])
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
                    value = run_add(r, value, run_number(r, row % rows_of_tile));
                if (d == 2)
                    value = run_add(r, value, run_number(r, vector * w->block.lanes));
                struct entry_thread thread = {r->args, value, tile ? tile[d] : NULL, r->convoy};
                if (tile && d == 2)
                    thread.tile = run_add(r, tile[d], run_number(r, row / rows_of_tile));
                w->parameters[p * MAX_INSTANCES + row * w->block.vectors + vector] =
                    entry_value(r->builder, k, &param, &thread);
            }
    }
}

void run_emit_body(struct run *r, struct widener *w)
{
    LLVMBasicBlockRef end = run_new_block(r, "block.end");
    widen_nodes(w, panel_nodes(w), 0, end, NULL, NULL);
    LLVMPositionBuilderAtEnd(r->builder, end);
    LLVMSetCurrentDebugLocation2(r->builder, r->no_location);
}

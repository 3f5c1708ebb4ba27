/* SPDX-License-Identifier: MIT
 *
 * Makes GPU kernels from the entries, which run one thread: the device's threads are the kernel's.
 *
 *     NAME_kernel(args, box)         both by value
 *     {
 *         index = begin of the box + number of the block x its size + number of the thread
 *         if (index lies in the box)
 *             amp__entry_N(args, index)
 *     }
 *
 * The dimensions of the index are those of the grid, the last one along x, so that neighbouring threads access
 * neighbouring memory. A tile is a block of threads, and the box counts tiles. tile_static variables lie in the memory
 * that the GPU has for a block. Pointers in the argument block point to arrays in the GPU's memory. These pointers are
 * marked for LLVM, whose own analysis (infer-address-spaces) then makes each access one of the right kind.
 *
 * Where threads of an untiled kernel load the same values repeatedly, as in a matrix multiplication, there is a second
 * kernel, NAME_kernel_many, whose threads take several points each: in neighbouring rows, and along the last dimension
 * as many columns apart as a block of threads is wide, so that a warp's accesses stay side by side. That is a block of
 * the widener with one lane: what does not differ between rows or columns is loaded once for all. Threads of a block
 * that extends beyond the box take them one by one, unless they stage (rounds.c). Short kernels without loops have a
 * second kernel, too: a thread's loads for four points are under way at once, which keeps memory busy, and there are
 * fewer blocks to start.
 *
 * Needs: prepared entries. Breaks: nothing; the entries are deleted. */
#include "gpu/grid.h"
#include "../../abi/descriptor.h"
#include "ampcc.h"
#include "kernel/cfg.h"
#include "kernel/entry.h"
#include "kernel/ir.h"
#include "widen/parts.h"
#include "widen/stage.h"

#include <ctype.h>
#include <llvm-c/DebugInfo.h>
#include <string.h>

/* The kernel under construction. */
struct grid {
    const struct kernel *kernel;
    const struct plan *plan;
    const struct image *image;
    LLVMContextRef context;
    LLVMBuilderRef builder;
    LLVMValueRef entry_function, function;
    LLVMBasicBlockRef entry;
    const int *threads;               /* of a block */
    LLVMValueRef thread[3], block[3]; /* their numbers, by dimension of the box */
    LLVMValueRef begin[3], end[3];    /* of the box */
};

/* ---- small constructions ---- */

static LLVMTypeRef int_type(const struct grid *g)
{
    return LLVMInt32TypeInContext(g->context);
}

static LLVMValueRef number(const struct grid *g, long value)
{
    return LLVMConstInt(int_type(g), (unsigned long long)value, true);
}

static LLVMBasicBlockRef new_block(const struct grid *g, const char *name)
{
    return LLVMAppendBasicBlockInContext(g->context, g->function, name);
}

static LLVMValueRef place_along(const struct grid *g, enum place_of what, char axis)
{
    return g->image->target->place(g->builder, what, axis);
}

static LLVMValueRef load_bound(const struct grid *g, int i)
{
    LLVMValueRef at = number(g, i);
    at = LLVMBuildInBoundsGEP2(g->builder, int_type(g), LLVMGetParam(g->function, RUN_BOX), &at, 1, "");
    return LLVMBuildLoad2(g->builder, int_type(g), at, "");
}

/* ---- the kernel ---- */

static bool has_attribute(LLVMValueRef function, const char *name)
{
    unsigned length;
    LLVMAttributeRef attribute = LLVMGetStringAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                                               name, (unsigned)strlen(name));
    return attribute && strncmp(LLVMGetStringAttributeValue(attribute, &length), "true", 4) == 0;
}

/* With -ffast-math subnormal numbers of float count as 0, which saves instructions. */
void grid_copy_float_mode(LLVMValueRef entry, LLVMValueRef function)
{
    static const char name[] = "denormal-fp-math-f32", value[] = "preserve-sign,preserve-sign";
    if (has_attribute(entry, "no-infs-fp-math") && has_attribute(entry, "no-nans-fp-math") &&
        has_attribute(entry, "no-signed-zeros-fp-math"))
        LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                LLVMCreateStringAttribute(LLVMGetTypeContext(LLVMTypeOf(function)), name,
                                                          sizeof name - 1, value, sizeof value - 1));
}

/* Whether a block is too deep for the hardware: its threads are then numbered along x alone. */
static bool is_flat(const struct grid *g)
{
    return g->threads[0] > g->image->facts.block_depth;
}

/* Makes the function, which first reads what it gets from the hardware and the box. So many blocks of its threads must
 * fit into a multiprocessor at once. */
static void begin_kernel(struct grid *g, const char *name, int blocks)
{
    static const char axes[] = "zyx";
    LLVMValueRef table = LLVMGetNamedGlobal(g->image->module, name);
    if (table) /* a local variable, so it needs no name */
        LLVMSetValueName2(table, "", 0);
    g->function = entry_add_run(g->image->module, name);
    grid_copy_float_mode(g->entry_function, g->function);
    unsigned long long bytes = (unsigned long long)g->kernel->args_bytes,
                       room = (unsigned long long)g->image->facts.parameter_bytes - sizeof(int[6]);
    if (bytes > room)
        diag_error(
            g->kernel->place,
            "the arguments of '%s' take %llu bytes, and %s has %llu for them: put some into an array, or make no "
            "code for GPUs with --amp-gpu=none [GPU arguments]",
            g->kernel->name, bytes, g->image->name, room);
    int n = g->threads[0] * g->threads[1] * g->threads[2];
    int size[] = {is_flat(g) ? n : g->threads[2], is_flat(g) ? 1 : g->threads[1], is_flat(g) ? 1 : g->threads[0]};
    LLVMTypeRef args = LLVMArrayType2(LLVMInt8TypeInContext(g->context), bytes);
    if (g->image->target->begin_kernel)
        g->image->target->begin_kernel(g->function, size, blocks, args, (unsigned)g->kernel->args_align);
    g->entry = new_block(g, "entry");
    LLVMPositionBuilderAtEnd(g->builder, g->entry);
    for (int d = 0; d < 3; d++) {
        g->thread[d] = place_along(g, PLACE_OF_THREAD, is_flat(g) ? 'x' : axes[d]);
        g->block[d] = place_along(g, PLACE_OF_BLOCK, axes[d]);
        g->begin[d] = load_bound(g, 2 * d);
        g->end[d] = load_bound(g, 2 * d + 1);
    }
    if (is_flat(g)) {
        LLVMValueRef rest = LLVMBuildUDiv(g->builder, g->thread[2], number(g, g->threads[2]), "");
        g->thread[2] = LLVMBuildURem(g->builder, g->thread[2], number(g, g->threads[2]), "");
        g->thread[1] = LLVMBuildURem(g->builder, rest, number(g, g->threads[1]), "");
        g->thread[0] = LLVMBuildUDiv(g->builder, rest, number(g, g->threads[1]), "");
    }
}

/* Calls the entry for one thread. `index` is the thread's index in the domain; if the kernel is tiled, it is that in
 * the tile, and `tile` is the tile's number. */
static void call_entry(const struct grid *g, const LLVMValueRef index[3], const LLVMValueRef tile[3])
{
    const struct kernel *k = g->kernel;
    int n = entry_n_params(k);
    LLVMValueRef *args = arena_alloc((size_t)n * sizeof *args);
    for (int p = 0; p < n; p++) {
        struct entry_param param = entry_param(k, p);
        struct entry_thread thread = {LLVMGetParam(g->function, RUN_ARGS), index[param.dimension],
                                      tile ? tile[param.dimension] : NULL};
        args[p] = entry_value(g->builder, k, &param, &thread);
    }
    LLVMBuildCall2(g->builder, LLVMGlobalGetValueType(g->entry_function), g->entry_function, args, (unsigned)n, "");
}

/* Returns the block's first index along a dimension, if a block takes `points` points of the box. An index wraps around
 * where a block begins in the box and ends beyond INT_MAX, so comparisons with the end are unsigned. */
static LLVMValueRef first_of_block(const struct grid *g, int d, int points)
{
    LLVMValueRef distance = LLVMBuildMul(g->builder, g->block[d], number(g, points), "");
    return LLVMBuildAdd(g->builder, g->begin[d], distance, "");
}

/* Whether `index` lies in the box, and the point `rows` and `columns` further, too. */
static LLVMValueRef is_inside(const struct grid *g, const LLVMValueRef index[3], int rows, int columns)
{
    int further[] = {0, rows, columns};
    LLVMValueRef inside = LLVMConstInt(LLVMInt1TypeInContext(g->context), 1, false);
    for (int d = 0; d < 3; d++)
        if (g->threads[d] > 1) {
            LLVMValueRef last = LLVMBuildAdd(g->builder, index[d], number(g, further[d]), "");
            inside = LLVMBuildAnd(g->builder, inside, LLVMBuildICmp(g->builder, LLVMIntULT, last, g->end[d], ""), "");
        }
    return inside;
}

/* Emits one point of the domain, which runs if `condition` holds, and leaves the builder after that. */
static void emit_point_if(const struct grid *g, LLVMValueRef condition, const LLVMValueRef index[3])
{
    LLVMBasicBlockRef run = new_block(g, "run"), done = new_block(g, "done");
    LLVMBuildCondBr(g->builder, condition, run, done);
    LLVMPositionBuilderAtEnd(g->builder, run);
    call_entry(g, index, NULL);
    LLVMBuildBr(g->builder, done);
    LLVMPositionBuilderAtEnd(g->builder, done);
}

static void emit_untiled(const struct grid *g)
{
    LLVMValueRef index[3];
    for (int d = 0; d < 3; d++)
        index[d] = LLVMBuildAdd(g->builder, first_of_block(g, d, g->threads[d]), g->thread[d], "");
    emit_point_if(g, is_inside(g, index, 0, 0), index);
}

/* ---- several points per thread ---- */

/* Returns the place, in the part of the box that a block takes, of a thread's point number `point` along a
 * dimension. */
static LLVMValueRef place_of_point(const struct grid *g, int d, LLVMValueRef point)
{
    if (g->plan->stage && d > 0)
        return stage_place(g->plan->stage, g->builder, g->thread[d], point);
    if (d < 2) { /* a thread's rows are neighbours */
        LLVMValueRef rows = number(g, d == 1 ? g->plan->body.block.rows : 1);
        return LLVMBuildAdd(g->builder, LLVMBuildMul(g->builder, g->thread[d], rows, ""), point, "");
    }
    return LLVMBuildAdd(g->builder, g->thread[d], LLVMBuildMul(g->builder, point, number(g, g->threads[d]), ""), "");
}

/* What the widener asks about the points of a thread whose block may extend beyond the box. */
struct points {
    struct widener w;
    const struct grid *grid;
    const LLVMValueRef *first;
};

static LLVMValueRef point_is_inside(const struct widener *w, int row, int vector)
{
    const struct points *points = (const struct points *)w;
    const struct grid *g = points->grid;
    LLVMValueRef index[] = {points->first[0],
                            LLVMBuildAdd(g->builder, points->first[1], place_of_point(g, 1, number(g, row)), ""),
                            LLVMBuildAdd(g->builder, points->first[2], place_of_point(g, 2, number(g, vector)), "")};
    return is_inside(g, index, 0, 0);
}

/* Emits the body for all points at once; `first` is that of the block of threads. A thread that stages also copies for
 * others, so it must run even if its own points lie beyond the box. It then recomputes the last points and stores
 * nothing. */
static void emit_points(const struct grid *g, const LLVMValueRef first[3])
{
    const struct cfg *cfg = g->plan->cfg;
    struct block block = g->plan->body.block;
    struct points points = {.w = {.kernel = g->kernel,
                                  .cfg = cfg,
                                  .shapes = g->plan->body.shapes,
                                  .ways = g->plan->body.ways,
                                  .block = block,
                                  .context = g->context,
                                  .module = g->image->module,
                                  .layout = LLVMGetModuleDataLayout(g->image->module),
                                  .function = g->function,
                                  .builder = g->builder,
                                  .entry = g->entry},
                            .grid = g,
                            .first = first};
    struct widener *w = &points.w;
    struct stage_use use = {.stage = g->plan->stage};
    int n = entry_n_params(g->kernel);
    w->parameters = arena_alloc((size_t)n * MAX_INSTANCES * sizeof *w->parameters);
    for (int row = 0; row < block.rows; row++)
        for (int vector = 0; vector < block.vectors; vector++)
            for (int p = 0; p < n; p++) {
                struct entry_param param = entry_param(g->kernel, p);
                int d = param.dimension, point_number = d == 1 ? row : d == 2 ? vector : 0;
                LLVMValueRef place = place_of_point(g, d, number(g, point_number));
                LLVMValueRef point = use.stage && d > 0 ? stage_index(g->builder, first[d], place, g->end[d])
                                                        : LLVMBuildNSWAdd(g->builder, first[d], place, "");
                struct entry_thread thread = {LLVMGetParam(g->function, RUN_ARGS), point, NULL};
                w->parameters[p * MAX_INSTANCES + row * block.vectors + vector] =
                    entry_value(g->builder, g->kernel, &param, &thread);
            }
    bool *all = arena_alloc((size_t)cfg->n);
    memset(all, true, (size_t)cfg->n);
    LLVMBasicBlockRef end = new_block(g, "points.end");
    if (use.stage) {
        use.entered = new_block(g, "staged");
        all[cfg->loops[use.stage->counts.loop].header] = false;
        w->stage = &use;
        w->is_inside = point_is_inside;
    }
    widen_begin(w);
    widen_nodes(w, all, 0, end, NULL, NULL);
    unroll_points(w);
    if (use.stage) {
        struct rounds rounds = {w, g->image, &use, first, g->end, g->thread};
        rounds_emit(&rounds);
    }
    LLVMPositionBuilderAtEnd(g->builder, end);
}

/* Begins a loop at the builder's place that counts `*index` up to `limit`. The builder is left within the loop;
 * end_loop moves it after the loop. */
struct counter {
    LLVMBasicBlockRef header, exit;
    LLVMValueRef index;
};

static struct counter begin_loop(const struct grid *g, int limit)
{
    struct counter loop = {new_block(g, "loop"), new_block(g, "loop.end"), NULL};
    LLVMBasicBlockRef before = LLVMGetInsertBlock(g->builder), body = new_block(g, "body");
    LLVMValueRef zero = number(g, 0);
    LLVMBuildBr(g->builder, loop.header);
    LLVMPositionBuilderAtEnd(g->builder, loop.header);
    loop.index = LLVMBuildPhi(g->builder, int_type(g), "");
    LLVMAddIncoming(loop.index, &zero, &before, 1);
    LLVMValueRef goes_on = LLVMBuildICmp(g->builder, LLVMIntULT, loop.index, number(g, limit), "");
    LLVMBuildCondBr(g->builder, goes_on, body, loop.exit);
    LLVMPositionBuilderAtEnd(g->builder, body);
    return loop;
}

static void end_loop(const struct grid *g, const struct counter *loop)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(g->builder);
    LLVMValueRef next = LLVMBuildAdd(g->builder, loop->index, number(g, 1), "");
    LLVMAddIncoming(loop->index, &next, &here, 1);
    LLVMBuildBr(g->builder, loop->header);
    LLVMPositionBuilderAtEnd(g->builder, loop->exit);
}

static void emit_many(const struct grid *g)
{
    struct block block = g->plan->body.block;
    LLVMValueRef first[3];
    int points[] = {1, block.rows, block.vectors};
    for (int d = 0; d < 3; d++)
        first[d] = first_of_block(g, d, g->threads[d] * points[d]);
    if (g->plan->stage) {
        emit_points(g, first);
        return;
    }
    LLVMBasicBlockRef inside = new_block(g, "inside"), border = new_block(g, "border"), done = new_block(g, "many.end");
    LLVMValueRef is_whole = is_inside(g, first, block.rows * g->threads[1] - 1, block.vectors * g->threads[2] - 1);
    LLVMBuildCondBr(g->builder, is_whole, inside, border);
    LLVMPositionBuilderAtEnd(g->builder, inside);
    emit_points(g, first);
    LLVMBuildBr(g->builder, done);
    LLVMPositionBuilderAtEnd(g->builder, border);
    struct counter rows = begin_loop(g, block.rows), columns = begin_loop(g, block.vectors);
    LLVMValueRef index[3], point[] = {number(g, 0), rows.index, columns.index};
    for (int d = 0; d < 3; d++)
        index[d] = LLVMBuildAdd(g->builder, first[d], place_of_point(g, d, point[d]), "");
    emit_point_if(g, is_inside(g, index, 0, 0), index);
    end_loop(g, &columns);
    end_loop(g, &rows);
    LLVMBuildBr(g->builder, done);
    LLVMPositionBuilderAtEnd(g->builder, done);
}

/* ---- tiled kernels ---- */

static void emit_tiled(const struct grid *g)
{
    LLVMValueRef tile[3];
    for (int d = 0; d < 3; d++)
        tile[d] = first_of_block(g, d, 1);
    call_entry(g, g->thread, tile);
}

/* ---- memory ---- */

/* Puts tile_static variables into the memory of a tile, and tables where arrays are, because pointers to a table and to
 * an element of an array may meet. */
static void place_variables(struct unit *unit, const struct image *image)
{
    LLVMTypeRef pointer = LLVMPointerTypeInContext(unit->context, 0);
    for (LLVMValueRef variable = LLVMGetFirstGlobal(image->module), next; variable; variable = next) {
        next = LLVMGetNextGlobal(variable);
        bool is_of_tile = ir_is_in_tile_memory(variable);
        bool is_table = LLVMIsGlobalConstant(variable) && !LLVMIsDeclaration(variable) &&
                        LLVMGetPointerAddressSpace(LLVMTypeOf(variable)) == 0 && image->target->array_space != 0;
        if (!is_of_tile && !is_table)
            continue;
        LLVMTypeRef type = LLVMGlobalGetValueType(variable);
        int space = is_of_tile ? image->target->tile_space : image->target->array_space;
        LLVMValueRef placed =
            LLVMAddGlobalInAddressSpace(image->module, type, LLVMGetValueName(variable), (unsigned)space);
        LLVMSetInitializer(placed, is_of_tile ? LLVMGetUndef(type) : LLVMGetInitializer(variable));
        LLVMSetLinkage(placed, LLVMInternalLinkage);
        LLVMSetGlobalConstant(placed, !is_of_tile);
        LLVMSetAlignment(placed, LLVMGetAlignment(variable));
        LLVMReplaceAllUsesWith(variable, space ? LLVMConstAddrSpaceCast(placed, pointer) : placed);
        LLVMDeleteGlobal(variable);
    }
}

/* Marks pointers that are loaded from `block`, the argument block or a part of it, with the address space where they
 * point. */
static void mark_arrays(struct unit *unit, unsigned space, LLVMBuilderRef builder, LLVMValueRef block)
{
    for (LLVMUseRef use = LLVMGetFirstUse(block); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAGetElementPtrInst(user))
            mark_arrays(unit, space, builder, user);
        if (!LLVMIsALoadInst(user) || LLVMGetTypeKind(LLVMTypeOf(user)) != LLVMPointerTypeKind)
            continue;
        LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(user));
        LLVMValueRef array = LLVMBuildAddrSpaceCast(builder, user, LLVMPointerTypeInContext(unit->context, space), "");
        LLVMReplaceAllUsesWith(user, LLVMBuildAddrSpaceCast(builder, array, LLVMTypeOf(user), ""));
        LLVMSetOperand(array, 0, user);
    }
}

/* ---- the pass ---- */

/* The suffix keeps the name apart from an assembler's words and from the library's functions. */
const char *grid_entry_name(const struct kernel *kernel)
{
    const char *name = "";
    for (const char *c = kernel->symbol; *c; c++) { /* assemblers accept letters, digits after them, _ and $ */
        bool is_known = isalpha((unsigned char)*c) || *c == '_' || (isdigit((unsigned char)*c) && *name);
        name = arena_printf(is_known ? "%s%c" : "%s$%02x", name, (unsigned char)*c);
    }
    return arena_printf("%s_kernel", name);
}

/* Kernels are the only visible functions of the module. */
bool grid_is_kernel(LLVMValueRef function)
{
    return !LLVMIsDeclaration(function) && LLVMGetLinkage(function) == LLVMExternalLinkage;
}

static void make_kernels(struct unit *unit, struct image *image, const struct kernel *kernel)
{
    struct code *code = &image->codes[kernel->number];
    const struct plan *plan = code->plan = plan_points(unit, image, kernel);
    struct block block = plan->body.block;
    bool many = block.rows * block.vectors > 1;
    struct grid g = {.kernel = kernel,
                     .plan = plan,
                     .image = image,
                     .context = unit->context,
                     .builder = LLVMCreateBuilderInContext(unit->context),
                     .entry_function = LLVMGetNamedFunction(image->module, kernel->entry),
                     .threads = plan->threads};
    if (unit->options->opt_level > 0)
        unroll_short_loops(plan->cfg);

    begin_kernel(&g, code->symbol, 1);
    if (kernel->tiled)
        emit_tiled(&g);
    else
        emit_untiled(&g);
    LLVMBuildRetVoid(g.builder);
    if (many) {
        /* While one block of threads that stage waits at a barrier, another computes. */
        begin_kernel(&g, arena_printf("%s_many", code->symbol), plan->stage ? 2 : 1);
        emit_many(&g);
        LLVMBuildRetVoid(g.builder);
    }
    LLVMDisposeBuilder(g.builder);
    LLVMSetLinkage(g.entry_function, LLVMInternalLinkage);
    ir_add_attribute(g.entry_function, IR_FUNCTION, "alwaysinline");

    int points[] = {1, block.rows, block.vectors};
    for (int d = 0; d < 3; d++) {
        code->geometry[d] = g.threads[d];
        code->geometry[3 + d] = kernel->tiled ? 1 : g.threads[d];
        code->geometry[6 + d] = many ? g.threads[d] * points[d] : 0;
    }
    code->geometry[9] = plan->stage ? AMP__MANY_FOR_ALL : AMP__MANY_FOR_WHOLE_BLOCKS;
}

static void mark_all_arrays(struct unit *unit, const struct image *image)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
    for (LLVMValueRef f = LLVMGetFirstFunction(image->module); f; f = LLVMGetNextFunction(f))
        if (grid_is_kernel(f))
            mark_arrays(unit, (unsigned)image->target->array_space, builder, LLVMGetParam(f, RUN_ARGS));
    LLVMDisposeBuilder(builder);
}

bool grid(struct unit *unit)
{
    for (int i = 0; i < unit->n_images; i++) {
        struct image *image = &unit->images[i];
        if (!image->target->has_grid)
            continue;
        image->target->lower(unit, image);
        LLVMStripModuleDebugInfo(image->module);
        place_variables(unit, image);
        for (int k = 0; k < unit->n_kernels; k++)
            make_kernels(unit, image, &unit->kernels[k]);
        if (diag_count() > 0)
            return false;
        ir_run_passes(image->module, image->machine, "always-inline,globaldce");
        if (image->target->array_space)
            mark_all_arrays(unit, image);
        ir_run_passes(image->module, image->machine, "function(sroa,infer-address-spaces)");
        for (LLVMValueRef f = LLVMGetFirstFunction(image->module); f; f = LLVMGetNextFunction(f))
            if (unit->options->opt_level > 0 && grid_is_kernel(f))
                loads_hoist(f);
    }
    return true;
}

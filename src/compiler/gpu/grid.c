/* SPDX-License-Identifier: MIT
 *
 * Makes kernels of a GPU out of the entries, which run one thread: the device's threads are the kernel's.
 *
 *     NAME_kernel(args, box)         both by value
 *     {
 *         index = begin of the box + number of the block x its size + number of the thread
 *         if (index lies in the box)
 *             amp__entry_N(args, index)
 *     }
 *
 * The dimensions of the index are those of the grid, the last one along x: threads side by side access memory side by
 * side. A tile is a block of threads, and the box counts tiles. tile_static variables become shared memory, barriers
 * the hardware's. Pointers in the argument block point to global memory, which LLVM is told: from there on its own
 * analysis (infer-address-spaces) makes each access one of the right kind.
 *
 * Where threads of an untiled kernel load the same again and again, as in a matrix multiplication, there is a second
 * kernel, NAME_kernel_many, whose threads take several points each: of neighbouring rows, and along the last dimension
 * as many columns apart as a block of threads is wide, so that a warp's accesses stay side by side. That is a block of
 * the widener with one lane: what does not differ between rows or columns is loaded once for all. A thread whose points
 * do not all lie in the box takes them one by one. Short kernels without loops have one, too: a thread's loads for four
 * points are under way at once, which memory needs to be busy, and there are fewer blocks to start.
 *
 * Needs: prepared entries. Breaks: nothing; the entries are deleted. */
#include "gpu/grid.h"
#include "ampcc.h"
#include "cfg.h"
#include "ir.h"
#include "map.h"
#include "widen_parts.h"

#include <ctype.h>
#include <llvm-c/DebugInfo.h>
#include <llvm/Config/llvm-config.h>
#include <string.h>

enum {
    GLOBAL = 1, /* address spaces */
    SHARED = 3,
    TILE_ALIGN = 16,       /* of tile_static variables at least: the widest access */
    MAX_DEPTH = 64,        /* threads of a block along z; 1024 along x and y */
    MAX_PARAMETERS = 4096, /* bytes, the box's included */
    BLOCK = 256,           /* threads of an untiled kernel's block */
    ROWS = 8,              /* of them, if there are rows; */
    MANY_ROWS = 4,         /* if threads take several points: small blocks leave fewer registers over */
    MAX_POINTS = 64,    /* that a thread takes: their sums, rows and columns fit into 168 registers, for 384 threads */
    STREAM_POINTS = 4,  /* without loops */
    STREAM_LENGTH = 128 /* instructions, at most */
};

/* The kernel under construction. */
struct grid {
    const struct kernel *kernel;
    struct unit *unit;
    struct image *image;
    LLVMContextRef context;
    LLVMBuilderRef builder;
    LLVMValueRef entry_function, function;
    LLVMBasicBlockRef entry;
    int threads[3];                   /* of a block */
    LLVMValueRef thread[3], block[3]; /* numbers of them, by dimension of the box */
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

static LLVMValueRef call_intrinsic(LLVMModuleRef module, LLVMBuilderRef builder, const char *name, LLVMValueRef *args,
                                   unsigned n_args)
{
    LLVMValueRef intrinsic = LLVMGetIntrinsicDeclaration(module, LLVMLookupIntrinsicID(name, strlen(name)), NULL, 0);
    return LLVMBuildCall2(builder, LLVMGlobalGetValueType(intrinsic), intrinsic, args, n_args, "");
}

static LLVMValueRef read_register(const struct grid *g, const char *name)
{
    return call_intrinsic(g->image->module, g->builder, arena_printf("llvm.nvvm.read.ptx.sreg.%s", name), NULL, 0);
}

static LLVMValueRef load_bound(const struct grid *g, int i)
{
    LLVMValueRef at = number(g, i);
    at = LLVMBuildInBoundsGEP2(g->builder, int_type(g), LLVMGetParam(g->function, 1), &at, 1, "");
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

/* With -ffast-math subnormal numbers of float count as 0, which saves the hardware a detour. */
void ptx_copy_float_mode(LLVMValueRef entry, LLVMValueRef function)
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
    return g->threads[0] > MAX_DEPTH;
}

/* Says how many threads a block has, exactly: registers are given out accordingly. */
static void require_threads(const struct grid *g)
{
    int n = g->threads[0] * g->threads[1] * g->threads[2];
    int size[] = {is_flat(g) ? n : g->threads[2], is_flat(g) ? 1 : g->threads[1], is_flat(g) ? 1 : g->threads[0]};
#if LLVM_VERSION_MAJOR >= 21
    static const char name[] = "nvvm.reqntid";
    const char *value = arena_printf("%d,%d,%d", size[0], size[1], size[2]);
    LLVMAddAttributeAtIndex(
        g->function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
        LLVMCreateStringAttribute(g->context, name, sizeof name - 1, value, (unsigned)strlen(value)));
#else
    static const char *const names[] = {"reqntidx", "reqntidy", "reqntidz"};
    LLVMMetadataRef parts[7] = {LLVMValueAsMetadata(g->function)};
    for (int i = 0; i < 3; i++) {
        parts[2 * i + 1] = LLVMMDStringInContext2(g->context, names[i], strlen(names[i]));
        parts[2 * i + 2] = LLVMValueAsMetadata(number(g, size[i]));
    }
    LLVMAddNamedMetadataOperand(g->image->module, "nvvm.annotations",
                                LLVMMetadataAsValue(g->context, LLVMMDNodeInContext2(g->context, parts, 7)));
#endif
}

static void add_by_value(const struct grid *g, unsigned index, LLVMTypeRef type, unsigned align)
{
    LLVMAttributeIndex at = index + 1;
    LLVMAddAttributeAtIndex(g->function, at,
                            LLVMCreateTypeAttribute(g->context, LLVMGetEnumAttributeKindForName("byval", 5), type));
    LLVMAddAttributeAtIndex(g->function, at,
                            LLVMCreateEnumAttribute(g->context, LLVMGetEnumAttributeKindForName("align", 5), align));
    ir_add_attribute(g->function, (int)at, "noalias");
    ir_add_attribute(g->function, (int)at, "readonly");
}

/* Makes the function, and reads what it gets from the hardware and the box. */
static void begin_kernel(struct grid *g, const char *name, LLVMValueRef shape)
{
    static const char axes[] = "zyx";
    LLVMTypeRef pointer = LLVMPointerTypeInContext(g->context, 0), box = LLVMArrayType2(int_type(g), 6);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(g->context), (LLVMTypeRef[]){pointer, pointer}, 2, false);
    LLVMValueRef table = LLVMGetNamedGlobal(g->image->module, name);
    if (table) /* local, so it needs no name */
        LLVMSetValueName2(table, "", 0);
    g->function = LLVMAddFunction(g->image->module, name, type);
    LLVMSetFunctionCallConv(g->function, PTX_KERNEL);
    ptx_copy_float_mode(g->entry_function, g->function);
    ir_add_attribute(g->function, IR_FUNCTION, "nounwind");
    ir_add_attribute(g->function, IR_FUNCTION, "mustprogress");
    unsigned long long bytes = LLVMConstIntGetZExtValue(LLVMGetAggregateElement(LLVMGetInitializer(shape), 0)),
                       align = LLVMConstIntGetZExtValue(LLVMGetAggregateElement(LLVMGetInitializer(shape), 1));
    if (bytes + sizeof(int[6]) > MAX_PARAMETERS)
        diag_error(g->kernel->place,
                   "the arguments of '%s' take %llu bytes, and %s has %zu for them: put some into an array, or make no "
                   "code for GPUs with --amp-gpu=none [GPU arguments]",
                   g->kernel->name, bytes, g->image->target, MAX_PARAMETERS - sizeof(int[6]));
    add_by_value(g, 0, LLVMArrayType2(LLVMInt8TypeInContext(g->context), bytes), (unsigned)align);
    add_by_value(g, 1, box, sizeof(int));
    require_threads(g);
    g->entry = new_block(g, "entry");
    LLVMPositionBuilderAtEnd(g->builder, g->entry);
    for (int d = 0; d < 3; d++) {
        g->thread[d] = read_register(g, arena_printf("tid.%c", is_flat(g) ? 'x' : axes[d]));
        g->block[d] = read_register(g, arena_printf("ctaid.%c", axes[d]));
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

/* Calls the entry for one thread: of an untiled kernel the index; of a tiled one the thread in the tile, and the tile.
 */
static void call_entry(const struct grid *g, const LLVMValueRef index[3], const LLVMValueRef tile[3])
{
    const struct kernel *k = g->kernel;
    unsigned n = LLVMCountParams(g->entry_function);
    LLVMValueRef *args = arena_alloc(n * sizeof *args);
    args[0] = LLVMGetParam(g->function, 0);
    for (unsigned p = 1; p < n; p++) {
        int dimension = (int)(p - 1) % k->box_rank, group = (int)(p - 1) / k->box_rank, d = 3 - k->box_rank + dimension;
        args[p] = index[d];
        if (!tile || group == 1)
            continue;
        LLVMValueRef origin = LLVMBuildNSWMul(g->builder, tile[d], number(g, k->tile[dimension]), "");
        args[p] = group == 0 ? LLVMBuildNSWAdd(g->builder, origin, index[d], "") : group == 2 ? tile[d] : origin;
    }
    LLVMBuildCall2(g->builder, LLVMGlobalGetValueType(g->entry_function), g->entry_function, args, n, "");
}

/* The first index of the block's along a dimension, in points of the box, of which a block takes `points`. Wraps around
 * where a block begins in the box and ends beyond INT_MAX; so comparisons with the end are unsigned. */
static LLVMValueRef first_of_block(const struct grid *g, int d, int points)
{
    LLVMValueRef distance = LLVMBuildMul(g->builder, g->block[d], number(g, points), "");
    return LLVMBuildAdd(g->builder, g->begin[d], distance, "");
}

/* Whether `index` lies in the box, and what is `rows` and `columns` further, too. */
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

/* Leaves the builder behind what is done if `condition` holds, and emits that: one point of the domain. */
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

/* Whether the kernel only computes, on memory that others see: what would be to be kept once per point is not there. */
static bool is_plain(const struct cfg *cfg)
{
    for (int at = 0; at < cfg->n; at++)
        for (LLVMValueRef i = cfg->nodes[at].first; i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
            if (LLVMIsAAllocaInst(i) || LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i) ||
                (LLVMIsACallInst(i) && !widen_is_pure_call(i) && !widen_says_nothing(LLVMGetCalledValue(i))))
                return false;
    return true;
}

/* The most registers that a loop carries from pass to pass, for each point. */
static int carried_registers(const struct grid *g, const struct shapes *shapes)
{
    const struct cfg *cfg = shapes->cfg;
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(g->image->module);
    int most = 1;
    for (int l = 0; l < cfg->n_loops; l++) {
        const struct node *header = &cfg->nodes[cfg->loops[l].header];
        unsigned long long bytes = 0;
        for (LLVMValueRef i = header->first; i != header->end && LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
            if (shape_of(shapes, i).kind == SHAPE_VARYING)
                bytes += (LLVMABISizeOfType(layout, LLVMTypeOf(i)) + 3) / 4 * 4;
        if ((int)bytes / 4 > most)
            most = (int)bytes / 4;
    }
    return most;
}

static int length_of(const struct cfg *cfg)
{
    int n = 0;
    for (int at = 0; at < cfg->n; at++)
        for (LLVMValueRef i = cfg->nodes[at].first; i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
            n++;
    return n;
}

/* How many points a thread takes; {1, 1, 1} if several would part at branches, or have loops that share nothing in both
 * dimensions. What the loops carry stays in registers. */
static struct block choose_points(const struct grid *g, const struct shapes *shapes)
{
    struct block block = {.lanes = 1, .rows = 1, .vectors = 1};
    if (g->kernel->tiled || g->unit->options->opt_level == 0 || shapes->any_divergent || shapes->any_rows_branch ||
        !is_plain(shapes->cfg))
        return block;
    if (shapes->cfg->n_loops == 0) {
        block.vectors = length_of(shapes->cfg) <= STREAM_LENGTH ? STREAM_POINTS : 1;
        return block;
    }
    struct reuse reuse = shape_reuse(shapes);
    if (g->kernel->box_rank < 2 || !reuse.over_rows || !reuse.over_vectors)
        return block;
    int points = MAX_POINTS / carried_registers(g, shapes);
    if (points < 4)
        return block;
    block.vectors = points < 16 ? 2 : points < 64 ? 4 : 8;
    block.rows = points / block.vectors;
    return block;
}

/* The body for all points at once. */
static void emit_points(const struct grid *g, const struct shapes *shapes, struct block block,
                        const LLVMValueRef first[3])
{
    struct widener w = {.kernel = g->kernel,
                        .cfg = shapes->cfg,
                        .shapes = shapes,
                        .block = block,
                        .context = g->context,
                        .module = g->image->module,
                        .layout = LLVMGetModuleDataLayout(g->image->module),
                        .function = g->function,
                        .builder = g->builder,
                        .entry = g->entry};
    unsigned n = LLVMCountParams(g->entry_function);
    w.parameters = arena_alloc(n * MAX_INSTANCES * sizeof *w.parameters);
    for (int row = 0; row < block.rows; row++)
        for (int vector = 0; vector < block.vectors; vector++)
            for (unsigned p = 0; p < n; p++) {
                int d = 3 - g->kernel->box_rank + (int)p - 1;
                int further = d == 1 ? row : d == 2 ? vector * g->threads[2] : 0;
                w.parameters[p * MAX_INSTANCES + (unsigned)(row * block.vectors + vector)] =
                    p == 0 ? LLVMGetParam(g->function, 0)
                           : LLVMBuildNSWAdd(g->builder, first[d], number(g, further), "");
            }
    bool *all = arena_alloc((size_t)shapes->cfg->n);
    memset(all, true, (size_t)shapes->cfg->n);
    LLVMBasicBlockRef end = new_block(g, "points.end");
    widen_begin(&w);
    widen_nodes(&w, all, 0, end, NULL, NULL);
    ptx_unroll_points(&w);
    LLVMPositionBuilderAtEnd(g->builder, end);
}

/* for (*index from the builder's place; below `limit`); the builder goes into the loop, and behind it at end_loop. */
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

static void emit_many(const struct grid *g, const struct shapes *shapes, struct block block)
{
    LLVMValueRef first[3];
    int points[] = {1, block.rows, block.vectors};
    for (int d = 0; d < 3; d++) {
        LLVMValueRef thread = d == 1 ? LLVMBuildMul(g->builder, g->thread[1], number(g, block.rows), "") : g->thread[d];
        first[d] = LLVMBuildAdd(g->builder, first_of_block(g, d, g->threads[d] * points[d]), thread, "");
    }
    LLVMBasicBlockRef inside = new_block(g, "inside"), border = new_block(g, "border"), done = new_block(g, "many.end");
    LLVMValueRef is_whole = is_inside(g, first, block.rows - 1, (block.vectors - 1) * g->threads[2]);
    LLVMBuildCondBr(g->builder, is_whole, inside, border);
    LLVMPositionBuilderAtEnd(g->builder, inside);
    emit_points(g, shapes, block, first);
    LLVMBuildBr(g->builder, done);
    LLVMPositionBuilderAtEnd(g->builder, border);
    struct counter rows = begin_loop(g, block.rows), columns = begin_loop(g, block.vectors);
    LLVMValueRef column = LLVMBuildMul(g->builder, columns.index, number(g, g->threads[2]), "");
    LLVMValueRef index[] = {first[0], LLVMBuildAdd(g->builder, first[1], rows.index, ""),
                            LLVMBuildAdd(g->builder, first[2], column, "")};
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

/* Gives tile_static variables a place in shared memory, and tables one in global memory: pointers to a table and to an
 * element of an array may meet. */
static void place_variables(struct unit *unit, LLVMModuleRef module)
{
    for (LLVMValueRef variable = LLVMGetFirstGlobal(module), next; variable; variable = next) {
        next = LLVMGetNextGlobal(variable);
        bool is_shared = ir_is_in_tile_memory(variable);
        if (!is_shared && (!LLVMIsGlobalConstant(variable) || LLVMIsDeclaration(variable) ||
                           LLVMGetPointerAddressSpace(LLVMTypeOf(variable)) != 0))
            continue;
        LLVMTypeRef type = LLVMGlobalGetValueType(variable);
        LLVMValueRef placed =
            LLVMAddGlobalInAddressSpace(module, type, LLVMGetValueName(variable), is_shared ? SHARED : GLOBAL);
        LLVMSetInitializer(placed, is_shared ? LLVMGetUndef(type) : LLVMGetInitializer(variable));
        LLVMSetLinkage(placed, LLVMInternalLinkage);
        LLVMSetGlobalConstant(placed, !is_shared);
        bool is_raised = is_shared && LLVMGetAlignment(variable) < TILE_ALIGN;
        LLVMSetAlignment(placed, is_raised ? TILE_ALIGN : LLVMGetAlignment(variable));
        LLVMReplaceAllUsesWith(variable, LLVMConstAddrSpaceCast(placed, LLVMPointerTypeInContext(unit->context, 0)));
        LLVMDeleteGlobal(variable);
    }
}

/* Says of the pointers that are loaded from `block`, the argument block or a part of it, that they are global. */
static void mark_global(struct unit *unit, LLVMBuilderRef builder, LLVMValueRef block)
{
    for (LLVMUseRef use = LLVMGetFirstUse(block); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAGetElementPtrInst(user))
            mark_global(unit, builder, user);
        if (!LLVMIsALoadInst(user) || LLVMGetTypeKind(LLVMTypeOf(user)) != LLVMPointerTypeKind)
            continue;
        LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(user));
        LLVMValueRef global =
            LLVMBuildAddrSpaceCast(builder, user, LLVMPointerTypeInContext(unit->context, GLOBAL), "");
        LLVMReplaceAllUsesWith(user, LLVMBuildAddrSpaceCast(builder, global, LLVMTypeOf(user), ""));
        LLVMSetOperand(global, 0, user);
    }
}

/* ---- instructions ---- */

/* The format with `l` for the sizes that the driver's vprintf does not know: it knows h, l and ll. Formats are
 * literals, but calls may have become one that chooses among them. */
static LLVMValueRef plain_format(LLVMModuleRef module, LLVMBuilderRef builder, LLVMValueRef format)
{
    if (LLVMIsAPHINode(format) || LLVMIsASelectInst(format)) {
        for (int i = 0; i < LLVMGetNumOperands(format); i++)
            LLVMSetOperand(format, (unsigned)i, plain_format(module, builder, LLVMGetOperand(format, (unsigned)i)));
        return format;
    }
    LLVMValueRef initializer = LLVMIsAGlobalVariable(format) ? LLVMGetInitializer(format) : NULL;
    if (!initializer || !LLVMIsConstantString(initializer))
        return format;
    size_t length;
    const char *text = LLVMGetAsString(initializer, &length);
    char *plain = arena_printf("%.*s", (int)length, text);
    for (char *c = strchr(plain, '%'); c; c = strchr(c, '%')) {
        c += 1 + strspn(c + 1, " #+-'.*0123456789");
        if (*c && strchr("jzt", *c))
            *c = 'l';
        c += *c != 0;
    }
    return strncmp(plain, text, length) ? LLVMBuildGlobalString(builder, plain, "format") : format;
}

/* The driver's vprintf takes a format and a block of the other arguments. */
static void lower_printf(LLVMModuleRef module, LLVMBuilderRef builder, LLVMValueRef call)
{
    enum { MOST = 32 };
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0), types[MOST];
    unsigned n = LLVMGetNumArgOperands(call) - 1;
    for (unsigned a = 0; a < n; a++)
        types[a] = LLVMTypeOf(LLVMGetOperand(call, a + 1));
    LLVMTypeRef block = LLVMStructTypeInContext(context, types, n, false);
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)));
    LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(entry));
    LLVMValueRef place = LLVMBuildAlloca(builder, block, "");
    LLVMPositionBuilderBefore(builder, call);
    for (unsigned a = 0; a < n; a++)
        LLVMBuildStore(builder, LLVMGetOperand(call, a + 1), LLVMBuildStructGEP2(builder, block, place, a, ""));

    LLVMTypeRef type = LLVMFunctionType(LLVMInt32TypeInContext(context), (LLVMTypeRef[]){pointer, pointer}, 2, false);
    LLVMValueRef vprintf = LLVMGetNamedFunction(module, "vprintf");
    if (!vprintf)
        vprintf = LLVMAddFunction(module, "vprintf", type);
    LLVMValueRef format = plain_format(module, builder, LLVMGetOperand(call, 0));
    LLVMBuildCall2(builder, type, vprintf, (LLVMValueRef[]){format, place}, 2, "");
}

/* A barrier of the hardware orders all memory accesses of the block's threads, whichever memory was named; so does the
 * fence. What a sanitizer of the host reports stops the kernel. */
static void lower_call(LLVMModuleRef module, LLVMBuilderRef builder, LLVMValueRef call)
{
    LLVMPositionBuilderBefore(builder, call);
    if (cfg_is_barrier(call)) {
#if LLVM_VERSION_MAJOR >= 21
        LLVMValueRef all = LLVMConstInt(LLVMInt32TypeInContext(LLVMGetModuleContext(module)), 0, false);
        call_intrinsic(module, builder, "llvm.nvvm.barrier.cta.sync.aligned.all", &all, 1);
#else
        call_intrinsic(module, builder, "llvm.nvvm.barrier0", NULL, 0);
#endif
    } else if (widen_is_fence(call))
        call_intrinsic(module, builder, "llvm.nvvm.membar.cta", NULL, 0);
    else if (strcmp(LLVMGetValueName(LLVMGetCalledValue(call)), "amp_printf") == 0)
        lower_printf(module, builder, call);
    else if (strncmp(LLVMGetValueName(LLVMGetCalledValue(call)), "__ubsan_handle_", 15) == 0)
        call_intrinsic(module, builder, "llvm.trap", NULL, 0);
    else
        return;
    LLVMInstructionEraseFromParent(call);
}

/* Whose memory a pointer may point to. */
enum { OWN = 1, SHARED_WITH_OTHERS = 2 };

static int owners_of(struct map *seen, LLVMValueRef pointer)
{
    int owners = 0;
    if (map_get(seen, pointer) >= 0)
        return 0;
    map_set(seen, pointer, 1);
    if (LLVMIsAAllocaInst(pointer))
        return OWN;
    if (LLVMIsAGetElementPtrInst(pointer) || LLVMIsACastInst(pointer) || LLVMIsAFreezeInst(pointer))
        return owners_of(seen, LLVMGetOperand(pointer, 0));
    if (LLVMIsAPHINode(pointer))
        for (unsigned i = 0; i < LLVMCountIncoming(pointer); i++)
            owners |= owners_of(seen, LLVMGetIncomingValue(pointer, i));
    else if (LLVMIsASelectInst(pointer))
        owners = owners_of(seen, LLVMGetOperand(pointer, 1)) | owners_of(seen, LLVMGetOperand(pointer, 2));
    else if (LLVMIsALoadInst(pointer)) /* the argument block holds pointers to arrays, variables may hold any */
        owners = SHARED_WITH_OTHERS | owners_of(seen, LLVMGetOperand(pointer, 0));
    else
        owners = SHARED_WITH_OTHERS | (LLVMIsAInstruction(pointer) ? OWN : 0);
    return owners;
}

/* The operation as a load and a store, for memory that no other thread sees: the hardware has none for it. */
static void lower_own_atomic(LLVMBuilderRef builder, LLVMValueRef atomic)
{
    LLVMValueRef address = LLVMGetOperand(atomic, 0), value = LLVMGetOperand(atomic, 1), result;
    LLVMPositionBuilderBefore(builder, atomic);
    LLVMValueRef old = result = LLVMBuildLoad2(builder, LLVMTypeOf(value), address, "");
    LLVMSetAlignment(old, LLVMGetAlignment(atomic));
    if (LLVMIsAAtomicRMWInst(atomic))
        value = ir_combine(builder, LLVMGetAtomicRMWBinOp(atomic), old, value);
    else {
        LLVMValueRef equal = LLVMBuildICmp(builder, LLVMIntEQ, old, value, "");
        value = LLVMBuildSelect(builder, equal, LLVMGetOperand(atomic, 2), old, "");
        result = LLVMBuildInsertValue(builder, LLVMGetPoison(LLVMTypeOf(atomic)), old, 0, "");
        result = LLVMBuildInsertValue(builder, result, equal, 1, "");
    }
    LLVMSetAlignment(LLVMBuildStore(builder, value, address), LLVMGetAlignment(atomic));
    LLVMReplaceAllUsesWith(atomic, result);
    LLVMInstructionEraseFromParent(atomic);
}

/* Atomic for all threads of the device: kernels on others have copies of their own. There is no subtraction. */
static void lower_atomic(struct unit *unit, LLVMBuilderRef builder, LLVMValueRef atomic)
{
    int owners = owners_of(map_new(), LLVMGetOperand(atomic, 0));
    if (owners == OWN) {
        lower_own_atomic(builder, atomic);
        return;
    }
    if (owners & OWN)
        diag_error(
            ir_place(atomic, unit->kernels[0].place),
            "GPUs have no atomic operation for a pointer that may be to a variable of the thread or to memory that "
            "others see: choose with 'if' between two operations, or make no code for GPUs with --amp-gpu=none "
            "[GPU atomic]");
    if (LLVMIsAAtomicRMWInst(atomic) && LLVMGetAtomicRMWBinOp(atomic) == LLVMAtomicRMWBinOpFSub) {
        LLVMPositionBuilderBefore(builder, atomic);
        LLVMValueRef negative = LLVMBuildFNeg(builder, LLVMGetOperand(atomic, 1), "");
        LLVMValueRef sum = LLVMBuildAtomicRMW(builder, LLVMAtomicRMWBinOpFAdd, LLVMGetOperand(atomic, 0), negative,
                                              LLVMGetOrdering(atomic), false);
        LLVMSetAlignment(sum, LLVMGetAlignment(atomic));
        LLVMReplaceAllUsesWith(atomic, sum);
        LLVMInstructionEraseFromParent(atomic);
        atomic = sum;
    }
#if LLVM_VERSION_MAJOR >= 20 /* before, NVPTX took every scope for this one */
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(atomic));
    LLVMSetAtomicSyncScopeID(atomic, LLVMGetSyncScopeID(context, "device", 6));
#endif
}

static void lower_instructions(struct unit *unit, LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                if (LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i))
                    lower_atomic(unit, builder, i);
                else if (LLVMIsACallInst(i) && LLVMIsAFunction(LLVMGetCalledValue(i)))
                    lower_call(module, builder, i);
            }
    LLVMDisposeBuilder(builder);
}

/* ---- the pass ---- */

/* The name's end keeps it apart from PTX's own words and from the library's functions. */
const char *ptx_entry_name(const struct kernel *kernel)
{
    const char *name = "";
    for (const char *c = kernel->name; *c; c++) /* PTX knows letters, digits, _ and $ */
        name = arena_printf(isalnum((unsigned char)*c) || *c == '_' ? "%s%c" : "%s$%02x", name, (unsigned char)*c);
    return arena_printf("%s_kernel", name);
}

static void make_kernels(struct unit *unit, int image_number, const struct kernel *kernel)
{
    struct grid g = {.kernel = kernel,
                     .unit = unit,
                     .image = &unit->images[image_number],
                     .context = unit->context,
                     .builder = LLVMCreateBuilderInContext(unit->context),
                     .threads = {1, 1, 1}};
    LLVMValueRef shape = LLVMGetNamedGlobal(unit->host, arena_printf("amp__shape_%d_%d", kernel->number, image_number));
    const char *name = ptx_entry_name(kernel);
    if (kernel->tiled)
        for (int d = 0; d < kernel->rank; d++)
            g.threads[3 - kernel->rank + d] = kernel->tile[d];
    else {
        g.threads[1] = kernel->box_rank > 1 ? ROWS : 1;
        g.threads[2] = BLOCK / g.threads[1];
    }
    g.entry_function = LLVMGetNamedFunction(g.image->module, arena_printf("amp__entry_%d", kernel->number));
    struct cfg *cfg = cfg_build(g.entry_function);
    if (!cfg)
        diag_defect(kernel->name, "a loop with several entries is left");
    struct shapes *shapes = shape_analyse(kernel, cfg, SHAPE_LANES, NULL);
    struct block block = choose_points(&g, shapes);
    bool many = block.rows * block.vectors > 1;
    if (block.rows > 1)
        g.threads[1] = MANY_ROWS;
    if (unit->options->opt_level > 0)
        ptx_unroll_short_loops(cfg);

    begin_kernel(&g, name, shape);
    if (kernel->tiled)
        emit_tiled(&g);
    else
        emit_untiled(&g);
    LLVMBuildRetVoid(g.builder);
    if (many) {
        begin_kernel(&g, arena_printf("%s_many", name), shape);
        emit_many(&g, shapes, block);
        LLVMBuildRetVoid(g.builder);
    }
    LLVMDisposeBuilder(g.builder);
    LLVMSetLinkage(g.entry_function, LLVMInternalLinkage);
    ir_add_attribute(g.entry_function, IR_FUNCTION, "alwaysinline");

    int points[] = {1, block.rows, block.vectors};
    LLVMValueRef sizes[9];
    for (int d = 0; d < 3; d++) {
        sizes[d] = number(&g, g.threads[d]);
        sizes[3 + d] = number(&g, kernel->tiled ? 1 : g.threads[d]);
        sizes[6 + d] = number(&g, many ? g.threads[d] * points[d] : 0);
    }
    LLVMSetInitializer(shape, LLVMConstArray2(int_type(&g), sizes, 9));
}

bool ptx(struct unit *unit)
{
    for (int i = 0; i < unit->n_images; i++) {
        struct image *image = &unit->images[i];
        if (image->backend != BACKEND_CUDA)
            continue;
        lower_instructions(unit, image->module);
        ptx_link_library(unit, image);
        LLVMStripModuleDebugInfo(image->module);
        place_variables(unit, image->module);
        for (int k = 0; k < unit->n_kernels; k++)
            make_kernels(unit, i, &unit->kernels[k]);
        if (diag_count() > 0)
            return false;
        ir_run_passes(image, "always-inline,globaldce");
        LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
        for (LLVMValueRef f = LLVMGetFirstFunction(image->module); f; f = LLVMGetNextFunction(f))
            if (!LLVMIsDeclaration(f) && LLVMGetFunctionCallConv(f) == PTX_KERNEL)
                mark_global(unit, builder, LLVMGetParam(f, 0));
        LLVMDisposeBuilder(builder);
        ir_run_passes(image, "function(sroa,infer-address-spaces)");
        for (LLVMValueRef f = LLVMGetFirstFunction(image->module); f; f = LLVMGetNextFunction(f))
            if (unit->options->opt_level > 0 && LLVMGetFunctionCallConv(f) == PTX_KERNEL)
                ptx_hoist_loads(f);
    }
    return true;
}

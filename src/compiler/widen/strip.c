/* SPDX-License-Identifier: MIT
 *
 * The product in tiles copies pieces of a and b into tile memory, one after another:
 *
 *     for (int i = 0; i < W; i += 16) {
 *         local_a[row][col] = a[t.global[0]][i + col];
 *         local_b[row][col] = b[i + row][t.global[1]];
 *         barrier; ... barrier;
 *     }
 *
 * All tiles of a column read the same strip of b: 16 numbers of each of its rows, which lie in W pages and in few sets
 * of the caches. All tiles of a row read the same strip of a, 16 rows at once, as many as a set has room for. So tiles
 * run in groups of columns. The first tile of a column copies what it reads of b into memory without gaps, the first
 * one of a row what it reads of a, and all of them read the copies:
 *
 *     for some columns: for each row: for the tiles of the row: copy what no other tile has, and run
 *
 * What a tile reads between two barriers is a round, which has its place in the copies. Where there is no room for it,
 * each tile copies it for itself, to one place. (To read it from where it is would need a choice of addresses, and
 * more registers.)
 *
 * Where guards at the borders keep that from being the same for all tiles, it is done if they turn out to be the same
 * for all tiles of a box (borders.c).
 *
 * Predicates (predicates.h) are no branches; those of what is copied must be the same for all these tiles, too.
 *
 * That is right because no element that is copied can change meanwhile. It is read by threads of at least two tiles,
 * because neither its address nor any branch up to the end of the loop depends on which tile of the column, or of the
 * row, it is, or on anything but the index and the arguments. If some thread wrote it, that would be a race with at
 * least one of these tiles, because up to the end of the loop they write only to their own memory, and nothing tells
 * one what another has done. Threads read nothing that they would not read otherwise, and do everything else as
 * before. */
#include "widen/strip.h"

#include "kernel/calls.h"
#include "kernel/entry.h"
#include "kernel/ir.h"
#include "kernel/origin.h"
#include "widen/parts.h"

/* ---- the plan ---- */

enum {
    MOST_BYTES_OF_ROUND = 8 << 10, /* on the stack, too */
    LEAST_ROWS = 4                 /* of tiles, for which copies pay */
};

/* Whether a value is the same at the same place in all tiles of a column, */
static bool is_shared_in_column(const struct shapes *next, LLVMValueRef value)
{
    return !shape_of(next, value).rows && entry_determines(value, true);
}

/* or in all tiles of a row. */
static bool is_shared_in_row(const struct shapes *next, LLVMValueRef value)
{
    return shape_of(next, value).kind == SHAPE_UNIFORM && entry_determines(value, true);
}

/* Whether an instruction has no effect on what other tiles see, and is not affected by what they do. */
static bool is_of_tile(const struct kernel *kernel, LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMStore:
        return !LLVMGetVolatile(i) &&
               !(origin_of(kernel, LLVMGetOperand(i, 1)).kinds & ~(ORIGIN_TILE | ORIGIN_PRIVATE));
    case LLVMLoad:
        return !LLVMGetVolatile(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMFence:
        return false;
    case LLVMCall:
        return calls_is_pure(i) || calls_kind(i) == CALL_HINT || calls_kind(i) == CALL_BARRIER;
    default:
        return true;
    }
}

/* Whether all tiles do the same in the nodes [from, end), as far as others can tell, but for what is predicated. */
static bool all_do_the_same(const struct plan *plan, const struct body *body, const struct shapes *next, int from,
                            int end)
{
    for (int at = from; at < end; at++) {
        const struct node *node = &plan->cfg->nodes[at];
        for (LLVMValueRef i = node->first; i != node->end; i = LLVMGetNextInstruction(i))
            if (!is_of_tile(plan->kernel, i))
                return false;
        if (node->n_succ < 2 || shape_is_predicated(body->shapes, at))
            continue;
        LLVMValueRef condition = LLVMGetCondition(LLVMGetBasicBlockTerminator(node->block));
        if (!is_shared_in_row(next, condition) || !is_shared_in_column(next, condition))
            return false;
    }
    return true;
}

/* Sets `has` to the nodes that are reached after `from` before a barrier. */
static void find_up_to_barriers(const struct cfg *cfg, int from, bool *has)
{
    const struct node *node = &cfg->nodes[from];
    for (int s = 0; s < node->n_succ && !node->barrier; s++)
        if (!has[node->succ[s]]) {
            has[node->succ[s]] = true;
            find_up_to_barriers(cfg, node->succ[s], has);
        }
}

/* Whether a value, and all predicates of a node, are the same in all tiles of a column, or in all of a row; not for a
 * node where paths meet. */
static bool is_shared(const struct body *body, const struct shapes *next, int node, LLVMValueRef value,
                      bool (*is_shared_by)(const struct shapes *, LLVMValueRef))
{
    const struct cfg *cfg = body->shapes->cfg;
    bool is = is_shared_by(next, value);
    int head = shape_is_predicated(body->shapes, node) ? body->shapes->predicate[node] - 1 : node;
    for (int at = node; is && at > head;) {
        is = cfg->nodes[at].n_pred == 1;
        at = cfg->nodes[at].pred[0];
        if (is && cfg->nodes[at].n_succ == 2)
            is = is_shared_by(next, LLVMGetCondition(LLVMGetBasicBlockTerminator(cfg->nodes[at].block)));
    }
    return is;
}

/* Whether a load in a node reads vectors, once between two barriers, in pieces of several rows of an array. */
static bool reads_pieces(const struct plan *plan, const struct body *body, const struct shapes *next, int node,
                         LLVMValueRef load)
{
    if (!LLVMIsALoadInst(load) || (body->shapes->masked[node] && !shape_is_predicated(body->shapes, node)))
        return false;
    const struct way *way = plan_way(body, load);
    LLVMValueRef address = LLVMGetOperand(load, 0);
    if (way->access != ACCESS_CONTIGUOUS || way->members || !ir_is_element(LLVMTypeOf(load)) ||
        !shape_of(body->shapes, address).rows ||
        !(is_shared(body, next, node, address, is_shared_in_column) ||
          is_shared(body, next, node, address, is_shared_in_row)) ||
        origin_of(plan->kernel, address).kinds & ~(ORIGIN_ARRAY | ORIGIN_SHARED))
        return false;
    bool *after = arena_alloc((size_t)plan->cfg->n);
    find_up_to_barriers(plan->cfg, node, after);
    return !after[node];
}

/* Returns how many bytes a block reads with a load. */
static int bytes_of_block(const struct body *body, LLVMTargetDataRef layout, LLVMValueRef load)
{
    int threads = body->block.rows * body->block.vectors * body->block.lanes;
    return (int)LLVMABISizeOfType(layout, LLVMTypeOf(load)) * threads;
}

/* Returns how many rounds there is room for. */
static int rounds_in(int room, int bytes, const struct options *options)
{
    return options->panels ? options->panels : bytes ? room / bytes : 0;
}

const struct strip *strip_plan(const struct plan *plan, const struct body *body, const struct shapes *next,
                               LLVMTargetDataRef layout, const struct options *options)
{
    const struct kernel *kernel = plan->kernel;
    const struct cfg *cfg = plan->cfg;
    struct block block = body->block;
    if (kernel->box_rank < 2 || block.lanes == 1 || plan->tiles.block.lanes || plan->is_described ||
        options->panels < 0 || kernel->tile[kernel->rank - 1] % (block.lanes * block.vectors) ||
        cfg_calls(cfg, CALL_ABORT))
        return NULL;
    int n_values = body->shapes->n_values, *ends = arena_alloc((size_t)n_values * sizeof *ends);
    int of_column = 0, of_row = 0, end = 0; /* bytes */
    bool *is_of_row = arena_alloc((size_t)n_values);
    bool *reads = arena_alloc((size_t)cfg->n), *ends_round = arena_alloc((size_t)cfg->n);
    for (int l = 0; l < cfg->n_loops; l++) {
        const struct loop *loop = &cfg->loops[l];
        if (loop->parent >= 0)
            continue;
        if (!all_do_the_same(plan, body, next, end, loop->last + 1))
            break;
        end = loop->last + 1;
        for (int at = loop->header; at < end; at++)
            for (LLVMValueRef i = cfg->nodes[at].first; i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
                if (reads_pieces(plan, body, next, at, i)) {
                    int number = map_get(body->shapes->numbers, i);
                    is_of_row[number] = !is_shared(body, next, at, LLVMGetOperand(i, 0), is_shared_in_column);
                    int *bytes = is_of_row[number] ? &of_row : &of_column;
                    ends[number] = *bytes += body->n_blocks * bytes_of_block(body, layout, i);
                    reads[at] = true;
                }
    }
    if (of_column == 0 || of_column > MOST_BYTES_OF_ROUND || of_row > MOST_BYTES_OF_ROUND)
        return NULL;
    for (int at = 0; at < cfg->n; at++) {
        bool *after = arena_alloc((size_t)cfg->n);
        after[at] = true;
        find_up_to_barriers(cfg, at, after);
        for (int other = 0; reads[at] && other < cfg->n; other++)
            ends_round[other] |= after[other] && cfg->nodes[other].barrier;
    }
    struct strip *strip = arena_alloc(sizeof *strip);
    of_column = (of_column + PANEL_ALIGN - 1) / PANEL_ALIGN * PANEL_ALIGN;
    of_row = (of_row + PANEL_ALIGN - 1) / PANEL_ALIGN * PANEL_ALIGN;
    *strip = (struct strip){.body = body,
                            .ends = ends,
                            .is_of_row = is_of_row,
                            .of_column = {of_column, rounds_in(COLUMNS_BYTES, of_column, options)},
                            .of_row = {of_row, rounds_in(ROW_BYTES, of_row, options)},
                            .blocks = body->n_blocks,
                            .least_rows = options->panels ? 1 : LEAST_ROWS,
                            .reads = reads,
                            .ends_round = ends_round};
    return strip;
}

bool strip_fits(const struct strip *strip, const struct strip *other)
{
    if (!strip || !other)
        return false;
    struct block a = strip->body->block, b = other->body->block;
    bool is_same = a.lanes == b.lanes && a.rows == b.rows && a.vectors == b.vectors;
    for (int i = 0; is_same && i < strip->body->shapes->n_values; i++)
        is_same = strip->ends[i] == other->ends[i] && strip->is_of_row[i] == other->is_of_row[i];
    return is_same;
}

/* ---- copies ---- */

bool strip_has(const struct widener *w, LLVMValueRef load)
{
    return w->strip && w->strip->strip->ends[widen_number(w, load)] > 0;
}

static LLVMValueRef i64(const struct widener *w, long value)
{
    return LLVMConstInt(LLVMInt64TypeInContext(w->context), (unsigned long long)value, true);
}

/* Returns where the tile finds the copies of what a load reads. */
static const struct strip_part *part_of(const struct widener *w, LLVMValueRef load)
{
    const struct strip_use *use = w->strip;
    return use->strip->is_of_row[widen_number(w, load)] ? &use->row : &use->column;
}

/* Returns where the copy of a vector is in this round, or would be if there were room for more. */
static LLVMValueRef place_of_copy(struct widener *w, LLVMValueRef load, int row, int vector)
{
    const struct strip_use *use = w->strip;
    const struct strip *strip = use->strip;
    const struct strip_part *part = part_of(w, load);
    LLVMBuilderRef b = w->builder;
    LLVMTypeRef wide = LLVMInt64TypeInContext(w->context), byte = LLVMInt8TypeInContext(w->context);
    int bytes = (int)LLVMABISizeOfType(w->layout, LLVMTypeOf(load)) * w->block.lanes,
        of_block = bytes * w->block.rows * w->block.vectors,
        first = strip->ends[widen_number(w, load)] - of_block * strip->blocks,
        of_round = (part == &use->row ? strip->of_row : strip->of_column).bytes;
    LLVMValueRef round = LLVMBuildLoad2(b, wide, use->round, "");
    LLVMValueRef has_room = LLVMBuildICmp(b, LLVMIntULT, round, part->rounds, "");
    round = LLVMBuildSelect(b, has_room, round, part->rounds, "");
    LLVMValueRef at = LLVMBuildNSWMul(b, round, i64(w, of_round), "");
    LLVMValueRef block = LLVMBuildSExt(b, use->block, wide, "");
    at = LLVMBuildNSWAdd(b, at, LLVMBuildNSWMul(b, block, i64(w, of_block), ""), "");
    at = LLVMBuildNSWAdd(b, at, i64(w, first + (row * w->block.vectors + vector) * bytes), "");
    return LLVMBuildInBoundsGEP2(b, byte, part->memory, &at, 1, "");
}

void strip_copy(struct widener *w, LLVMValueRef load)
{
    const struct strip_part *part = part_of(w, load);
    LLVMBuilderRef b = w->builder;
    LLVMTypeRef type = widen_vector_type(w, LLVMTypeOf(load));
    LLVMValueRef from[MAX_INSTANCES];
    for (int row = 0; row < w->block.rows; row++)
        for (int vector = 0; vector < w->block.vectors; vector++)
            from[row * w->block.vectors + vector] = widen_get(w, LLVMGetOperand(load, 0), row, vector);
    LLVMValueRef round = LLVMBuildLoad2(b, LLVMInt64TypeInContext(w->context), w->strip->round, "");
    LLVMValueRef is_new = LLVMBuildOr(b, part->fills, LLVMBuildICmp(b, LLVMIntUGE, round, part->rounds, ""), "");
    LLVMBasicBlockRef copy = widen_block_here(w, "copy"),
                      go_on = LLVMAppendBasicBlockInContext(w->context, w->function, "copied");
    LLVMMoveBasicBlockAfter(go_on, copy);
    LLVMBuildCondBr(b, is_new, copy, go_on);
    LLVMPositionBuilderAtEnd(b, copy);
    long next = widen_way(w, load)->next;
    for (int row = 0; row < w->block.rows; row++)
        for (int vector = 0; vector < w->block.vectors; vector++) {
            LLVMValueRef at = from[row * w->block.vectors + vector], mask = widen_predicate(w, row, vector);
            LLVMValueRef value = widen_vector_at(w, type, at, LLVMGetAlignment(load), mask);
            LLVMSetAlignment(LLVMBuildStore(b, value, place_of_copy(w, load, row, vector)), LLVMGetAlignment(load));
            if (next)
                widen_request(w, SECOND_CACHE, at, next, (long)LLVMABISizeOfType(w->layout, type));
        }
    LLVMBuildBr(b, go_on);
    LLVMPositionBuilderAtEnd(b, go_on);
}

LLVMValueRef strip_load(struct widener *w, LLVMValueRef load, int row, int vector)
{
    LLVMTypeRef type = widen_vector_type(w, LLVMTypeOf(load));
    LLVMValueRef result = LLVMBuildLoad2(w->builder, type, place_of_copy(w, load, row, vector), "");
    LLVMSetAlignment(result, LLVMGetAlignment(load));
    return result;
}

static void end_round(struct widener *w)
{
    LLVMValueRef round = LLVMBuildLoad2(w->builder, LLVMInt64TypeInContext(w->context), w->strip->round, "");
    LLVMBuildStore(w->builder, LLVMBuildNSWAdd(w->builder, round, i64(w, 1), ""), w->strip->round);
}

void strip_end_region(struct widener *w, const bool *has)
{
    bool reads = false;
    for (int at = 0; w->strip && at < w->cfg->n; at++)
        reads |= has[at] && w->strip->strip->reads[at];
    if (reads)
        end_round(w);
}

void strip_end_node(struct widener *w, int node)
{
    if (w->strip && w->strip->strip->ends_round[node])
        end_round(w);
}

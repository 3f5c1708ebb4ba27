/* SPDX-License-Identifier: MIT
 *
 * Chooses how many threads run together, and how they run each access and call. On processors the threads of a block
 * are lanes of vectors, as many as still keep what loops carry in registers. Where guards (kernel/guards.h) handle the
 * borders of the domain separately, blocks and tiles away from them get a body that knows the guards' results, or boxes
 * are cut where these change. Small tiles share a block. On GPUs the hardware runs the threads, and one may take
 * several points of the domain.
 *
 * The targets say what processors and GPUs have room for. */
#include "widen/plan.h"

#include "kernel/calls.h"
#include "kernel/entry.h"
#include "kernel/exact.h"
#include "kernel/guards.h"
#include "kernel/interleave.h"
#include "kernel/ir.h"
#include "kernel/origin.h"
#include "widen/between.h"
#include "widen/cost.h"
#include "widen/leading.h"
#include "widen/panel.h"
#include "widen/parts.h"
#include "widen/predicates.h"
#include "widen/requests.h"
#include "widen/row_loads.h"
#include "widen/stage.h"
#include "widen/store_back.h"
#include "widen/stretch_sums.h"
#include "widen/strip.h"
#include "widen/sums.h"
#include "widen/whole.h"
#include "widen/windows.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* From how many streams on stores ask for what is ahead, too. With three, as in a triad, they gain nothing; with
 * four of bench/ports/conv3d on a Zen 5, 0.77 of the time in vectors of 512 bits. */
enum { MANY_STREAMS = 4 };

struct planner {
    const struct unit *unit;
    const struct image *image;
    const struct kernel *kernel;
    const struct cfg *cfg;
    LLVMTargetDataRef layout;
    const struct shapes *next; /* how neighbouring tiles differ; NULL: there are no tiles */
    struct plan *plan;
    const struct map *followers;   /* in a plan for large boxes: loads that need not ask for what is ahead, */
    bool stores_ask;               /* and whether stores do, too */
    const struct shapes *next_row; /* how neighbouring rows of tiles differ; NULL: a tile has several rows */
};

static struct planner begin(const struct unit *unit, const struct image *image, const struct kernel *kernel)
{
    struct planner p = {unit,
                        image,
                        kernel,
                        cfg_build(LLVMGetNamedFunction(image->module, kernel->entry)),
                        LLVMGetModuleDataLayout(image->module),
                        NULL,
                        arena_alloc(sizeof *p.plan)};
    if (!p.cfg)
        diag_defect(kernel->name, "a loop with several entries is left");
    enum shape_threads threads = kernel->has_convoys && kernel->tiled ? SHAPE_TILES : SHAPE_LANES;
    *p.plan = (struct plan){.kernel = kernel, .cfg = p.cfg, .truth = shape_analyse(kernel, p.cfg, threads, NULL)};
    if (image->facts.ahead) {
        p.followers = leading_followers(kernel, p.cfg, p.plan->truth);
        p.stores_ask = leading_streams(p.followers, kernel, p.plan->truth) >= MANY_STREAMS;
    }
    return p;
}

/* ---- how a body runs an instruction ---- */

enum {
    MAX_APART = 4,     /* elements of a strided access: between neighbouring lanes, */
    MAX_ELEMENTS = 64, /* and in all */
    MAX_LANES = 64,
    MOST_ROOM = 4096 /* bytes around tile memory, for lanes that are off */
};

/* Whether a load from an array may read more of a page than its lanes that are on: the target has no such loads under a
 * mask. */
static bool can_read_page(const struct planner *p, LLVMValueRef i)
{
    return LLVMIsALoadInst(i) && !p->plan->is_described &&
           !facts_can_mask(&p->image->facts, (long)LLVMStoreSizeOfType(p->layout, LLVMTypeOf(i))) &&
           origin_of(p->kernel, LLVMGetOperand(i, 0)).kinds == ORIGIN_ARRAY;
}

/* Decides for an access to unrelated places, or to ones that lie too far apart. */
static struct way way_of_gather(const struct planner *p, const struct body *body, LLVMValueRef i)
{
    /* A whole line of the cache, since lines may push each other out; of narrow elements less, for short loops. */
    enum { LINE = 64, USUAL_LENGTH = 16 };
    struct way gather = {.access = ACCESS_GATHER}, way = {.access = ACCESS_STRETCHES};
    unsigned operand;
    int lanes = body->block.lanes, size = (int)LLVMStoreSizeOfType(p->layout, ir_accessed_type(i, &operand));
    bool in_page = can_read_page(p, i);
    int distance = in_page || facts_can_mask(&p->image->facts, size) ? widen_guessed_distance(body->shapes, i) : -1;
    int node = map_get(p->cfg->first_node, LLVMGetInstructionParent(i));
    if (distance == 1 || (distance == 0 && !body->shapes->masked[node]))
        return (struct way){.access = ACCESS_GUESS, .apart = distance, .in_page = in_page};
    if (!LLVMIsALoadInst(i))
        return gather;
    if (panel_suits(p->kernel, body->shapes, p->unit->options, i)) /* gathers fill it, and rows read it as it is */
        return gather;
    if (lanes & (lanes - 1) || !(way.stretch = stretch_of(p->kernel, body->shapes, i)))
        return gather;
    way.at_once = p->image->facts.vector_bits / 8 / size;
    if (way.at_once > lanes)
        way.at_once = lanes;
    way.length = LINE / size < USUAL_LENGTH ? LINE / size : USUAL_LENGTH;
    if (way.length < way.at_once)
        way.length = way.at_once;
    way.can_skip = p->image->facts.has_masks; /* AVX2's masked loads take three times as long */
    bool pays = cost_prefers_stretches(&p->image->facts, &way);
    return pays && stretch_can_be(way.stretch, way.length) ? way : gather;
}

/* Whether a barrier in the loops around a node keeps the blocks of a tile together: otherwise each runs all of the
 * loops before the next block does. */
static bool is_kept_together(const struct cfg *cfg, int node)
{
    int outer = cfg->nodes[node].loop;
    while (cfg->loops[outer].parent >= 0)
        outer = cfg->loops[outer].parent;
    for (int at = cfg->loops[outer].header; at <= cfg->loops[outer].last; at++)
        if (cfg->nodes[at].barrier)
            return true;
    return false;
}

/* Returns how many bytes farther a load in a loop of a tile reads in the next round, from barrier to barrier, if it is
 * to ask the cache for that: if a tile reads pieces of several rows, since processors do not follow so many. The
 * arithmetic of a round is then long enough for them to come. */
static long bytes_to_next_round(const struct planner *p, const struct body *body, LLVMValueRef load, long most)
{
    enum { LINE = 64 }; /* of the cache: rows need not begin with one */
    const struct cfg *cfg = p->cfg;
    const struct loop *loop = &cfg->loops[cfg->nodes[map_get(cfg->first_node, LLVMGetInstructionParent(load))].loop];
    bool has_barrier = false;
    for (int at = loop->header; at <= loop->last; at++)
        has_barrier |= cfg->nodes[at].barrier != NULL;
    long gain = has_barrier && p->kernel->box_rank > 1 && shape_of(body->shapes, LLVMGetOperand(load, 0)).rows
                    ? stretch_gain(body->shapes, load)
                    : 0;
    return gain == 0 || labs(gain) > most ? 0 : gain > 0 ? gain + LINE : gain - LINE;
}

/* Returns by how many bytes the elements that the next row of tiles reads lie farther, if a tile is one row of threads,
 * and all tiles of a row read the same: most probably there is one, which goes along a row of an array. It reads the
 * row at once, and computes then, so that the processor waits for each row. If it reads the row several times, each
 * time asks, because processors drop some requests of so many (by bench/ports/layernorm). */
static long bytes_to_next_row(const struct planner *p, LLVMValueRef load)
{
    enum { MOST = 16384 }; /* more would take too much of the second cache */
    struct shape shape = shape_of(p->next_row, LLVMGetOperand(load, 0));
    return shape.kind == SHAPE_LINEAR && labs(shape.stride) <= MOST ? shape.stride : 0;
}

/* Returns by how many bytes the elements that the next block reads, or the next tile but one, lie farther, if an
 * access should ask the cache for them; those of the next tile may come too late. It pays if a tile reads pieces of
 * several rows, in a loop, because processors notice no such pattern, and if no other tile reads them. Returns 0 if it
 * does not pay. In the plan for large boxes, all accesses ask that lead (leading.c). */
static long bytes_to_next(const struct planner *p, const struct body *body, LLVMValueRef access)
{
    enum { LEAST = 512, MOST = 4096, AHEAD = 2 };
    int node = map_get(p->cfg->first_node, LLVMGetInstructionParent(access));
    bool is_store = LLVMIsAStoreInst(access) != NULL;
    LLVMValueRef address = LLVMGetOperand(access, is_store);
    if (origin_of(p->kernel, address).kinds != ORIGIN_ARRAY)
        return 0;
    if (p->image->facts.ahead) {
        bool leads = is_store ? p->stores_ask && leading_is_first(access) : map_get(p->followers, access) < 0;
        long ahead = shape_of(body->shapes, address).stride > 0 ? p->image->facts.ahead : -p->image->facts.ahead;
        return leads ? ahead : 0;
    }
    if (!p->next || is_store)
        return 0;
    struct shape shape = shape_of(p->next, LLVMGetOperand(access, 0));
    long to_next_row = p->next_row && shape.kind == SHAPE_UNIFORM ? bytes_to_next_row(p, access) : 0;
    if (to_next_row)
        return to_next_row;
    if (p->cfg->nodes[node].loop < 0)
        return 0;
    bool is_read_once = p->kernel->box_rank == 1 || shape.rows;
    long bytes = shape.stride * (body->block.tiles > 1 ? body->block.tiles : 1);
    if (shape.kind != SHAPE_LINEAR || !is_read_once || bytes > MOST || bytes < -MOST)
        return bytes_to_next_round(p, body, access, MOST);
    int threads = body->block.lanes * body->block.vectors;
    long apart = shape_of(body->shapes, LLVMGetOperand(access, 0)).stride;
    while (labs(threads * apart) < LEAST)
        threads *= 2;
    bool is_in_tile = p->kernel->box_rank == 1 && threads < p->kernel->tile[0];
    return is_in_tile && !is_kept_together(p->cfg, node) ? threads * apart : AHEAD * bytes;
}

/* Whether lanes access tile memory at places that lie a known distance apart, and the target's gathers and scatters are
 * scalars, too, with a branch for each under a mask; or slow under masks. In tile memory all lanes' elements can be
 * loaded, and stored as they were if their lanes are off, because no other worker has that memory; it only needs room
 * around it for lanes that are off and would be outside. */
static bool is_apart(const struct planner *p, const struct body *body, LLVMValueRef i, long bytes)
{
    const struct facts *facts = &p->image->facts;
    bool is_masked = body->shapes->masked[map_get(p->cfg->first_node, LLVMGetInstructionParent(i))];
    bool gathers = facts->has_masks && !(facts->fast_scatter > 0 && is_masked);
    return !gathers && !p->plan->is_described && labs(bytes) * (body->block.lanes - 1) <= MOST_ROOM &&
           origin_of(p->kernel, LLVMGetOperand(i, LLVMIsAStoreInst(i) != NULL)).kinds == ORIGIN_TILE;
}

/* Whether a contiguous store is to memory that no other worker has, and the target has no good stores under masks: it
 * can then store what lanes that are off have there as it was. AVX2's masked stores take AMD's processors ten times as
 * long. */
static bool is_blended(const struct planner *p, LLVMValueRef store)
{
    return !p->image->facts.has_masks && !p->plan->is_described &&
           !(origin_of(p->kernel, LLVMGetOperand(store, 1)).kinds & ~(ORIGIN_TILE | ORIGIN_PRIVATE));
}

/* Whether an address is in a private array whose elements lie next to those of the other lanes. */
static bool is_interleaved(const struct planner *p, LLVMValueRef address)
{
    struct origin origin = origin_of(p->kernel, address);
    return origin.kinds == ORIGIN_PRIVATE && origin.variable && interleave_size(origin.variable) > 0;
}

/* Returns how far outside of tile memory lanes of a body may be that are off. */
static long find_tile_room(const struct planner *p, const struct body *body)
{
    struct block block = body->block;
    bool has_border = p->kernel->tiled && p->kernel->tile[p->kernel->box_rank - 1] % (block.lanes * block.vectors) != 0;
    long most = 0;
    for (int at = 0; at < p->cfg->n; at++)
        for (LLVMValueRef i = p->cfg->nodes[at].first; i != p->cfg->nodes[at].end; i = LLVMGetNextInstruction(i)) {
            bool store = LLVMIsAStoreInst(i) != NULL;
            if ((!store && !LLVMIsALoadInst(i)) || (!body->shapes->masked[at] && !has_border) ||
                (plan_way(body, i)->access != ACCESS_APART && (!plan_way(body, i)->blends || plan_way(body, i)->owns)))
                continue;
            long room = labs(shape_of(body->shapes, LLVMGetOperand(i, store)).stride) * (block.lanes - 1);
            most = room > most ? room : most;
        }
    return most;
}

/* Decides for a load or store. */
static struct way way_of_access(const struct planner *p, const struct body *body, LLVMValueRef i)
{
    enum { SOON = 8192 }; /* a quarter of a first cache, in bytes */
    bool store = LLVMGetInstructionOpcode(i) == LLVMStore;
    struct shape pointer = shape_of(body->shapes, LLVMGetOperand(i, store));
    LLVMTypeRef type = store ? LLVMTypeOf(LLVMGetOperand(i, 0)) : LLVMTypeOf(i);
    int lanes = body->block.lanes;
    if (LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic)
        return (struct way){.access = ACCESS_LANE_BY_LANE};
    if (pointer.kind == SHAPE_UNIFORM || lanes == 1)
        return (struct way){.access = ACCESS_UNIFORM};
    if (!ir_is_element(type))
        return (struct way){.access = ACCESS_LANE_BY_LANE};
    long size = (long)LLVMStoreSizeOfType(p->layout, type), apart = pointer.stride / size;
    if (pointer.kind != SHAPE_LINEAR || pointer.stride % size)
        return way_of_gather(p, body, i);
    if (apart == 1 || apart == -1) {
        bool is_masked = body->shapes->masked[map_get(p->cfg->first_node, LLVMGetInstructionParent(i))];
        bool owns = store && apart == 1 && !p->plan->is_described && predicates_own(p->kernel, body->shapes, i);
        bool is_own = apart == 1 && is_interleaved(p, LLVMGetOperand(i, store));
        long next = bytes_to_next(p, body, i);
        return (struct way){.access = apart == 1 ? ACCESS_CONTIGUOUS : ACCESS_REVERSED,
                            .blends = owns || (store && is_own) || (store && apart == 1 && is_blended(p, i)),
                            .owns = owns,
                            .is_own = is_own,
                            .hides = p->image->facts.masked_bytes > 0,
                            .in_page = can_read_page(p, i),
                            .is_between = !store && is_masked && between_others(body->shapes, i),
                            .next = next,
                            .is_soon = !p->image->facts.ahead && labs(next) <= SOON};
    }
    bool is_skipped = facts_can_mask(&p->image->facts, size);
    if (store && !p->image->facts.has_masks)
        is_skipped = false; /* AVX2's masked stores take AMD's processors ten times as long as one for each element */
    if (apart > 1 && apart <= MAX_APART && apart * lanes <= MAX_ELEMENTS && is_skipped)
        return (struct way){.access = ACCESS_STRIDED, .apart = (int)apart};
    if (is_apart(p, body, i, pointer.stride))
        return (struct way){.access = ACCESS_APART, .apart = (int)apart};
    return way_of_gather(p, body, i);
}

/* Lets gathers and scatters be scalars where these are faster if all lanes are on. Those whose places come from memory
 * stay what they are: in large arrays, a gather waits for more lines of the cache at once than scalars do. */
static void choose_scalars(const struct planner *p, const struct body *body, LLVMValueRef i, struct way *way)
{
    bool is_store = LLVMIsAStoreInst(i) != NULL;
    LLVMTypeRef type = is_store ? LLVMTypeOf(LLVMGetOperand(i, 0)) : LLVMTypeOf(i);
    struct shape pointer = shape_of(body->shapes, LLVMGetOperand(i, is_store));
    long size = (long)LLVMStoreSizeOfType(p->layout, type);
    way->loads_all = way->access == ACCESS_GATHER && !is_store && !p->image->facts.has_masks;
    if (p->image->facts.by_scalars == 0 || size == 0)
        return;
    if (way->access == ACCESS_GUESS)
        way->by_scalars = is_store;
    if (way->access == ACCESS_GATHER && pointer.kind == SHAPE_LINEAR && pointer.stride % size == 0) {
        way->apart = (int)(pointer.stride / size);
        way->by_scalars = labs(pointer.stride) < INT_MAX;
    }
}

/* Whether the atomic operations of all lanes become one: they go to one place, and the old value is not used. */
static bool is_combined(const struct planner *p, const struct body *body, LLVMValueRef i)
{
    return LLVMIsAAtomicRMWInst(i) && !origin_is_local(p->kernel, LLVMGetOperand(i, 0)) && !LLVMGetFirstUse(i) &&
           shape_of(body->shapes, LLVMGetOperand(i, 0)).kind == SHAPE_UNIFORM &&
           sums_can_combine(LLVMGetAtomicRMWBinOp(i));
}

/* Decides for a call of the math library that differs between lanes. */
static struct way way_of_math(const struct planner *p, const struct body *body, LLVMValueRef call)
{
    struct way way = {.work = WORK_LANE_BY_LANE};
    if (!p->image->facts.has_libmvec || p->unit->options->precise_math || calls_of(call)->lanes != LANES_libmvec)
        return way;
    way.at_once = p->image->facts.vector_bits / (int)LLVMSizeOfTypeInBits(p->layout, LLVMTypeOf(call));
    if (way.at_once > body->block.lanes)
        way.at_once = body->block.lanes;
    way.function = calls_libmvec_name(call, way.at_once);
    way.work = way.function ? WORK_MATH : WORK_LANE_BY_LANE;
    return way;
}

/* Decides for a call or an atomic operation. */
static struct way way_of_work(const struct planner *p, const struct body *body, LLVMValueRef i)
{
    bool is_call = LLVMGetInstructionOpcode(i) == LLVMCall;
    enum call_lanes lanes = calls_of(i)->lanes;
    if (lanes == LANES_none)
        return (struct way){.work = WORK_NONE};
    if (body->block.lanes == 1 || (is_call ? shape_of(body->shapes, i).kind != SHAPE_VARYING : is_combined(p, body, i)))
        return (struct way){.work = WORK_ONCE};
    if (lanes == LANES_vector || lanes == LANES_vector_first)
        return (struct way){.work = WORK_VECTOR};
    return is_call ? way_of_math(p, body, i) : (struct way){.work = WORK_LANE_BY_LANE};
}

/* Whether a value is so small that what lanes that are off have of it can be computed in 64 bits. */
static bool is_bounded(LLVMValueRef value)
{
    if (LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 32)
        return true;
    if (LLVMIsAConstantInt(value))
        return LLVMConstIntGetSExtValue(value) == (int)LLVMConstIntGetSExtValue(value);
    if (LLVMIsASExtInst(value))
        return is_bounded(LLVMGetOperand(value, 0));
    LLVMOpcode opcode = LLVMIsAInstruction(value) ? LLVMGetInstructionOpcode(value) : LLVMRet;
    return (opcode == LLVMAdd || opcode == LLVMSub) && is_bounded(LLVMGetOperand(value, 0)) &&
           is_bounded(LLVMGetOperand(value, 1));
}

static bool is_unsigned(LLVMIntPredicate predicate)
{
    return predicate == LLVMIntULT || predicate == LLVMIntULE || predicate == LLVMIntUGT || predicate == LLVMIntUGE;
}

/* Whether lanes compare a value that grows from lane to lane with one that all have, as distances from lane 0. These
 * are small, so one vector of bytes does what would take several. */
static bool is_by_steps(const struct planner *p, const struct body *body, LLVMValueRef comparison)
{
    int o = widen_linear_side(body->shapes, comparison), lanes = body->block.lanes;
    LLVMValueRef linear = LLVMGetOperand(comparison, o < 0 ? 0 : (unsigned)o);
    bool is_assumed = shape_of(body->shapes, comparison).kind != SHAPE_VARYING; /* to be the same for all lanes */
    if (lanes == 1 || o < 0 || is_assumed || is_unsigned(LLVMGetICmpPredicate(comparison)))
        return false;
    long most = labs(shape_of(body->shapes, linear).stride) * (lanes - 1);
    return most < INT8_MAX && lanes * (int)LLVMGetIntTypeWidth(LLVMTypeOf(linear)) > p->image->facts.vector_bits &&
           shape_of(body->shapes, linear).no_wrap && exact_is_possible(body->shapes, linear) && is_bounded(linear);
}

/* Returns the distance, in elements, between what neighbouring lanes access, if it is small enough for members that are
 * done together; otherwise 0. */
static int distance_for_members(const struct planner *p, const struct body *body, LLVMValueRef i)
{
    unsigned address;
    LLVMTypeRef type = ir_accessed_type(i, &address);
    if (!type || (!LLVMIsALoadInst(i) && !LLVMIsAStoreInst(i)) || body->block.lanes == 1)
        return 0;
    enum access access = plan_way(body, i)->access;
    struct shape pointer = shape_of(body->shapes, LLVMGetOperand(i, address));
    long size = (long)LLVMStoreSizeOfType(p->layout, type), apart = pointer.stride / size;
    bool is_small = apart > 1 && apart <= MAX_APART && apart * body->block.lanes <= MAX_ELEMENTS;
    bool is_joinable = access == ACCESS_STRIDED || access == ACCESS_APART || access == ACCESS_GATHER;
    return is_joinable && pointer.kind == SHAPE_LINEAR && is_small && pointer.stride % size == 0 ? (int)apart : 0;
}

/* Lets accesses to neighbouring members be done together. Without masks in the target, that takes all members. With
 * masks, those in tile memory begin where its lines of the cache do: vectors of other blocks then begin there, too, and
 * no load waits for a store of a block before. */
static void join_members(const struct planner *p, struct body *body, struct way *ways)
{
    bool has_masks = p->image->facts.has_masks;
    for (int at = 0; at < p->cfg->n; at++)
        for (LLVMValueRef i = p->cfg->nodes[at].first; i != p->cfg->nodes[at].end; i = LLVMGetNextInstruction(i)) {
            int apart = distance_for_members(p, body, i);
            if (apart == 0 || plan_way(body, i)->members)
                continue;
            const struct members *members = members_of(p->kernel, &p->cfg->nodes[at], i, apart, has_masks);
            if (!members || (!has_masks && (members->n < apart || body->shapes->masked[at])))
                continue;
            for (int k = 0; k < members->n; k++)
                ways[map_get(body->shapes->numbers, members->accesses[k])] =
                    (struct way){.access = ACCESS_STRIDED, .apart = apart, .members = members, .can_skip = has_masks};
        }
}

/* Whether neighbouring members of structs that are large, or lie at unrelated places, can be done together: each lane's
 * are a vector of two or four elements, of three if a vector of two and one can be made of them, or a word. What lies
 * between them is only loaded. */
static bool can_join_apart(const struct planner *p, const struct body *body, const struct members *members)
{
    unsigned address;
    int size = (int)LLVMStoreSizeOfType(p->layout, ir_accessed_type(members->at, &address));
    int elements = members->places[members->n - 1] + 1, bytes = size * elements, lanes = body->block.lanes;
    bool is_store = LLVMIsAStoreInst(members->at) != NULL;
    for (int k = 0; k < members->n; k++)
        if (plan_way(body, members->accesses[k])->access != ACCESS_GATHER ||
            plan_way(body, members->accesses[k])->members)
            return false;
    if (is_store && members->n < elements)
        return false;
    return elements == 3 ? size == 4 && lanes >= 4
                         : bytes <= WORD_BYTES || (bytes == PIECE_BYTES && lanes * size >= PIECE_BYTES);
}

/* Lets such members be done together. Under a mask, loads can be: where lanes are off, they load what they do not need.
 */
static void join_apart(const struct planner *p, struct body *body, struct way *ways)
{
    for (int at = 0; at < p->cfg->n; at++)
        for (LLVMValueRef i = p->cfg->nodes[at].first; i != p->cfg->nodes[at].end; i = LLVMGetNextInstruction(i)) {
            unsigned address;
            LLVMTypeRef type = ir_accessed_type(i, &address);
            if (!type || (!LLVMIsALoadInst(i) && !LLVMIsAStoreInst(i)) || plan_way(body, i)->access != ACCESS_GATHER ||
                plan_way(body, i)->members)
                continue;
            int size = (int)LLVMStoreSizeOfType(p->layout, type), most = PIECE_BYTES / size;
            const struct members *members =
                members_of(p->kernel, &p->cfg->nodes[at], i, most < MAX_MEMBERS ? most : MAX_MEMBERS, false);
            if (!members || !can_join_apart(p, body, members))
                continue;
            for (int k = 0; k < members->n; k++) {
                struct way *way = &ways[map_get(body->shapes->numbers, members->accesses[k])];
                way->members = members;
                way->can_skip = LLVMIsALoadInst(i) != NULL;
                way->gathers_words =
                    way->can_skip && p->image->facts.has_masks && size * (members->places[members->n - 1] + 1) >= 4;
            }
        }
}

/* Returns how many blocks a tile takes. Where there are no tiles, or where several share a block, that is one. */
static int blocks_of_tile(const struct kernel *k, struct block block)
{
    if (!k->tiled || block.tiles > 1)
        return 1;
    int width = block.lanes * block.vectors, n = (k->tile[k->rank - 1] + width - 1) / width;
    for (int d = 0; d < k->rank - 1; d++)
        n *= k->tile[d];
    return n / block.rows;
}

/* Returns how many vectors of sums stay in registers, beside what a loop computes with (by bench/ports/moments). */
static int room_for_sums(const struct planner *p)
{
    return p->image->facts.kept_vectors * 5 / 6; /* by bench/ports/moments with AVX2 */
}

/* Returns how many vectors with that many lanes the sums of a box take that wait for its end (sums.h). */
static int vectors_of_sums(const struct planner *p, const struct body *body, int lanes)
{
    unsigned long long bits = 0;
    for (int at = 0; at < p->cfg->n; at++)
        for (LLVMValueRef i = p->cfg->nodes[at].first; i != p->cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
            if (LLVMIsAAtomicRMWInst(i) && plan_way(body, i)->sum == i)
                bits += (unsigned long long)lanes * LLVMSizeOfTypeInBits(p->layout, LLVMTypeOf(i));
    return bits > 0 ? (int)(bits / (unsigned long long)p->image->facts.vector_bits) : 0;
}

/* Whether operations may wait (sums.h): not on GPUs, where each thread has its own, and not for debuggers or
 * `checked`. */
static bool has_sums(const struct planner *p)
{
    const struct target *target = p->image->target;
    return !target->has_grid && !target->has_checks && p->unit->options->opt_level > 0 && !p->plan->is_described;
}

static struct body make_body(const struct planner *p, const struct shapes *shapes, struct block block)
{
    struct way *ways = arena_alloc((size_t)shapes->n_values * sizeof *ways);
    struct body body = {block, shapes, ways, blocks_of_tile(p->kernel, block)};
    for (int at = 0; at < p->cfg->n; at++)
        for (LLVMValueRef i = p->cfg->nodes[at].first; i != p->cfg->nodes[at].end; i = LLVMGetNextInstruction(i)) {
            struct way *way = &ways[map_get(shapes->numbers, i)];
            if (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) {
                *way = way_of_access(p, &body, i);
                choose_scalars(p, &body, i, way);
            } else if (LLVMIsACallInst(i) || LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i))
                *way = way_of_work(p, &body, i);
            else if (LLVMIsAICmpInst(i))
                way->by_steps = is_by_steps(p, &body, i);
        }
    join_members(p, &body, ways);
    join_apart(p, &body, ways);
    bool is_trial = p->plan->tried.block.lanes == 0; /* its lanes may be more than one vector has */
    if (has_sums(p))
        sums_plan(p->kernel, shapes, block.lanes, is_trial ? INT_MAX : room_for_sums(p) * p->image->facts.vector_bits,
                  ways);
    int sums = vectors_of_sums(p, &body, block.lanes);
    body.sum_chains = sums > 0 ? room_for_sums(p) / sums : 0;
    int last = p->kernel->tile[p->kernel->box_rank - 1];
    if (!p->kernel->tiled || last % block.lanes == 0) /* otherwise rows of a tile end under a mask */
        whole_nodes(p->kernel, &p->image->facts, &body);
    stretch_sums_nodes(p->kernel, &p->image->facts, &body, ways);
    return body;
}

/* ---- the block ---- */

/* Whether all memory that lanes access side by side holds 64-bit elements. */
static bool is_wide(const struct planner *p)
{
    int wide = 0, narrow = 0;
    for (int at = 0; at < p->cfg->n; at++)
        for (LLVMValueRef i = p->cfg->nodes[at].first; i != p->cfg->nodes[at].end; i = LLVMGetNextInstruction(i)) {
            bool load = LLVMGetInstructionOpcode(i) == LLVMLoad, store = LLVMGetInstructionOpcode(i) == LLVMStore;
            if (!load && !store)
                continue;
            if (shape_of(p->plan->truth, LLVMGetOperand(i, load ? 0 : 1)).kind == SHAPE_UNIFORM)
                continue;
            LLVMTypeRef type = load ? LLVMTypeOf(i) : LLVMTypeOf(LLVMGetOperand(i, 0));
            *(LLVMABISizeOfType(p->layout, type) == 8 ? &wide : &narrow) += 1;
        }
    return wide > 0 && narrow == 0;
}

static int largest_divisor(int n, int limit)
{
    int divisor = limit < n ? limit : n;
    while (n % divisor)
        divisor--;
    return divisor;
}

/* Whether lanes leave the loop at different times. */
static bool is_left_by_lanes(const struct shapes *shapes, int loop)
{
    const struct cfg *cfg = shapes->cfg;
    for (int at = cfg->loops[loop].header; at <= cfg->loops[loop].last; at++)
        for (int s = 0; s < cfg->nodes[at].n_succ; s++)
            if ((shapes->divergent[at] || (shapes->masked[at] && !shapes->masked[cfg->loops[loop].header])) &&
                !cfg_in_loop(cfg, cfg->nodes[at].succ[s], loop))
                return true;
    return false;
}

static bool has_loop_left_by_lanes(const struct shapes *shapes)
{
    for (int l = 0; l < shapes->cfg->n_loops; l++)
        if (is_left_by_lanes(shapes, l))
            return true;
    return false;
}

/* Returns how many vectors a loop needs at once: those that it carries, and those that it reads from outside, with or
 * without those that are carried into its first iteration. */
static int values_in_loop(const struct shapes *shapes, int l, bool with_first)
{
    const struct cfg *cfg = shapes->cfg;
    const struct loop *loop = &cfg->loops[l];
    struct map *seen = map_new();
    int n = 0;
    for (int at = loop->header; at <= loop->last; at++)
        for (LLVMValueRef i = cfg->nodes[at].first; i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i)) {
            bool is_carried = at == loop->header && LLVMIsAPHINode(i);
            n += is_carried && shape_of(shapes, i).kind == SHAPE_VARYING;
            for (int o = 0; o < LLVMGetNumOperands(i) && (with_first || !is_carried); o++) {
                LLVMValueRef operand = LLVMGetOperand(i, (unsigned)o);
                if (!LLVMIsAInstruction(operand) || shape_of(shapes, operand).kind != SHAPE_VARYING ||
                    map_get(seen, operand) >= 0)
                    continue;
                map_set(seen, operand, 1);
                int maker = map_get(cfg->first_node, LLVMGetInstructionParent(operand));
                n += maker >= 0 && !cfg_in_loop(cfg, maker, l);
            }
        }
    return n;
}

/* Returns the most that a loop needs in which some lanes may be off; 0 if there is none. */
static int divergent_loop_values(const struct shapes *shapes)
{
    int most = 0;
    for (int l = 0; l < shapes->cfg->n_loops; l++) {
        int n = shapes->masked[shapes->cfg->loops[l].header] ? values_in_loop(shapes, l, true) : 0;
        most = n > most ? n : most;
    }
    return most;
}

/* Whether the loop, or the kernel for -1, calls functions for vectors, which leave nothing in the registers. */
static bool calls_functions(const struct planner *p, int loop)
{
    for (int at = 0; at < p->cfg->n; at++)
        for (LLVMValueRef i = p->cfg->nodes[at].first; i != p->cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
            if (cfg_in_loop(p->cfg, at, loop) && LLVMIsACallInst(i) && plan_way(&p->plan->tried, i)->work == WORK_MATH)
                return true;
    return false;
}

/* Returns the most that an innermost loop needs in registers. */
static int innermost_loop_values(const struct planner *p, const struct shapes *shapes)
{
    int most = 0;
    for (int l = 0; l < shapes->cfg->n_loops; l++) {
        int n = cfg_is_innermost(shapes->cfg, l) && !calls_functions(p, l) ? values_in_loop(shapes, l, false) : 0;
        most = n > most ? n : most;
    }
    return most;
}

/* Returns the most that a loop carries from one iteration to the next in registers. */
static int carried_values(const struct planner *p, const struct shapes *shapes)
{
    int most = 0;
    for (int l = 0; l < shapes->cfg->n_loops; l++) {
        const struct node *header = &shapes->cfg->nodes[shapes->cfg->loops[l].header];
        int n = 0;
        for (LLVMValueRef i = header->first; i != header->end && LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
            n += shape_of(shapes, i).kind == SHAPE_VARYING;
        if (n > most && !calls_functions(p, l))
            most = n;
    }
    return most;
}

static bool has_atomics(const struct cfg *cfg)
{
    for (int at = 0; at < cfg->n; at++)
        for (LLVMValueRef i = cfg->nodes[at].first; i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
            if (LLVMIsAAtomicRMWInst(i))
                return true;
    return false;
}

/* Whether the threads of an untiled kernel are much faster one after another. */
static bool is_better_scalar(const struct planner *p)
{
    return !p->kernel->tiled && p->plan->cost.one < 0.6 * p->plan->cost.lanes;
}

/* Whether so many nodes would run under masks that LLVM would take minutes: the time of its passes over the slots of
 * masks, and of values that nodes hand on, grows with the square of their number. */
static bool has_too_many_masks(const struct shapes *shapes)
{
    enum { MOST_MASKED = 1000 };
    int n = 0;
    for (int at = 0; at < shapes->cfg->n; at++)
        n += shapes->masked[at];
    return n > MOST_MASKED;
}

/* Returns how many accesses of private memory may be gathers and scatters before LLVM takes minutes: without AVX-512
 * each becomes a branch for every lane, of which there are usually up to 8 then. */
static int most_gathers(const struct planner *p)
{
    enum { MOST_GATHERS = 250, USUAL_LANES = 8 };
    int asked = p->kernel->lanes;
    return asked > USUAL_LANES ? MOST_GATHERS * USUAL_LANES / asked : MOST_GATHERS;
}

static bool has_too_many_gathers(const struct planner *p, const struct body *body)
{
    int n = 0;
    for (int at = 0; at < p->cfg->n; at++)
        for (LLVMValueRef i = p->cfg->nodes[at].first; i != p->cfg->nodes[at].end; i = LLVMGetNextInstruction(i)) {
            if ((!LLVMIsALoadInst(i) && !LLVMIsAStoreInst(i)) || plan_way(body, i)->access != ACCESS_GATHER)
                continue;
            LLVMValueRef pointer = LLVMGetOperand(i, LLVMIsAStoreInst(i) != NULL);
            n += origin_of(p->kernel, pointer).kinds == ORIGIN_PRIVATE;
        }
    return n > most_gathers(p);
}

/* Returns how many vectors of a block fit into the registers, if a loop carries `carried` values for each. */
static int registers_for(const struct planner *p, int carried)
{
    int registers = p->image->facts.kept_vectors / (carried > 1 ? carried : 1);
    return registers > 1 ? registers : 1;
}

/* Whether a tile's threads read or write tile memory so under a mask. */
static bool accesses_tile(const struct planner *p, enum access access)
{
    for (int at = 0; at < p->cfg->n && p->kernel->tiled; at++)
        for (LLVMValueRef i = p->cfg->nodes[at].first; i != p->cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
            if ((LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) && p->plan->truth->masked[at] &&
                !(p->plan->windows && p->plan->windows[at]) && plan_way(&p->plan->tried, i)->access == access &&
                origin_of(p->kernel, LLVMGetOperand(i, LLVMIsAStoreInst(i) != NULL)).kinds == ORIGIN_TILE)
                return true;
    return false;
}

/* Whether they do at unrelated places, as in a tree of partial sums, or at such that lie apart, as along a diagonal.
 * Lanes that have nothing to do there are skipped a block at a time, so blocks should be small. */
static bool gathers_in_tile(const struct planner *p)
{
    return accesses_tile(p, ACCESS_GATHER) || accesses_tile(p, ACCESS_APART);
}

/* Whether a tile's threads read neighbouring wide elements of an array in a loop that they leave at different times, as
 * where all threads together stride over it. Each pass reads a piece of another page, which should be long. With narrow
 * elements, the index would take more vectors than they do. */
static bool strides_over_arrays(const struct planner *p, const struct shapes *shapes)
{
    const struct cfg *cfg = p->cfg;
    for (int at = 0; at < cfg->n && p->kernel->tiled && is_wide(p); at++)
        for (LLVMValueRef i = cfg->nodes[at].first; i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
            if (LLVMIsALoadInst(i) && cfg->nodes[at].loop >= 0 &&
                shapes->masked[cfg->loops[cfg->nodes[at].loop].header] &&
                plan_way(&p->plan->tried, i)->access == ACCESS_CONTIGUOUS &&
                origin_of(p->kernel, LLVMGetOperand(i, 0)).kinds == ORIGIN_ARRAY)
                return true;
    return false;
}

/* Returns how many vectors hide each other's latency. Convoys go through wide elements fastest by two lines of the
 * cache at a time (by bench/dot, with AVX-512 on a Zen 4). */
static int vectors_that_hide(const struct planner *p, const struct shapes *shapes)
{
    if (p->kernel->has_convoys && is_wide(p) && p->image->facts.vector_bits > 256)
        return 2;
    return strides_over_arrays(p, shapes) ? 8 : 4;
}

/* Whether accesses are made element by element. */
static bool has_gathers(const struct planner *p)
{
    for (int at = 0; at < p->cfg->n; at++)
        for (LLVMValueRef i = p->cfg->nodes[at].first; i != p->cfg->nodes[at].end; i = LLVMGetNextInstruction(i)) {
            bool is_access = LLVMIsALoadInst(i) || LLVMIsAStoreInst(i);
            enum access access = is_access ? plan_way(&p->plan->tried, i)->access : ACCESS_UNIFORM;
            bool is_atomic = LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i);
            if ((is_atomic && plan_way(&p->plan->tried, i)->work != WORK_SUM) ||
                (access > ACCESS_REVERSED && access != ACCESS_GUESS))
                return true;
        }
    return false;
}

/* Returns how many of a node's stores to, or loads from, memory that threads share become scalars, because all lanes
 * are on. */
static int count_scalars(const struct planner *p, int at, bool of_stores)
{
    const struct body *tried = &p->plan->tried;
    int n = 0;
    if (p->image->facts.by_scalars == 0 || (tried->shapes->masked[at] && !(tried->whole && tried->whole[at])))
        return 0;
    for (LLVMValueRef i = p->cfg->nodes[at].first; i != p->cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
        if (of_stores ? LLVMIsAStoreInst(i) : LLVMIsALoadInst(i))
            n += plan_way(tried, i)->by_scalars &&
                 origin_of(p->kernel, LLVMGetOperand(i, of_stores)).kinds != ORIGIN_PRIVATE;
    return n;
}

static bool has_scalars(const struct planner *p, bool of_stores)
{
    for (int at = 0; at < p->cfg->n; at++)
        if (count_scalars(p, at, of_stores) > 0)
            return true;
    return false;
}

/* Returns how many scalars a thread stores at once, if it does little else; in loops it does. */
static int count_waiting_stores(const struct planner *p)
{
    int most = 0;
    for (int at = 0; at < p->cfg->n && p->cfg->n_loops == 0; at++) {
        int n = count_scalars(p, at, true);
        most = n > most ? n : most;
    }
    return most;
}

/* Whether the threads of an untiled kernel part, and none of their accesses is made element by element. Two vectors
 * then hide each other's latency, and it is easier to foresee whether some lane takes a branch; but both run what a few
 * lanes take, so there are more only where each result waits for the one before. */
static bool parts_without_gathers(const struct planner *p, const struct shapes *shapes)
{
    return !p->kernel->tiled && shapes->any_divergent && !has_gathers(p);
}

/* Whether the blocks of a convoy should be long: they keep nothing in registers from one turn to the next, and the
 * less a block takes besides, the more lines of memory the processor can wait for. A tile keeps several of them. */
static bool has_long_blocks(const struct planner *p, int lanes)
{
    const struct kernel *k = p->kernel;
    return k->has_convoys && lanes > 1 && !has_gathers(p) && (!k->tiled || k->tile[0] >= 16 * lanes);
}

/* Returns how many elements lanes' elements lie apart at most, if they lie so near that vectors are loaded or
 * stored. */
static int most_apart(const struct planner *p)
{
    int most = 1;
    for (int at = 0; at < p->cfg->n; at++)
        for (LLVMValueRef i = p->cfg->nodes[at].first; i != p->cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
            if ((LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) && plan_way(&p->plan->tried, i)->access == ACCESS_STRIDED &&
                plan_way(&p->plan->tried, i)->apart > most)
                most = plan_way(&p->plan->tried, i)->apart;
    return most;
}

/* Returns how many bits most numbers have that differ between lanes: 8, 16 or 32. Comparisons count with what they
 * compare, and places do not count where they follow the lanes. */
static int bits_of_most(const struct planner *p, const struct shapes *shapes)
{
    int n[4] = {0}; /* with 8, 16, 32 and more bits */
    for (int at = 0; at < p->cfg->n; at++)
        for (LLVMValueRef i = p->cfg->nodes[at].first; i != p->cfg->nodes[at].end; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef value =
                LLVMIsAICmpInst(i) || LLVMIsAFCmpInst(i) || LLVMIsAStoreInst(i) ? LLVMGetOperand(i, 0) : i;
            LLVMTypeRef type = LLVMTypeOf(value);
            LLVMTypeKind kind = LLVMGetTypeKind(type);
            if (kind == LLVMVoidTypeKind || shape_of(shapes, value).kind != SHAPE_VARYING)
                continue;
            unsigned long long bits = LLVMSizeOfTypeInBits(p->layout, type);
            if (kind != LLVMIntegerTypeKind)
                n[3]++;
            else if (bits > 1)
                n[bits <= 8 ? 0 : bits <= 16 ? 1 : bits <= 32 ? 2 : 3]++;
        }
    int narrow = n[0] + n[1], wide = n[2] + n[3];
    return narrow <= 2 * wide || n[3] ? 32 : n[0] > 4 * (n[1] + wide) ? 8 : 16;
}

/* Whether lanes that leave a loop at different times go along rows of their own, so that a block should have few: in
 * vectors they go only as far as all of them do; and where they gather, memory is fastest along few rows. With AVX2,
 * gathers take so long that this does not matter (by triangles and bands on an Intel Xeon). */
static bool goes_along_rows(const struct planner *p)
{
    const struct body *tried = &p->plan->tried;
    for (int at = 0; at < p->cfg->n; at++) {
        if (tried->stretch_sums[at] && tried->stretch_sums[at]->is_parted)
            return true;
        bool can_leave = p->cfg->nodes[at].loop >= 0 && is_left_by_lanes(tried->shapes, p->cfg->nodes[at].loop);
        for (LLVMValueRef i = p->cfg->nodes[at].first; can_leave && i != p->cfg->nodes[at].end;
             i = LLVMGetNextInstruction(i))
            if (p->image->facts.vector_bits >= 512 && LLVMIsALoadInst(i) &&
                plan_way(tried, i)->access == ACCESS_GATHER &&
                labs(stretch_gain(tried->shapes, i)) == (long)LLVMStoreSizeOfType(p->layout, LLVMTypeOf(i)))
                return true;
    }
    return false;
}

static int lanes_of_vector(const struct planner *p, const struct shapes *shapes)
{
    int bits = is_wide(p) ? 64 : 32, lanes = p->image->facts.vector_bits / bits;
    int wanted = lanes * 32 / bits_of_most(p, shapes);
    int apart = most_apart(p);
    while (lanes < wanted && 2 * lanes * apart <= MAX_ELEMENTS)
        lanes *= 2;
    return p->unit->options->opt_level == 0 ? 1 : lanes;
}

/* Returns how many of the lanes should run together if they store scalars: half of them (by bench/ports/fft), and fewer
 * where a thread stores so much at once that the processor has no room for more to wait: in 8 lanes, structs of 16
 * floats take 0.8 of their time in 4 on a Zen 5, those of 20 floats 1.7, and bench/lbm, with 19, 1.3. */
static int lanes_that_store(const struct planner *p, int lanes)
{
    enum { MOST_WAITING = 128 };
    int stores = count_waiting_stores(p);
    lanes /= 2;
    while (lanes > 4 && lanes * stores > MOST_WAITING)
        lanes /= 2;
    return lanes;
}

/* Chooses as many lanes as one vector has. Where lanes leave loops at different times, or part without gathers, it
 * takes several vectors, which hide each other's latency and a loop's own cost. It takes one lane where threads run
 * faster one by one, and, even if the user asks for more, where more would take minutes to compile; `why_scalar` then
 * says why. */
static int choose_lanes(const struct planner *p, const struct shapes *shapes)
{
    const struct kernel *k = p->kernel;
    const struct facts *facts = &p->image->facts;
    int lanes = lanes_of_vector(p, shapes), live = divergent_loop_values(shapes), room = facts->loop_vectors;
    bool leave = has_loop_left_by_lanes(shapes) || (k->tiled && (shapes->any_divergent || has_atomics(p->cfg)));
    if (leave && lanes > 1 && !gathers_in_tile(p) && !p->plan->windows && !goes_along_rows(p))
        lanes *= 4 * live > room ? 2 * live <= room ? 2 : 1 : vectors_that_hide(p, shapes);
    else if (has_long_blocks(p, lanes))
        lanes *= 4;
    else if (lanes > 1 && parts_without_gathers(p, shapes) &&
             2 * vectors_of_sums(p, &p->plan->tried, lanes) <= room_for_sums(p))
        lanes *= cost_hiding_vectors(k, facts, &p->plan->tried, p->layout) > 3 ? 4 : 2;
    if (lanes > 1 && facts->has_masks && accesses_tile(p, ACCESS_APART))
        lanes /= 2; /* of the scalars for more, most would be for lanes that are off */
    else if (lanes > 1 && has_scalars(p, true))
        lanes = lanes_that_store(p, lanes);
    if (is_better_scalar(p))
        lanes = 1;
    if (p->kernel->lanes)
        lanes = p->kernel->lanes;
    if (p->plan->is_described || has_too_many_masks(shapes) || has_too_many_gathers(p, &p->plan->tried))
        lanes = 1;
    int most = facts->has_masks || k->lanes ? MAX_LANES : facts->vector_bits / 8; /* elements of a mask in a vector */
    while (lanes > most || (k->tiled && lanes > 1 && lanes / 2 >= k->tile[k->box_rank - 1]))
        lanes /= 2;
    return lanes;
}

static bool has_stretches(const struct planner *p)
{
    for (int at = 0; at < p->cfg->n; at++)
        for (LLVMValueRef i = p->cfg->nodes[at].first; i != p->cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
            if (LLVMIsALoadInst(i) && ((p->plan->tried.stretch_sums[at] && p->plan->tried.stretch_sums[at]->n > 0) ||
                                       plan_way(&p->plan->tried, i)->access == ACCESS_STRETCHES))
                return true;
    return false;
}

/* Returns how many instructions the longest loop has in which lanes write along rows of their own. */
static int row_write_length(const struct planner *p)
{
    int most = 0;
    for (int at = 0; at < p->cfg->n; at++) {
        const struct stretch_sums *sums = p->plan->tried.stretch_sums[at];
        if (sums && sums->n_stores > 0 && sums->n_instructions > most)
            most = sums->n_instructions;
    }
    return most;
}

/* Chooses sizes that keep the values which a loop carries in registers. Where each lane goes along a stretch of its
 * own, as few lanes as hide each other's latency: all rows may have the same column in one set of the cache. */
static struct block choose_block(const struct planner *p, const struct shapes *shapes)
{
    const struct kernel *k = p->kernel;
    struct block block = {choose_lanes(p, shapes), 1, 1, 1};
    if (block.lanes == 1 || shapes->any_divergent)
        return block;
    struct reuse reuse = shape_reuse(shapes);
    int registers = registers_for(p, carried_values(p, shapes));
    bool rows = k->rank > 1 && !shapes->any_rows_branch && (k->tiled || reuse.over_rows);
    int most_vectors = rows ? 2 : 4, last = k->tile[k->box_rank - 1];
    if (!rows && p->cfg->n_loops == 0 && calls_functions(p, -1) && p->image->facts.vector_bits < 512)
        most_vectors = 8; /* by bench/blackscholes */
    int sums = vectors_of_sums(p, &p->plan->tried, block.lanes);
    bool has_reuse = reuse.over_vectors || reuse.calls;
    while (most_vectors > registers ||
           (most_vectors > 1 && !has_reuse && (sums == 0 || most_vectors * sums > room_for_sums(p))))
        most_vectors /= 2;
    int needed = innermost_loop_values(p, shapes), room = p->image->facts.vectors;
    if (!rows && most_vectors > 2 && most_vectors * needed > room && 2 * needed <= room)
        most_vectors = 2; /* by bench/nbody */
    bool has_long_vectors = p->image->facts.vector_bits >= 512;
    int most_stretches = has_long_vectors ? 16 : 8; /* by bench/mv, on a Zen 5 and a Zen 3 */
    while (has_stretches(p) && most_vectors > 1 && most_vectors * block.lanes > most_stretches)
        most_vectors /= 2;
    while (most_vectors > 1 && row_write_length(p) * most_vectors * block.lanes > STRETCH_CODE_MOST)
        most_vectors /= 2;
    if (!k->tiled) {
        block.vectors = k->has_convoys ? 1 : most_vectors; /* vectors of a convoy share no registers */
        if (rows && registers / block.vectors > 1)
            block.rows = registers / block.vectors;
        return block;
    }
    if (last % block.lanes == 0)
        block.vectors = largest_divisor(last / block.lanes, most_vectors);
    if (rows && registers / block.vectors > 1)
        block.rows = largest_divisor(k->tile[k->rank - 2], registers / block.vectors);
    return block;
}

static const char *why_scalar(const struct planner *p)
{
    int asked = p->kernel->lanes;
    if (asked == 1)
        return "amp_lanes(1) or --amp-lanes=1 asks for it";
    if (p->plan->is_described)
        return "-O0 -g asks for it, for debuggers; -O1 and above use lanes";
    if (p->unit->options->opt_level == 0 && !asked)
        return "-O0 asks for it; -O1 and above use lanes";
    if (has_too_many_masks(p->plan->truth))
        return "lanes part in more than 1000 places, too many for masks";
    if (has_too_many_gathers(p, &p->plan->tried))
        return arena_printf("%slanes would read and write memory of their own in more than %d places, too many for "
                            "gathers",
                            asked ? arena_printf("%d ", asked) : "", most_gathers(p));
    if (!asked && is_better_scalar(p))
        return arena_printf("lanes would take %.1f times as long, by the compiler's estimate",
                            p->plan->cost.lanes / p->plan->cost.one);
    return "the tile has one thread in its last dimension";
}

/* Plans a body. In tiles, guards of single accesses need not keep it from blocks of many rows. With 64-bit elements
 * that gains nothing (by bench/products): a row has two vectors then, and many rows leave their sums in memory. */
static struct body choose_body(const struct planner *p, const struct shapes *shapes)
{
    struct body body = make_body(p, shapes, choose_block(p, shapes));
    bool parts = shapes->any_divergent || shapes->any_rows_branch;
    bool gains_nothing = p->kernel->tiled && (p->kernel->box_rank < 2 || is_wide(p));
    if (gains_nothing || body.block.lanes == 1 || p->plan->windows || p->plan->is_described || !parts)
        return body;
    const struct shapes *predicated = predicates_find(p->kernel, &p->image->facts, shapes);
    if (!predicated)
        return body;
    struct block block = choose_block(p, predicated);
    if (!p->kernel->tiled && block.rows == 1 && block.lanes * block.vectors < body.block.lanes)
        block.vectors = body.block.lanes / block.lanes; /* as many threads hide each other's latency */
    struct body other = make_body(p, predicated, block);
    return !p->kernel->tiled || other.n_blocks < body.n_blocks ? other : body;
}

/* ---- several tiles at once ---- */

/* Lets small tiles share a block, as many beside one another as the registers have room for: what does not depend on
 * the tile's column is loaded once for all of them, whole cache lines are used, and several chains of arithmetic hide
 * each other's latency. */
static void choose_tiles(const struct planner *p)
{
    enum { MAX_TILES = 4 };
    struct block block = p->plan->body.block;
    const struct shapes *truth = p->plan->truth;
    int room = registers_for(p, shape_reuse(truth).carried) / (block.rows * block.vectors);
    if (block.lanes == 1 || p->plan->body.n_blocks > 1 || p->plan->windows || room < 2 || truth->any_divergent)
        return;
    const struct shapes *several = shape_analyse(p->kernel, p->cfg, SHAPE_TILES, NULL);
    if (several->any_rows_branch)
        return;
    block.tiles = room < MAX_TILES ? room : MAX_TILES;
    block.rows *= block.tiles;
    p->plan->tiles = make_body(p, several, block);
}

/* ---- a body away from the borders ---- */

enum { MOST_INNER_NODES = 50 }; /* of a body that is there twice or more */

/* Returns how many accesses of a body are made under a mask, or lane by lane. */
static int count_hard_accesses(const struct planner *p, const struct body *body)
{
    int n = 0;
    for (int at = 0; at < p->cfg->n; at++)
        for (LLVMValueRef i = p->cfg->nodes[at].first; i != p->cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
            n += (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) &&
                 (body->shapes->masked[at] || plan_way(body, i)->access >= ACCESS_GUESS);
    return n;
}

/* Plans a body of one row for blocks away from the borders; one without lanes if there are no guards, or if lanes part
 * there, too, unless they `may_part`. */
static struct body plan_inner(const struct planner *p, const struct map *guards, bool may_part)
{
    const struct shapes *shapes = guards ? shape_analyse(p->kernel, p->cfg, SHAPE_LANES, guards) : NULL;
    const struct shapes *predicated = shapes && shapes->any_divergent && may_part && !p->plan->is_described
                                          ? predicates_find(p->kernel, &p->image->facts, shapes)
                                          : NULL;
    shapes = predicated ? predicated : shapes;
    if (!shapes || (shapes->any_divergent && !may_part))
        return (struct body){0};
    struct block inner = choose_block(p, shapes);
    inner.rows = 1; /* only lanes were compared */
    if (inner.vectors < 2 && inner.lanes < MAX_LANES && !shapes->any_divergent && shape_reuse(shapes).carried == 0)
        inner.vectors = 2; /* so that ends are compared half as often; longer blocks would seldom fit into a row */
    return make_body(p, shapes, inner);
}

/* Whether threads at borders should run alone, between blocks of fewer and fewer lanes that have no border within. A
 * block at a border may read elements one by one that no gather has, though only a few of its threads read from
 * elsewhere, or its threads may part in each iteration of a loop. That must cost more than these few threads. */
static bool prefers_single_threads(const struct planner *p)
{
    /* A row has two borders, mostly of one thread, and there is one left over; alone, each waits for its results. */
    enum { GATHERED_BYTES = 4, BORDERS = 2, ALONE = 7, MASKED = 3 };
    const struct facts *facts = &p->image->facts;
    const struct body *general = &p->plan->body, *inner = &p->plan->inner;
    int n_apart = 0, n_masked = 0;
    for (int at = 0; at < p->cfg->n; at++)
        for (LLVMValueRef i = p->cfg->nodes[at].first; i != p->cfg->nodes[at].end; i = LLVMGetNextInstruction(i)) {
            if ((!LLVMIsALoadInst(i) && !LLVMIsAStoreInst(i)) || inner->shapes->masked[at] ||
                plan_way(inner, i)->access >= ACCESS_GUESS)
                continue;
            LLVMTypeRef type = LLVMIsALoadInst(i) ? LLVMTypeOf(i) : LLVMTypeOf(LLVMGetOperand(i, 0));
            bool has_gather = facts->masked_bytes && LLVMStoreSizeOfType(p->layout, type) >= GATHERED_BYTES;
            n_apart += plan_way(general, i)->access >= ACCESS_GUESS && !has_gather;
            n_masked += general->shapes->masked[at] && p->cfg->nodes[at].loop >= 0;
        }
    struct cost cost = cost_estimate(p->kernel, facts, general, p->layout);
    double of_thread = cost.lanes * (n_masked > 0 ? MASKED : 1) + n_apart * facts->gather;
    return n_apart + n_masked > 0 && p->cfg->n <= MOST_INNER_NODES &&
           ALONE * cost.one < BORDERS * general->block.lanes * of_thread;
}

/* Plans a separate body for blocks away from the borders, if that saves masks, or tests of where lanes' places lie. */
static void choose_inner(const struct planner *p)
{
    struct plan *plan = p->plan;
    struct block block = plan->body.block;
    struct guards guards = {p->kernel, p->cfg, plan->truth, .known_for = KNOWN_FOR_LANES};
    if (block.lanes == 1 || block.rows > 1 || plan->panel || plan->truth->known)
        return;
    int hard = count_hard_accesses(p, &plan->body);
    for (int assumes = 0; assumes < 2 && (!assumes || hard > 0); assumes++) {
        guards.assumes = assumes;
        struct body inner = plan_inner(p, guards_find(&guards), assumes && p->cfg->n <= MOST_INNER_NODES);
        bool is_vector = inner.block.lanes > 1;
        int left = is_vector ? count_hard_accesses(p, &inner) : hard;
        bool saves_masks = is_vector && plan->truth->any_divergent && !inner.shapes->any_divergent;
        if (left >= hard && (!saves_masks || plan->inner.block.lanes))
            continue;
        plan->inner = inner;
        hard = left;
    }
    if (!plan->inner.block.lanes)
        return;
    if (block.lanes > plan->inner.block.lanes || block.vectors > 1) {
        int lanes = block.lanes < plan->inner.block.lanes ? block.lanes : plan->inner.block.lanes;
        block = (struct block){lanes, 1, 1, 1}; /* it now runs only at borders, where single vectors waste less */
        plan->body = make_body(p, plan->body.shapes, block);
    }
    plan->body.whole = plan->body.serial = NULL; /* at borders lanes part */
    const struct block wide = plan->inner.block;
    int lanes = plan->body.block.lanes, n_rests = lanes < wide.lanes;
    if (prefers_single_threads(p)) {
        plan->alone = make_body(p, shape_analyse(p->kernel, p->cfg, SHAPE_SCALAR, NULL), (struct block){1, 1, 1, 1});
        lanes = wide.vectors > 1 ? wide.lanes : wide.lanes / 2;
        n_rests = N_RESTS;
    }
    for (int i = 0; i < n_rests && lanes >> i > 1; i++)
        plan->inner_rest[i] = make_body(p, plan->inner.shapes, (struct block){lanes >> i, 1, 1, 1});
}

/* Plans a separate body for tiles away from the borders, if that saves masks, or tests of where lanes' places lie. */
static void choose_inner_tiles(const struct planner *p)
{
    enum { MOST_NODES = 200 }; /* LLVM would take seconds for twice as many */
    struct plan *plan = p->plan;
    struct guards away = {p->kernel, p->cfg, plan->truth, KNOWN_FOR_ALL, .assumes = true};
    const struct map *guards = guards_find(&away);
    bool is_alone = !plan->single.block.lanes && !plan->tiles.block.lanes;
    if (plan->body.block.lanes == 1 || !guards || !is_alone || p->cfg->n > MOST_NODES)
        return;
    const struct shapes *shapes = shape_analyse(p->kernel, p->cfg, SHAPE_LANES, guards);
    struct body inner = choose_body(p, shapes);
    bool is_smaller = plan->body.shapes->predicate && inner.n_blocks > plan->body.n_blocks;
    if (count_hard_accesses(p, &inner) >= count_hard_accesses(p, &plan->body) || is_smaller)
        return;
    plan->inner = inner;
    const struct shapes *next = shape_analyse(p->kernel, p->cfg, SHAPE_NEXT, guards);
    const struct strip *strip = strip_plan(plan, &plan->inner, next, p->layout, p->unit->options);
    if (strip_fits(plan->strip, strip))
        return; /* tiles at borders use it, too */
    if (plan->strip && inner.n_blocks >= plan->body.n_blocks)
        plan->inner = (struct body){0}; /* only one of the bodies can have a strip */
    else
        plan->strip = strip;
}

/* Where a block has several vectors of lanes, rows that end in the middle of one, or are shorter, end with single
 * vectors. */
static void choose_rest(const struct planner *p)
{
    int lanes = lanes_of_vector(p, p->plan->truth);
    const struct block block = p->plan->body.block;
    if (block.lanes > lanes && block.rows == 1 && !p->kernel->lanes && !p->plan->alone.block.lanes)
        p->plan->rest = make_body(p, p->plan->truth, (struct block){lanes, 1, 1, 1});
}

/* ---- processors ---- */

/* Plans for processors that gather and scatter fast. Returns NULL if these, too, should run one thread after
 * another. */
static const struct plan *plan_fast(const struct unit *unit, const struct image *image, const struct kernel *kernel)
{
    struct image fast = *image;
    fast.facts.scatter = image->facts.fast_scatter;
    fast.facts.by_scalars = fast.facts.fast_scatter = 0;
    fast.facts.far_ahead = 0;
    const struct plan *plan = plan_lanes(unit, &fast, kernel);
    return plan->body.block.lanes > 1 ? plan : NULL;
}

/* Returns how many bytes a thread accesses in arrays next to what its neighbours access, each array once; 0 if it only
 * writes, or has arrays of its own, which would be there twice. */
static int bytes_of_thread(const struct planner *p)
{
    enum { MOST = 8 };
    const struct param *params[MOST];
    int n = 0, bytes = 0;
    bool reads = false;
    for (int at = 0; at < p->cfg->n; at++)
        for (LLVMValueRef i = p->cfg->nodes[at].first; i != p->cfg->nodes[at].end && n < MOST;
             i = LLVMGetNextInstruction(i)) {
            bool is_store = LLVMIsAStoreInst(i) != NULL;
            if (LLVMIsAAllocaInst(i))
                return 0;
            enum access access = plan_way(&p->plan->body, i)->access;
            if ((!is_store && !LLVMIsALoadInst(i)) || (access != ACCESS_CONTIGUOUS && access != ACCESS_REVERSED))
                continue;
            struct origin origin = origin_of(p->kernel, LLVMGetOperand(i, is_store));
            bool is_new = origin.kinds == ORIGIN_ARRAY && origin.param;
            for (int k = 0; k < n; k++)
                is_new = is_new && params[k] != origin.param;
            reads |= is_new && !is_store;
            if (is_new) {
                params[n++] = origin.param;
                bytes +=
                    (int)LLVMStoreSizeOfType(p->layout, is_store ? LLVMTypeOf(LLVMGetOperand(i, 0)) : LLVMTypeOf(i));
            }
        }
    return reads ? bytes : 0;
}

/* Whether several loads are of elements of 64 bits around those that others have loaded, as in a stencil. Vectors of
 * 512 bits then lie in two lines of the cache each; from memory, a Zen 5 loads halves of them in 0.7 to 0.95 of the
 * time (by bench/ports/tealeaf, and by conv3d with doubles; stencils of four points take the same time, and so do
 * floats). */
static bool loads_across_lines(const struct planner *p, const struct map *followers)
{
    enum { LEAST = 5, BYTES = 8 };
    int n = 0;
    for (int at = 0; at < p->cfg->n; at++)
        for (LLVMValueRef i = p->cfg->nodes[at].first; i != p->cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
            n += map_get(followers, i) >= 0 && LLVMStoreSizeOfType(p->layout, LLVMTypeOf(i)) == BYTES;
    return n >= LEAST;
}

/* Whether threads write to arrays element by element; sums that wait for the end of a box do not count. */
static bool writes_arrays(const struct planner *p)
{
    for (int at = 0; at < p->cfg->n; at++)
        for (LLVMValueRef i = p->cfg->nodes[at].first; i != p->cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
            if (stretch_may_write(p->kernel, i) && plan_way(&p->plan->body, i)->work != WORK_SUM)
                return true;
    return false;
}

/* Plans for boxes of many bytes, which come from memory. Zen 4's prefetchers do not keep up with loads of 512 bits
 * there, nor Zen 5's with many streams, nor Intel's where threads only read (by bench/ports/moments). But where data
 * are in a cache, requests only take time, and in loops, registers and caches have the data of several iterations, so
 * that requests are another matter. */
static void choose_far(const struct planner *p)
{
    enum { HALF_LINE = 256 }; /* of the cache, in bits */
    if (p->image->facts.far_ahead == 0 || p->kernel->tiled || p->plan->body.block.lanes == 1 || p->cfg->n_loops > 0 ||
        !(p->plan->bytes_of_thread = bytes_of_thread(p)))
        return;
    const struct map *followers = leading_followers(p->kernel, p->cfg, p->plan->truth);
    p->plan->only_reads = !writes_arrays(p);
    if (!p->plan->only_reads && leading_streams(followers, p->kernel, p->plan->truth) < p->image->facts.far_streams)
        return;
    struct image far = *p->image;
    far.facts.ahead = p->image->facts.far_ahead;
    far.facts.far_ahead = 0;
    if (far.facts.vector_bits > HALF_LINE && loads_across_lines(p, followers))
        far.facts.vector_bits = HALF_LINE;
    p->plan->far = plan_lanes(p->unit, &far, p->kernel);
}

/* Tries a body, to estimate what lanes cost. */
static void try_lanes(const struct planner *p)
{
    struct plan *plan = p->plan;
    plan->is_described = options_keep_variables(p->unit->options);
    plan->tried = make_body(p, plan->truth, (struct block){16, 1, 1, 1});
    plan->cost = cost_estimate(p->kernel, &p->image->facts, &plan->tried, p->layout);
}

/* Whether what others see is written under masks only. */
static bool writes_under_masks(const struct planner *p)
{
    for (int at = 0; at < p->cfg->n; at++)
        for (LLVMValueRef i = p->cfg->nodes[at].first; i != p->cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
            if (!p->plan->truth->masked[at] && stretch_may_write(p->kernel, i))
                return false;
    return true;
}

/* Whether cuts pay for blocks of one row, which otherwise test for each block where it lies. That takes longer the more
 * guards there are, and the shorter vectors are; but cuts move blocks to places where more vectors lie in two lines of
 * the cache, the longer they are. By stencils of 3 to 9 points with 2 to 6 guards, on a Zen 4. */
static bool cuts_spare_tests(const struct planner *p, const struct planner *cut, const struct map *guards)
{
    int n = 0, width = p->image->facts.vector_bits / 128;
    for (int at = 0; at < p->cfg->n; at++)
        for (LLVMValueRef i = p->cfg->nodes[at].first; i != p->cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
            n += map_get(guards, i) >= 0;
    return n > width * width && choose_block(p, p->plan->truth).lanes > 1 && p->plan->truth->any_divergent &&
           !cut->plan->truth->any_divergent && writes_under_masks(p);
}

/* Lets boxes be cut where guards change, if blocks of several rows are then possible, or fewer tests. */
static void choose_cuts(struct planner *p)
{
    const struct map *guards = guards_find(&(struct guards){p->kernel, p->cfg, p->plan->truth, KNOWN_FOR_ALL});
    if (p->kernel->tiled || !guards)
        return;
    struct planner cut = begin(p->unit, p->image, p->kernel);
    cut.plan->truth = shape_analyse(p->kernel, cut.cfg, SHAPE_LANES, guards);
    try_lanes(&cut);
    if (choose_block(&cut, cut.plan->truth).rows > choose_block(p, p->plan->truth).rows ||
        cuts_spare_tests(p, &cut, guards))
        *p = cut;
}

/* Lets regions of a tile that gather in its memory run one thread after another. */
static void choose_single(const struct planner *p)
{
    struct plan *plan = p->plan;
    if (plan->body.block.lanes == 1 || p->kernel->box_rank > 1 || !(gathers_in_tile(p) || plan->windows))
        return;
    plan->single = make_body(p, shape_analyse(p->kernel, p->cfg, SHAPE_SCALAR, NULL), (struct block){1, 1, 1, 1});
    plan->one_by_one = arena_alloc((size_t)p->cfg->n);
}

static void find_room(const struct planner *p)
{
    struct plan *plan = p->plan;
    const struct body *bodies[] = {&plan->body, &plan->tiles, &plan->inner};
    for (int b = 0; b < 3 && p->kernel->tiled; b++) {
        long room = bodies[b]->block.lanes > 1 ? find_tile_room(p, bodies[b]) : 0;
        plan->tile_room = room > plan->tile_room ? room : plan->tile_room;
    }
}

static struct planner begin_lanes(const struct unit *unit, const struct image *image, const struct kernel *kernel)
{
    struct planner p = begin(unit, image, kernel);
    bool may_change = unit->options->opt_level > 0 && !options_keep_variables(unit->options);
    while (may_change && widen_store_back(kernel, p.plan->truth))
        p = begin(unit, image, kernel);
    return widen_sink_guesses(p.plan->truth) ? begin(unit, image, kernel) : p;
}

const struct plan *plan_convoys(const struct unit *unit, const struct image *image, const struct kernel *kernel)
{
    struct planner p = begin_lanes(unit, image, kernel);
    try_lanes(&p);
    p.plan->body = make_body(&p, p.plan->truth, choose_block(&p, p.plan->truth));
    if (kernel->tiled)
        choose_single(&p);
    find_room(&p);
    return p.plan;
}

static bool has_tiles_of_a_row(const struct kernel *kernel)
{
    bool is_row = kernel->tiled && kernel->box_rank > 1;
    for (int d = 0; d < kernel->box_rank - 1; d++)
        is_row = is_row && kernel->tile[d] == 1;
    return is_row;
}

const struct plan *plan_lanes(const struct unit *unit, const struct image *image, const struct kernel *kernel)
{
    struct planner p = begin_lanes(unit, image, kernel);
    p.next = kernel->tiled ? shape_analyse(kernel, p.cfg, SHAPE_NEXT, NULL) : NULL;
    p.next_row = has_tiles_of_a_row(kernel) ? shape_analyse(kernel, p.cfg, SHAPE_NEXT_ROW, NULL) : NULL;
    try_lanes(&p);
    if (unit->options->opt_level > 0 && windows_split(p.plan, &image->facts, p.layout)) {
        p = begin(unit, image, kernel);
        p.next = shape_analyse(kernel, p.cfg, SHAPE_NEXT, NULL);
        try_lanes(&p);
    }
    p.plan->windows = unit->options->opt_level > 0 ? windows_nodes(p.plan, &image->facts, p.layout) : NULL;
    choose_cuts(&p);
    struct plan *plan = p.plan;
    plan->body = choose_body(&p, plan->truth);
    bool is_scalar = plan->body.block.lanes == 1;
    if (is_scalar)
        plan->body = make_body(&p, shape_analyse(kernel, p.cfg, SHAPE_SCALAR, NULL), plan->body.block);
    plan->why_scalar = is_scalar ? why_scalar(&p) : NULL;
    if (kernel->tiled) {
        choose_tiles(&p);
        choose_single(&p);
        plan->strip = strip_plan(plan, &plan->body, p.next, p.layout, unit->options);
        plan->requests = unit->options->opt_level > 0 ? requests_plan(kernel, p.cfg) : NULL;
        choose_inner_tiles(&p);
    } else {
        plan->panel = panel_plan(kernel, p.cfg, &plan->body, p.layout, unit->options);
        choose_inner(&p);
        choose_rest(&p);
        bool runs_rows = plan->body.block.rows == 1 && !plan->panel && !is_scalar && !plan->is_described;
        plan->by_row = runs_rows && unit->options->opt_level > 0 ? row_loads_find(kernel, plan->truth) : NULL;
    }
    find_room(&p);
    if (image->facts.fast_scatter > 0 && ((is_scalar && is_better_scalar(&p)) || accesses_tile(&p, ACCESS_APART) ||
                                          has_scalars(&p, true) || has_scalars(&p, false)))
        plan->fast = plan_fast(unit, image, kernel);
    choose_far(&p);
    return plan;
}

const struct body *plan_main_body(const struct plan *plan)
{
    return plan->tiles.block.lanes ? &plan->tiles : &plan->body;
}

/* ---- GPUs ---- */

enum {
    STREAM_POINTS = 4,  /* points that a thread of a kernel without loops takes, */
    STREAM_LENGTH = 128 /* if the kernel has at most this many instructions */
};

/* Whether the kernel only computes on memory that other threads see, so that there is nothing to keep per point. */
static bool only_computes(const struct cfg *cfg)
{
    for (int at = 0; at < cfg->n; at++)
        for (LLVMValueRef i = cfg->nodes[at].first; i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
            if (LLVMIsAAllocaInst(i) || LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i) ||
                (LLVMIsACallInst(i) && !calls_is_pure(i) && calls_kind(i) != CALL_HINT))
                return false;
    return true;
}

/* Returns the most registers that a loop carries from one iteration to the next, for each point. */
static int carried_registers(const struct planner *p)
{
    int most = 1;
    for (int l = 0; l < p->cfg->n_loops; l++) {
        const struct node *header = &p->cfg->nodes[p->cfg->loops[l].header];
        unsigned long long bytes = 0;
        for (LLVMValueRef i = header->first; i != header->end && LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
            if (shape_of(p->plan->truth, i).kind == SHAPE_VARYING)
                bytes += (LLVMABISizeOfType(p->layout, LLVMTypeOf(i)) + 3) / 4 * 4;
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

/* Chooses how many points a thread takes, powers of two, so that what loops carry stays in registers. It takes one if
 * several points would part at branches, or if loops do not share values in both dimensions. */
static struct block choose_points(const struct planner *p)
{
    const struct shapes *shapes = p->plan->truth;
    struct block block = {1, 1, 1, 1};
    if (p->kernel->tiled || p->unit->options->opt_level == 0 || shapes->any_divergent || shapes->any_rows_branch ||
        !only_computes(p->cfg))
        return block;
    if (p->cfg->n_loops == 0) {
        block.vectors = length_of(p->cfg) <= STREAM_LENGTH ? STREAM_POINTS : 1;
        return block;
    }
    struct reuse reuse = shape_reuse(shapes);
    if (p->kernel->box_rank < 2 || !reuse.over_rows || !reuse.over_vectors)
        return block;
    int points = p->image->facts.points / carried_registers(p);
    if (points < 4)
        return block;
    block.vectors = points < 16 ? 2 : points < 64 ? 4 : 8;
    for (block.rows = 1; 2 * block.rows <= points / block.vectors;)
        block.rows *= 2;
    return block;
}

static void choose_threads(struct plan *plan, const struct facts *facts)
{
    const struct kernel *k = plan->kernel;
    for (int d = 0; d < 3; d++)
        plan->threads[d] = 1;
    if (k->tiled)
        for (int d = 0; d < k->rank; d++)
            plan->threads[3 - k->rank + d] = k->tile[d];
    else if (plan->stage)
        plan->threads[1] = plan->threads[2] = plan->stage->side;
    else {
        int rows = k->box_rank > 1 ? facts->block_rows : 1;
        plan->threads[1] = plan->body.block.rows > 1 ? facts->many_rows : rows;
        plan->threads[2] = facts->block_threads / rows;
    }
}

const struct plan *plan_points(const struct unit *unit, const struct image *image, const struct kernel *kernel)
{
    struct planner p = begin(unit, image, kernel);
    p.plan->body = make_body(&p, p.plan->truth, choose_points(&p));
    p.plan->stage = stage_plan(unit, image, kernel, p.plan->truth, p.plan->body.block);
    choose_threads(p.plan, &image->facts);
    return p.plan;
}

/* SPDX-License-Identifier: MIT
 *
 * Estimates what a thread costs in lanes, and one thread after another, from each instruction's throughput. Lanes share
 * what is the same for all, and one vector instruction does their arithmetic. But they read unrelated places element by
 * element, run both sides of a branch, and stay in a loop until the last of them leaves it. One thread waits for the
 * sums that it carries from one iteration to the next. */
#include "widen/cost.h"

#include "kernel/calls.h"
#include "kernel/origin.h"
#include "object/small_floats.h"
#include "widen/stretch_sums.h"

enum { TRIPS = 8 }; /* the iterations of a loop */

/* Cycles of a thread that runs alone. */
static const double simple = 0.3, load = 0.5, store = 1, division = 5, chain = 4, math = 20, in_cache = 0.6;

/* An element of a thread's own array. LLVM can mostly keep that in registers if the thread runs alone; lanes have
 * theirs in memory (by LU decompositions of 6 x 6 matrices in one piece each: 0.25 to 0.4 of the time alone). */
static const double in_register = 0.1;

/* A guess that lanes lie side by side: the test, and how often it fails. */
static const double test = 3, at_border = 0.1;

/* What lanes lose where they do not stay together. */
static const double share_of_branch = 0.5, loop_loss = 2;

struct estimate {
    const struct kernel *kernel;
    const struct facts *facts;
    const struct body *body;
    LLVMTargetDataRef layout;
};

/* Returns how many lanes of a value's type one vector instruction handles. */
static double at_once(const struct estimate *e, LLVMTypeRef type)
{
    double bits = (double)LLVMSizeOfTypeInBits(e->layout, type);
    return e->facts->vector_bits / (bits < 32 ? 32 : bits);
}

/* Returns what an element of a stretch costs: it is loaded, moved by a shuffle for each doubling of what a vector
 * holds, stored and loaded again. */
static double cost_of_stretches(const struct way *way)
{
    int doublings = 0;
    while (1 << doublings < way->at_once)
        doublings++;
    return (load + simple * doublings + store + load) / way->at_once;
}

bool cost_prefers_stretches(const struct facts *facts, const struct way *way)
{
    return cost_of_stretches(way) < facts->gather;
}

static struct cost cost_of_access(const struct estimate *e, LLVMValueRef i)
{
    bool is_store = LLVMIsAStoreInst(i) != NULL;
    LLVMTypeRef type = is_store ? LLVMTypeOf(LLVMGetOperand(i, 0)) : LLVMTypeOf(i);
    LLVMValueRef pointer = LLVMGetOperand(i, is_store);
    const struct way *way = plan_way(e->body, i);
    double one = is_store ? store : load, each = is_store ? e->facts->scatter : e->facts->gather, shared;
    int node = map_get(e->body->shapes->cfg->first_node, LLVMGetInstructionParent(i));
    bool is_whole = !e->body->shapes->masked[node] || (e->body->whole && e->body->whole[node]);
    if (way->by_scalars && is_whole)
        each = e->facts->by_scalars;
    if (way->members && is_whole && origin_of(e->kernel, pointer).kinds != ORIGIN_PRIVATE)
        each = (one + 2 * simple) / way->members->n;
    if (e->body->stretch_sums[node])
        return (struct cost){one / e->body->stretch_sums[node]->at_once, one};
    switch (way->access) {
    case ACCESS_UNIFORM:
        return (struct cost){one / e->body->block.lanes, one};
    case ACCESS_CONTIGUOUS:
    case ACCESS_REVERSED:
        return (struct cost){one / at_once(e, type), way->is_own ? in_register : one};
    case ACCESS_STRIDED:
        shared = way->members ? way->members->n : 1;
        return (struct cost){2 * one * way->apart / shared / at_once(e, type), one};
    case ACCESS_GUESS:
        return (struct cost){at_border * each + (one + test) / at_once(e, type), one};
    case ACCESS_STRETCHES:
        return (struct cost){cost_of_stretches(way), one};
    default:
        if (origin_of(e->kernel, pointer).kinds & ~(ORIGIN_TABLE | ORIGIN_PRIVATE | ORIGIN_TILE))
            return (struct cost){each, one};
        if (origin_of(e->kernel, pointer).kinds == ORIGIN_PRIVATE)
            return (struct cost){each, in_register};
        return (struct cost){in_cache * each, one};
    }
}

/* A copy of a struct whose place differs between threads: lanes copy theirs one after another. */
static struct cost cost_of_copy(const struct estimate *e, LLVMValueRef i)
{
    enum { UNKNOWN = 64, WORD = 8 };
    LLVMValueRef bytes = LLVMGetOperand(i, 2);
    double n = LLVMIsAConstantInt(bytes) ? (double)LLVMConstIntGetZExtValue(bytes) : UNKNOWN;
    double one = (load + store) * (1 + n * 8 / e->facts->vector_bits);
    return (struct cost){shape_of(e->body->shapes, i).kind == SHAPE_VARYING ? (load + store) * (1 + n / WORD) : one,
                         one};
}

static struct cost cost_of_call(const struct estimate *e, LLVMValueRef i)
{
    if (calls_is_copy(calls_kind(i)))
        return cost_of_copy(e, i);
    switch (plan_way(e->body, i)->work) {
    case WORK_NONE:
        return (struct cost){0, 0};
    case WORK_ONCE:
        return (struct cost){math / e->body->block.lanes, math};
    case WORK_SUM:
        return (struct cost){simple / at_once(e, LLVMTypeOf(i)), simple};
    case WORK_VECTOR:
        return (struct cost){1 / at_once(e, LLVMTypeOf(i)), 1};
    case WORK_MATH:
        return (struct cost){math / at_once(e, LLVMTypeOf(i)), math};
    default:
        return (struct cost){math + load + store, math};
    }
}

static struct cost cost_of(const struct estimate *e, LLVMValueRef i)
{
    double one = simple;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
    case LLVMStore:
        return cost_of_access(e, i);
    case LLVMCall:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return cost_of_call(e, i);
    case LLVMPHI:
    case LLVMGetElementPtr:
    case LLVMAlloca:
    case LLVMBr:
    case LLVMRet:
        return (struct cost){0, 0};
    case LLVMFDiv:
    case LLVMSDiv:
    case LLVMUDiv:
    case LLVMSRem:
    case LLVMURem:
        one = division;
        break;
    default:
        break;
    }
    bool is_shared = shape_of(e->body->shapes, i).kind != SHAPE_VARYING;
    return (struct cost){one / (is_shared ? e->body->block.lanes : at_once(e, LLVMTypeOf(i))), one};
}

/* Whether the loop carries a sum, or another floating-point value that differs between threads. */
static bool carries_float(const struct estimate *e, const struct loop *loop)
{
    const struct node *header = &e->body->shapes->cfg->nodes[loop->header];
    for (LLVMValueRef i = header->first; i != header->end && LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i)) {
        LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(i));
        if ((kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind) &&
            shape_of(e->body->shapes, i).kind == SHAPE_VARYING)
            return true;
    }
    return false;
}

/* Returns what the loop, or the whole kernel if it is -1, costs without the loops in it; adds those, too. */
static struct cost cost_of_loop(const struct estimate *e, int loop)
{
    const struct cfg *cfg = e->body->shapes->cfg;
    const bool *masked = e->body->shapes->masked;
    bool is_masked = loop >= 0 && masked[cfg->loops[loop].header];
    struct cost sum = {0, 0};
    for (int at = 0; at < cfg->n; at++) {
        if (cfg->nodes[at].loop != loop)
            continue;
        double share = masked[at] && !is_masked ? share_of_branch : 1;
        for (LLVMValueRef i = cfg->nodes[at].first; i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i)) {
            struct cost cost = cost_of(e, i);
            sum.lanes += cost.lanes;
            sum.one += share * cost.one;
        }
    }
    if (loop >= 0 && carries_float(e, &cfg->loops[loop]) && sum.one < chain)
        sum.one = chain;
    for (int l = 0; l < cfg->n_loops; l++)
        if (cfg->loops[l].parent == loop) {
            struct cost inner = cost_of_loop(e, l);
            sum.lanes += TRIPS * inner.lanes * (masked[cfg->loops[l].header] ? loop_loss : 1);
            sum.one += TRIPS * inner.one;
        }
    return sum;
}

struct cost cost_estimate(const struct kernel *kernel, const struct facts *facts, const struct body *body,
                          LLVMTargetDataRef layout)
{
    const struct estimate e = {kernel, facts, body, layout};
    return cost_of_loop(&e, -1);
}

/* ---- latency ---- */

/* Cycles from an instruction's operands to its result, in vectors. */
static double latency(LLVMValueRef i)
{
    enum { CACHE = 6, FLOAT = 4, DIVISION = 14, MATH = 18 };
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
        return CACHE;
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
        return FLOAT;
    case LLVMFDiv:
    case LLVMSDiv:
    case LLVMUDiv:
    case LLVMSRem:
    case LLVMURem:
        return DIVISION;
    case LLVMCall:
        return calls_kind(i) == CALL_MATH ? MATH : calls_of(i)->lanes == LANES_none ? 0 : FLOAT;
    case LLVMPHI:
    case LLVMGetElementPtr:
    case LLVMBr:
        return 0;
    default:
        return 1;
    }
}

/* Returns how many vectors hide each other's latency in a loop, without the loops in it, and what it costs. */
static double hiding_in(const struct estimate *e, int loop, double *cycles)
{
    enum { WINDOW = 300 }; /* instructions that a processor looks ahead */
    const struct cfg *cfg = e->body->shapes->cfg;
    struct map *numbers = map_new();
    double *ready = arena_alloc((size_t)e->body->shapes->n_values * sizeof *ready), longest = 0;
    int n = 0;
    *cycles = 0;
    for (int at = 0; at < cfg->n; at++) {
        if (cfg->nodes[at].loop != loop)
            continue;
        for (LLVMValueRef i = cfg->nodes[at].first; i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i)) {
            double begin = 0;
            for (int o = 0; o < LLVMGetNumOperands(i); o++) {
                int operand = map_get(numbers, LLVMGetOperand(i, (unsigned)o));
                if (operand >= 0 && ready[operand] > begin)
                    begin = ready[operand];
            }
            ready[n] = begin + latency(i);
            longest = ready[n] > longest ? ready[n] : longest;
            map_set(numbers, i, n++);
            *cycles += cost_of(e, i).lanes * e->facts->vector_bits / 32;
        }
    }
    /* In short code without sums, the next iteration or block starts meanwhile. */
    bool waits = (loop >= 0 && carries_float(e, &cfg->loops[loop])) || n > WINDOW;
    double in_window = waits || n == 0 ? 1 : (double)WINDOW / n;
    return *cycles > 0 ? longest / *cycles / in_window : 0;
}

double cost_hiding_vectors(const struct kernel *kernel, const struct facts *facts, const struct body *body,
                           LLVMTargetDataRef layout)
{
    const struct estimate e = {kernel, facts, body, layout};
    const struct cfg *cfg = body->shapes->cfg;
    double most = 0, found = 0;
    for (int loop = -1; loop < cfg->n_loops; loop++) {
        double cycles, vectors = hiding_in(&e, loop, &cycles);
        for (int l = loop; l >= 0; l = cfg->loops[l].parent)
            cycles *= TRIPS;
        if (cycles > most) {
            most = cycles;
            found = vectors;
        }
    }
    return found;
}

/* ---- trees and wavefronts ---- */

/* Returns what nodes cost, in which access tile memory at unrelated places. */
static struct cost cost_in_tile(const struct estimate *e, const bool *nodes)
{
    const struct cfg *cfg = e->body->shapes->cfg;
    struct cost sum = {0, 0};
    for (int at = 0; at < cfg->n; at++)
        for (LLVMValueRef i = cfg->nodes[at].first; nodes[at] && i != cfg->nodes[at].end;
             i = LLVMGetNextInstruction(i)) {
            bool is_access = LLVMIsALoadInst(i) || LLVMIsAStoreInst(i);
            if (shape_of(e->body->shapes, i).kind != SHAPE_VARYING && !is_access)
                continue; /* both compute it once, or step it by a constant */
            struct cost cost = cost_of(e, i);
            if (is_access && plan_way(e->body, i)->access == ACCESS_GATHER) /* what counts is not the cache */
                cost.lanes = LLVMIsAStoreInst(i) ? e->facts->scatter : e->facts->gather;
            sum.lanes += cost.lanes;
            sum.one += cost.one;
        }
    return sum;
}

/* How much a loop over threads is better than the estimate: it computes places by adding to the previous thread's. */
static const double strength = 1.25;

bool cost_is_tree(const struct kernel *kernel, const struct facts *facts, const struct body *body,
                  LLVMTargetDataRef layout, const bool *nodes)
{
    const struct estimate e = {kernel, facts, body, layout};
    struct cost sum = cost_in_tile(&e, nodes);
    return sum.one < strength * sum.lanes;
}

bool cost_is_wavefront(const struct kernel *kernel, const struct facts *facts, const struct body *body,
                       LLVMTargetDataRef layout, const bool *nodes)
{
    const struct estimate e = {kernel, facts, body, layout};
    struct cost sum = cost_in_tile(&e, nodes);
    return share_of_branch * sum.one < strength * sum.lanes;
}

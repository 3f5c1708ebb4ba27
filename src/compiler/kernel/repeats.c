/* SPDX-License-Identifier: MIT
 *
 * As part of `prepare`, computes a value again after a loop if every thread gets the same there as in its last
 * iteration, although threads may leave the loop at different times:
 *
 *     do {                                                   do {
 *         x[i] = v += c[0];                                      x[i] = v += c[0];
 *     } while (++k < n[i]);                                  } while (++k < n[i]);
 *     last = c[0] of the last iteration        becomes       last = c[0]
 *
 * LLVM merges the source's second c[0] with the first one. What a loop hands out differs between threads, as far as
 * the analysis of shapes knows, and a barrier under a condition on it would be rejected.
 *
 * Needs: loop-closed form, which it keeps. */
#include "kernel/repeats.h"

#include "ampcc.h"
#include "kernel/calls.h"
#include "kernel/cfg.h"

#include <llvm-c/DebugInfo.h>
#include <stdbool.h>

enum { MAX_COPIES = 16 }; /* what is computed again for one value */

struct repeat {
    const struct cfg *cfg;
    int after; /* the node after the loops */
    LLVMBuilderRef builder;
    LLVMValueRef originals[MAX_COPIES], copies[MAX_COPIES];
    int n;
};

static int node_of(const struct cfg *cfg, LLVMBasicBlockRef block)
{
    return map_get(cfg->first_node, block);
}

/* Whether a value can be used after the loops as it is. */
static bool is_available(const struct repeat *r, LLVMValueRef value)
{
    if (!LLVMIsAInstruction(value))
        return true;
    int node = node_of(r->cfg, LLVMGetInstructionParent(value));
    return node >= 0 && cfg_in_loop(r->cfg, r->after, r->cfg->nodes[node].loop);
}

static bool may_write(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMStore:
    case LLVMAtomicCmpXchg:
    case LLVMAtomicRMW:
    case LLVMFence:
        return true;
    case LLVMCall: /* the end of a variable's life, too, after which it has no contents */
        return !calls_is_pure(i);
    default:
        return false;
    }
}

/* Whether `from` or an instruction after it in its basic block may write memory. */
static bool may_write_from(LLVMValueRef from)
{
    for (LLVMValueRef i = from; i; i = LLVMGetNextInstruction(i))
        if (may_write(i))
            return true;
    return false;
}

/* Whether memory may change on a path from `load`, not through it again, to the node after the loops, which the load
 * dominates. */
static bool may_change(const struct repeat *r, LLVMValueRef load)
{
    const struct cfg *cfg = r->cfg;
    LLVMBasicBlockRef own = LLVMGetInstructionParent(load);
    if (may_write_from(LLVMGetNextInstruction(load)))
        return true;
    bool *seen = arena_alloc((size_t)cfg->n);
    int *work = arena_alloc((size_t)cfg->n * sizeof *work), n_work = 0;
    for (int at = r->after;; at = work[--n_work]) {
        for (int p = 0; p < cfg->nodes[at].n_pred; p++) {
            int from = cfg->nodes[at].pred[p];
            if (seen[from] || cfg->nodes[from].block == own)
                continue;
            seen[work[n_work++] = from] = true;
            if (may_write_from(LLVMGetFirstInstruction(cfg->nodes[from].block)))
                return true;
        }
        if (n_work == 0)
            return false;
    }
}

static bool gives_the_same(const struct repeat *r, LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMPHI:
    case LLVMAlloca:
    case LLVMFreeze: /* which may choose anew */
        return false;
    case LLVMLoad:
        return !LLVMGetVolatile(i) && !may_change(r, i);
    case LLVMCall:
        return calls_is_pure(i);
    default:
        return !may_write(i);
    }
}

/* Returns the value after the loops that is the same as `value` in the last iteration; NULL if there is none. */
static LLVMValueRef compute_again(struct repeat *r, LLVMValueRef value)
{
    if (is_available(r, value))
        return value;
    for (int k = 0; k < r->n; k++)
        if (r->originals[k] == value)
            return r->copies[k];
    if (!gives_the_same(r, value))
        return NULL;
    int n_operands = LLVMGetNumOperands(value);
    LLVMValueRef *operands = arena_alloc((size_t)n_operands * sizeof *operands);
    for (int o = 0; o < n_operands; o++)
        if (!(operands[o] = compute_again(r, LLVMGetOperand(value, (unsigned)o))))
            return NULL;
    if (r->n == MAX_COPIES)
        return NULL;
    LLVMValueRef copy = LLVMInstructionClone(value);
    LLVMInsertIntoBuilder(r->builder, copy);
    for (int o = 0; o < n_operands; o++)
        LLVMSetOperand(copy, (unsigned)o, operands[o]);
    r->originals[r->n] = value;
    r->copies[r->n++] = copy;
    return copy;
}

/* Replaces a phi that only hands a value out of loops, if the value can be computed again. */
static void replace(const struct cfg *cfg, LLVMBuilderRef builder, LLVMValueRef phi)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(phi);
    struct repeat r = {.cfg = cfg, .after = node_of(cfg, block), .builder = builder};
    LLVMValueRef value = LLVMGetIncomingValue(phi, 0), next = phi;
    for (unsigned k = 1; k < LLVMCountIncoming(phi); k++)
        if (LLVMGetIncomingValue(phi, k) != value)
            return;
    if (is_available(&r, value))
        return;
    while (LLVMIsAPHINode(next))
        next = LLVMGetNextInstruction(next);
    LLVMPositionBuilderBefore(builder, next);
    LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(next));
    LLVMValueRef again = compute_again(&r, value);
    if (again) {
        LLVMReplaceAllUsesWith(phi, again);
        LLVMInstructionEraseFromParent(phi);
        return;
    }
    while (r.n > 0)
        LLVMInstructionEraseFromParent(r.copies[--r.n]);
}

void repeats_after_loops(LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        struct cfg *cfg = LLVMIsDeclaration(f) ? NULL : cfg_build(f);
        for (int at = 0; cfg && at < cfg->n; at++)
            for (LLVMValueRef i = LLVMGetFirstInstruction(cfg->nodes[at].block), next; i && LLVMIsAPHINode(i);
                 i = next) {
                next = LLVMGetNextInstruction(i);
                replace(cfg, builder, i);
            }
    }
    LLVMDisposeBuilder(builder);
}

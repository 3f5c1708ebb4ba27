/* SPDX-License-Identifier: MIT
 *
 * Marks the loops that LLVM must unroll. By itself LLVM unrolls little for a GPU, because it cannot know how many
 * registers there will be. But unrolled loops do less arithmetic on addresses, and their loads begin earlier. The
 * driver's compiler unrolls again by four, unless LLVM forbids that, which is its default for loops that it has
 * unrolled. So two iterations are enough where their number is known only on entry; those left over run one by one.
 *
 * This applies only to loops that count. If the number of iterations is unknown on entry, each iteration needs an exit,
 * which costs more than it saves, because the others wait for threads that leave early. */
#include "gpu/grid.h"
#include "kernel/ir.h"
#include "widen/stage.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

enum {
    UNROLLED = 4,     /* iterations of a loop, if their number is constant; */
    FEW = 2,          /* if it is not, or if each iteration has several points */
    SHORT_LOOP = 64,  /* the most instructions of a short loop */
    FEW_PASSES = 32,  /* a constant number of at most this many leaves no loop, */
    FULL_LENGTH = 512 /* if the code does not get longer than this */
};

static unsigned loop_kind(LLVMContextRef context)
{
    return LLVMGetMDKindIDInContext(context, "llvm.loop", 9);
}

static LLVMMetadataRef name_node(LLVMContextRef context, const char *name, LLVMMetadataRef argument)
{
    LLVMMetadataRef parts[] = {LLVMMDStringInContext2(context, name, strlen(name)), argument};
    return LLVMMDNodeInContext2(context, parts, argument ? 2 : 1);
}

/* Returns the metadata for a loop's back edge that asks for unrolling. The resulting loop is marked as making progress,
 * which is already known, only to avoid the mark against further unrolling. */
static LLVMValueRef request(LLVMContextRef context, int n_passes)
{
    LLVMValueRef count = LLVMConstInt(LLVMInt32TypeInContext(context), (unsigned long long)n_passes, false);
    LLVMMetadataRef self = LLVMTemporaryMDNode(context, NULL, 0);
    LLVMMetadataRef parts[] = {
        self, name_node(context, "llvm.loop.unroll.count", LLVMValueAsMetadata(count)),
        name_node(context, "llvm.loop.unroll.followup_unrolled", name_node(context, "llvm.loop.mustprogress", NULL))};
    LLVMMetadataRef id = LLVMMDNodeInContext2(context, parts, 3);
    LLVMMetadataReplaceAllUsesWith(self, id);
    return LLVMMetadataAsValue(context, id);
}

/* ---- how many iterations a loop has ---- */

enum { KNOWN_ON_ENTRY = 0, UNKNOWN = -1 };

static bool is_made_in(const struct cfg *cfg, int loop, LLVMValueRef value)
{
    return LLVMIsAInstruction(value) &&
           cfg_in_loop(cfg, map_get(cfg->first_node, LLVMGetInstructionParent(value)), loop);
}

/* Returns how many iterations there are if the loop counts by `next` until `bound`: their constant number, or one of
 * the above. */
static long long count_until(const struct cfg *cfg, int loop, LLVMValueRef next, LLVMValueRef bound)
{
    LLVMBasicBlockRef header = cfg->nodes[cfg->loops[loop].header].block;
    if (LLVMIsASExtInst(next) || LLVMIsAZExtInst(next))
        next = LLVMGetOperand(next, 0);
    if (!LLVMIsAInstruction(next) || is_made_in(cfg, loop, bound))
        return UNKNOWN;
    LLVMValueRef step = NULL, phi = next, start = NULL;
    if (LLVMGetInstructionOpcode(next) == LLVMAdd || LLVMIsAGetElementPtrInst(next)) {
        phi = LLVMGetOperand(next, 0);
        step = LLVMGetOperand(next, 1);
    }
    if (!LLVMIsAPHINode(phi) || LLVMGetInstructionParent(phi) != header || (step && !LLVMIsAConstantInt(step)))
        return UNKNOWN;
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
        if (!is_made_in(cfg, loop, LLVMGetIncomingValue(phi, i)))
            start = LLVMGetIncomingValue(phi, i);
    if (!step || !start || !LLVMIsAConstantInt(start) || !LLVMIsAConstantInt(bound))
        return KNOWN_ON_ENTRY;
    long long distance = LLVMConstIntGetSExtValue(bound) - LLVMConstIntGetSExtValue(start),
              by = LLVMConstIntGetSExtValue(step);
    return by != 0 && distance / by > 0 ? distance / by + (distance % by != 0) : KNOWN_ON_ENTRY;
}

static long long count_passes(const struct cfg *cfg, int loop)
{
    int exit = cfg_only_exit(cfg, loop);
    LLVMValueRef condition = exit < 0 ? NULL : LLVMGetCondition(LLVMGetBasicBlockTerminator(cfg->nodes[exit].block));
    if (!condition || !LLVMIsAICmpInst(condition))
        return UNKNOWN;
    long long left = count_until(cfg, loop, LLVMGetOperand(condition, 0), LLVMGetOperand(condition, 1));
    return left != UNKNOWN ? left : count_until(cfg, loop, LLVMGetOperand(condition, 1), LLVMGetOperand(condition, 0));
}

/* ---- what is asked for ---- */

static int length(const struct cfg *cfg, int loop)
{
    int n = 0;
    for (int at = cfg->loops[loop].header; at <= cfg->loops[loop].last; at++)
        for (LLVMValueRef i = cfg->nodes[at].first; i != cfg->nodes[at].end; i = LLVMGetNextInstruction(i))
            n++;
    return n;
}

void unroll_short_loops(const struct cfg *cfg)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(cfg->function));
    for (int l = 0; l < cfg->n_loops; l++) {
        const struct node *header = &cfg->nodes[cfg->loops[l].header];
        int n = length(cfg, l);
        long long passes = count_passes(cfg, l);
        if (!cfg_is_innermost(cfg, l) || n > SHORT_LOOP || passes == UNKNOWN)
            continue;
        bool all = passes > 0 && passes <= FEW_PASSES && passes * n <= FULL_LENGTH;
        int at_once = all ? (int)passes : passes > 0 ? UNROLLED : FEW;
        for (int p = 0; p < header->n_pred; p++) {
            LLVMValueRef branch = LLVMGetBasicBlockTerminator(cfg->nodes[header->pred[p]].block);
            if (cfg_is_back_edge(cfg, header->pred[p], cfg->loops[l].header) && !ir_has_unroll_pragma(branch))
                LLVMSetMetadata(branch, loop_kind(context), request(context, at_once));
        }
    }
}

void unroll_points(const struct widener *w)
{
    for (int l = 0; l < w->cfg->n_loops; l++) {
        bool has_rounds = w->stage && w->stage->stage->counts.loop == l;
        if (has_rounds || !cfg_is_innermost(w->cfg, l) || count_passes(w->cfg, l) == UNKNOWN)
            continue;
        LLVMValueRef id = request(w->context, FEW);
        LLVMValueRef header = LLVMBasicBlockAsValue(w->blocks[w->cfg->loops[l].header]);
        for (LLVMUseRef use = LLVMGetFirstUse(header); use; use = LLVMGetNextUse(use))
            LLVMSetMetadata(LLVMGetUser(use), loop_kind(w->context), id); /* of several, that of the back edge counts */
    }
}

/* SPDX-License-Identifier: MIT
 *
 * Leaves out checks that find nothing: of reads of a tile_static variable in rounds in which no thread changes it, and
 * of atomic operations in rounds in which nothing else accesses it. A round is what the threads of a tile do between
 * two barriers. All of them begin it at one barrier, or where the kernel begins, so what they can do in it is the code
 * from there to the next barriers:
 *
 *     s[i] = x[j];                     writes s
 *     amp_tile_barrier_wait(b);
 *     for (k...) sum += s[k];          reads s: no check of races
 *     amp_tile_barrier_wait(b);
 *
 * Accesses of earlier rounds never conflict with later ones, so they need not be recorded, either. */
#include "base/map.h"
#include "checked/checked.h"

#include <string.h>

/* What threads can do in the rounds that begin at one place. */
struct round {
    LLVMValueRef *checks; /* of reads and updates of a tile_static variable */
    int n_checks;
    bool *uses[3];     /* by use: by tile_static variables */
    bool is_opaque[3]; /* of what may be any of them */
};

struct walk {
    struct checking *c;
    struct map *seen; /* the number of the last round that has a basic block */
    LLVMBasicBlockRef *open;
    int n_open, number;
};

/* Whether an instruction is a barrier that orders tile memory. */
static bool is_barrier(LLVMValueRef i)
{
    enum { TILE_MEMORY = 2 };
    return table_calls(i, "amp__check_barrier") && LLVMConstIntGetZExtValue(LLVMGetOperand(i, 1)) & TILE_MEMORY;
}

/* Whether an instruction checks an access; sets how that uses memory. */
static bool is_check(LLVMValueRef i, enum use *use)
{
    for (*use = USE_READ; *use <= USE_ATOMIC; ++*use)
        if (table_calls(i, table_check(*use)))
            return true;
    return false;
}

/* The same of one that may be left out: it changes a tile_static variable at most with an atomic operation. */
static bool may_be_left_out(const struct checking *c, LLVMValueRef i)
{
    enum use use;
    return is_check(i, &use) && use != USE_WRITE && table_tile_variable(c, LLVMGetOperand(i, 0)) >= 0;
}

static void note(const struct checking *c, struct round *round, LLVMValueRef i)
{
    enum use use;
    if (!is_check(i, &use))
        return;
    int variable = table_tile_variable(c, LLVMGetOperand(i, 0));
    if (variable >= 0)
        round->uses[use][variable] = true;
    else
        round->is_opaque[use] = round->is_opaque[use] || !LLVMIsConstant(LLVMGetOperand(i, 0));
    if (may_be_left_out(c, i))
        round->checks[round->n_checks++] = i;
}

/* Whether an access of another thread in the round may conflict with one that is checked. */
static bool may_conflict(const struct checking *c, const struct round *round, LLVMValueRef check)
{
    enum use use;
    bool may = false;
    int variable = table_tile_variable(c, LLVMGetOperand(check, 0));
    is_check(check, &use);
    for (enum use other = USE_READ; other <= USE_ATOMIC; other++)
        may = may || (other != use && (round->is_opaque[other] || round->uses[other][variable]));
    return may;
}

/* Notes what is between an instruction and the next barriers. */
static void walk_from(struct walk *walk, struct round *round, LLVMValueRef i)
{
    walk->n_open = 0;
    for (;;) {
        LLVMValueRef last = NULL;
        for (; i && !is_barrier(i); last = i, i = LLVMGetNextInstruction(i))
            note(walk->c, round, i);
        for (unsigned s = 0; !i && s < LLVMGetNumSuccessors(last); s++) {
            LLVMBasicBlockRef next = LLVMGetSuccessor(last, s);
            if (map_get(walk->seen, next) == walk->number)
                continue;
            map_set(walk->seen, next, walk->number);
            walk->open[walk->n_open++] = next;
        }
        if (walk->n_open == 0)
            return;
        i = LLVMGetFirstInstruction(walk->open[--walk->n_open]);
    }
}

/* Keeps the checks of accesses that another thread's may conflict with. */
static void keep_checks(struct walk *walk, LLVMValueRef begin, struct round *round, struct map *kept)
{
    round->n_checks = 0;
    for (enum use use = USE_READ; use <= USE_ATOMIC; use++) {
        round->is_opaque[use] = false;
        memset(round->uses[use], 0, (size_t)walk->c->n_tile_variables);
    }
    walk_from(walk, round, begin);
    walk->number++;
    for (int i = 0; i < round->n_checks; i++)
        if (may_conflict(walk->c, round, round->checks[i]))
            map_set(kept, round->checks[i], true);
}

void rounds_leave_out_checks(struct checking *c)
{
    int n_blocks = (int)LLVMCountBasicBlocks(c->entry), n = 0;
    if (c->n_tile_variables == 0)
        return;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(c->entry); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            n += may_be_left_out(c, i);
    struct walk walk = {.c = c, .seen = map_new(), .open = arena_alloc((size_t)n_blocks * sizeof *walk.open)};
    struct round round = {.checks = arena_alloc((size_t)(2 * n) * sizeof *round.checks)};
    for (enum use use = USE_READ; use <= USE_ATOMIC; use++)
        round.uses[use] = arena_alloc((size_t)c->n_tile_variables);
    struct map *kept = map_new();
    keep_checks(&walk, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(c->entry)), &round, kept);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(c->entry); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (is_barrier(i))
                keep_checks(&walk, LLVMGetNextInstruction(i), &round, kept);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(c->entry); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (may_be_left_out(c, i) && map_get(kept, i) < 0)
                LLVMInstructionEraseFromParent(i);
        }
}

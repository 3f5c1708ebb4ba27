/* SPDX-License-Identifier: MIT
 *
 * Leaves out checks that find nothing: of reads of a tile_static variable in rounds in which no thread writes it. A
 * round is what the threads of a tile do between two barriers. All of them begin it at one barrier, or where the kernel
 * begins, so what they can do in it is the code from there to the next barriers:
 *
 *     s[i] = x[j];                     writes s
 *     amp_tile_barrier_wait(b);
 *     for (k...) sum += s[k];          reads s: no check of races
 *     amp_tile_barrier_wait(b);
 *
 * Reads of earlier rounds never conflict with later writes, so they need not be recorded, either. */
#include "base/map.h"
#include "checked/checked.h"

#include <string.h>

/* What threads can do in the rounds that begin at one place. */
struct round {
    LLVMValueRef *reads; /* calls that check them */
    int n_reads;
    bool *writes;   /* by tile_static variables */
    bool is_opaque; /* it writes what may be any of them */
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

static void note(const struct checking *c, struct round *round, LLVMValueRef i)
{
    if (table_calls(i, "amp__check_read") && table_tile_variable(c, LLVMGetOperand(i, 0)) >= 0) {
        round->reads[round->n_reads++] = i;
    } else if (table_calls(i, "amp__check_write")) {
        int variable = table_tile_variable(c, LLVMGetOperand(i, 0));
        if (variable >= 0)
            round->writes[variable] = true;
        else
            round->is_opaque = round->is_opaque || !LLVMIsConstant(LLVMGetOperand(i, 0));
    }
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

/* Keeps the reads that another thread's write may conflict with. */
static void keep_reads(struct walk *walk, LLVMValueRef begin, struct round *round, struct map *kept)
{
    round->n_reads = 0;
    round->is_opaque = false;
    memset(round->writes, 0, (size_t)walk->c->n_tile_variables);
    walk_from(walk, round, begin);
    walk->number++;
    for (int r = 0; r < round->n_reads; r++)
        if (round->is_opaque || round->writes[table_tile_variable(walk->c, LLVMGetOperand(round->reads[r], 0))])
            map_set(kept, round->reads[r], true);
}

void rounds_leave_out_checks(struct checking *c)
{
    int n_blocks = (int)LLVMCountBasicBlocks(c->entry), n = 0;
    if (c->n_tile_variables == 0)
        return;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(c->entry); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            n += table_calls(i, "amp__check_read");
    struct walk walk = {.c = c, .seen = map_new(), .open = arena_alloc((size_t)n_blocks * sizeof *walk.open)};
    struct round round = {.reads = arena_alloc((size_t)(2 * n) * sizeof *round.reads),
                          .writes = arena_alloc((size_t)c->n_tile_variables)};
    struct map *kept = map_new();
    keep_reads(&walk, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(c->entry)), &round, kept);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(c->entry); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (is_barrier(i))
                keep_reads(&walk, LLVMGetNextInstruction(i), &round, kept);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(c->entry); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (table_calls(i, "amp__check_read") && table_tile_variable(c, LLVMGetOperand(i, 0)) >= 0 &&
                map_get(kept, i) < 0)
                LLVMInstructionEraseFromParent(i);
        }
}

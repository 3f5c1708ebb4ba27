/* SPDX-License-Identifier: MIT
 *
 * Kernels whose threads go over arrays together: the blocks, or tiles, of a convoy go through the loop by turns of some
 * iterations. */
#pragma once

#include "ampcc.h"
#include "widen/columns.h"
#include "widen/plan.h"

struct convoy {
    struct kernel kernel;     /* the same with an entry of its own, which also has the convoy's first thread, or tile */
    LLVMValueRef limit, step; /* of the loop's counter, in the kernel's own entry */
    bool is_unsigned;         /* the counter, in the loop's comparison */
    LLVMValueRef test;        /* in the new one: whether a thread takes part in an iteration; NULL: all do */
    LLVMValueRef call;        /* in the new one: ends a turn */
    int turn;                 /* how many iterations it has at most */
    bool has_inner_loops;     /* an iteration may take long, and not all take the same time */
    bool is_dense;            /* the iterations of a tile follow one another in memory */
    bool reads_back;          /* an iteration may read what the one before has written */
    bool is_asked_for;        /* by --amp-convoys */
    bool has_columns;         /* the loop is one of `columns` instead, */
    struct column_loop columns; /* in the kernel's own entry */
};

/* Returns such a kernel's entry for convoys, in the same module; NULL if the kernel, whose plan is `plan`, has no such
 * loop. */
const struct convoy *convoy_of(LLVMModuleRef module, const struct plan *plan, const struct options *options);

/* Computes, at the builder's place, whether convoys may run, and pay unless they are asked for, from the address of the
 * argument block, for a box of `n_threads` threads. */
LLVMValueRef convoy_pays(LLVMBuilderRef builder, const struct convoy *convoy, LLVMValueRef args,
                         LLVMValueRef n_threads);

/* Returns how many blocks, or tiles, a convoy has at most with this plan of its kernel; 0 if it cannot have any. */
int convoy_most(const struct convoy *convoy, const struct plan *plan, LLVMTargetDataRef layout,
                const struct options *options);

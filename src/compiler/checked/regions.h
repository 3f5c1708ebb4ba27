/* SPDX-License-Identifier: MIT
 *
 * What regions.c, same.c and now.c share. */
#pragma once

#include "checked/checked.h"
#include "kernel/cfg.h"

/* ---- now.c ---- */

/* Fields of struct amp__check_now. */
enum { NOW_THREAD = 0, NOW_ROUND = 2, NOW_WAITS = 5 };

/* Returns the call that lets threads wait in a basic block, NULL if there is none. */
LLVMValueRef now_barrier(LLVMBasicBlockRef block);
/* Returns the global variable in which an address is a fixed place, NULL if it is none. */
LLVMValueRef now_root(const struct checking *c, LLVMValueRef address, long long *offset);
/* Whether an address is in `amp__check_now`; sets the field that begins there, -1 if none does. */
bool now_has(const struct checking *c, LLVMValueRef address, int *field);
/* Whether an instruction notes where the thread waits, or has returned. */
bool now_is_note(const struct checking *c, LLVMValueRef i);
/* Whether a load has the same result from barrier to barrier, for all threads of the tile: it reads an argument,
 * what is known about objects, or when the tile, its launch or its last barrier was. */
bool now_is_fixed(const struct checking *c, LLVMValueRef load);

/* ---- same.c ---- */

/* What the threads of a tile have in common in an entry. */
struct same {
    struct checking *c;
    const struct cfg *cfg;
    bool *is_live;       /* by nodes: the kernel's end is reached from there */
    struct map *numbers; /* of instructions */
    int n_values;
    bool *differs; /* by numbers */
};

/* Returns NULL if not all threads come to the same barriers, or that is unknown. */
struct same *same_find(struct checking *c, const struct cfg *cfg);
bool same_differs(const struct same *same, LLVMValueRef value);

/* SPDX-License-Identifier: MIT
 *
 * Accesses to neighbouring members of the structs of an array, or elements of short rows, that can be done together:
 *
 *     c[i].re = a;  c[i].im = b;        x[2 * i] + x[2 * i + 1] */
#pragma once

#include "ampcc.h"
#include "kernel/cfg.h"

enum { MAX_MEMBERS = 4 };
struct members {
    int n;
    LLVMValueRef accesses[MAX_MEMBERS]; /* loads, or stores, in the order of their places, */
    int places[MAX_MEMBERS];            /* counted in elements from where the vectors begin, */
    LLVMValueRef at;                    /* the one where all can be done: the first load or the last store */
};

/* Returns the accesses that can be done together with one of the node, of elements that lie within `most` elements and
 * begin with `access` in the order of the source. Their vectors begin at the first place; if `in_phase`, and the
 * access is to a variable, at a multiple of `most` elements of that. Returns NULL for an access that is alone and whose
 * own place is where its vectors begin. */
const struct members *members_of(const struct kernel *kernel, const struct node *node, LLVMValueRef access, int most,
                                 bool in_phase);

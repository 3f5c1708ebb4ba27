/* SPDX-License-Identifier: MIT
 *
 * Loops in which each lane adds up what it reads along a row of its own, as in `sum += a[row][k] * x[k]`, if the order
 * does not matter: integers, minima and maxima, and floating-point numbers that may be reassociated (-ffast-math); and
 * loops in which it writes along such a row, as in `b[row][k] = a[row][k] * scale`. Then vectors hold successive
 * iterations of one lane, which needs no transposition, and the lanes take turns. */
#pragma once

#include "widen/plan.h"

struct widener;

enum { STRETCH_SUMS_MOST = 4, STRETCH_STORES_MOST = 4, STRETCH_CODE_MOST = 1024 /* instructions, for all lanes */ };

struct stretch_sums {
    const struct stretch *stretch; /* how the loop counts */
    int at_once;                   /* iterations in a vector */
    bool can_mask;                 /* fewer can be loaded, too */
    bool is_parted;                /* lanes leave the loop at different times: this is for those that all have */
    int group;                     /* lanes that go along their rows together */
    int n;
    struct stretch_sum {
        LLVMValueRef phi, next; /* `next` is the only instruction of the loop that uses `phi` */
        LLVMOpcode combination; /* of two such sums: LLVMCall for the function that `next` calls */
    } list[STRETCH_SUMS_MOST];
    int n_stores;
    LLVMValueRef stores[STRETCH_STORES_MOST];
    int n_instructions; /* that an iteration needs */
};

/* Finds the nodes of a body that are such loops, for its `stretch_sums`. What is left of such a loop gathers. */
void stretch_sums_nodes(const struct kernel *kernel, const struct facts *facts, struct body *body, struct way *ways);

/* Whether an access of such a node reads the same element in each iteration. */
bool stretch_sums_is_at_one_place(const struct shapes *shapes, LLVMValueRef access);

/* Returns an i64: how many iterations of the loop, from this one on, run in vectors. At least one more is certain to
 * follow them. The loop's counter must have been emitted in its node. */
LLVMValueRef stretch_sums_count(struct widener *w, const struct stretch_sums *sums);

/* For a loop that writes: returns whether running that many iterations in vectors keeps the order of accesses to each
 * element that a lane writes. The addresses of the node's loads and stores must have been emitted in it. */
LLVMValueRef stretch_sums_keep_order(struct widener *w, const struct stretch_sums *sums, LLVMValueRef count);

/* Emits that many iterations, at least one: leaves in the slots of the node's phis what the next one begins with. The
 * addresses of the node's loads and stores must have been emitted in it. */
void stretch_sums_emit(struct widener *w, const struct stretch_sums *sums, LLVMValueRef count);

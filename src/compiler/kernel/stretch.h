/* SPDX-License-Identifier: MIT
 *
 * Loads that go through an array element by element: each thread reads a stretch of its own in successive iterations of
 * a loop, so that several elements of it can be loaded at once. */
#pragma once

#include "kernel/shape.h"

struct stretch {
    int loop;
    bool is_backwards; /* the elements have descending addresses */
    /* In an iteration, the next N - 1 ones are certain to follow if `counter` and the next N - 1 values that it takes,
     * `step` apart, compare so with `bound`: their lowest bits, if that has fewer. All threads have the same values. */
    LLVMValueRef counter, bound;
    LLVMIntPredicate predicate;
    long step;
};

/* Returns what is known about a load if, in all iterations of the innermost loop around it, every thread that is in the
 * loop runs it, its place moves on by one element, and nothing in the loop may write there; otherwise NULL. */
const struct stretch *stretch_of(const struct kernel *kernel, const struct shapes *shapes, LLVMValueRef load);

/* Whether `length` elements may be loaded at once: the loop may have as many iterations, and they can be counted. */
bool stretch_can_be(const struct stretch *stretch, int length);

/* Finds out how a loop counts, if one exit decides about all threads: fills in what a stretch says of its counter. */
bool stretch_find_counter(const struct shapes *shapes, int loop, struct stretch *stretch);
/* Finds out how a loop counts, if each thread decides for itself by one exit: then their values may differ. */
bool stretch_find_counters(const struct shapes *shapes, int loop, struct stretch *stretch);

/* Whether an instruction may write to the memory of arrays, or let others do so. */
bool stretch_may_write(const struct kernel *kernel, LLVMValueRef i);

/* Returns how many bytes the place of a load or store, which is in a loop, moves on by with each iteration of the
 * innermost one; 0 if that is not known. */
long stretch_gain(const struct shapes *shapes, LLVMValueRef access);

/* Whether each iteration of a loop adds a constant to a phi of its header: fills it in, for addresses in bytes. */
bool stretch_counts(const struct shapes *shapes, int loop, LLVMValueRef phi, long *step);
